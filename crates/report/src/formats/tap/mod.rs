//! The Test Anything Protocol, versions 12 to 14, as `node:test`, node-tap,
//! tape, Mocha, Vitest, AVA, Perl and Bats write it; on a terminal or in a file.

mod diagnostics;
mod line;

use self::diagnostics::Diagnostics;
use self::line::{Point, TapLine, read, unescaped};
use crate::format::{Format, Line, Trigger};
use crate::place::looks_like_a_file;
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Tap {
    session: Option<Session>,
    state: State,
    stream: Stream,
    /// Lines since the last one of the protocol.
    idle: u32,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below a failed point with this indentation.
    Failed(usize, Box<Diagnostics>),
    /// Within a YAML block with this indentation; of a failure or not.
    Yaml(usize, Option<Box<Diagnostics>>),
}

/// What is known of the stream as a whole.
#[derive(Default)]
struct Stream {
    has_version: bool,
    plan: Option<u64>,
    bailed_out: bool,
    /// Points without indentation, and whether they were numbered in order.
    top_points: u64,
    out_of_order: bool,
    /// `# Subtest:` lines whose own point has not come: indentation and name.
    announced: Vec<(usize, String)>,
    has_subtests: bool,
    /// Points in braces whose closing brace has not come.
    braces: Vec<Brace>,
    /// Per indentation that is open: whether a point there failed.
    levels: Vec<(usize, bool)>,
    /// Failures whose enclosing points have yet to come.
    orphans: Vec<(usize, usize)>,
    /// tape names its tests by comments.
    comment: Option<String>,
    group: Option<String>,
    tally: Tally,
}

struct Brace {
    name: String,
    is_ok: bool,
    failed_within: bool,
}

/// Points that are no mere sums of their subtests, and what the producer said
/// about their number.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
    stated: Option<Stated>,
}

#[derive(Clone, Copy, Default)]
struct Stated {
    passed: u64,
    failed: u64,
    skipped: u64,
    is_final: bool,
    is_of_node: bool,
}

/// Deeper or more than any stream that people write.
const MOST_OPEN: usize = 200;
/// So many lines of other output may pass before the format goes to sleep.
const PATIENCE: u32 = 200;

