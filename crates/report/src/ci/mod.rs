//! Removes what a CI runner adds around a program's own output.
//!
//! There is one file per CI, all of the same shape: `recognises` decides from
//! one line whether a log has that format, `line` removes the wrapping, and
//! `finish` reports what only the end of the log shows. None of them is strict:
//! a line without the wrapping, such as the second line of an annotation, is
//! output.

mod gh_cli;
mod github_actions;
mod gitlab;
mod jenkins;
mod timestamp;

use gh_cli::GhCli;
use github_actions::GithubActions;
use gitlab::Gitlab;
use jenkins::Jenkins;

/// A raw line after removing what the CI added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unwrapped<'a> {
    /// A line that the step's program printed.
    Output(&'a [u8]),
    /// Another job's log begins.
    Job,
    /// A new step begins, with its name.
    Step(&'a [u8]),
    /// The current step has failed.
    StepFailed,
}

/// Removes a CI's wrapping, line by line. Lines of the CI itself yield nothing.
#[derive(Default)]
pub(crate) struct Unwrapper {
    wrapping: Wrapping,
}

enum Wrapping {
    /// The number of lines without a sign of a CI so far.
    Undecided(u32),
    Plain,
    GithubActions(GithubActions),
    GhCli(GhCli),
    Jenkins(Jenkins),
    Gitlab(Gitlab),
}

impl Default for Wrapping {
    fn default() -> Self {
        Self::Undecided(0)
    }
}

/// A CI log is recognisable within a few lines, unless it was cut off in the
/// middle of a long annotation. After that many lines, a log is treated as
/// plain.
const MAX_UNDECIDED_LINES: u32 = 500;

impl Unwrapper {
    pub(crate) fn line(&mut self, line: &[u8], mut each: impl FnMut(Unwrapped<'_>)) {
        if let Wrapping::Undecided(seen) = self.wrapping {
            self.wrapping = decide(line).unwrap_or(if seen < MAX_UNDECIDED_LINES {
                Wrapping::Undecided(seen + 1)
            } else {
                Wrapping::Plain
            });
        }
        match &mut self.wrapping {
            Wrapping::Undecided(_) | Wrapping::Plain => each(Unwrapped::Output(without_bom(line))),
            Wrapping::GithubActions(ci) => ci.line(line, &mut each),
            Wrapping::GhCli(ci) => ci.line(line, &mut each),
            Wrapping::Jenkins(ci) => ci.line(line, &mut each),
            Wrapping::Gitlab(ci) => ci.line(line, &mut each),
        }
    }

    /// The log ends here.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(Unwrapped<'_>)) {
        match &mut self.wrapping {
            Wrapping::GithubActions(ci) => ci.finish(&mut each),
            Wrapping::GhCli(ci) => ci.finish(&mut each),
            // Jenkins and GitLab report failures in their last lines.
            Wrapping::Jenkins(_)
            | Wrapping::Gitlab(_)
            | Wrapping::Undecided(_)
            | Wrapping::Plain => {}
        }
    }
}

fn decide(line: &[u8]) -> Option<Wrapping> {
    let line = without_bom(line);
    // GitLab first: its timestamps begin as GitHub's do.
    if gitlab::recognises(line) {
        Some(Wrapping::Gitlab(Gitlab::default()))
    } else if github_actions::recognises(line) {
        Some(Wrapping::GithubActions(GithubActions::default()))
    } else if gh_cli::recognises(line) {
        Some(Wrapping::GhCli(GhCli::default()))
    } else if jenkins::recognises(line) {
        Some(Wrapping::Jenkins(Jenkins::default()))
    } else {
        None
    }
}

fn without_bom(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// The line without the escape sequences it begins with.
fn without_leading_colours(mut line: &[u8]) -> &[u8] {
    while let Some(sequence) = line.strip_prefix(b"\x1b[") {
        let end = sequence
            .iter()
            .position(|byte| (0x40..=0x7e).contains(byte));
        line = end.map_or(&[], |end| &sequence[end + 1..]);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{Unwrapped, Unwrapper};

    /// An unwrapped log: `| ` output, `> ` a step, `!` its failure, `=` a job.
    pub(super) fn unwrapped(log: &str) -> String {
        let mut unwrapper = Unwrapper::default();
        let mut result = String::new();
        let mut note = |event: Unwrapped<'_>| {
            let (mark, text) = match event {
                Unwrapped::Output(line) => ("| ", line),
                Unwrapped::Step(name) => ("> ", name),
                Unwrapped::StepFailed => ("!", &b""[..]),
                Unwrapped::Job => ("=", &b""[..]),
            };
            result.push_str(mark);
            result.push_str(&String::from_utf8_lossy(text));
            result.push('\n');
        };
        for line in log.lines() {
            unwrapper.line(line.as_bytes(), &mut note);
        }
        unwrapper.finish(&mut note);
        result
    }

    #[test]
    fn plain_output_stays_as_it_is() {
        let log = "\u{feff}2 passed\n##[group]Run x\n\ta\tb\n2026-01-02 03:04:05.678 INFO x";
        insta::assert_snapshot!(unwrapped(log), @r"
        | 2 passed
        | ##[group]Run x
        | 	a	b
        | 2026-01-02 03:04:05.678 INFO x
        ");
    }
}
