//! Reads the Common Test Report Format.

use serde::Deserialize;

use super::Tool;
use crate::documents::Document;
use crate::json;
use crate::place::looks_like_a_file;
use crate::session::{self, Failure, Session};
use crate::stack::trace;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["results"]) && !keys.of_object(&["runs"]),
        read: document,
    }),
    ..Tool::NONE
};

#[derive(Deserialize)]
struct Report {
    results: Results,
}

#[derive(Deserialize)]
struct Results {
    tool: Option<Runner>,
    summary: Option<Summary>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Runner {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    pending: u64,
    #[serde(default)]
    skipped: u64,
    /// Neither passed nor failed: aborted, or in a state that the format does
    /// not know.
    #[serde(default)]
    other: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    name: String,
    status: String,
    suite: Option<Suite>,
    message: Option<String>,
    trace: Option<String>,
    file_path: Option<String>,
    line: Option<u64>,
}

/// A string in version 0 of the format, a list of titles since then.
#[derive(Default)]
struct Suite(Vec<String>);

impl<'de> Deserialize<'de> for Suite {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Titles;
        impl<'de> serde::de::Visitor<'de> for Titles {
            type Value = Suite;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a text or a list of texts")
            }

            fn visit_str<E>(self, title: &str) -> Result<Suite, E> {
                Ok(Suite(vec![title.to_owned()]))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<Suite, A::Error> {
                let mut titles = Vec::new();
                while let Some(title) = seq.next_element()? {
                    titles.push(title);
                }
                Ok(Suite(titles))
            }
        }
        deserializer.deserialize_any(Titles)
    }
}

fn document(text: &[u8]) -> Option<Session> {
    let results = json::first_value::<Report>(text)?.results;
    let tool = results.tool.and_then(|tool| tool.name).unwrap_or_default();
    let mut session = Session::new(framework(&tool), 1);
    let summary = results.summary.unwrap_or_else(|| counted(&results.tests));
    session.counts = session::counts(
        summary.passed,
        summary.failed,
        summary.other,
        summary.skipped.saturating_add(summary.pending),
    );
    for test in results.tests {
        if test.status == "failed" {
            session.add(failure(test));
        }
    }
    Some(session)
}

fn counted(tests: &[Test]) -> Summary {
    let count = |status: &str| tests.iter().filter(|test| test.status == status).count() as u64;
    Summary {
        passed: count("passed"),
        failed: count("failed"),
        pending: count("pending"),
        skipped: count("skipped"),
        other: count("other"),
    }
}

fn failure(test: Test) -> Failure {
    // Some repeat the suites in the name, and some count the file as one.
    let mut titles = test.suite.unwrap_or_default().0;
    titles.retain(|title| !test.name.contains(title) && !looks_like_a_file(title));
    titles.push(test.name);
    let message = trace::plain(&test.message.unwrap_or_default());
    let stack = trace::plain(&test.trace.unwrap_or_default());
    let failure = Failure::named(titles.join(" > ")).because(trace::error(&message, &stack));
    trace::placed(failure, &stack, test.file_path, test.line)
}

fn framework(tool: &str) -> &'static str {
    const KNOWN: [&str; 14] = [
        "jest",
        "vitest",
        "mocha",
        "playwright",
        "cypress",
        "jasmine",
        "pytest",
        "rspec",
        "minitest",
        "go-test",
        "phpunit",
        "testng",
        "junit",
        "robot",
    ];
    let tool = tool.to_ascii_lowercase();
    KNOWN
        .into_iter()
        .find(|name| tool.contains(name))
        .unwrap_or("ctrf")
}
