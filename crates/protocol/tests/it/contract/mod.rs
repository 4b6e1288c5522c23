//! Every type of the contract against a folder of good and bad documents.
//!
//! `cases/<name>/good/*.json` must fit the schema, be read, and survive a
//! round trip. `cases/<name>/bad/*.json` must be refused by both; for inputs,
//! the `.txt` file beside it holds all messages, one per line.

mod integrators;
mod spoilt;

use std::fs;
use std::path::{Path, PathBuf};

use baton_protocol::json;
use baton_protocol::schema;
use serde_json::Value;

fn is_input(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(_, side)| side == "input")
}

struct Case {
    path: PathBuf,
    document: Value,
}

fn cases(name: &str, kind: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/contract/cases")
        .join(name)
        .join(kind);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no cases in {}", folder.display());
    paths
        .into_iter()
        .map(|path| {
            let document = json::parse(&fs::read(&path).unwrap()).unwrap();
            Case { path, document }
        })
        .collect()
}

#[test]
fn good_documents_fit_and_survive_a_round_trip() {
    for entry in schema::entries() {
        let validator = jsonschema::draft7::new(&entry.json_schema()).unwrap();
        for case in cases(entry.name, "good") {
            let place = case.path.display();
            if let Err(error) = validator.validate(&case.document) {
                panic!("{place} does not fit the schema: {error}");
            }
            let once = entry
                .round_trip(&case.document)
                .unwrap_or_else(|error| panic!("{place} is refused: {error}"));
            validator
                .validate(&once)
                .unwrap_or_else(|error| panic!("{place}: what we write does not fit: {error}"));
            let twice = entry.round_trip(&once).unwrap();
            assert_eq!(once, twice, "{place} changes on the second trip");
            assert_contains(&once, &case.document, &place.to_string());
        }
    }
}

/// Nothing of the document got lost. Defaults may be added, aliases are
/// normalised, and the PR phase drops keys it does not know.
fn assert_contains(written: &Value, document: &Value, place: &str) {
    let dropped = ["language", "reviewers"];
    for (key, value) in document.as_object().unwrap() {
        if !dropped.contains(&key.as_str()) {
            assert_eq!(written.get(key), Some(value), "{place}: key {key}");
        }
    }
}

#[test]
fn bad_documents_are_refused_with_all_their_problems() {
    for entry in schema::entries() {
        let validator = jsonschema::draft7::new(&entry.json_schema()).unwrap();
        for case in cases(entry.name, "bad") {
            let place = case.path.display();
            let message = entry
                .round_trip(&case.document)
                .expect_err(&format!("{place} is accepted"));
            // The rule "differs from the base branch" is beyond any schema.
            if !case.path.ends_with("branch-is-base.json") {
                assert!(!validator.is_valid(&case.document), "{place} fits");
            }
            if is_input(entry.name) {
                assert_told(&case.path.with_extension("txt"), &message);
            }
        }
    }
}

/// Compares with the file, or writes it when `BATON_BLESS` is set.
fn assert_told(file: &Path, message: &str) {
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(file, format!("{message}\n")).unwrap();
    }
    let expected = fs::read_to_string(file)
        .unwrap_or_else(|_| panic!("{} is missing; BATON_BLESS=1 writes it", file.display()));
    assert_eq!(message, expected.trim_end(), "{}", file.display());
}

#[test]
fn names_are_unique_and_found() {
    for entry in schema::entries() {
        assert!(std::ptr::eq(schema::find(entry.name).unwrap(), entry));
    }
    assert!(schema::find("testing").is_none());
    assert_eq!(schema::suggest("testing.inputs"), Some("testing.input"));
    assert_eq!(schema::suggest("zzz"), None);
}
