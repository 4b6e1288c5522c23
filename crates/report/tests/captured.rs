//! Captured output of real frameworks and tools, each one a test of its own. The
//! harness lists them when it starts, so that a new folder is a new test.
//!
//! - `report/…`: a folder `tests/it/cases/<framework>/<case>` holds one input
//!   (`output.txt`, `ci.log`, `report.xml` or `report.json`) or several, and for
//!   each an `<input>.expected.json` with the whole answer.
//! - `truncated/…`: the same output, ending anywhere.
//! - `diagnostics/…`: a folder `tests/it/diagnostics/<tool>/<case>` holds what
//!   came on `stdout` and `stderr`, and in `expected.json` what is read from it;
//!   `guessed/…` and `wrapped/…` read it without the tool's name and among the
//!   lines of a script runner.
//!
//! `BATON_BLESS=1` writes the expectations; read them before you commit them.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests read case files, and a panic is how they fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use baton_protocol::diagnostic::Diagnostic;
use baton_report::diagnostics::{self, Output, Tool};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut trials = report_trials(&here.join("cases"));
    trials.extend(diagnostics_trials(&here.join("diagnostics")));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn report_trials(root: &Path) -> Vec<Trial> {
    let mut inputs = Vec::new();
    collect(root, &mut inputs);
    assert!(!inputs.is_empty(), "no cases below {}", root.display());
    let mut trials = Vec::new();
    for input in inputs {
        let name = input.strip_prefix(root).unwrap().display().to_string();
        if input.ends_with("output.txt") {
            let input = input.clone();
            let name = format!("truncated/{name}");
            trials.push(Trial::test(name, move || truncated(&input)));
        }
        let name = format!("report/{name}");
        trials.push(Trial::test(name, move || report(&input)));
    }
    trials
}

fn collect(folder: &Path, inputs: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, inputs);
        } else if !name.contains(".expected.") {
            inputs.push(path);
        }
    }
}

fn report(input: &Path) -> Result<(), Failed> {
    let report = baton_report::read(&fs::read(input).unwrap());
    let mut expected = input.as_os_str().to_owned();
    expected.push(".expected.json");
    compare(
        &serde_json::to_string_pretty(&report).unwrap(),
        Path::new(&expected),
    )
}

/// Logs end where a runner was killed or a budget was used up.
fn truncated(input: &Path) -> Result<(), Failed> {
    let bytes = fs::read(input).unwrap();
    let whole = baton_report::read(&bytes).failures.len();
    // A prime step, so that cuts fall into every part of lines and characters.
    for end in (0..bytes.len()).step_by(127) {
        let part = baton_report::read(&bytes[..end]).failures.len();
        // What was still running at the cut may be named too: a test and its parent.
        if part > whole + 2 {
            return Err(format!("cut at {end}: {part} failures, whole {whole}").into());
        }
    }
    Ok(())
}

fn diagnostics_trials(root: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for tool in Tool::ALL.iter().copied() {
        let folder = tool.name().replace(' ', "-");
        let Ok(cases) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for case in cases {
            let case = case.unwrap();
            let (path, name) = (case.path(), case.file_name());
            let kinds: [(&str, fn(Tool, &Path) -> Result<(), Failed>); 3] = [
                ("diagnostics", named),
                ("guessed", guessed),
                ("wrapped", wrapped),
            ];
            for (kind, check) in kinds {
                let path = path.clone();
                let name = format!("{kind}/{folder}/{}", name.display());
                trials.push(Trial::test(name, move || check(tool, &path)));
            }
        }
    }
    let count = trials.len();
    assert!(count > 90, "only {count} tests of diagnostics");
    trials
}

fn named(tool: Tool, case: &Path) -> Result<(), Failed> {
    let (stdout, stderr) = streams(case);
    let found = diagnostics::read(Some(tool), &Output::new(&stdout, &stderr));
    let found = serde_json::to_string_pretty(&found).unwrap();
    compare(&found, &case.join("expected.json"))
}

/// A script may run any tool; the output identifies it.
fn guessed(tool: Tool, case: &Path) -> Result<(), Failed> {
    let (stdout, stderr) = streams(case);
    let output = Output::new(&stdout, &stderr);
    let places = |found: &[Diagnostic]| {
        let places = found.iter().map(|one| (one.file.clone(), one.line()));
        let mut places: Vec<_> = places.collect();
        places.sort();
        places
    };
    let named = diagnostics::read(Some(tool), &output);
    let guessed = diagnostics::read(None, &output);
    if places(&named) == places(&guessed) {
        return Ok(());
    }
    Err(format!("{guessed:#?}").into())
}

/// A wrapper prints its own lines around a document.
fn wrapped(tool: Tool, case: &Path) -> Result<(), Failed> {
    let (stdout, stderr) = streams(case);
    let banner = b"\n> shop@1.0.0 lint\n> eslint .\n\n";
    let around = [banner.as_slice(), &stdout, b"\nnpm error code 1\n"].concat();
    let found = diagnostics::read(Some(tool), &Output::new(&around, &stderr));
    let expected = diagnostics::read(Some(tool), &Output::new(&stdout, &stderr));
    if found == expected {
        return Ok(());
    }
    Err(format!("--- expected\n{expected:#?}\n--- read\n{found:#?}").into())
}

fn streams(case: &Path) -> (Vec<u8>, Vec<u8>) {
    let bytes = |name: &str| fs::read(case.join(name)).unwrap_or_default();
    (bytes("stdout"), bytes("stderr"))
}

fn compare(answer: &str, expected: &Path) -> Result<(), Failed> {
    let answer = format!("{answer}\n");
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(expected, &answer).unwrap();
    }
    let wanted = fs::read_to_string(expected).unwrap_or_default();
    if answer == wanted {
        return Ok(());
    }
    Err(format!("--- expected\n{wanted}\n--- read\n{answer}").into())
}
