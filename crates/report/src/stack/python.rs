//! Parses Python's tracebacks: the test's own frame, and the exception's
//! message.

use crate::excerpt::Excerpt;
use crate::place::same_file;

/// The separators between tracebacks of a chain; the last one is the failure.
const CHAIN: [&str; 2] = [
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
];

/// A place in the exception's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) function: Option<String>,
    source: Option<String>,
}

/// The frames of one traceback, outermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames(Vec<Frame>);

impl Frames {
    pub(crate) fn push(&mut self, file: &str, line: u64, function: Option<&str>) {
        /// More than the longest of pytest and the fault handler; deeper ones
        /// are recursion.
        const MAX_FRAMES: usize = 128;
        if self.0.len() < MAX_FRAMES {
            self.0.push(Frame {
                file: file.to_owned(),
                line,
                function: function.map(str::to_owned),
                source: None,
            });
        }
    }

    /// The source line of the latest frame, unless it has one.
    pub(crate) fn source(&mut self, text: &str) {
        if let Some(frame) = self.0.last_mut()
            && frame.source.is_none()
        {
            frame.source = Some(text.trim().chars().take(200).collect());
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For a stack that was printed innermost first.
    pub(crate) fn reverse(&mut self) {
        self.0.reverse();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.0.iter()
    }

    /// The first frame in the test's own file: the statement of the test itself
    /// rather than of a function it called.
    pub(crate) fn in_file(&self, file: &str) -> Option<&Frame> {
        self.0.iter().find(|frame| same_file(&frame.file, file))
    }

    /// The outermost frame outside Python and installed packages.
    pub(crate) fn own(&self) -> Option<&Frame> {
        self.0.iter().find(|frame| !is_library(&frame.file))
    }

    /// The project's own frames, one on a line.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<String> = self
            .0
            .iter()
            .filter(|frame| !is_library(&frame.file))
            .take(8)
            .map(|frame| match &frame.source {
                Some(source) => format!("{}:{}: {source}", frame.file, frame.line),
                None => format!("{}:{}", frame.file, frame.line),
            })
            .collect();
        lines.join("\n")
    }
}

/// A traceback in Python's own layout, line by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traceback {
    pub(crate) frames: Frames,
    message: Excerpt,
    in_message: bool,
    /// An exception group, whose lines all begin with a bar.
    grouped: bool,
}

impl Traceback {
    pub(crate) fn line(&mut self, text: &str) {
        self.grouped |= is_group(text);
        let text = if self.grouped { unbarred(text) } else { text };
        let restarts = text.starts_with("Traceback (most recent call last)") && !self.grouped;
        if restarts || is_chain(text) {
            self.frames.clear();
            self.in_message = false;
            if is_chain(text) {
                self.message.push(text);
            }
        } else if let Some((file, line, function)) = frame(text) {
            self.frames.push(file, line, function);
            self.in_message = false;
        } else if !self.in_message && text.starts_with("    ") {
            self.frames.source(text);
        } else if !(is_group(text) || self.message.is_empty() && text.is_empty()) {
            self.in_message = true;
            self.message.push(text);
        }
    }

    /// The message, then the project's own frames.
    pub(crate) fn error(&self) -> String {
        with_frames(&self.message.text(), &self.frames)
    }
}

/// An error text: the message, then the frames.
pub(crate) fn with_frames(message: &str, frames: &Frames) -> String {
    let frames = frames.text();
    if frames.is_empty() {
        return message.trim_end().to_owned();
    }
    if message.is_empty() {
        return frames;
    }
    format!("{}\n\n{frames}", message.trim_end())
}

/// `  + Exception Group Traceback (most recent call last):`
pub(crate) fn is_group(text: &str) -> bool {
    unbarred(text).starts_with("Exception Group Traceback")
}

/// A line of an exception group without its bar.
fn unbarred(text: &str) -> &str {
    let inner = text.trim_start_matches(' ');
    inner
        .strip_prefix("| ")
        .or_else(|| inner.strip_prefix("+ "))
        .unwrap_or(text)
}

pub(crate) fn is_chain(text: &str) -> bool {
    CHAIN.contains(&text.trim())
}

/// `File "a.py", line 3, in f` in tracebacks; `line 3 in f` of the fault
/// handler; or without a function in syntax errors.
pub(crate) fn frame(text: &str) -> Option<(&str, u64, Option<&str>)> {
    let rest = text
        .trim_start_matches([' ', '|'])
        .strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line = rest.get(..digits)?.parse().ok()?;
    let rest = rest.get(digits..)?;
    let function = rest
        .strip_prefix(", in ")
        .or_else(|| rest.strip_prefix(" in "));
    Some((file, line, function))
}

/// Whether it is Python's own file, an installed package, or no file at all.
pub(crate) fn is_library(path: &str) -> bool {
    path.starts_with('<')
        || path.contains("site-packages/")
        || path.contains("dist-packages/")
        || path.contains("site-packages\\")
        || path.contains("/lib/python")
        || path.contains("\\lib\\")
}

#[cfg(test)]
mod tests {
    use super::{Traceback, frame};

    #[test]
    fn frames_are_read() {
        assert_eq!(
            frame("  File \"/a/b.py\", line 7, in test_x"),
            Some(("/a/b.py", 7, Some("test_x")))
        );
        assert_eq!(
            frame("  File \"b.py\", line 7 in f"),
            Some(("b.py", 7, Some("f")))
        );
        assert_eq!(frame("  | File \"b.py\", line 7"), Some(("b.py", 7, None)));
        assert_eq!(frame("File \"b.py\", line x"), None);
    }

    #[test]
    fn the_last_traceback_of_a_chain_counts() {
        let mut traceback = Traceback::default();
        for line in [
            "Traceback (most recent call last):",
            "  File \"/app/test_a.py\", line 3, in test_a",
            "    {}[1]",
            "    ~~^^^",
            "KeyError: 1",
            "",
            "During handling of the above exception, another exception occurred:",
            "",
            "Traceback (most recent call last):",
            "  File \"/app/test_a.py\", line 5, in test_a",
            "    raise ValueError(\"no\")",
            "ValueError: no",
        ] {
            traceback.line(line);
        }
        insta::assert_snapshot!(traceback.error(), @r#"
        KeyError: 1

        During handling of the above exception, another exception occurred:

        ValueError: no

        /app/test_a.py:5: raise ValueError("no")
        "#);
    }
}
