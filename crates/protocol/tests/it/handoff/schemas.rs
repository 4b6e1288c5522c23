//! The generated schemas against tools that others wrote.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_protocol::handoff::xml::{self, Element};
use baton_protocol::handoff::{Handoff, json_schema, xsd};
use proptest::sample::select;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::arbitrary::{Declared, borrowed, handoff};
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
        // Unlike `eprintln!`, this is not captured by the test harness.
        let _ = writeln!(io::stderr(), "SKIPPED: xmllint is not installed");
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

/// Every element that the XSD declares for the whole document.
fn declared() -> Vec<Declared> {
    fn named<'a>(element: &'a Element, kind: &str, names: &mut Vec<&'a str>) {
        for child in element.elements() {
            if child.name() == kind {
                names.extend(child.attribute("name"));
            }
            named(child, kind, names);
        }
    }
    let schema = xml::parse(xsd().as_bytes()).unwrap();
    let elements = schema
        .elements()
        .filter(|child| child.name() == "xs:element");
    elements
        .map(|declaration| {
            let (mut items, mut attributes) = (Vec::new(), Vec::new());
            named(declaration, "xs:element", &mut items);
            named(declaration, "xs:attribute", &mut attributes);
            let attributes = attributes.into_iter().map(str::to_owned).collect();
            Declared {
                name: declaration.attribute("name").unwrap().to_owned(),
                items: items.first().map(|item| ((*item).to_owned(), attributes)),
            }
        })
        .collect()
}

/// Where an unknown element is put.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Put {
    AtTheTop,
    InARecord,
    InAnUnknownElement,
}

/// A handoff with one more element in it.
fn with_stranger(handoff: &Handoff, put: Put, stranger: &Element) -> Option<String> {
    let mut document = handoff.to_xml(jiff::Timestamp::UNIX_EPOCH);
    let stranger = xml::write(stranger);
    let root = format!("</{}>", handoff.kind().root());
    let records = [
        "</error>",
        "</metrics>",
        "</validation>",
        "</validation_summary>",
    ];
    let record = records.iter().find_map(|end| document.rfind(end));
    let (at, inserted) = match put {
        Put::AtTheTop => (document.rfind(&root)?, stranger),
        Put::InARecord => (record?, stranger),
        Put::InAnUnknownElement => (
            document.rfind(&root)?,
            format!("<u_more>{stranger}</u_more>"),
        ),
    };
    document.insert_str(at, &inserted);
    Some(document)
}

#[test]
fn xmllint_accepts_names_of_the_protocol_where_the_reader_does() {
    let Some(xmllint) = xmllint() else { return };
    let folder = scratch("xsd-borrowed");
    let mut runner = TestRunner::deterministic();
    let strategy = (
        handoff(),
        select(vec![Put::AtTheTop, Put::InARecord, Put::InAnUnknownElement]),
        borrowed(declared()),
    );
    let (mut files, mut looked_at, mut rewritten) = (Vec::new(), Vec::new(), 0);
    for number in 0..1200 {
        let (handoff, put, stranger) = strategy.new_tree(&mut runner).unwrap().current();
        let Some(document) = with_stranger(&handoff, put, &stranger) else {
            continue;
        };
        let file = folder.join(format!("{number}.xml"));
        std::fs::write(&file, &document).unwrap();
        files.push(file);
        let read = Handoff::from_xml(document.as_bytes());
        looked_at.push((put, document, read.is_ok()));
        if let Ok(read) = read {
            let again = read.to_xml(jiff::Timestamp::UNIX_EPOCH);
            let file = folder.join(format!("{number}-again.xml"));
            std::fs::write(&file, &again).unwrap();
            files.push(file);
            looked_at.push((put, again, true));
            rewritten += 1;
        }
    }
    let (valid, output) = validate(&xmllint, &folder, &files);
    for (((put, document, accepted), valid), file) in looked_at.iter().zip(valid).zip(&files) {
        let said = || -> Vec<&str> {
            let file = file.to_string_lossy();
            output
                .lines()
                .filter(|line| line.contains(&*file))
                .collect()
        };
        assert!(
            valid || !accepted,
            "only the reader accepts\n{document}\n{:#?}",
            said()
        );
        // The other way round only where the edge has no say, and but for the
        // roots, which the schema has to accept inside of each other.
        let rooted = document.matches("<handoff").count() > 1
            || document.contains("<workflow-complete") && document.contains("<handoff");
        let comparable = *put == Put::InAnUnknownElement && !rooted;
        assert!(
            *accepted || !valid || !comparable,
            "only the reader refuses\n{document}\n{:?}",
            Handoff::from_xml(document.as_bytes())
        );
    }
    let refused = looked_at.iter().filter(|(_, _, accepted)| !accepted);
    let refused = refused.count();
    assert!(
        refused > 150 && rewritten > 150,
        "{refused} refused, {rewritten} read"
    );
}

#[test]
fn xmllint_refuses_what_a_schema_can_refuse() {
    let Some(xmllint) = xmllint() else { return };
    let names = [
        "attribute-on-root",
        "attribute-on-value",
        "attribute-unknown",
        "borrowed-containers",
        "borrowed-nested",
        "borrowed-value",
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
        "root-namespace",
        "root-type",
        "root-unknown",
        "schema-instance",
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
    // names, what the protocol's names mean in `other`, and the caps. 51.0 is a whole number for JSON Schema.
    let beyond = [
        "forbidden-character",
        "number-fraction",
        "other-attributes",
        "other-borrowed",
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
