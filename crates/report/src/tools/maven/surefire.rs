//! Reads Surefire and Failsafe, 2.x and 3.x.

use baton_protocol::report::Counts;

use super::surefire_lines::{Entry, TestsRun, failed_test, split_qualified};
use super::{Level, tagged};
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::{self, Trace};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(in crate::tools) const TOOL: Tool = Tool::text::<Surefire>(
    &["Error:  Tests run:", "Error:  Failures:", "Error:  Errors:"],
    // A quiet build has no headings.
    &[" T E S T S", "[ERROR] "],
);

#[derive(Default)]
struct Surefire {
    session: Option<Session>,
    state: State,
    /// The class whose tests are being reported.
    class: String,
    block: Option<Block>,
    failures: Vec<TestFailure>,
    /// Entries of the results that match no earlier failure. If a hook or a
    /// lambda failed, the entry names that and not the test.
    unmatched: Vec<TestFailure>,
    /// The sum over the classes, for output that ends before the totals.
    by_class: Counts,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Classes are being run.
    Running,
    /// Below `Results:`, in one of its lists.
    Results(List),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    Failures,
    /// Tests that passed when they were rerun.
    Flakes,
}

struct TestFailure {
    class: String,
    method: String,
    failure: Failure,
}

/// Below `… <<< FAILURE!`.
struct Block {
    class: String,
    method: String,
    name: String,
    error: Excerpt,
    trace: Trace,
    ended: bool,
}

const MAX_FAILURES: usize = 10_000;

