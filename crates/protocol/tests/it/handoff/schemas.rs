//! The generated schemas against tools that others wrote.

use std::path::{Path, PathBuf};
use std::process::Command;

use baton_protocol::handoff::{Handoff, json_schema, xsd};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::arbitrary::handoff;
use super::cases::{cases, folder};

/// Handoffs of all kinds, the same in every run.
fn generated() -> Vec<Handoff> {
    let mut runner = TestRunner::deterministic();
    let strategy = handoff();
    (0..300)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// Where `xmllint` is; `None` where it is not installed and need not be.
#[expect(
    clippy::disallowed_methods,
    reason = "tests look for the tools they compare with"
)]
#[expect(clippy::print_stderr, reason = "a skipped comparison must be seen")]
fn xmllint() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("xmllint"))
        .find(|tool| tool.is_file());
    if found.is_none() {
        assert!(
            std::env::var("BATON_REQUIRE_PEERS").as_deref() != Ok("1"),
            "BATON_REQUIRE_PEERS=1, but xmllint is not installed"
        );
        eprintln!("SKIPPED: xmllint is not installed");
    }
    found
}

/// An empty folder of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What `xmllint` says of each file: whether it is valid, and all it printed.
#[expect(clippy::disallowed_methods, reason = "the peer is another program")]
fn validate(xmllint: &Path, folder: &Path, files: &[PathBuf]) -> (Vec<bool>, String) {
    let schema = folder.join("handoff.xsd");
    std::fs::write(&schema, xsd()).unwrap();
    let done = Command::new(xmllint)
        .args(["--nonet", "--noout", "--schema"])
        .arg(&schema)
        .args(files)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&done.stderr).into_owned();
    let valid = files
        .iter()
        .map(|file| output.contains(&format!("{} validates\n", file.display())))
        .collect();
    (valid, output)
}

#[test]
fn xmllint_accepts_every_good_document_and_all_that_is_written() {
    let Some(xmllint) = xmllint() else { return };
    let folder_of_run = scratch("xsd-good");
    let mut files: Vec<PathBuf> = cases("good", "xml", "json")
        .iter()
        .map(|case| folder("good").join(&case.name).with_extension("xml"))
        .collect();
    for (index, handoff) in generated().iter().enumerate() {
        let file = folder_of_run.join(format!("{index}.xml"));
        std::fs::write(&file, handoff.to_xml(jiff::Timestamp::UNIX_EPOCH)).unwrap();
        files.push(file);
    }
    let (valid, output) = validate(&xmllint, &folder_of_run, &files);
    let refused: Vec<_> = files
        .iter()
        .zip(valid)
        .filter(|(_, valid)| !valid)
        .collect();
    assert!(refused.is_empty(), "{output}");
}

#[test]
fn xmllint_refuses_what_a_schema_can_refuse() {
    let Some(xmllint) = xmllint() else { return };
    let names = [
        "attribute-on-root",
        "attribute-on-value",
        "attribute-unknown",
        "coverage-word",
        "elements-in-item",
        "elements-in-value",
        "error-recoverable",
        "in-data-wrong",
        "number-hash",
        "number-word",
        "number-zero",
        "port-large",
        "priority-typo",
        "receiver-missing",
        "review-status-unknown",
        "root-unknown",
        "sender-missing",
        "severity-missing",
        "severity-unknown",
        "sha-word",
        "status-empty",
        "status-typo",
        "strategy-unknown",
        "text-in-list",
        "text-in-root",
        "timestamp-local",
        "unknown-in-list",
        "url-scheme",
    ];
    let files: Vec<PathBuf> = names
        .iter()
        .map(|name| folder("bad").join(name).with_extension("xml"))
        .collect();
    assert!(files.iter().all(|file| file.is_file()));
    let (valid, output) = validate(&xmllint, &scratch("xsd-bad"), &files);
    for (name, valid) in names.iter().zip(valid) {
        assert!(!valid, "{name} is valid for xmllint\n{output}");
        assert!(
            output.contains(&format!("{name}.xml fails to validate\n")),
            "{name} was not looked at\n{output}"
        );
    }
}

#[test]
fn the_json_schema_agrees_with_the_reader() {
    let schema = jsonschema::draft7::new(&json_schema()).unwrap();
    for handoff in generated() {
        let json = handoff.to_json();
        if let Err(error) = schema.validate(&json) {
            panic!("{error}\n{json:#}");
        }
    }
    for case in cases("good", "xml", "json") {
        let json: Value = serde_json::from_slice(&case.expected).unwrap();
        assert!(schema.is_valid(&json), "{}", case.name);
    }
    // What only the reader knows: rules between fields, XML's characters and
    // names, and the caps. 51.0 is a whole number for JSON Schema.
    let beyond = [
        "forbidden-character",
        "number-fraction",
        "other-attributes",
        "other-deep",
        "other-known",
        "url-disagrees",
    ];
    for case in cases("bad-json", "json", "txt") {
        if let Ok(json) = serde_json::from_slice(&case.document) {
            let expected = beyond.contains(&case.name.as_str()) || case.name == "key-twice";
            assert_eq!(schema.is_valid(&json), expected, "{}", case.name);
        }
    }
}
