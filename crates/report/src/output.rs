//! Holds what a tool printed, and finds lines and documents in it.

use serde::de::DeserializeOwned;

use crate::json::first_value;
use crate::reader::plain_text;

/// What a tool printed, on either stream.
#[derive(Clone, Debug, Default)]
pub struct Output {
    stdout: String,
    stderr: String,
}

impl Output {
    /// Escape sequences and rewritten lines are resolved here, once.
    pub fn new(stdout: &[u8], stderr: &[u8]) -> Self {
        let text = |bytes: &[u8]| plain_text(&String::from_utf8_lossy(bytes));
        Self {
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    /// The lines of both streams, because tools print text on either.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.stdout.lines().chain(self.stderr.lines())
    }

    /// The first value of that shape. A script runner may print its own lines
    /// around it.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        let starts =
            std::iter::once(0).chain(self.stdout.match_indices('\n').map(|(at, _)| at + 1));
        starts
            .filter(|&at| self.stdout[at..].trim_start().starts_with(['{', '[']))
            // Output with this many beginnings of documents contains no
            // document.
            .take(16)
            .find_map(|at| first_value(&self.stdout.as_bytes()[at..]))
    }

    /// Every line that is a value of that shape.
    pub(crate) fn json_lines<T: DeserializeOwned>(&self) -> impl Iterator<Item = T> {
        self.stdout
            .lines()
            .filter(|line| line.starts_with('{'))
            .filter_map(|line| serde_json::from_str(line).ok())
    }

    /// The first XML document with that root.
    pub(crate) fn xml(&self, root: &str) -> Option<&str> {
        let begin = self.stdout.find(&format!("<{root}"))?;
        let end = format!("</{root}>");
        let length = self.stdout[begin..].find(&end)? + end.len();
        self.stdout.get(begin..begin + length)
    }
}
