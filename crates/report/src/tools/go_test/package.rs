//! Tracks the tests of one package, whatever the output format.

use baton_protocol::Confidence;
use baton_protocol::report::Counts;

use crate::session::Failure;

use crate::stack::go::{GoOutput, infer_files, is_crash, is_test_name};

/// Tests kept at a time. Only logs too long to be useful have more that run or
/// fail at once.
const MAX_TESTS: usize = 4_000;

#[derive(Default)]
pub(super) struct Package {
    /// Lines such as `=== RUN` were seen, so every verdict has a beginning.
    verbose: bool,
    running: Vec<Test>,
    failed: Vec<Test>,
    passed: u64,
    skipped: u64,
    /// The test whose output is being read.
    current: Option<String>,
    /// The current output is a crash, and all of it belongs there.
    crashing: bool,
    /// Output that cannot be attributed to a test.
    stray: GoOutput,
}

struct Test {
    name: String,
    /// Blanks before its verdict.
    indent: usize,
    output: GoOutput,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Fail,
    Skip,
}

/// The result of a package.
pub(super) struct Outcome {
    pub(super) counts: Counts,
    pub(super) failures: Vec<Failure>,
    /// It failed, although no test did.
    pub(super) broke: bool,
}

impl Package {
    pub(super) fn start(&mut self, name: &str) {
        self.verbose = true;
        self.crashing = false;
        if self.running.len() < MAX_TESTS {
            self.running.push(Test {
                name: name.to_owned(),
                indent: 0,
                output: GoOutput::default(),
            });
        }
        self.current = Some(name.to_owned());
    }

    /// The next output is of this test, or of no test.
    pub(super) fn switch(&mut self, name: Option<&str>) {
        if !self.crashing || name != self.current.as_deref() {
            self.current = name.map(str::to_owned);
            self.crashing = false;
        }
    }

