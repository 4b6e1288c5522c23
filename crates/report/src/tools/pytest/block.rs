//! Reads one failure in the sections ERRORS and FAILURES.

use super::rule::Rule;
use crate::excerpt::{self, Excerpt};
use crate::place;
use crate::stack::python::{self, Frames, Traceback, is_chain, is_group, with_frames};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Failed,
    /// Outside the test itself: a fixture, or a file that cannot be loaded.
    Error,
}

/// A failure that was read completely.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The test without its file, classes joined by dots; a path where a file
    /// could not be loaded.
    pub(super) title: String,
    pub(super) frames: Frames,
    pub(super) error: String,
    pub(super) claimed: bool,
}

/// A failure whose lines are being read.
#[derive(Debug)]
pub(super) struct OpenBlock {
    kind: Kind,
    title: String,
    frames: Frames,
    /// The lines that pytest marks with an `E`.
    message: Excerpt,
    /// How far the current exception's `E` lines are indented.
    indent: Option<usize>,
    /// The line that pytest marks with a `>`.
    source: Option<String>,
    /// Everything else, for failures that have no `E` lines.
    text: Excerpt,
    native: Option<Traceback>,
    captured: bool,
}

impl OpenBlock {
    pub(super) fn new(title: &str) -> Self {
        let titled = [
            "ERROR at setup of ",
            "ERROR at teardown of ",
            "ERROR collecting ",
        ]
        .iter()
        .find_map(|prefix| title.strip_prefix(prefix));
        Self {
            kind: titled.map_or(Kind::Failed, |_| Kind::Error),
            title: titled.unwrap_or(title).to_owned(),
            frames: Frames::default(),
            message: Excerpt::default(),
            indent: None,
            source: None,
            text: Excerpt::default(),
            native: None,
            captured: false,
        }
    }

    /// Whether the current lines are a test's own output.
    pub(super) fn captured(&self) -> bool {
        self.captured
    }

    pub(super) fn rule(&mut self, rule: Rule<'_>) {
        if rule == Rule::Captured {
            self.captured = true;
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        if self.captured {
            return;
        }
        if let Some(rest) = marked(text, 'E') {
            self.exception(rest);
            return;
        }
        self.indent = None;
        if let Some(native) = &mut self.native {
            native.line(text);
        } else if let Some(rest) = marked(text, '>') {
            self.source = Some(rest.trim().to_owned());
        } else if is_chain(text) {
            self.frames.clear();
            self.message.push("");
            self.message.push(text);
            self.message.push("");
        } else if let Some((file, line, function)) = location(text) {
            self.frames.push(file, line, function);
            if let Some(source) = self.source.take() {
                self.frames.source(&source);
            }
        } else if is_native(text) {
            let mut native = Traceback::default();
            native.line(text);
            self.native = Some(native);
        } else if text.starts_with("    ") && !self.frames.is_empty() {
            self.frames.source(text);
            self.text.push(text);
        } else if !text.starts_with("[gw") {
            self.text.push(text);
        }
    }

    pub(super) fn close(self) -> Block {
        let (frames, error) = match self.native {
            Some(native) if self.message.is_empty() => (native.frames.clone(), native.error()),
            _ => {
                let message = if self.message.is_empty() {
                    self.text.text()
                } else {
                    self.message.text()
                };
                let error = with_frames(message.trim_matches('\n'), &self.frames);
                (self.frames, error)
            }
        };
        Block {
            kind: self.kind,
            title: self.title,
            frames,
            error: excerpt::cut(&error),
            claimed: false,
        }
    }

    fn exception(&mut self, rest: &str) {
        let indent = rest.len() - rest.trim_start_matches(' ').len();
        let base = *self.indent.get_or_insert(indent);
        self.message
            .push(rest.get(base.min(indent)..).unwrap_or(rest));
        // A file that Python cannot parse is named only in the message.
        if let Some((file, line, function)) = python::frame(rest) {
            self.frames.push(file, line, function);
        }
    }
}

/// The first line of a traceback in Python's own layout, the only one for
/// exception groups.
fn is_native(text: &str) -> bool {
    text.starts_with("Traceback (most recent call last)") || is_group(text)
}

/// Returns `   text` for `E   text`.
fn marked(text: &str, mark: char) -> Option<&str> {
    let rest = text.strip_prefix(mark)?;
    (rest.is_empty() || rest.starts_with("  ")).then_some(rest)
}

/// `tests/test_a.py:3: in test_x`, `tests/test_a.py:3: ValueError`, or nothing
/// after the number.
fn location(text: &str) -> Option<(&str, u64, Option<&str>)> {
    if text.starts_with([' ', '<', '[']) {
        return None;
    }
    let (path, line, rest) = place::leading(text)?;
    if !place::looks_like_a_file(path) {
        return None;
    }
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    if let Some(function) = rest.strip_prefix("in ") {
        return Some((path, line, Some(function)));
    }
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
    rest.bytes().all(is_name).then_some((path, line, None))
}
