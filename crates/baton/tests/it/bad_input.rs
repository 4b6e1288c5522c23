//! A folder of bad files per parser. Each must be refused with exit 2 and with
//! exactly the message in the `.txt` file beside it (`BATON_BLESS=1` writes it).

use std::fs;
use std::path::{Path, PathBuf};

use baton_testkit::Sandbox;

use crate::command::{Answer, baton};

#[test]
fn malformed_handoffs_in_xml() {
    each("handoff-xml", |sandbox, bytes| {
        baton(sandbox).reading(bytes).run(&["handoff", "check"])
    });
}

#[test]
fn malformed_handoffs_in_json() {
    each("handoff-json", |sandbox, bytes| {
        baton(sandbox).reading(bytes).run(&["handoff", "convert"])
    });
}

#[test]
fn malformed_configuration() {
    each("config", |sandbox, bytes| {
        sandbox.write("config/baton/config.toml", bytes);
        baton(sandbox).run(&["config", "show"])
    });
}

fn each(folder: &str, answer: impl Fn(&Sandbox, Vec<u8>) -> Answer) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/bad")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|e| e != "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    let sandbox = Sandbox::new();
    for file in files {
        let answer = answer(&sandbox, fs::read(&file).unwrap());
        assert_eq!(answer.code, Some(2), "{}: {answer}", file.display());
        assert_eq!(answer.stdout, "", "{}", file.display());
        assert!(
            !answer.stderr.contains("panicked"),
            "{}: {answer}",
            file.display()
        );
        let expected = file.with_extension("txt");
        if std::env::var_os("BATON_BLESS").is_some() {
            fs::write(&expected, &answer.stderr).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(answer.stderr, wanted, "{}", file.display());
    }
}
