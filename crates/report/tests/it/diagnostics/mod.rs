//! Captured output of real formatters, linters and compilers. Each folder
//! `<tool>/<case>` holds what came on `stdout` and `stderr`, and in
//! `expected.json` what is read from it. `BATON_BLESS=1` writes the
//! expectations; read them before you commit them.

use std::fs;
use std::path::Path;

use baton_protocol::diagnostic::Diagnostic;
use baton_report::diagnostics::{Output, Tool, read};
use proptest::prelude::*;

#[test]
fn captured_output_is_read() {
    let mut mismatches = Vec::new();
    let mut count = 0;
    each_case(|tool, folder| {
        count += 1;
        let output = output(folder);
        let found = read(Some(tool), &output);
        let answer = format!("{}\n", serde_json::to_string_pretty(&found).unwrap());
        let expected = folder.join("expected.json");
        if std::env::var_os("BATON_BLESS").is_some() {
            fs::write(&expected, &answer).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        if answer != wanted {
            mismatches.push(format!(
                "{}:\n--- expected\n{wanted}\n--- read\n{answer}",
                folder.display()
            ));
        }
    });
    assert!(count > 30, "only {count} cases");
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// A script may run any tool; the output identifies it.
#[test]
fn a_tool_that_is_not_named_is_recognised() {
    let mut mismatches = Vec::new();
    each_case(|tool, folder| {
        let output = output(folder);
        let places = |found: &[Diagnostic]| {
            let mut places: Vec<_> = found
                .iter()
                .map(|one| (one.file.clone(), one.line()))
                .collect();
            places.sort();
            places
        };
        let (named, guessed) = (read(Some(tool), &output), read(None, &output));
        if places(&named) != places(&guessed) {
            mismatches.push(format!("{}: {guessed:#?}", folder.display()));
        }
    });
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// A wrapper prints its own lines around a document.
#[test]
fn output_of_a_script_runner_is_ignored() {
    each_case(|tool, folder| {
        let stdout = fs::read(folder.join("stdout")).unwrap_or_default();
        let stderr = fs::read(folder.join("stderr")).unwrap_or_default();
        let banner = b"\n> shop@1.0.0 lint\n> eslint .\n\n";
        let wrapped = [banner.as_slice(), &stdout, b"\nnpm error code 1\n"].concat();
        assert_eq!(
            read(Some(tool), &Output::new(&stdout, &stderr)),
            read(Some(tool), &Output::new(&wrapped, &stderr)),
            "{}",
            folder.display()
        );
    });
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(stdout: Vec<u8>, stderr: Vec<u8>, tool in 0..Tool::ALL.len()) {
        read(Some(Tool::ALL[tool]), &Output::new(&stdout, &stderr));
    }

    /// Lines of all the tools in any order, cut anywhere.
    #[test]
    fn scrambled_output_never_panics(picks in prop::collection::vec(0usize..10_000, 0..30), cut in 0usize..6_000, tool in 0..Tool::ALL.len()) {
        let lines = every_line();
        let text: Vec<&str> = picks.iter().map(|pick| lines[pick % lines.len()].as_str()).collect();
        let text = text.join("\n");
        let bytes = &text.as_bytes()[..cut.min(text.len())];
        read(Some(Tool::ALL[tool]), &Output::new(bytes, b""));
    }
}

fn every_line() -> &'static [String] {
    use std::sync::OnceLock;
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        let mut lines = Vec::new();
        each_case(|_, folder| {
            for name in ["stdout", "stderr"] {
                let bytes = fs::read(folder.join(name)).unwrap_or_default();
                lines.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_owned));
            }
        });
        lines
    })
}

fn output(folder: &Path) -> Output {
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
    Output::new(&bytes("stdout"), &bytes("stderr"))
}

fn each_case(mut check: impl FnMut(Tool, &Path)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/diagnostics");
    for tool in Tool::ALL {
        let folder = root.join(tool.name().replace(' ', "-"));
        let Ok(cases) = fs::read_dir(&folder) else {
            continue;
        };
        let mut cases: Vec<_> = cases.map(|case| case.unwrap().path()).collect();
        cases.sort();
        for case in cases {
            check(tool, &case);
        }
    }
}
