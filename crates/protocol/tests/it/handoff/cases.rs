//! Documents in files, each beside what is expected of it: `good/*.xml` with
//! the JSON form, `bad/*.xml` and `bad-json/*.json` with the whole message.

use std::path::{Path, PathBuf};

use baton_protocol::handoff::Handoff;
use serde_json::Value;

/// One document and the file beside it.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) document: Vec<u8>,
    pub(super) expected: Vec<u8>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the crate has no I/O, its test cases are files"
)]
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(super) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/handoff/cases")
        .join(name)
}

/// Every document of a folder, in order. A file without its counterpart fails.
pub(super) fn cases(name: &str, document: &str, expected: &str) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let (documents, others): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .partition(|path| path.extension().is_some_and(|found| found == document));
    for other in others {
        assert!(
            other.extension().is_some_and(|found| found == expected)
                && other.with_extension(document).is_file(),
            "{} belongs to no document",
            other.display()
        );
    }
    assert!(!documents.is_empty(), "no cases in {name}");
    documents
        .into_iter()
        .map(|path| Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            expected: read(&path.with_extension(expected)),
            document: read(&path),
        })
        .collect()
}

fn check_messages(
    cases: Vec<Case>,
    parse: impl Fn(&[u8]) -> Result<Handoff, baton_protocol::handoff::HandoffError>,
) {
    for case in cases {
        let message = match parse(&case.document) {
            Ok(handoff) => panic!("{}: accepted as {handoff:?}", case.name),
            Err(error) => format!("{error}\n"),
        };
        let expected = String::from_utf8(case.expected).unwrap();
        assert_eq!(message, expected, "{}", case.name);
    }
}

#[test]
fn good_documents_become_the_json_beside_them_and_come_back() {
    let now = "2031-01-01T00:00:00Z".parse().unwrap();
    for case in cases("good", "xml", "json") {
        let name = case.name;
        let handoff = Handoff::from_xml(&case.document).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected: Value = serde_json::from_slice(&case.expected).unwrap();
        assert_eq!(handoff.to_json(), expected, "{name}");
        let from_json =
            Handoff::from_json(&case.expected).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(from_json, handoff, "{name}");
        handoff.check().unwrap_or_else(|e| panic!("{name}: {e}"));

        let written = handoff.to_xml(now);
        let again = Handoff::from_xml(written.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(again.timestamp().is_some(), "{name}");
        assert_eq!(again.to_xml(now), written, "{name}");
        let mut json = again.to_json();
        if handoff.timestamp().is_none() {
            json.as_object_mut().unwrap().remove("timestamp");
        }
        assert_eq!(json, expected, "{name}");
    }
}

#[test]
fn bad_xml_is_refused_with_the_message_beside_it() {
    check_messages(cases("bad", "xml", "txt"), Handoff::from_xml);
}

#[test]
fn bad_json_is_refused_with_the_message_beside_it() {
    check_messages(cases("bad-json", "json", "txt"), Handoff::from_json);
}

#[test]
fn the_written_form_is_flat_indented_and_escaped() {
    let case = cases("good", "xml", "json")
        .into_iter()
        .find(|case| case.name == "fixed-with-unknown-elements")
        .unwrap();
    let handoff = Handoff::from_xml(&case.document).unwrap();
    insta::assert_snapshot!(handoff.to_xml("2031-01-01T00:00:00Z".parse().unwrap()), @r#"
    <handoff>
      <from>fixer-agent</from>
      <to>reviewer-agent</to>
      <timestamp>2031-01-01T00:00:00Z</timestamp>
      <pr_url>https://forge.example/harbour/ferry/pull/51</pr_url>
      <pr_number>51</pr_number>
      <issue_number>48</issue_number>
      <status>ready-for-re-review</status>
      <fixes_applied>
        <fix location="src/board.py:17 &quot;night&quot; &lt;list&gt;">The cache key holds the date</fix>
        <fix>Added a test for the change to summer time</fix>
      </fixes_applied>
      <commits_added>2</commits_added>
      <mood level="9" colour="blue &amp; grey">calm</mood>
      <trace>
        <step kind="run">one</step>
        <step kind="run">two <b>bold</b> three</step>
        <empty/>
      </trace>
      <x:note xmlns:x="urn:example:notes" x:by="someone">kept</x:note>
    </handoff>
    "#);
}
