//! Lists the tests of a run one by one, from the lines that it printed or from a
//! report file.
//!
//! The [`Reader`](crate::Reader) counts tests and explains failures; this module
//! only lists names, including those of tests that passed.

use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use crate::lines::{LineSplitter, cleaned};
use crate::live::{self, Outcome};
use crate::xml::{self, attribute};

/// No suite has more; a program that prints more is not listing tests.
const MAX_CASES: usize = 200_000;

/// A test that a run reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// As the runner prints it, including its suites.
    pub name: String,
    pub status: CaseStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseStatus {
    Passed,
    Failed,
    /// Includes expected failures.
    Skipped,
}

/// Takes a run's output and lists the tests.
#[derive(Default)]
pub struct CaseReader {
    splitter: LineSplitter,
    scratch: Vec<u8>,
    cases: Vec<Case>,
    /// The `cargo test` binary that the next lines belong to.
    binary: Option<String>,
}

impl CaseReader {
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.feed(chunk, |line| self.line(line.bytes));
        self.splitter = splitter;
    }

    pub fn finish(self) -> Vec<Case> {
        self.cases
    }

    fn line(&mut self, raw: &[u8]) {
        if self.cases.len() >= MAX_CASES {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let line = String::from_utf8_lossy(cleaned(raw, &mut scratch)).into_owned();
        self.scratch = scratch;
        let line = line.trim();
        if let Some(binary) = cargo_binary(line) {
            self.binary = Some(binary);
        } else if let Some(case) = minitest(line) {
            self.cases.push(case);
        } else if let Some((outcome, text)) = live::one_test(line) {
            let (name, _) = live::without_duration(text);
            let name = match &self.binary {
                Some(binary) if line.starts_with("test ") => format!("{binary} {name}"),
                _ => name.to_owned(),
            };
            let status = match outcome {
                Outcome::Passed => CaseStatus::Passed,
                Outcome::Failed => CaseStatus::Failed,
                Outcome::Skipped => CaseStatus::Skipped,
            };
            self.cases.push(Case { name, status });
        }
    }
}

/// The tests in a report file: `JUnit` XML, or the JSON of Jest, Vitest and
/// `RSpec`. Empty for everything else.
pub fn parse_document(bytes: &[u8]) -> Vec<Case> {
    let Ok(text) = str::from_utf8(bytes) else {
        return Vec::new();
    };
    let mut cases = if text.trim_start().starts_with('<') {
        parse_junit(text)
    } else {
        parse_json(&serde_json::from_str(text).unwrap_or_default())
    };
    cases.truncate(MAX_CASES);
    cases
}

/// `Running unittests src/lib.rs (target/debug/deps/cart-3f5b5abc58f60858)`
fn cargo_binary(line: &str) -> Option<String> {
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("doc-tests {name}"));
    }
    let (_, path) = line.strip_prefix("Running ")?.rsplit_once(" (")?;
    let file = path.strip_suffix(')')?.rsplit(['/', '\\']).next()?;
    let (name, hash) = file.trim_end_matches(".exe").rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| name.to_owned())
}

/// `CartTest#test_total = 0.00 s = .`
fn minitest(line: &str) -> Option<Case> {
    let (rest, mark) = line.rsplit_once(" s = ")?;
    let (name, _) = rest.rsplit_once(" = ")?;
    let status = match mark {
        "." => CaseStatus::Passed,
        "F" | "E" => CaseStatus::Failed,
        "S" => CaseStatus::Skipped,
        _ => return None,
    };
    let name = name.to_owned();
    name.contains('#').then_some(Case { name, status })
}

fn parse_junit(text: &str) -> Vec<Case> {
    let mut reader = xml::lenient(text);
    let mut cases = Vec::new();
    let mut open: Option<Case> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => match tag.local_name().as_ref() {
                "testcase" => open = junit_case(&tag),
                inner => mark(open.as_mut(), inner),
            },
            Ok(Event::Empty(tag)) => match tag.local_name().as_ref() {
                "testcase" => cases.extend(junit_case(&tag)),
                inner => mark(open.as_mut(), inner),
            },
            Ok(Event::End(tag)) if tag.local_name().as_ref() == "testcase" => {
                cases.extend(open.take());
            }
            Ok(Event::Eof) | Err(_) => return cases,
            Ok(_) => {}
        }
    }
}

fn mark(case: Option<&mut Case>, element: &str) {
    let Some(case) = case else {
        return;
    };
    match element {
        "failure" | "error" => case.status = CaseStatus::Failed,
        "skipped" | "disabled" | "ignored" if case.status == CaseStatus::Passed => {
            case.status = CaseStatus::Skipped;
        }
        _ => {}
    }
}