    /// A verdict of the framework, indented by `indent` spaces. It is ignored if
    /// it cannot be one, because a test may print such lines.
    pub(super) fn verdict(&mut self, verdict: Verdict, name: &str, indent: usize) -> bool {
        if !self.is_believable(name, indent) {
            return false;
        }
        self.crashing = false;
        let at = self.running.iter().rposition(|test| test.name == name);
        let test = at.map(|at| self.running.remove(at));
        self.current = None;
        match verdict {
            Verdict::Pass => self.passed += 1,
            Verdict::Skip => self.skipped += 1,
            // Fuzzing reports a test inside itself.
            Verdict::Fail if test.is_none() && self.failed.iter().any(|t| t.name == name) => {
                self.current = Some(name.to_owned());
            }
            Verdict::Fail => {
                let mut output = test.map(|test| test.output).unwrap_or_default();
                if self.stray.races() {
                    output.append(std::mem::take(&mut self.stray));
                }
                if self.failed.len() < MAX_TESTS {
                    self.failed.push(Test {
                        name: name.to_owned(),
                        indent,
                        output,
                    });
                }
                self.current = Some(name.to_owned());
            }
        }
        true
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// A crash is being read.
    pub(super) fn is_crashing(&self) -> bool {
        self.crashing
    }

    fn is_running(&self, name: &str) -> bool {
        self.running.iter().rev().any(|test| test.name == name)
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.running.is_empty() && self.failed.is_empty() && self.passed + self.skipped == 0
    }

    pub(super) fn text(&mut self, text: &str) {
        let crashes = is_crash(text);
        self.crashing |= crashes;
        let crashing = self.crashing;
        let owner = self.current.as_deref().and_then(|name| {
            let running = self.running.iter_mut().rev().find(|t| t.name == name);
            running.or_else(|| {
                let failed = self.failed.iter_mut().rev().find(|t| t.name == name);
                failed.filter(|test| crashing || test.owns(text))
            })
        });
        if let Some(owner) = owner {
            owner.output.line(text);
            return;
        }
        // Earlier output is unrelated to a panic.
        if crashes && !self.stray.races() {
            self.stray = GoOutput::default();
        }
        self.stray.line(text);
    }

    /// The package has failed, or its output was truncated.
    pub(super) fn failed(mut self, package: &str) -> Outcome {
        let mut counts = Counts {
            passed: self.passed,
            skipped: self.skipped,
            ..Counts::default()
        };
        self.fail_unfinished();
        if !self.verbose {
            self.failed.retain(|test| !test.output.is_impossible());
        }
        counts.failed = self.failed.len() as u64;
        counts.run = counts.passed + counts.failed;
        if self.failed.is_empty() {
            let failure = Failure::named(package).sure(Confidence::Medium);
            let failure = self.stray.explain(failure);
            return Outcome {
                counts,
                failures: vec![failure],
                broke: true,
            };
        }
        Outcome {
            counts,
            failures: self.failures(),
            broke: false,
        }
    }

    /// The package has passed, so what looked like a failure was not one.
    pub(super) fn passed(self) -> Outcome {
        let counts = Counts {
            run: self.passed,
            passed: self.passed,
            skipped: self.skipped,
            ..Counts::default()
        };
        Outcome {
            counts,
            failures: Vec::new(),
            broke: false,
        }
    }

    /// Marks the tests without a verdict as failed: the process died during
    /// them.
    fn fail_unfinished(&mut self) {
        let crash = self.take_crash();
        let names = if let Some(crash) = &crash {
            self.crashed_tests(crash)
        } else {
            // A test may exit the process silently; then the latest one did.
            // Benchmarks that pass have no verdict.
            let tests = self.running.iter().rev();
            let latest = tests.map(|t| &t.name).find(|n| !n.starts_with("Benchmark"));
            latest.cloned().into_iter().collect()
        };
        if names.is_empty() {
            self.stray = crash.unwrap_or_else(|| std::mem::take(&mut self.stray));
            return;
        }
        for name in names {
            self.move_to_failed(&name);
            let test = self.failed.iter_mut().find(|test| test.name == name);
            if let (Some(test), Some(crash)) = (test, &crash) {
                test.output.append(crash.clone());
            }
        }
    }

    fn take_crash(&mut self) -> Option<GoOutput> {
        let outputs = self.running.iter_mut().chain(&mut self.failed);
        let outputs = outputs.map(|test| &mut test.output);
        outputs
            .chain([&mut self.stray])
            .find(|output| output.crashed())
            .map(std::mem::take)
    }

    /// The tests that a crash ended.
    fn crashed_tests(&self, crash: &GoOutput) -> Vec<String> {
        let timed_out = crash.timed_out_tests();
        if !timed_out.is_empty() {
            return timed_out;
        }
        let innermost_test = |tests: &[Test]| {
            let candidates = tests.iter().filter(|test| match crash.crashed_test() {
                Some(root) => test.name.split('/').next() == Some(root),
                None => true,
            });
            // The innermost one; of several, the latest.
            let found = candidates.max_by_key(|test| test.name.matches('/').count());
            found.map(|test| test.name.clone())
        };
        let named = innermost_test(&self.running).or_else(|| innermost_test(&self.failed));
        let named = named.or_else(|| crash.crashed_test().map(str::to_owned));
        named.into_iter().collect()
    }

    /// Includes its parents, because they fail with it.
    fn move_to_failed(&mut self, name: &str) {
        let ends = name.match_indices('/').map(|(slash, _)| slash);
        for end in ends.chain([name.len()]) {
            let part = &name[..end];
            if self.failed.iter().any(|test| test.name == part) {
                continue;
            }
            let running = self.running.iter().rposition(|test| test.name == part);
            match running {
                Some(at) => self.failed.push(self.running.remove(at)),
                // A slash may be part of a name, so a parent must be known.
                None if part == name => self.failed.push(Test {
                    name: name.to_owned(),
                    indent: 0,
                    output: GoOutput::default(),
                }),
                None => {}
            }
        }
    }

    /// Parents that fail only because of their subtests are left out.
    fn failures(&self) -> Vec<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for test in &self.failed {
            let is_parent = self.failed.iter().any(|other| other.is_below(&test.name));
            let is_repeated = failures.iter().any(|known| known.name == test.name);
            if is_repeated || (is_parent && !test.output.has_failure_message()) {
                continue;
            }
            failures.push(test.output.explain(Failure::named(&test.name)));
        }
        infer_files(&mut failures);
        failures
    }

    fn is_believable(&self, name: &str, indent: usize) -> bool {
        if self.verbose && !name.starts_with("Benchmark") {
            return self.is_running(name) || self.failed.iter().any(|test| test.name == name);
        }
        if indent == 0 {
            return is_test_name(name);
        }
        // A subtest is below its parent, indented by four more spaces.
        let parent = self
            .failed
            .iter()
            .rev()
            .find(|test| test.indent + 4 == indent);
        parent.is_some_and(|parent| {
            let rest = name.strip_prefix(&parent.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Test {
    /// Whether a line below its verdict belongs to it.
    fn owns(&self, text: &str) -> bool {
        let indent = text.len() - text.trim_start_matches(' ').len();
        text.is_empty()
            || indent >= self.indent + 4
            || text.starts_with('\t')
            || self.name.starts_with("Example")
    }

    fn is_below(&self, parent: &str) -> bool {
        self.name
            .strip_prefix(parent)
            .is_some_and(|rest| rest.starts_with('/'))
    }
}
