//! Reads the XML of `JUnit`, which nearly every runner can write, each in its
//! own dialect.
//!
//! It is read as a stream: only the count of passing tests is kept. Custom
//! document types and entities are not expanded. A truncated or corrupt file
//! yields what was complete up to that point.

mod case;
mod dialect;
mod in_text;

use std::collections::BTreeMap;

use baton_protocol::Confidence;
use baton_protocol::report::Counts;
use case::{Case, Outcome};
use dialect::Dialect;
use quick_xml::events::{BytesStart, Event};

use super::Tool;
use crate::documents::Document;
use crate::session::{self, Evidence, Session};
use crate::xml::{self, attribute, unescaped};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Xml {
        root: "testsuite",
        read,
    }),
    ..in_text::TOOL
};

/// Nothing if there is no suite.
fn read(text: &str) -> Vec<Session> {
    let mut reader = xml::lenient(text);
    let mut parser = Parser::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => parser.start(&tag),
            Ok(Event::Empty(tag)) => {
                parser.start(&tag);
                parser.end(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => parser.end(tag.local_name().as_ref()),
            Ok(Event::Text(text)) => parser.text(&text.xml10_content()),
            Ok(Event::CData(text)) => parser.text(&text.xml10_content()),
            Ok(Event::GeneralRef(name)) => {
                let reference = format!("&{};", name.into_inner());
                parser.text(&unescaped(&reference));
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) | Err(_) => break,
        }
    }
    parser.finish()
}

#[derive(Default)]
struct Parser {
    sessions: Vec<Session>,
    /// The session of the current root element.
    session: Session,
    dialect: Option<Dialect>,
    /// The counts that the root element declares.
    declared: Counts,
    declares_tests: bool,
    suites: Vec<Suite>,
    case: Option<Case>,
    /// The class of each failure so far, if it helps to find the file.
    classes: Vec<String>,
    /// The element whose text is being collected.
    target: Target,
    /// The depth inside an element that is irrelevant for the outcome.
    ignored: usize,
}

struct Suite {
    name: String,
    file: Option<String>,
}

#[derive(Default, PartialEq, Eq)]
enum Target {
    #[default]
    Nothing,
    /// `failure` or `error`.
    Problem,
    /// `system-out` or `system-err`.
    Output,
}

/// Attempts before the one that counts, written by runners that retry.
const ATTEMPTS: [&str; 5] = [
    "flakyFailure",
    "flakyError",
    "rerunFailure",
    "rerunError",
    "rerun",
];