impl Format for Tap {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("TAP version "),
            Trigger::Start("not ok "),
            Trigger::Start("ok "),
            Trigger::Start("1.."),
            Trigger::Start("# Subtest: "),
            Trigger::Start("Bail out!"),
        ]
    }

    fn awake(&self) -> bool {
        self.session.is_some() && self.idle < PATIENCE
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if self.diagnostics(line.text) {
            return;
        }
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        match read(text) {
            Some(tap) if self.belongs(&tap, indent) => {
                self.idle = 0;
                self.tap(tap, indent, line.number, sessions);
                if let Some(session) = &mut self.session {
                    session.lines.1 = line.number;
                }
            }
            _ if text.is_empty() => {}
            _ => {
                self.idle = self.idle.saturating_add(1);
                self.stream.comment = None;
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take()
            && self.stream.is_real()
        {
            self.stream.conclude(&mut session);
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Tap {
    /// Takes lines that explain the failure at hand; whether it was one.
    fn diagnostics(&mut self, text: &str) -> bool {
        let trimmed = text.trim_start_matches(' ');
        let indent = text.len() - trimmed.len();
        match &mut self.state {
            State::Outside => {
                // A passed point may have a block as well.
                let starts = self.session.is_some() && trimmed == "---" && indent > 0;
                if starts {
                    self.state = State::Yaml(indent, None);
                }
                starts
            }
            State::Yaml(at, _) if trimmed == "..." && indent == *at => {
                self.close_failure();
                true
            }
            State::Yaml(_, diagnostics) => {
                if let Some(diagnostics) = diagnostics {
                    diagnostics.yaml(text);
                }
                true
            }
            State::Failed(at, _) if trimmed == "---" && indent > *at => {
                let State::Failed(_, diagnostics) = std::mem::take(&mut self.state) else {
                    return true;
                };
                self.state = State::Yaml(indent, Some(diagnostics));
                true
            }
            State::Failed(at, diagnostics) => match read(trimmed) {
                Some(TapLine::Comment(comment)) if !self.stream.has_subtests => {
                    diagnostics.text(comment);
                    // It may also be what tape names the next test by.
                    false
                }
                Some(_) => false,
                None if text.is_empty() || indent > *at => {
                    diagnostics.text(text);
                    true
                }
                None => false,
            },
        }
    }

    /// Whether to believe that the line is part of a stream.
    fn belongs(&self, tap: &TapLine<'_>, indent: usize) -> bool {
        match tap {
            TapLine::Version => true,
            TapLine::Plan(_) | TapLine::BailOut | TapLine::Subtest(_) => {
                self.session.is_some() || indent == 0
            }
            TapLine::Point(point) => {
                self.session.is_some() || (point.number.is_some() && indent == 0)
            }
            TapLine::Comment(_) => self.session.is_some() && indent == 0,
            TapLine::CloseBrace => !self.stream.braces.is_empty(),
        }
    }

    fn tap(&mut self, tap: TapLine<'_>, indent: usize, number: u64, sessions: &mut Sessions) {
        if self.begins_anew(&tap, indent) {
            self.end(sessions);
        }
        self.session
            .get_or_insert_with(|| Session::new("tap", number));
        let is_comment = matches!(tap, TapLine::Comment(_));
        if !is_comment {
            self.close_failure();
        }
        match tap {
            TapLine::Version => self.stream.has_version = true,
            TapLine::Plan(count) if indent == 0 => self.stream.plan = Some(count),
            TapLine::Plan(_) => {}
            TapLine::BailOut => self.stream.bailed_out = true,
            TapLine::Subtest(name) => self.stream.announce(indent, name),
            TapLine::Comment(comment) => self.stream.comment(comment),
            TapLine::CloseBrace => self.close_brace(indent),
            TapLine::Point(point) => self.point(&point, indent),
        }
        if !is_comment {
            self.stream.comment = None;
        }
    }

    /// Several streams may follow each other.
    fn begins_anew(&self, tap: &TapLine<'_>, indent: usize) -> bool {
        let is_complete = self
            .stream
            .plan
            .is_some_and(|n| self.stream.top_points >= n);
        indent == 0
            && self.stream.top_points > 0
            && match tap {
                TapLine::Version => true,
                TapLine::Plan(_) => is_complete,
                TapLine::Point(point) => is_complete && point.number == Some(1),
                _ => false,
            }
    }

    fn point(&mut self, point: &Point<'_>, indent: usize) {
        let name = unescaped(point.description);
        let stream = &mut self.stream;
        if indent == 0 {
            stream.top_points += 1;
            stream.out_of_order |= point.number.is_some_and(|n| n != stream.top_points);
        }
        let failed = !point.is_ok && !point.is_excused;
        let subtests = stream.close_levels(indent, failed);
        let ancestors = stream.ancestors(indent, &name, point);
        if let Some(session) = &mut self.session {
            stream.adopt(indent, &name, &mut session.failures);
        }
        if point.has_brace {
            stream.braces.push(Brace {
                name,
                is_ok: !failed,
                failed_within: false,
            });
            stream.braces.truncate(MOST_OPEN);
            return;
        }
        let is_sum = subtests.is_some_and(|any_failed| !failed || any_failed);
        if !is_sum {
            stream.tally.add(point.is_ok, point.is_excused);
        }
        if failed {
            let mut diagnostics = Diagnostics::new(ancestors, name);
            diagnostics.indent = indent;
            diagnostics.only_subtests_failed = is_sum;
            for brace in &mut stream.braces {
                brace.failed_within = true;
            }
            self.state = State::Failed(indent, Box::new(diagnostics));
        }
    }

    fn close_failure(&mut self) {
        let (State::Failed(_, diagnostics) | State::Yaml(_, Some(diagnostics))) =
            std::mem::take(&mut self.state)
        else {
            return;
        };
        let Some(session) = &mut self.session else {
            return;
        };
        if diagnostics.only_subtests_failed {
            return;
        }
        let stream = &mut self.stream;
        let knows_parents = stream.has_subtests || !stream.braces.is_empty();
        if diagnostics.indent > 0 && !knows_parents && stream.orphans.len() < MOST_OPEN {
            let index = session.failures.len();
            stream.orphans.push((diagnostics.indent, index));
        }
        session.add(diagnostics.failure());
    }

    /// A point in braces that failed though nothing in it did.
    fn close_brace(&mut self, indent: usize) {
        self.stream.close_levels(indent, false);
        let names = self.stream.brace_names();
        let Some(brace) = self.stream.braces.pop() else {
            return;
        };
        if brace.is_ok || brace.failed_within {
            return;
        }
        for outer in &mut self.stream.braces {
            outer.failed_within = true;
        }
        if let Some(session) = &mut self.session {
            session.add(Diagnostics::new(names, brace.name).failure());
        }
    }
}

impl Stream {
    /// A single line that looks like TAP is no stream.
    fn is_real(&self) -> bool {
        const ENOUGH: u64 = 3;
        let has_frame = self.has_version || self.plan.is_some() && self.top_points > 0;
        has_frame || (self.top_points >= ENOUGH && !self.out_of_order)
    }

    fn announce(&mut self, indent: usize, name: &str) {
        self.has_subtests = true;
        self.announced.retain(|(at, _)| *at <= indent);
        if self.announced.len() < MOST_OPEN {
            self.announced.push((indent, unescaped(name)));
        }
    }

    fn comment(&mut self, comment: &str) {
        if !self.tally.state(comment) {
            self.comment = Some(comment.to_owned());
        }
    }

    /// Forgets the levels within a point, and tells whether there were any and
    /// whether something there failed.
    fn close_levels(&mut self, indent: usize, failed: bool) -> Option<bool> {
        let mut within = None;
        while let Some((_, failed)) = self.levels.pop_if(|(at, _)| *at > indent) {
            within = Some(within.unwrap_or(false) | failed);
        }
        if let Some((at, any_failed)) = self.levels.last_mut()
            && *at == indent
        {
            *any_failed |= failed;
        } else if self.levels.len() < MOST_OPEN {
            self.levels.push((indent, failed));
        }
        within
    }

    /// The names of the points that enclose this one, as far as they are known.
    fn ancestors(&mut self, indent: usize, name: &str, point: &Point<'_>) -> Vec<String> {
        if !self.braces.is_empty() {
            return self.brace_names_within();
        }
        if self.has_subtests {
            // Its own announcement, and those of subtests within it, are done.
            self.announced
                .retain(|(at, announced)| *at < indent || (*at == indent && announced != name));
            return self
                .announced
                .iter()
                .map(|(_, name)| name.clone())
                .collect();
        }
        if point.has_dash || indent > 0 {
            return Vec::new();
        }
        if let Some(comment) = self.comment.take() {
            self.group = Some(comment);
        }
        self.group.iter().cloned().collect()
    }

    fn brace_names_within(&self) -> Vec<String> {
        self.braces.iter().map(|brace| brace.name.clone()).collect()
    }

    fn brace_names(&self) -> Vec<String> {
        let mut names = self.brace_names_within();
        names.pop();
        names
    }

    /// Puts the name of a point before those of the failures within it.
    fn adopt(&mut self, indent: usize, name: &str, failures: &mut [Failure]) {
        for (at, index) in &mut self.orphans {
            if *at <= indent {
                continue;
            }
            *at = indent;
            let Some(failure) = failures.get_mut(*index) else {
                continue;
            };
            if looks_like_a_file(name) {
                failure.file.get_or_insert_with(|| name.to_owned());
            } else {
                failure.name = format!("{name} > {}", failure.name);
            }
        }
        self.orphans.retain(|(at, _)| *at > 0);
    }

    fn conclude(&self, session: &mut Session) {
        let has_stated = self.tally.stated.is_some_and(|stated| stated.is_final);
        session.evidence = match (self.has_version, self.plan.is_some() || has_stated) {
            (true, true) => Evidence::Complete,
            (false, false) => Evidence::Fragment,
            _ => Evidence::Summary,
        };
        if self.tally.stated.is_some_and(|stated| stated.is_of_node) {
            session.framework = "node-test";
        }
        let is_short = self.plan.is_some_and(|plan| self.top_points < plan);
        session.broke |= self.bailed_out || is_short;
        let (passed, failed, skipped) = match self.tally.stated {
            Some(stated) if stated.is_final => (stated.passed, stated.failed, stated.skipped),
            _ => (self.tally.passed, self.tally.failed, self.tally.skipped),
        };
        session.counts.passed = passed;
        session.counts.failed = failed;
        session.counts.skipped = skipped;
        session.counts.run = passed.saturating_add(failed);
    }
}

impl Tally {
    fn add(&mut self, is_ok: bool, is_excused: bool) {
        match (is_excused, is_ok) {
            (true, _) => self.skipped += 1,
            (false, true) => self.passed += 1,
            (false, false) => self.failed += 1,
        }
    }

    /// Reads `# pass 3` of node:test and `# { total: 5, pass: 2, fail: 2 }` of
    /// node-tap, which count other things than points. Others say the same as
    /// their points, or include skipped ones; there, points are counted.
    fn state(&mut self, comment: &str) -> bool {
        if let Some(inner) = comment.strip_prefix("{ total: ") {
            let of = |label: &str| {
                inner
                    .split([',', '}'])
                    .filter_map(|part| part.trim().strip_prefix(label)?.trim().parse().ok())
                    .next()
                    .unwrap_or(0_u64)
            };
            self.stated = Some(Stated {
                passed: of("pass:"),
                failed: of("fail:"),
                skipped: of("skip:").saturating_add(of("todo:")),
                is_final: true,
                is_of_node: false,
            });
            return true;
        }
        let Some((label, value)) = comment.split_once(' ') else {
            return false;
        };
        let Ok(value) = value.trim().parse::<u64>() else {
            return label.starts_with("time=");
        };
        let stated = self.stated.get_or_insert_default();
        match label {
            "tests" => *stated = Stated::default(),
            "pass" => stated.passed = value,
            "fail" => stated.failed = stated.failed.saturating_add(value),
            "cancelled" => {
                stated.failed = stated.failed.saturating_add(value);
                // Only node:test has this word.
                stated.is_of_node = true;
                stated.is_final = true;
            }
            "skipped" | "todo" => stated.skipped = stated.skipped.saturating_add(value),
            "suites" | "skip" | "ok" | "duration_ms" => {}
            _ => return false,
        }
        true
    }
}
