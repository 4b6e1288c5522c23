//! What a step prints, as lines of its log.

use jiff::Timestamp;

use super::commands::{self, Command, Remark};
use crate::run_files::stamp;
use crate::store::check_annotations::Annotation;
use crate::store::check_state::AnnotationLevel;

/// A longer line is cut into several.
const MAX_LINE_LEN: usize = 64 * 1024;

/// Of each level, as at GitHub.
const MAX_REMARKS: usize = 10;

/// Shorter values are in every other word.
const MIN_MASK_LEN: usize = 3;

/// Remarks that name no file belong here, as at GitHub.
const NO_FILE: &str = ".github";

/// Turns bytes into lines with the time at which each was complete, and takes
/// down what they tell the runner.
pub(super) struct Output {
    partial: Vec<u8>,
    lines: i64,
    /// How many bytes may still go into the log.
    room: u64,
    masks: Vec<String>,
    /// The token that lets the runner listen again.
    deaf_until: Option<String>,
    annotations: Vec<Annotation>,
}

impl Output {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            partial: Vec::new(),
            lines: 0,
            room: limit,
            masks: Vec::new(),
            deaf_until: None,
            annotations: Vec::new(),
        }
    }

    /// What of the log follows from more bytes.
    pub(super) fn push(&mut self, bytes: &[u8], at: Timestamp) -> String {
        let mut log = String::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.partial.len() >= MAX_LINE_LEN {
                self.end_line(at, &mut log);
            }
        }
        log
    }

    /// What is left when nothing more comes.
    pub(super) fn finish(&mut self, at: Timestamp) -> String {
        let mut log = String::new();
        if !self.partial.is_empty() {
            self.end_line(at, &mut log);
        }
        log
    }

    /// A line of the runner's own.
    pub(super) fn say(&mut self, line: &str, at: Timestamp) -> String {
        let mut log = self.finish(at);
        self.write(line, at, &mut log);
        log
    }

    /// A failure that the runner found itself.
    pub(super) fn fail(&mut self, message: &str, at: Timestamp) -> String {
        let log = self.say(&format!("##[error]{message}"), at);
        self.remember(&Remark {
            level: AnnotationLevel::Failure,
            message: message.to_owned(),
            title: None,
            file: None,
            line: None,
            end_line: None,
            column: None,
            end_column: None,
        });
        log
    }

    pub(super) fn into_annotations(self) -> Vec<Annotation> {
        self.annotations
    }

    fn end_line(&mut self, at: Timestamp, log: &mut String) {
        let bytes = std::mem::take(&mut self.partial);
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim_end_matches(['\n', '\r']);
        let shown = self.heed(line);
        if let Some(shown) = shown {
            self.write(&shown, at, log);
        }
        self.partial = bytes;
        self.partial.clear();
    }

    /// What the log shows for a line, if anything.
    fn heed(&mut self, line: &str) -> Option<String> {
        if let Some(token) = &self.deaf_until {
            if line.trim() == format!("::{token}::") {
                self.deaf_until = None;
            }
            return Some(line.to_owned());
        }
        match commands::parse(line) {
            None => Some(line.to_owned()),
            Some(Command::Group(title)) => Some(format!("##[group]{title}")),
            Some(Command::EndGroup) => Some("##[endgroup]".to_owned()),
            Some(Command::Debug(text)) => Some(format!("##[debug]{text}")),
            Some(Command::StopCommands(token)) => {
                self.deaf_until = Some(token);
                Some(line.to_owned())
            }
            Some(Command::Mask(value)) => {
                if value.len() >= MIN_MASK_LEN {
                    self.masks.push(value);
                }
                None
            }
            Some(Command::Remark(remark)) => {
                self.remember(&remark);
                let mark = match remark.level {
                    AnnotationLevel::Failure => "error",
                    AnnotationLevel::Warning => "warning",
                    AnnotationLevel::Notice => "notice",
                };
                Some(format!("##[{mark}]{}", remark.message))
            }
        }
    }

    fn write(&mut self, text: &str, at: Timestamp, log: &mut String) {
        let now = stamp(at);
        for line in self.masked(text).lines() {
            let size = (now.len() + line.len() + 2) as u64;
            if self.room == 0 {
                return;
            }
            self.lines += 1;
            let line = if let Some(left) = self.room.checked_sub(size) {
                self.room = left;
                line
            } else {
                self.room = 0;
                "##[warning]The log is too long; the rest is left out."
            };
            log.push_str(&now);
            log.push(' ');
            log.push_str(line);
            log.push('\n');
        }
    }

    fn masked(&self, text: &str) -> String {
        // A line without text is a line.
        let text = if text.is_empty() { "\n" } else { text };
        self.masks
            .iter()
            .fold(text.to_owned(), |text, mask| text.replace(mask, "***"))
    }

    fn remember(&mut self, remark: &Remark) {
        let same_level = |known: &&Annotation| known.level == remark.level;
        if self.annotations.iter().filter(same_level).count() >= MAX_REMARKS {
            return;
        }
        // A remark about no line belongs to the line of the log.
        let start_line = match (&remark.file, remark.line) {
            (_, Some(line)) => line,
            (Some(_), None) => 1,
            (None, None) => self.lines.max(1),
        };
        self.annotations.push(Annotation {
            path: remark.file.clone().unwrap_or_else(|| NO_FILE.to_owned()),
            start_line,
            end_line: remark.end_line.unwrap_or(start_line).max(start_line),
            start_column: remark.column,
            end_column: remark.end_column,
            level: remark.level,
            title: remark.title.clone(),
            message: self.masked(&remark.message),
            raw_details: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        "2026-01-31T12:00:00Z".parse().expect("a time")
    }

    fn log_of(chunks: &[&[u8]], limit: u64) -> (String, Vec<Annotation>) {
        let mut output = Output::new(limit);
        let mut log = String::new();
        for chunk in chunks {
            log.push_str(&output.push(chunk, noon()));
        }
        log.push_str(&output.finish(noon()));
        let log = log.replace("2026-01-31T12:00:00.0000000Z ", "");
        (log, output.into_annotations())
    }

    #[test]
    fn lines_are_whole_whatever_the_pieces() {
        let (log, _) = log_of(&[b"on", b"e\r\ntwo\n\nth", b"ree \xff"], 1000);
        assert_eq!(log, "one\ntwo\n\nthree \u{fffd}\n");
    }

    #[test]
    fn commands_become_marks_and_remarks() {
        let (log, annotations) = log_of(
            &[b"::group::Build\nx\n::endgroup::\n::error file=a.rs,line=3::bad\n::warning::hm\n"],
            1000,
        );
        assert_eq!(
            log,
            "##[group]Build\nx\n##[endgroup]\n##[error]bad\n##[warning]hm\n"
        );
        let places: Vec<_> = annotations
            .iter()
            .map(|found| {
                (
                    found.path.as_str(),
                    found.start_line,
                    found.message.as_str(),
                )
            })
            .collect();
        assert_eq!(places, [("a.rs", 3, "bad"), (".github", 4, "hm")]);
    }

    #[test]
    fn masked_values_are_hidden() {
        let (log, annotations) = log_of(
            &[b"::add-mask::hunter2\npassword hunter2\n::error::hunter2\n"],
            1000,
        );
        assert_eq!(log, "password ***\n##[error]***\n");
        assert_eq!(annotations[0].message, "***");
    }

    #[test]
    fn foreign_text_can_be_kept_from_commanding() {
        let (log, annotations) = log_of(
            &[b"::stop-commands::pause\n::error::x\n::pause::\n::error::y\n"],
            1000,
        );
        assert_eq!(
            log,
            "::stop-commands::pause\n::error::x\n::pause::\n##[error]y\n"
        );
        assert_eq!(annotations.len(), 1);
    }

    #[test]
    fn a_long_log_is_cut_once() {
        let (log, _) = log_of(&[b"one\ntwo\nthree\nfour\n"], 70);
        assert_eq!(
            log,
            "one\ntwo\n##[warning]The log is too long; the rest is left out.\n"
        );
    }
}
