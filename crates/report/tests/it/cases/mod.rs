//! Captured output of real frameworks. Each folder `<framework>/<case>` holds
//! one input (`output.txt`, `ci.log`, `report.xml` or `report.json`) or several,
//! and for each an `<input>.expected.json` with the whole answer.
//! `BATON_BLESS=1` writes the expectations; read them before you commit them.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn captured_output_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases");
    let mut inputs = Vec::new();
    collect(&root, &mut inputs);
    inputs.sort();
    assert!(!inputs.is_empty(), "no cases below {}", root.display());
    let mismatches: Vec<String> = inputs.iter().filter_map(|input| check(input)).collect();
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

fn collect(folder: &Path, inputs: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, inputs);
        } else if name != "mod.rs" && !name.contains(".expected.") {
            inputs.push(path);
        }
    }
}

/// What is wrong with the answer for this input, if anything.
fn check(input: &Path) -> Option<String> {
    let report = baton_report::read(&fs::read(input).unwrap());
    let answer = format!("{}\n", serde_json::to_string_pretty(&report).unwrap());
    let mut expected = input.as_os_str().to_owned();
    expected.push(".expected.json");
    let expected = PathBuf::from(expected);
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(&expected, &answer).unwrap();
    }
    let wanted = fs::read_to_string(&expected).unwrap_or_default();
    (answer != wanted).then(|| {
        format!(
            "{}:\n--- expected\n{wanted}\n--- read\n{answer}",
            input.display()
        )
    })
}
