//! Reads the XML of runners that have their own: Robot Framework, Catch2,
//! doctest, `dotnet test` (trx), xUnit.net and `NUnit`. They differ in the names of
//! elements and attributes only.

use quick_xml::events::{BytesStart, Event};

use super::Tool;
use crate::documents::Document;
use crate::session::{self, Evidence, Failure, Session};
use crate::stack::trace;
use crate::xml::{attribute, lenient, push_bounded, unescaped};

/// What the elements of one runner are called.
struct Format {
    root: &'static str,
    framework: &'static str,
    /// Elements around tests whose names are part of theirs.
    suite: &'static str,
    test: &'static str,
    name: &'static [&'static str],
    file: &'static [&'static str],
    /// The element with the verdict, perhaps the test itself. The last one within
    /// a test counts.
    verdict: &'static str,
    verdict_attributes: &'static [&'static str],
    failed: &'static [&'static str],
    skipped: &'static [&'static str],
}

const CATCH2: Format = Format {
    root: "Catch",
    framework: "catch2",
    suite: "",
    test: "TestCase",
    name: &["name"],
    file: &["filename"],
    verdict: "OverallResult",
    verdict_attributes: &["success"],
    failed: &["false"],
    skipped: &[],
};

const FORMATS: [Format; 7] = [
    Format {
        root: "robot",
        framework: "robot",
        suite: "suite",
        test: "test",
        file: &["source"],
        verdict: "status",
        verdict_attributes: &["status"],
        failed: &["FAIL"],
        skipped: &["SKIP", "NOT RUN"],
        ..CATCH2
    },
    CATCH2,
    Format {
        root: "Catch2TestRun",
        ..CATCH2
    },
    Format {
        root: "doctest",
        verdict: "OverallResultsAsserts",
        verdict_attributes: &["test_case_success"],
        ..CATCH2
    },
    Format {
        root: "TestRun",
        framework: "dotnet-test",
        test: "UnitTestResult",
        name: &["testName"],
        file: &[],
        verdict: "UnitTestResult",
        verdict_attributes: &["outcome"],
        failed: &["Failed", "Error", "Timeout", "Aborted"],
        skipped: &["NotExecuted", "Inconclusive", "Pending"],
        ..CATCH2
    },
    Format {
        root: "assemblies",
        framework: "xunit",
        test: "test",
        verdict: "test",
        verdict_attributes: &["result"],
        failed: &["Fail"],
        skipped: &["Skip", "NotRun"],
        ..CATCH2
    },
    Format {
        root: "test-run",
        framework: "nunit",
        test: "test-case",
        name: &["fullname", "name"],
        verdict: "test-case",
        verdict_attributes: &["result"],
        failed: &["Failed"],
        skipped: &["Skipped", "Inconclusive"],
        ..CATCH2
    },
];

const fn tool(index: usize) -> Tool {
    Tool {
        document: Some(Document::Xml {
            root: FORMATS[index].root,
            read: document,
        }),
        ..Tool::NONE
    }
}

pub(super) const ROBOT: Tool = tool(0);
/// Also matches the root of version 3.
pub(super) const CATCH: Tool = tool(1);
pub(super) const DOCTEST: Tool = tool(3);
pub(super) const TRX: Tool = tool(4);
pub(super) const XUNIT: Tool = tool(5);
pub(super) const NUNIT: Tool = tool(6);

/// A test that is being read.
struct Case {
    name: String,
    file: Option<String>,
    line: Option<u64>,
    verdict: String,
    /// Where something failed within it.
    place: Option<(String, u64)>,
    text: String,
}

fn document(text: &str) -> Vec<Session> {
    let mut reader = lenient(text);
    let mut format = None;
    let mut parser = Parser::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let known = *format.get_or_insert_with(|| of_root(&tag));
                let Some(format) = known else {
                    return Vec::new();
                };
                parser.start(format, &tag);
            }
            Ok(Event::Empty(tag)) => {
                if let Some(format) = format.flatten() {
                    parser.start(format, &tag);
                    parser.end(format, tag.local_name().as_ref());
                }
            }
            Ok(Event::End(tag)) => {
                if let Some(format) = format.flatten() {
                    parser.end(format, tag.local_name().as_ref());
                }
            }
            Ok(Event::Text(text)) => parser.text(&unescaped(&text)),
            Ok(Event::CData(text)) => parser.text(&text),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let Some(format) = format.flatten() else {
        return Vec::new();
    };
    vec![parser.into_session(format)]
}

fn of_root(tag: &BytesStart<'_>) -> Option<&'static Format> {
    static TABLE: [Format; FORMATS.len()] = FORMATS;
    let name = tag.local_name();
    TABLE.iter().find(|format| format.root == name.as_ref())
}

#[derive(Default)]
struct Parser {
    suites: Vec<(String, Option<String>)>,
    case: Option<Case>,
    passed: u64,
    skipped: u64,
    failures: Vec<Failure>,
}

impl Parser {
    fn start(&mut self, format: &Format, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name = name.as_ref();
        let line = attribute(tag, &["line"]).and_then(|line| line.parse().ok());
        if name == format.suite {
            let title = attribute(tag, &["name"]).unwrap_or_default();
            self.suites.push((title, attribute(tag, format.file)));
        } else if name == format.test {
            let of_suite = self.suites.last().and_then(|(_, file)| file.clone());
            self.case = Some(Case {
                name: attribute(tag, format.name).unwrap_or_default(),
                file: attribute(tag, format.file).or(of_suite),
                line,
                verdict: String::new(),
                place: None,
                text: String::new(),
            });
        }
        let Some(case) = &mut self.case else {
            return;
        };
        if name == format.verdict
            && let Some(verdict) = attribute(tag, format.verdict_attributes)
        {
            case.verdict = verdict;
        }
        let has_failed =
            name == "Exception" || attribute(tag, &["success"]).as_deref() == Some("false");
        if has_failed
            && case.place.is_none()
            && let (Some(file), Some(line)) = (attribute(tag, &["filename"]), line)
        {
            case.place = Some((file, line));
        }
    }

    fn text(&mut self, text: &str) {
        const MAX_BYTES: usize = 16 << 10;
        if let Some(case) = &mut self.case
            && !text.trim().is_empty()
        {
            push_bounded(&mut case.text, text.trim_end(), MAX_BYTES);
            push_bounded(&mut case.text, "\n", MAX_BYTES);
        }
    }

    fn end(&mut self, format: &Format, name: &str) {
        if name == format.suite {
            self.suites.pop();
        } else if name == format.test
            && let Some(case) = self.case.take()
        {
            let verdict = case.verdict.as_str();
            if format.failed.contains(&verdict) {
                self.fail(case);
            } else if format.skipped.contains(&verdict) {
                self.skipped += 1;
            } else {
                self.passed += 1;
            }
        }
    }

    fn fail(&mut self, case: Case) {
        let suites = self.suites.iter().map(|(name, _)| name.as_str());
        let parts: Vec<&str> = suites.chain([case.name.as_str()]).collect();
        let failure = Failure::named(parts.join(".")).because(trace::error("", &case.text));
        let failure = match case.place {
            Some((file, line)) => failure.at(file, Some(line)),
            None => trace::placed(failure, &case.text, case.file, case.line),
        };
        self.failures.push(failure);
    }

    fn into_session(self, format: &Format) -> Session {
        let mut session = Session::new(format.framework, 1);
        session.evidence = Evidence::Complete;
        let failed = self.failures.len() as u64;
        session.counts = session::counts(self.passed, failed, 0, self.skipped);
        for failure in self.failures {
            session.add(failure);
        }
        session
    }
}
