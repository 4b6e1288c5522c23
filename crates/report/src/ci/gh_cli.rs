//! Reads the output of `gh run view --log`: the raw log with the job and the
//! step before each line, as in
//! `unit tests<TAB>Run tests<TAB>2026-03-01T08:15:42.1234567Z ok`.

use memchr::memchr;

use super::github_actions::GithubActions;
use super::{Unwrapped, timestamp, without_bom};

#[derive(Default)]
pub(super) struct GhCli {
    inner: GithubActions,
    /// Job and step of the previous line, each with its tab. Most lines have the
    /// same ones, and comparing them is faster than searching for the tabs.
    columns: Vec<u8>,
}

pub(super) fn recognises(line: &[u8]) -> bool {
    let Some(columns) = columns(line) else {
        return false;
    };
    timestamp::after_instant(without_bom(&line[columns.whole..])).is_some()
}

/// What `gh` writes when it does not know the step of a line.
const UNKNOWN_STEP: &[u8] = b"UNKNOWN STEP";

impl GhCli {
    pub(super) fn line(&mut self, line: &[u8], each: &mut impl FnMut(Unwrapped<'_>)) {
        if !self.columns.is_empty() && line.starts_with(&self.columns) {
            self.inner.line(&line[self.columns.len()..], each);
            return;
        }
        let Some(columns) = columns(line) else {
            self.inner.line(line, each);
            return;
        };
        self.inner.leave_step(each);
        let (job, step) = (
            &line[..columns.job],
            &line[columns.job + 1..columns.whole - 1],
        );
        if !self.columns.starts_with(&line[..=columns.job]) {
            each(Unwrapped::Job);
        }
        if step == UNKNOWN_STEP {
            self.inner = GithubActions::default();
            each(Unwrapped::Step(job));
        } else {
            self.inner = GithubActions::with_known_steps();
            each(Unwrapped::Step(step));
        }
        self.columns.clear();
        self.columns.extend(&line[..columns.whole]);
        self.inner.line(&line[columns.whole..], each);
    }

    pub(super) fn finish(&mut self, each: &mut impl FnMut(Unwrapped<'_>)) {
        self.inner.finish(each);
    }
}

struct Columns {
    /// Where the job's name ends.
    job: usize,
    /// Where the line itself begins.
    whole: usize,
}

fn columns(line: &[u8]) -> Option<Columns> {
    let job = memchr(b'\t', line)?;
    let step = memchr(b'\t', line.get(job + 1..)?)?;
    (job > 0 && step > 0).then_some(Columns {
        job,
        whole: job + 1 + step + 1,
    })
}

#[cfg(test)]
mod tests {
    use crate::ci::tests::unwrapped;

    #[test]
    fn the_columns_name_the_steps() {
        let log = "\
            unit\tSet up job\t\u{feff}2026-03-01T08:15:42.1234567Z Current runner version: '2'\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z ##[group]Run make\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z \u{1b}[36;1mmake\u{1b}[0m\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z shell: sh\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z ##[endgroup]\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z ##[error]first line\n\
            unit\tUnit tests\tsecond line\n\
            unit\tUnit tests\t2026-03-01T08:15:42.1234567Z ##[error]Process completed with exit code 2.\n\
            lint (8.1)\tLint\t2026-03-01T08:15:42.1234567Z a\tb\tc\n";
        insta::assert_snapshot!(unwrapped(log), @r"
        =
        > Set up job
        | Current runner version: '2'
        > Unit tests
        | first line
        | second line
        !
        =
        > Lint
        | a	b	c
        ");
    }

    #[test]
    fn unknown_steps_are_found_by_their_groups() {
        let log = "\
            unit\tUNKNOWN STEP\t2026-03-01T08:15:42.1234567Z ##[group]Run make\n\
            unit\tUNKNOWN STEP\t2026-03-01T08:15:42.1234567Z \u{1b}[36;1mmake\u{1b}[0m\n\
            unit\tUNKNOWN STEP\t2026-03-01T08:15:42.1234567Z shell: sh\n\
            unit\tUNKNOWN STEP\t2026-03-01T08:15:42.1234567Z ##[endgroup]\n\
            unit\tUNKNOWN STEP\t2026-03-01T08:15:42.1234567Z ok\n";
        insta::assert_snapshot!(unwrapped(log), @r"
        =
        > unit
        > Run make
        | ok
        ");
    }
}
