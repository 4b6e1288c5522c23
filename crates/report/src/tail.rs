//! Keeps the last lines of the failed step, for logs in which nothing was
//! recognised.

use std::collections::VecDeque;

/// About one screen of the end of a log.
const MAX_LINES: usize = 40;
/// The rest of a longer line is not useful.
const MAX_LINE_LEN: usize = 400;

#[derive(Default)]
pub(crate) struct Tail {
    /// The lines of the current step.
    current: VecDeque<String>,
    /// The lines of the last step that failed.
    failed: Option<VecDeque<String>>,
}

impl Tail {
    pub(crate) fn line(&mut self, line: &[u8]) {
        if line.is_empty() && self.current.is_empty() {
            return;
        }
        if self.current.len() == MAX_LINES {
            self.current.pop_front();
        }
        let start = &line[..line.len().min(MAX_LINE_LEN)];
        let text = String::from_utf8_lossy(start);
        self.current.push_back(text.into_owned());
    }

    pub(crate) fn step(&mut self) {
        self.current.clear();
    }

    pub(crate) fn step_failed(&mut self) {
        // Some steps report their failure twice.
        if self.failed.is_none() || !self.current.is_empty() {
            self.failed = Some(std::mem::take(&mut self.current));
        }
    }

    pub(crate) fn into_text(self) -> String {
        let lines = self.failed.unwrap_or(self.current);
        let text = Vec::from(lines).join("\n");
        text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::Reader;

    fn tail(log: &str) -> String {
        let mut reader = Reader::new().keeping_tail();
        reader.feed(log.as_bytes());
        reader.finish_with_tail().1
    }

    #[test]
    fn the_end_of_the_failed_step_is_kept() {
        let lines = [
            "##[group]Run make",
            "\u{1b}[36;1mmake\u{1b}[0m",
            "shell: sh",
            "##[endgroup]",
            "cc -c door.c",
            "",
            "\u{1b}[31mdoor.c: no hinges\u{1b}[0m",
            "##[error]Process completed with exit code 2.",
            "Post job cleanup.",
            "bye",
        ];
        let stamped = lines.map(|line| format!("2026-03-01T08:15:42.1234567Z {line}\n"));
        insta::assert_snapshot!(tail(&stamped.concat()), @r"
        cc -c door.c

        door.c: no hinges
        ");
    }

    #[test]
    fn without_steps_it_is_the_end_of_the_log() {
        let lines: Vec<String> = (1..=100).map(|n| format!("line {n}\n")).collect();
        let log = lines.concat();
        let tail = tail(&log);
        assert_eq!(tail.lines().count(), 40);
        assert!(tail.starts_with("line 61\n") && tail.ends_with("line 100"));
    }
}
