//! The XML of `JUnit`, which nearly every runner can write, each in its own dialect.
//!
//! Read as a stream: of a passing test nothing is kept but its count. Document
//! types and entities of their own are not expanded. A file that ends early,
//! or turns into something else, gives what was complete until there.

mod case;
mod dialect;

use std::collections::BTreeMap;

use baton_protocol::Confidence;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::session::{Evidence, Session};
use case::{Case, Outcome};
use dialect::Dialect;

/// More than this of a report inside a log is not kept.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// `None` when there is not even one suite.
pub(crate) fn read(text: &str) -> Option<Vec<Session>> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut document = Document::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => document.start(&tag),
            Ok(Event::Empty(tag)) => {
                document.start(&tag);
                document.end(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => document.end(tag.local_name().as_ref()),
            Ok(Event::Text(text)) => document.text(&text.xml10_content()),
            Ok(Event::CData(text)) => document.text(&text.xml10_content()),
            Ok(Event::GeneralRef(name)) => {
                let reference = format!("&{};", name.into_inner());
                document.text(&unescaped(&reference));
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) | Err(_) => break,
        }
    }
    document.finish()
}

#[derive(Default)]
struct Document {
    sessions: Vec<Session>,
    /// Of the root element at hand.
    session: Session,
    dialect: Option<Dialect>,
    suites: Vec<Suite>,
    case: Option<Case>,
    /// Of each failure so far, where that helps to find its file.
    classes: Vec<String>,
    /// The element whose text is being collected.
    target: Target,
    /// How deep inside an element that says nothing about the outcome.
    ignored: usize,
}

#[derive(Clone, Default)]
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

impl Document {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name = name.as_ref();
        if self.ignored > 0 || ATTEMPTS.contains(&name) {
            self.ignored += 1;
            return;
        }
        match name {
            "testsuites" | "testsuite" => {
                if self.suites.is_empty() {
                    self.dialect = None;
                    self.session = Session::default();
                }
                self.dialect = self.dialect.or_else(|| Dialect::of_suite(tag));
                self.suites.push(Suite {
                    name: attribute(tag, &["name"]).unwrap_or_default(),
                    file: attribute(tag, &["file", "filepath"]),
                });
            }
            "property" => self.dialect = self.dialect.or_else(|| Dialect::of_property(tag)),
            "testcase" => {
                self.close_case();
                let suite = self.suites.last().cloned().unwrap_or_default();
                self.case = Some(Case::new(tag, suite));
            }
            "failure" | "error" => {
                let outcome = match name {
                    "failure" => Outcome::Failed,
                    _ => Outcome::Error,
                };
                if let (None, Some(suite)) = (&self.case, self.suites.last()) {
                    // The suite itself failed, outside of its tests.
                    self.case = Some(Case::of_suite(suite.clone()));
                }
                if let Some(case) = &mut self.case {
                    case.problem(outcome, tag);
                    self.target = Target::Problem;
                }
            }
            "skipped" | "disabled" | "ignored" => {
                if let Some(case) = &mut self.case {
                    case.skip();
                }
            }
            "system-out" | "system-err" => self.target = Target::Output,
            _ => {}
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
        let dialect = self.dialect.unwrap_or_else(|| Dialect::of_case(&case));
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
        if case.outcome.is_bad() {
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
            // Once for a class that could not be set up, not once per test.
            return;
        }
        self.session.add(failure);
        if dialect.shares_files() && self.classes.len() < self.session.failures.len() {
            self.classes.push(class);
        }
    }

    /// A failure that names no file is in the one that the failures of the same
    /// package name, if they agree.
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
        self.sessions.push(session);
    }

    fn finish(mut self) -> Option<Vec<Session>> {
        if !self.suites.is_empty() {
            // Cut off. A test whose end is missing counts if it is known to
            // have failed; one that is merely open may yet have passed.
            if self.case.as_ref().is_some_and(|case| case.outcome.is_bad()) {
                self.close_case();
            }
            for failure in &mut self.session.failures {
                failure.confidence = Confidence::Medium;
            }
            self.close_session();
        }
        (!self.sessions.is_empty()).then_some(self.sessions)
    }
}

/// The first of these attributes that is there and not empty.
fn attribute(tag: &BytesStart<'_>, names: &[&str]) -> Option<String> {
    let value = |name: &str| {
        let found = tag
            .html_attributes()
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)?;
        let value = unescaped(&found.value);
        (!value.is_empty()).then_some(value)
    };
    names.iter().find_map(|name| value(name))
}

/// With the references resolved that XML itself defines. What is none of them
/// stays as it is.
fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Into::into)
}
