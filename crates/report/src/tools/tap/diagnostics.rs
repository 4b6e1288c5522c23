//! Reads what follows a failed test point: a YAML block, indented output or
//! comments.

use crate::excerpt::Excerpt;
use crate::place::{leading, looks_like_a_file, same_file};
use crate::session::Failure;
use crate::stack::javascript::{Frames, file_in_brackets, located, plain_path};
use crate::stack::trace::{self, Own};

/// Collects the diagnostics of one failed point.
pub(super) struct Diagnostics {
    /// The indentation of the point itself.
    pub(super) indent: usize,
    name: String,
    description: String,
    /// The block has its own message, so the description is not used.
    has_message: bool,
    error: Excerpt,
    frames: Frames,
    /// The test's file, if its name or an enclosing subtest contains it.
    file: Option<String>,
    /// Where the test begins according to node:test.
    begins: Option<(String, u64)>,
    /// `at:` of other producers, in parts.
    at_file: Option<String>,
    at_line: Option<u64>,
    /// node:test: the point failed only because a subtest did.
    pub(super) only_subtests_failed: bool,
    key: String,
}

impl Diagnostics {
    pub(super) fn new(ancestors: Vec<String>, description: String) -> Self {
        let (name, file) = located_name(ancestors, &description);
        Self {
            indent: 0,
            name,
            description,
            has_message: false,
            error: Excerpt::default(),
            frames: Frames::for_test_file(file.as_deref()),
            file,
            begins: None,
            at_file: None,
            at_line: None,
            only_subtests_failed: false,
            key: String::new(),
        }
    }

    /// A line of a YAML block.
    pub(super) fn yaml(&mut self, text: &str) {
        let trimmed = text.trim();
        if let Some((key, value)) = key_and_value(trimmed) {
            self.key.clear();
            self.key.push_str(key);
            self.value(key, value);
        } else if matches!(self.key.as_str(), "stack" | "at") {
            self.frame(trimmed);
        }
        let is_metadata = ["duration_ms:", "failureType:", "location:", "type: '"]
            .iter()
            .any(|key| trimmed.starts_with(key));
        if !is_metadata {
            self.error.push(text);
        }
    }

    fn value(&mut self, key: &str, value: &str) {
        let value = value.trim().trim_matches(['\'', '"']);
        match key {
            "location" => {
                self.begins = located(value);
                if let (None, Some((file, _))) = (&self.file, &self.begins) {
                    self.frames = Frames::for_test_file(Some(file));
                }
            }
            "failureType" => self.only_subtests_failed = value == "subtestsFailed",
            "error" | "message" => self.has_message = true,
            "at" | "stack" => self.frame(value),
            "fileName" | "file" if looks_like_a_file(value) => {
                self.at_file = Some(plain_path(value));
            }
            "lineNumber" | "line" => self.at_line = value.parse().ok(),
            _ => {}
        }
        if let (Some(file), Some(line)) = (&self.at_file, self.at_line.take()) {
            self.frames.add(file.clone(), line);
        }
    }

    fn frame(&mut self, text: &str) {
        let text = text.strip_prefix("at ").unwrap_or(text);
        if let Some((path, line)) = located(text) {
            self.frames.add(path, line);
        }
    }

    /// A line of indented output, or a comment.
    pub(super) fn text(&mut self, text: &str) {
        if self.error.is_empty() && text.trim().is_empty() {
            return;
        }
        self.has_message = true;
        self.error.push(text);
        self.frames.see(text);
        if self.at_file.is_none() {
            self.at_file = file_in_brackets(text);
        }
        if let Some((file, line)) = place_in_text(text) {
            self.frames.add(file.to_owned(), line);
        }
    }

    pub(super) fn failure(mut self) -> Failure {
        let mut error = self.error.take();
        if !self.has_message {
            error = format!("{}\n{error}", self.description);
        }
        let place = trace::place(&error, Own::default());
        let failure = Failure::named(self.name.as_str()).because(error);
        if let Some((file, line)) = self.begins {
            if same_file(&self.name, &file) {
                // The whole file failed; its first line is not the cause.
                return failure.at(file, None);
            }
            return failure.at(file, self.frames.line_in_test().or(Some(line)));
        }
        if let Some(file) = self.file {
            return failure.at(file, self.frames.line_in_test());
        }
        match self.frames.place() {
            Some((file, line)) => failure.at(file, Some(*line)),
            None => match (place, self.at_file) {
                (Some((file, line)), _) => failure.at(file, Some(line)),
                (None, Some(file)) => failure.at(file, None),
                (None, None) => failure,
            },
        }
    }
}

/// `key: value` of a mapping; other text with a colon does not count.
fn key_and_value(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_key && (value.is_empty() || value.starts_with(' '))).then_some((key, value))
}

/// Perl's `at t/a.t line 5.` and Bats' `(in test file a.bats, line 5)`.
fn place_in_text(text: &str) -> Option<(&str, u64)> {
    let (before, number) = text.rsplit_once(" line ")?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let line = number.get(..digits)?.parse().ok()?;
    let file = match before.strip_suffix(',') {
        Some(before) => before.rsplit_once(" file ")?.1,
        None => before.rsplit_once("at ")?.1,
    };
    (looks_like_a_file(file) && leading(file).is_none()).then_some((file, line))
}

/// The full name, and the test's file if an enclosing point, or the first part
/// of the name, is one.
fn located_name(mut ancestors: Vec<String>, name: &str) -> (String, Option<String>) {
    let mut file = None;
    ancestors.retain(|part| {
        let is_file = looks_like_a_file(part) && !part.contains(' ');
        if is_file {
            file = Some(part.clone());
        }
        !is_file
    });
    let mut name = name;
    if file.is_none()
        && let Some((first, rest)) = name.split_once(" > ")
        && looks_like_a_file(first)
        && first.contains(['/', '.'])
    {
        file = Some(first.to_owned());
        name = rest;
    }
    if file.is_none() && ancestors.is_empty() && looks_like_a_file(name) && name.contains('/') {
        file = Some(name.to_owned());
    }
    ancestors.push(name.to_owned());
    (ancestors.join(" > "), file)
}