fn junit_case(tag: &BytesStart<'_>) -> Option<Case> {
    let name = attribute(tag, &["name"])?;
    // A module that could not be imported has no class; it is not a test.
    let name = match attribute(tag, &["classname"]) {
        Some(class) => format!("{class}::{name}"),
        None => name,
    };
    Some(Case {
        name,
        status: CaseStatus::Passed,
    })
}

fn parse_json(document: &Value) -> Vec<Case> {
    let list = |value: &Value, key: &str| -> Vec<Value> {
        value[key].as_array().cloned().unwrap_or_default()
    };
    let jest = list(document, "testResults").into_iter().flat_map(|file| {
        let name = file["name"].as_str().unwrap_or_default();
        let file_name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        let results = list(&file, "assertionResults").into_iter();
        results.map(move |result| {
            let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
            let suites = list(&result, "ancestorTitles");
            let suites = suites.iter().filter_map(Value::as_str);
            let parts: Vec<&str> = std::iter::once(file_name.as_str()).chain(suites).collect();
            (
                format!("{} > {}", parts.join(" > "), text("title")),
                text("status"),
            )
        })
    });
    let rspec = list(document, "examples").into_iter().map(|example| {
        let text = |key: &str| example[key].as_str().unwrap_or_default().to_owned();
        let file = text("file_path");
        (
            format!("{file} > {}", text("full_description")),
            text("status"),
        )
    });
    jest.chain(rspec)
        .filter_map(|(name, status)| {
            let status = match status.as_str() {
                "passed" => CaseStatus::Passed,
                "failed" => CaseStatus::Failed,
                "skipped" | "pending" | "todo" | "disabled" => CaseStatus::Skipped,
                _ => return None,
            };
            Some(Case { name, status })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(output: &str) -> Vec<String> {
        let mut reader = CaseReader::default();
        reader.feed(output.as_bytes());
        formatted(reader.finish())
    }

    fn formatted(cases: Vec<Case>) -> Vec<String> {
        let one = |case: Case| format!("{:?} {}", case.status, case.name);
        cases.into_iter().map(one).collect()
    }

    #[test]
    fn lines_list_tests() {
        let cargo = "     Running unittests src/lib.rs (target/debug/deps/cart-3f5b5abc58f60858)\ntest tests::adds ... ok\ntest tests::slow ... ignored\n   Doc-tests cart\ntest src/lib.rs - total (line 3) ... FAILED\n";
        assert_eq!(
            listed(cargo),
            [
                "Passed cart tests::adds",
                "Skipped cart tests::slow",
                "Failed doc-tests cart src/lib.rs - total (line 3)"
            ]
        );
        let go = "=== RUN   TestA\n    --- PASS: TestA/x (0.00s)\n--- FAIL: TestA (0.01s)\n";
        assert_eq!(listed(go), ["Passed TestA/x", "Failed TestA"]);
        let minitest = "CartTest#test_total = 0.00 s = .\nCartTest#test_x = 0.01 s = S\n";
        assert_eq!(
            listed(minitest),
            ["Passed CartTest#test_total", "Skipped CartTest#test_x"]
        );
        assert_eq!(listed("all is well\nok\n"), Vec::<String>::new());
    }

    #[test]
    fn documents_list_tests() {
        let junit = r#"<testsuites><testsuite name="pytest"><testcase classname="tests.test_a" name="test_x[1&lt;2]"/>
            <testcase classname="tests.test_a" name="test_y"><failure message="no">x</failure></testcase>
            <testcase classname="tests.test_a" name="test_z"><skipped type="pytest.xfail"/></testcase></testsuite></testsuites>"#;
        assert_eq!(
            formatted(parse_document(junit.as_bytes())),
            [
                "Passed tests.test_a::test_x[1<2]",
                "Failed tests.test_a::test_y",
                "Skipped tests.test_a::test_z"
            ]
        );
        let jest = r#"{"testResults":[{"name":"/x/cart.test.js","assertionResults":[
            {"ancestorTitles":["cart"],"title":"adds","status":"passed"},{"ancestorTitles":[],"title":"later","status":"todo"}]}]}"#;
        assert_eq!(
            formatted(parse_document(jest.as_bytes())),
            [
                "Passed cart.test.js > cart > adds",
                "Skipped cart.test.js > later"
            ]
        );
        let rspec = r#"{"examples":[{"full_description":"Cart is empty","file_path":"./spec/cart_spec.rb","status":"failed"}]}"#;
        assert_eq!(
            formatted(parse_document(rspec.as_bytes())),
            ["Failed ./spec/cart_spec.rb > Cart is empty"]
        );
        assert_eq!(formatted(parse_document(b"{}")), Vec::<String>::new());
        assert_eq!(formatted(parse_document(b"\xff<")), Vec::<String>::new());
    }
}