impl Parser {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name = name.as_ref();
        if self.ignored > 0 || ATTEMPTS.contains(&name) {
            self.ignored += 1;
            return;
        }
        match name {
            "testsuites" | "testsuite" => self.open_suite(tag),
            "property" => self.dialect = self.dialect.or_else(|| Dialect::from_property(tag)),
            "testcase" => {
                self.close_case();
                self.case = Some(Case::new(tag));
            }
            "failure" => self.problem(Outcome::Failed, tag),
            "error" => self.problem(Outcome::Error, tag),
            "skipped" | "disabled" | "ignored" => {
                if let Some(case) = &mut self.case {
                    case.skip();
                }
            }
            "system-out" | "system-err" => self.target = Target::Output,
            _ => {}
        }
    }

    fn open_suite(&mut self, tag: &BytesStart<'_>) {
        if self.suites.is_empty() {
            self.dialect = None;
            self.session = Session::default();
            self.declared = declared_counts(tag);
            self.declares_tests = attribute(tag, &["tests"]).is_some_and(|n| n != "0");
        }
        self.dialect = self.dialect.or_else(|| Dialect::from_suite(tag));
        self.suites.push(Suite {
            name: attribute(tag, &["name"]).unwrap_or_default(),
            file: attribute(tag, &["file", "filepath"]),
        });
    }

    fn problem(&mut self, outcome: Outcome, tag: &BytesStart<'_>) {
        if self.case.is_none()
            && let Some(suite) = self.suites.last()
        {
            // The suite itself failed, outside of its tests.
            self.case = Some(Case::for_suite(suite));
        }
        if let Some(case) = &mut self.case {
            case.problem(outcome, tag);
            case.locate(&self.suites);
            self.target = Target::Problem;
        }
    }

    fn end(&mut self, name: &str) {
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        match name {
            "failure" | "error" => {
                self.target = Target::Nothing;
                if self.case.as_ref().is_some_and(|case| case.is_a_suite) {
                    self.close_case();
                }
            }
            "system-out" | "system-err" => self.target = Target::Nothing,
            "testcase" => self.close_case(),
            "testsuites" | "testsuite" => {
                self.close_case();
                self.suites.pop();
                if self.suites.is_empty() {
                    self.session.evidence = Evidence::Complete;
                    self.close_session();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.ignored > 0 {
            return;
        }
        if let Some(case) = &mut self.case {
            match self.target {
                Target::Problem => case.push_trace(text),
                Target::Output => case.push_output(text),
                Target::Nothing => {}
            }
        }
    }

    fn close_case(&mut self) {
        self.target = Target::Nothing;
        let Some(case) = self.case.take() else {
            return;
        };
        let dialect = self.dialect.unwrap_or_else(|| Dialect::from_case(&case));
        if dialect == Dialect::Go && case.was_only_printed() {
            return;
        }
        if self.session.framework.is_empty() || case.outcome.is_bad() {
            self.session.framework = dialect.framework();
        }
        let counts = &mut self.session.counts;
        match case.outcome {
            Outcome::Passed => counts.passed += 1,
            Outcome::Failed => counts.failed += 1,
            Outcome::Error => counts.errors += 1,
            Outcome::Skipped => counts.skipped += 1,
        }
        counts.run = counts.passed + counts.failed + counts.errors;
        if case.outcome.is_bad() && !self.session.is_full() {
            self.add_failure(case, dialect);
        }
    }

    fn add_failure(&mut self, case: Case, dialect: Dialect) {
        let class = case.class.clone();
        let failure = case.into_failure(dialect);
        if dialect.is_of_the_jvm()
            && failure.name == class
            && self
                .session
                .failures
                .iter()
                .any(|other| other.name == class)
        {
            // Report a class that could not be set up once, not once per test.
            return;
        }
        self.session.add(failure);
        if dialect.shares_files() && self.classes.len() < self.session.failures.len() {
            self.classes.push(class);
        }
    }

    /// Gives a failure without a file the file of the other failures of its
    /// package, if they agree.
    fn share_files(&mut self) {
        let classes = std::mem::take(&mut self.classes);
        let failures = &mut self.session.failures;
        let mut files: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for (class, failure) in classes.iter().zip(&*failures) {
            if let Some(file) = &failure.file {
                files
                    .entry(class)
                    .and_modify(|known| {
                        if known.as_ref() != Some(file) {
                            *known = None;
                        }
                    })
                    .or_insert_with(|| Some(file.clone()));
            }
        }
        for (class, failure) in classes.iter().zip(failures) {
            if failure.file.is_none()
                && let Some(Some(file)) = files.get(class.as_str())
            {
                failure.file = Some(file.clone());
                failure.confidence = Confidence::Medium;
            }
        }
    }

    fn close_session(&mut self) {
        self.share_files();
        let mut session = std::mem::take(&mut self.session);
        if session.framework.is_empty() {
            session.framework = self.dialect.unwrap_or(Dialect::Other).framework();
        }
        let Counts { failed, errors, .. } = self.declared;
        if session.counts == Counts::default() {
            // No test is listed. If tests ran, this is only a summary; if not,
            // the build failed.
            session.broke = failed > 0 || errors > 0;
            if self.declares_tests {
                session.counts = self.declared;
            }
        }
        self.sessions.push(session);
    }

    fn finish(mut self) -> Vec<Session> {
        if !self.suites.is_empty() {
            // Truncated. A test without an end counts if it is known to have
            // failed; an open one may still have passed.
            if self.case.as_ref().is_some_and(|case| case.outcome.is_bad()) {
                self.close_case();
            }
            for failure in &mut self.session.failures {
                failure.confidence = Confidence::Medium;
            }
            self.close_session();
        }
        self.sessions
    }
}

fn declared_counts(tag: &BytesStart<'_>) -> Counts {
    let number = |names: &[&str]| {
        let text = attribute(tag, names)?;
        text.parse::<u64>().ok()
    };
    let number = |names: &[&str]| number(names).unwrap_or(0);
    let (failed, errors) = (number(&["failures"]), number(&["errors"]));
    let skipped = number(&["skipped", "disabled"]);
    let passed = [failed, errors, skipped]
        .into_iter()
        .fold(number(&["tests"]), u64::saturating_sub);
    session::counts(passed, failed, errors, skipped)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::session::{Evidence, Session};

    /// A line for each session, and one for each failure.
    fn summary(xml: &str) -> String {
        let mut lines = Vec::new();
        for session in read(xml) {
            let c = session.counts;
            lines.push(format!(
                "{} {:?}: {} passed, {} failed, {} errors, {} skipped",
                session.framework, session.evidence, c.passed, c.failed, c.errors, c.skipped
            ));
            lines.extend(session.failures.iter().map(|failure| {
                let place = failure
                    .line
                    .map(|line| line.to_string())
                    .unwrap_or_default();
                let file = failure.file.as_deref().unwrap_or("-");
                format!(
                    "  {:?} {} at {file}:{place}: {:?}",
                    failure.confidence, failure.name, failure.error
                )
            }));
        }
        lines.join("\n")
    }

    #[test]
    fn attempts_before_the_last_do_not_count() {
        let xml = "<testsuite name='a.FlakyTest' tests='2'>\
            <testcase classname='a.FlakyTest' name='recovers'>\
              <flakyFailure message='x'><stackTrace>x at <![CDATA[<failure/>]]></stackTrace></flakyFailure>\
              <flakyError><system-out>no</system-out></flakyError>\
            </testcase>\
            <testcase classname='a.FlakyTest' name='fails'>\
              <failure message='third'>\tat a.FlakyTest.fails(FlakyTest.java:9)</failure>\
              <rerunFailure><stackTrace>\tat a.FlakyTest.fails(FlakyTest.java:1)</stackTrace></rerunFailure>\
            </testcase></testsuite>";
        insta::assert_snapshot!(summary(xml), @r#"
        junit Complete: 1 passed, 1 failed, 0 errors, 0 skipped
          High a.FlakyTest.fails at a/FlakyTest.java:9: "third\n\tat a.FlakyTest.fails(FlakyTest.java:9)"
        "#);
    }

    #[test]
    fn suites_nest_and_documents_follow_each_other() {
        let xml = "<?xml version='1.0'?><testsuites><testsuite name='outer'>\
            <testsuite name='inner'><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>\
            <testcase name='c' classname='k'><error message='&lt;no&gt;&#10;&unknown; &amp; more'/></testcase>\
            </testsuite></testsuites>\n<?xml version='1.0'?>\n<testsuite><testcase name='d'/></testsuite>";
        insta::assert_snapshot!(summary(xml), @r#"
        junit Complete: 1 passed, 0 failed, 1 errors, 1 skipped
          High k.c at -:: "<no>\n&unknown; & more"
        junit Complete: 1 passed, 0 failed, 0 errors, 0 skipped
        "#);
    }

    #[test]
    fn truncated_reports_count_what_is_complete() {
        let whole = "<testsuite name='pytest'>\
            <testcase classname='test_a' name='one'/>\
            <testcase classname='test_a' name='two'><failure message='no'>test_a.py:3: E</failure></testcase>\
            <testcase classname='test_a' name='three'><failure message='oh'>test_a.py:7: E</failure>";
        insta::assert_snapshot!(summary(whole), @r#"
        pytest Fragment: 1 passed, 2 failed, 0 errors, 0 skipped
          Medium test_a.py::two at test_a.py:3: "no\ntest_a.py:3: E"
          Medium test_a.py::three at test_a.py:7: "oh\ntest_a.py:7: E"
        "#);
        let open: Vec<Session> = read("<testsuite><testcase name='a'><system-out>");
        assert_eq!(
            (open[0].counts.run, open[0].evidence),
            (0, Evidence::Fragment)
        );
        for length in 0..whole.len() {
            read(&whole[..length]);
        }
    }

    #[test]
    fn a_suite_can_fail_as_a_whole() {
        let xml = "<testsuite name='checks' file='checks.py'><error message='no fixture'/>\
            <testcase name='a' status='notrun'/><testcase name='b' result='skipped'/></testsuite>";
        insta::assert_snapshot!(summary(xml), @r#"
        unittest Complete: 0 passed, 0 failed, 1 errors, 2 skipped
          High checks at checks.py:: "no fixture"
        "#);
        assert_eq!(
            summary("<testsuites/>"),
            "junit Complete: 0 passed, 0 failed, 0 errors, 0 skipped"
        );
        assert_eq!(summary("<a/>"), "");
    }
}
