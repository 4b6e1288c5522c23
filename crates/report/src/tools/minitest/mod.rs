//! Reads Minitest: its own reporter, quiet and verbose, Rails' runner, and the
//! reporters of the gem `minitest-reporters`.

mod lines;

use baton_protocol::Confidence;

use self::lines::{
    Counted, Kind, bare_header, is_finished, joined, numbered_header, rails_rerun,
    verdict_of_reporter,
};
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::ruby::{self, Backtrace};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool::text::<Minitest>(
    &[
        "# Running",
        "Started with run options",
        "Finished in ",
        "Finished tests in ",
    ],
    &[],
);

#[derive(Default)]
struct Minitest {
    session: Option<Session>,
    state: State,
    block: Option<Block>,
    /// Failures printed while tests ran, by reporters that do so. A test may
    /// have printed what looks like one.
    inline: Vec<Failure>,
    /// Failures below `Finished in`; no test prints after it.
    listed: Vec<Failure>,
    verbose: Verbose,
    /// The heading of the spec reporter.
    suite: String,
    after_blank: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Running,
    Finished,
}

/// Results of verbose lines, for a run that never printed its summary.
#[derive(Default)]
struct Verbose {
    passed: u64,
    skipped: u64,
    failed: Vec<String>,
}

struct Block {
    style: Style,
    name: Option<String>,
    place: Option<(String, u64)>,
    backtrace: Backtrace,
    error: Excerpt,
    skipped: bool,
    frames_seen: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `  1) Failure:`
    Numbered,
    /// `Failure:` at the left margin; Rails prints it as it happens and ends it
    /// with the command that reruns the test.
    Bare,
    /// `minitest-reporters`: a line with the verdict, then the error.
    Reporter,
}

const MAX_FAILURES: usize = 10_000;

impl TextReader for Minitest {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        self.session.reach(line.number);
        if text.starts_with("# Running") || text.starts_with("Started with run options") {
            self.end(sessions);
            self.session = Some(Session::new("minitest", line.number));
            self.state = State::Running;
        } else if is_finished(text) {
            self.close_block(false);
            self.state = State::Finished;
            self.session.begin("minitest", line.number);
        } else {
            match self.state {
                State::Outside => {}
                State::Running => self.running(text),
                State::Finished => self.finished(text, sessions),
            }
        }
        self.after_blank = text.is_empty();
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block(false);
        if let Some(mut session) = self.session.take() {
            let verbose = &self.verbose;
            session.failures = std::mem::take(if self.listed.is_empty() {
                &mut self.inline
            } else {
                &mut self.listed
            });
            for name in &verbose.failed {
                if !session.failures.iter().any(|f| f.name == *name) {
                    session.add(Failure::named(name.clone()).sure(Confidence::Medium));
                }
            }
            if !session.failures.is_empty() || verbose.passed > 0 {
                // Truncated or crashed: only the printed failures are known.
                session.counts.failed = session.failures.len() as u64;
                session.counts.passed = verbose.passed;
                session.counts.skipped = verbose.skipped;
                session.counts.run = session.counts.failed + session.counts.passed;
                session.broke = true;
                sessions.push(session);
            }
        }
        *self = Self::default();
    }
}

impl Minitest {
    fn running(&mut self, text: &str) {
        if let Some((name, skipped)) = verdict_of_reporter(text, &self.suite) {
            self.close_block(false);
            self.block = name.map(|name| Block::named(name, skipped));
        } else if let Some(kind) = bare_header(text) {
            self.close_block(false);
            self.block = Some(Block::new(Style::Bare, kind == Kind::Skip));
        } else if let Some(place) = rails_rerun(text) {
            if let Some(block) = &mut self.block
                && block.style == Style::Bare
                && block.place.is_none()
                && let Some((path, line)) = ruby::frame(place)
                && block.backtrace.place().is_none()
            {
                block.place = Some((path.to_owned(), line));
            }
            self.close_block(true);
        } else if self.block.is_some() {
            self.body(text);
        }
        self.verbose.line(text);
        if self.after_blank && !text.is_empty() && !text.starts_with(' ') {
            text.clone_into(&mut self.suite);
        }
    }

    fn finished(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some(counts) = Counted::read(text) {
            self.close_block(false);
            self.summary(&counts, sessions);
            return;
        }
        let numbered = matches!(&self.block, Some(block) if block.style == Style::Numbered);
        if let Some(kind) = numbered_header(text) {
            self.close_block(false);
            self.block = Some(Block::new(Style::Numbered, kind == Kind::Skip));
        } else if let Some(kind) = bare_header(text)
            && !numbered
            && self.after_blank
        {
            self.close_block(true);
            self.block = Some(Block::new(Style::Bare, kind == Kind::Skip));
        } else {
            self.body(text);
        }
    }

    fn summary(&mut self, counted: &Counted, sessions: &mut Sessions) {
        let Some(mut session) = self.session.take() else {
            return;
        };
        session.evidence = Evidence::Complete;
        session.counts = counted.counts();
        if session.counts.failed + session.counts.errors > 0 {
            session.failures = std::mem::take(if self.listed.is_empty() {
                &mut self.inline
            } else {
                &mut self.listed
            });
        }
        sessions.push(session);
        *self = Self::default();
    }

