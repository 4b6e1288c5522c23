//! Reads the stacks of a process that died: of the fault handler, or of a
//! timeout that ended the process.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::stack::python::{Frame, Frames, frame, is_library, with_frames};

const FATAL: &str = "Fatal Python error: ";
const TIMEOUT: &str = "+ Timeout +";

#[derive(Debug)]
pub(super) struct Crash {
    message: String,
    /// Outermost first.
    frames: Frames,
    innermost_first: bool,
    collecting: bool,
    open: bool,
}

impl Crash {
    /// Begins at a line with one of the messages, possibly after a test's name
    /// or dots, which are returned.
    pub(super) fn begin(text: &str) -> Option<(&str, Self)> {
        static SEARCH: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(FATAL));
        let (before, message, innermost_first) = if let Some(at) = SEARCH.find(text.as_bytes()) {
            let (before, message) = text.split_at(at);
            (before, message.to_owned(), true)
        } else if text.ends_with('+') && text.contains(TIMEOUT) {
            let at = text.find("++").unwrap_or(text.len());
            (text.get(..at)?, "Timeout".to_owned(), false)
        } else {
            return None;
        };
        Some((
            before.trim_end(),
            Self {
                message,
                frames: Frames::default(),
                innermost_first,
                collecting: false,
                open: true,
            },
        ))
    }

    /// Returns whether the line belongs to the crash.
    pub(super) fn line(&mut self, text: &str) -> bool {
        if !self.open {
            return false;
        }
        if let Some((file, line, function)) = frame(text) {
            if self.collecting {
                self.frames.push(file, line, function);
            }
        } else if text.starts_with("Current thread") {
            self.frames.clear();
            self.collecting = true;
        } else if text.starts_with("Thread 0x") {
            self.collecting = false;
        } else if text.starts_with('~') && text.contains(" Stack of ") {
            if self.test_frame().is_none() {
                self.frames.clear();
                self.collecting = true;
            } else {
                self.collecting = false;
            }
        } else if text.starts_with("  ") {
            if self.collecting {
                self.frames.source(text);
            }
        } else if !text.is_empty() {
            self.close();
            return false;
        }
        true
    }

    pub(super) fn close(&mut self) {
        if self.open {
            self.open = false;
            if self.innermost_first {
                self.frames.reverse();
            }
        }
    }

    /// The frame that pytest called: the test itself.
    pub(super) fn test_frame(&self) -> Option<&Frame> {
        self.frames
            .iter()
            .skip_while(|frame| !frame.file.contains("_pytest"))
            .find(|frame| !is_library(&frame.file))
    }

    pub(super) fn line_in(&self, file: &str) -> Option<u64> {
        self.frames.in_file(file).map(|frame| frame.line)
    }

    pub(super) fn error(&self) -> String {
        with_frames(&self.message, &self.frames)
    }
}