impl TextReader for Surefire {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        let (level, rest) = tagged(text);
        if rest.trim() == "T E S T S" {
            self.end(sessions);
            self.begin(line.number);
            return;
        }
        if let Some(tests) = TestsRun::read(rest) {
            self.tests_run(&tests, line.number, sessions);
            return;
        }
        if level != Level::None && self.list(rest) {
            self.begin(line.number);
            return;
        }
        if self.state == State::Outside {
            return;
        }
        self.session.reach(line.number);
        match self.state {
            State::Results(list) => self.entry(level, rest, list, sessions),
            _ => self.running(level, rest, sessions),
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        if let Some(mut session) = self.session.take()
            && (self.by_class.run > 0 || !self.failures.is_empty() || !self.unmatched.is_empty())
        {
            // Truncated before the totals.
            session.counts = std::mem::take(&mut self.by_class);
            let failures = if self.failures.is_empty() {
                &mut self.unmatched
            } else {
                &mut self.failures
            };
            session.failures = failures.drain(..).map(|f| f.failure).collect();
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Surefire {
    fn begin(&mut self, number: u64) {
        if self.state == State::Outside {
            self.state = State::Running;
        }
        self.session.begin("maven-surefire", number).lines.1 = number;
    }

    fn tests_run(&mut self, tests: &TestsRun<'_>, number: u64, sessions: &mut Sessions) {
        let counts = tests.counts();
        if tests.is_of_class {
            self.begin(number);
            self.close_block();
            if !tests.class.is_empty() {
                tests.class.clone_into(&mut self.class);
            }
            let sum = &mut self.by_class;
            sum.run += counts.run;
            sum.passed += counts.passed;
            sum.failed += counts.failed;
            sum.errors += counts.errors;
            sum.skipped += counts.skipped;
            self.state = State::Running;
        } else if matches!(self.state, State::Results(_)) {
            self.begin(number);
            self.close_block();
            let mut failures = std::mem::take(&mut self.failures);
            let expected = usize::try_from(counts.failed + counts.errors).unwrap_or(usize::MAX);
            let missing = expected.saturating_sub(failures.len());
            failures.extend(self.unmatched.drain(..).take(missing));
            if let Some(mut session) = self.session.take() {
                session.evidence = Evidence::Complete;
                let failed = counts.failed + counts.errors > 0;
                session.counts = counts;
                if failed {
                    session.failures = failures.into_iter().map(|f| f.failure).collect();
                }
                sessions.push(session);
            }
            *self = Self::default();
        }
    }

    /// A heading of the results. Quiet builds omit `Results:` itself.
    fn list(&mut self, rest: &str) -> bool {
        let next = match rest.trim() {
            "Results:" | "Results :" => List::None,
            "Failures:" | "Errors:" | "Failed tests:" | "Tests in error:" => List::Failures,
            "Flakes:" | "Flaked tests:" => List::Flakes,
            _ => return false,
        };
        self.close_block();
        self.state = State::Results(next);
        true
    }

    fn running(&mut self, level: Level, rest: &str, sessions: &mut Sessions) {
        if let Some(class) = rest.strip_prefix("Running ")
            && !class.contains(' ')
        {
            self.close_block();
            class.clone_into(&mut self.class);
        } else if let Some(name) = failed_test(rest) {
            self.close_block();
            self.block = Some(Block::open(name, &self.class));
        } else if self.list(rest) {
            // `Results :` of versions that do not tag their lines.
        } else if rest.starts_with("BUILD ") && level == Level::Info {
            self.end(sessions);
        } else if let Some(block) = &mut self.block {
            if level == Level::None {
                block.line(rest);
            } else {
                self.close_block();
            }
        }
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take()
            && self.failures.len() < MAX_FAILURES
        {
            self.failures.push(block.finish());
        }
    }

    /// A line of the results: `  CartTest.total:12 expected: <3> but was: <2>`.
    fn entry(&mut self, level: Level, rest: &str, list: List, sessions: &mut Sessions) {
        if self.list(rest) {
            return;
        }
        if rest.starts_with("BUILD ") && level == Level::Info {
            self.end(sessions);
            return;
        }
        // Versions up to 2.12 put the first entry after the heading.
        let rest = rest
            .strip_prefix("Failed tests: ")
            .or_else(|| rest.strip_prefix("Tests in error: "))
            .unwrap_or(rest);
        if rest != rest.trim_start() && list == List::None {
            self.state = State::Results(List::Failures);
        }
        if java::is_qualified(rest.rsplit_once('.').map_or("", |(class, _)| class)) {
            self.several_runs(rest, list);
        } else if list == List::Failures
            && let Some(entry) = Entry::read(rest)
        {
            self.confirm(&entry);
        }
    }

    /// `com.shop.CartTest.total`, above the runs of a test that was rerun.
    fn several_runs(&mut self, name: &str, list: List) {
        let Some((class, method)) = name.rsplit_once('.') else {
            return;
        };
        let method = java::method_of(method);
        let mut seen = list == List::Flakes;
        self.failures.retain(|failure| {
            let same = failure.class == class && failure.method == method;
            let keep = !same || !seen;
            seen |= same;
            keep
        });
    }

    /// Compares the entry with the failures printed before it, which contain
    /// more.
    fn confirm(&mut self, entry: &Entry<'_>) {
        let known = self.failures.iter_mut().find(|failure| {
            java::simple(&failure.class) == entry.class
                && (failure.method == entry.method || failure.method.is_empty())
        });
        if let Some(known) = known {
            if known.failure.line.is_none() {
                let declaring = match known.class.rsplit_once('.') {
                    Some((package, _)) => format!("{package}.{}", entry.declaring),
                    None => entry.declaring.to_owned(),
                };
                known.failure.file = Some(java::file_of(&declaring));
                known.failure.line = entry.line;
            }
        } else if self.unmatched.len() < MAX_FAILURES {
            let name = format!("{}.{}", entry.class, entry.method);
            self.unmatched.push(TestFailure {
                class: entry.class.to_owned(),
                method: entry.method.to_owned(),
                failure: Failure::named(name)
                    .at(java::file_of(entry.declaring), entry.line)
                    .because(entry.message),
            });
        }
    }
}

impl Block {
    /// The name is `total`, `total(com.shop.CartTest)`,
    /// `com.shop.CartTest.total` or `com.shop.CartTest`, depending on the
    /// version and the test framework.
    fn open(name: &str, class: &str) -> Self {
        let (class, test) = if name == class {
            (class, "")
        } else if let Some((test, class)) = name
            .strip_suffix(')')
            .and_then(|name| name.rsplit_once('('))
            .filter(|(_, class)| java::is_qualified(class))
        {
            (class, test)
        } else if let Some(test) = name
            .strip_prefix(class)
            .and_then(|rest| rest.strip_prefix('.'))
        {
            (class, test)
        } else {
            split_qualified(name).unwrap_or((class, name))
        };
        Self {
            class: class.to_owned(),
            method: java::method_of(test).to_owned(),
            name: test.to_owned(),
            error: Excerpt::default(),
            trace: Trace::default(),
            ended: false,
        }
    }

    fn line(&mut self, text: &str) {
        if self.ended {
            return;
        }
        if text.is_empty() && self.trace.frames_seen {
            self.ended = true;
            return;
        }
        self.trace.line(text, Some(&self.class), Some(&self.method));
        self.error.push(text);
    }

    fn finish(mut self) -> TestFailure {
        // Some versions report nested classes within the outer one.
        if let Some(declaring) = self.trace.class()
            && declaring
                .strip_prefix(self.class.as_str())
                .is_some_and(|rest| rest.starts_with('$'))
        {
            declaring.clone_into(&mut self.class);
        }
        let name = match (self.class.as_str(), self.name.as_str()) {
            (class, "") => class.to_owned(),
            ("", name) => name.to_owned(),
            (class, name) => format!("{class}.{name}"),
        };
        let class = Some(self.class.as_str()).filter(|class| !class.is_empty());
        let failure = Failure::named(name).because(self.error.text());
        TestFailure {
            failure: self.trace.placed(failure, class),
            method: self.method,
            class: self.class,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// Version 3 qualifies names, and with reruns it prints a failure per run.
    const RERUN: &str = "\
[INFO]  T E S T S
[INFO] Running org.depot.StockTest
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.1 s <<< FAILURE! -- in org.depot.StockTest
[ERROR] org.depot.StockTest.pairs(int, int)[2] -- Time elapsed: 0.004 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <2> but was: <3>
\tat org.depot.StockTest.pairs(StockTest.java:24)

[ERROR] Tests run: 2, Failures: 2, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in org.depot.WobblyTest
[ERROR] org.depot.WobblyTest.wobbles -- Time elapsed: 0.005 s <<< FAILURE!
org.opentest4j.AssertionFailedError: first run
\tat org.depot.WobblyTest.wobbles(WobblyTest.java:6)

[ERROR] org.depot.WobblyTest.falls -- Time elapsed: 0.005 s <<< FAILURE!
org.opentest4j.AssertionFailedError: fell
\tat org.depot.WobblyTest.falls(WobblyTest.java:9)

[ERROR] org.depot.WobblyTest.falls -- Time elapsed: 0.005 s <<< FAILURE!
org.opentest4j.AssertionFailedError: fell
\tat org.depot.WobblyTest.falls(WobblyTest.java:9)

[INFO] Results:
[INFO] 
[ERROR] Failures: 
[ERROR]   StockTest.pairs:24 expected: <2> but was: <3>
[ERROR] org.depot.WobblyTest.falls
[ERROR]   Run 1: WobblyTest.falls:9 fell
[ERROR]   Run 2: WobblyTest.falls:9 fell
[INFO] 
[WARNING] Flakes: 
[WARNING] org.depot.WobblyTest.wobbles
[ERROR]   Run 1: WobblyTest.wobbles:6 first run
[INFO]   Run 2: PASS
[INFO] 
[ERROR] Tests run: 5, Failures: 2, Errors: 0, Skipped: 1, Flakes: 1
";

    #[test]
    fn reruns_count_once_and_flakes_not_at_all() {
        let names = [
            "org.depot.StockTest.pairs(int, int)[2]",
            "org.depot.WobblyTest.falls",
        ];
        // GitHub's annotations rewrite the levels.
        let annotated = RERUN
            .replace("[ERROR] ", "Error:  ")
            .replace("[WARNING] ", "Warning:  ");
        for text in [RERUN, &annotated] {
            let report = read(text.as_bytes());
            let found: Vec<_> = report.failures.iter().map(|f| f.name.as_str()).collect();
            assert_eq!(found, names);
            assert_eq!((report.counts.run, report.counts.passed), (4, 2));
        }
    }

    #[test]
    fn the_results_alone_are_enough() {
        let (_, results) = RERUN.split_once("[INFO] Results:").unwrap();
        let report = read(format!("[ERROR] Failures: {results}").as_bytes());
        assert_eq!(report.failures[0].name, "StockTest.pairs");
        assert_eq!(report.failures[0].line, Some(24));
    }
}