    fn body(&mut self, text: &str) {
        let ends = match &mut self.block {
            Some(block) => block.line(text),
            None => false,
        };
        if ends {
            self.close_block(false);
        }
    }

    /// A bare block is real only if it is `confirmed` by another line.
    fn close_block(&mut self, confirmed: bool) {
        let Some(block) = self.block.take() else {
            return;
        };
        let listed = self.state == State::Finished;
        if block.skipped || (block.style == Style::Bare && !confirmed && !listed) {
            return;
        }
        let list = if listed {
            &mut self.listed
        } else {
            &mut self.inline
        };
        if let Some(failure) = block.failure()
            && list.len() < MAX_FAILURES
        {
            list.push(failure);
        }
    }
}

impl Block {
    fn new(style: Style, skipped: bool) -> Self {
        Self {
            style,
            name: None,
            place: None,
            backtrace: Backtrace::default(),
            error: Excerpt::default(),
            skipped,
            frames_seen: false,
        }
    }

    fn named(name: String, skipped: bool) -> Self {
        Self {
            name: Some(name),
            ..Self::new(Style::Reporter, skipped)
        }
    }

    /// Whether the block ends with this line.
    fn line(&mut self, text: &str) -> bool {
        if self.name.is_none() {
            self.header(text);
            return false;
        }
        if self.style == Style::Reporter && self.frames_seen && text.is_empty() {
            return true;
        }
        if text.starts_with(' ')
            && let Some((path, line)) = ruby::frame(text)
        {
            self.frames_seen = true;
            self.backtrace.offer(path, line);
        }
        self.error.push(text);
        false
    }

    /// `CartTest#test_total [test/cart_test.rb:12]:`
    fn header(&mut self, text: &str) {
        let text = text.strip_suffix(':').unwrap_or(text);
        let mut name = text;
        if let Some((before, place)) = text.rsplit_once(" [")
            && let Some((path, line)) = place.strip_suffix(']').and_then(ruby::frame)
        {
            self.place = Some((ruby::tidy(path).to_owned(), line));
            name = before;
        }
        let (class, method) = name.split_once('#').unwrap_or(("", name));
        self.name = Some(joined(class, method));
    }

    fn failure(self) -> Option<Failure> {
        let name = self.name.filter(|name| !name.is_empty())?;
        let failure = Failure::named(name).because(self.error.text());
        let place = self
            .place
            .or_else(|| self.backtrace.place().map(|(p, l)| (p.to_owned(), l)));
        Some(match place {
            Some((path, line)) => failure.at(path, Some(line)),
            None => failure,
        })
    }
}

impl Verbose {
    /// `CartTest#test_total = 0.00 s = F`
    fn line(&mut self, text: &str) {
        let Some((rest, verdict)) = text.rsplit_once(" s = ") else {
            return;
        };
        let Some((name, _)) = rest.rsplit_once(" = ") else {
            return;
        };
        match verdict {
            "." => self.passed += 1,
            "S" => self.skipped += 1,
            "F" | "E" if self.failed.len() < MAX_FAILURES => self.failed.push(name.to_owned()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    /// Rails prints a failure as it happens; its rerun command distinguishes it
    /// from a test's output.
    #[test]
    fn rails_prints_failures_as_they_happen() {
        let report = read(
            b"# Running:\n\n.F\n\nFailure:\nDepotTest#test_counts [test/models/depot_test.rb:12]:\n\
              Expected: 3\n  Actual: 2\n\n\nbin/rails test test/models/depot_test.rb:10\n\n\
              Failure:\nprinted by a test:\nno\n\nE\n\nError:\nDepotTest#test_rejects:\n\
              ArgumentError: negative\n    app/models/depot.rb:7:in `receive'\n    \
              test/models/depot_test.rb:17:in `block in <class:DepotTest>'\n\n\n\
              bin/rails test test/models/depot_test.rb:16\n\n\n\
              Finished in 0.1s, 30.0 runs/s, 30.0 assertions/s.\n\
              3 runs, 3 assertions, 1 failures, 1 errors, 0 skips\n",
        );
        let found: Vec<_> = report
            .failures
            .iter()
            .map(|failure| (failure.name.as_str(), failure.line))
            .collect();
        assert_eq!(
            found,
            [
                ("DepotTest#test_counts", Some(12)),
                ("DepotTest#test_rejects", Some(17))
            ]
        );
        assert_eq!((report.counts.run, report.counts.passed), (3, 1));
    }

    #[test]
    fn a_truncated_verbose_run_reports_what_it_printed() {
        let report = read(b"# Running:\n\nA#test_x = 0.00 s = .\nA#test_y = 0.01 s = F\n");
        assert_eq!(report.failures[0].name, "A#test_y");
        assert_eq!((report.counts.run, report.counts.failed), (2, 1));
    }
}
