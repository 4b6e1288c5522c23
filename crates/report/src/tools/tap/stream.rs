//! Tracks a TAP stream as a whole: version and plan, what is open, and the
//! counts.

use super::line::{Outcome, Point, unescaped};
use crate::excerpt::Excerpt;
use crate::place::looks_like_a_file;
use crate::session::{Evidence, Failure, Session};

/// No real stream is deeper or has more open at once.
pub(super) const MAX_OPEN: usize = 200;

/// The state of the stream as a whole.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) has_version: bool,
    pub(super) plan: Option<u64>,
    pub(super) bailed_out: bool,
    /// Points without indentation, and whether they were numbered in order.
    pub(super) top_points: u64,
    pub(super) out_of_order: bool,
    /// `# Subtest:` lines whose own point has not been read: indentation and
    /// name. None in a stream without such lines.
    announced: Option<Vec<(usize, String)>>,
    /// Points in braces whose closing brace has not been read.
    pub(super) braces: Vec<Brace>,
    /// Per indentation that is open: whether a point there failed.
    levels: Vec<(usize, bool)>,
    /// Failures whose enclosing points have not been read.
    pub(super) orphans: Vec<(usize, usize)>,
    /// tape names its tests in comments.
    pub(super) comment: Option<String>,
    /// Comments since the last point: node:test prints the output of a file that
    /// could not be loaded before it reports that the file failed.
    pub(super) comments: Excerpt,
    group: Option<String>,
    pub(super) tally: Tally,
}

pub(super) struct Brace {
    pub(super) name: String,
    pub(super) is_ok: bool,
    pub(super) failed_within: bool,
}

/// Points that are not just sums of their subtests, and the counts that the
/// producer printed.
#[derive(Default)]
pub(super) struct Tally {
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

impl Stream {
    /// A single line that looks like TAP is not a stream.
    pub(super) fn is_real(&self) -> bool {
        const MIN_POINTS: u64 = 3;
        let has_frame = self.has_version || self.plan.is_some() && self.top_points > 0;
        has_frame || (self.top_points >= MIN_POINTS && !self.out_of_order)
    }

    pub(super) fn announce(&mut self, indent: usize, name: &str) {
        let announced = self.announced.get_or_insert_default();
        announced.retain(|(at, _)| *at <= indent);
        if announced.len() < MAX_OPEN {
            announced.push((indent, unescaped(name)));
        }
    }

    pub(super) fn announces_subtests(&self) -> bool {
        self.announced.is_some()
    }

    pub(super) fn comment(&mut self, comment: &str) {
        if !self.tally.state(comment) {
            self.comments.push(comment);
            self.comment = Some(comment.to_owned());
        }
    }

    /// Closes the levels inside a point. Returns `None` if there were none, else
    /// whether something there failed.
    pub(super) fn close_levels(&mut self, indent: usize, failed: bool) -> Option<bool> {
        let mut within = None;
        while let Some((_, failed)) = self.levels.pop_if(|(at, _)| *at > indent) {
            within = Some(within.unwrap_or(false) | failed);
        }
        if let Some((at, any_failed)) = self.levels.last_mut()
            && *at == indent
        {
            *any_failed |= failed;
        } else if self.levels.len() < MAX_OPEN {
            self.levels.push((indent, failed));
        }
        within
    }

    /// The names of the enclosing points, if they are known.
    pub(super) fn ancestors(
        &mut self,
        indent: usize,
        name: &str,
        point: &Point<'_>,
    ) -> Vec<String> {
        if !self.braces.is_empty() {
            return self.brace_names_within();
        }
        if let Some(announced) = &mut self.announced {
            // Its own announcement, and those of subtests inside it, are
            // complete.
            announced.retain(|(at, title)| *at < indent || (*at == indent && title != name));
            return announced.iter().map(|(_, name)| name.clone()).collect();
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

    pub(super) fn brace_names(&self) -> Vec<String> {
        let mut names = self.brace_names_within();
        names.pop();
        names
    }

    /// Puts the name of a point before those of the failures inside it.
    pub(super) fn adopt(&mut self, indent: usize, name: &str, failures: &mut [Failure]) {
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

    pub(super) fn conclude(&self, session: &mut Session) {
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
    pub(super) fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Excused => self.skipped += 1,
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
        }
    }

    /// Reads `# pass 3` of node:test and `# { total: 5, pass: 2, fail: 2 }` of
    /// node-tap, which do not count points. Other producers count their points,
    /// some including skipped ones; for those, the points are counted here.
    fn state(&mut self, comment: &str) -> bool {
        if let Some(inner) = comment.strip_prefix("{ total: ") {
            let count = |label: &str| {
                inner
                    .split([',', '}'])
                    .find_map(|part| part.trim().strip_prefix(label)?.trim().parse().ok())
                    .unwrap_or(0_u64)
            };
            self.stated = Some(Stated {
                passed: count("pass:"),
                failed: count("fail:"),
                skipped: count("skip:").saturating_add(count("todo:")),
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
                // Only node:test has this label.
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
