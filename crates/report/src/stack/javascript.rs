//! Parses stack frames as JavaScript engines print them, and selects the test's
//! own.

use baton_protocol::Confidence;

use crate::place::same_file;
use crate::session::Failure;

/// Selects the frame of an error to display.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    test_file: Option<String>,
    /// The first frame within the test's own file.
    in_test: Option<(String, u64)>,
    /// The first frame in a file that is named like a test.
    likely: Option<(String, u64)>,
    /// The first frame outside the engine and dependencies.
    own: Option<(String, u64)>,
    /// The line of a mention of the test's file outside a frame.
    mentioned: Option<u64>,
}

impl Frames {
    pub(crate) fn for_test_file(test_file: Option<&str>) -> Self {
        Self {
            test_file: test_file.map(str::to_owned),
            ..Self::default()
        }
    }

    /// Reads the line if it is a frame or names a place in the test's file.
    pub(crate) fn see(&mut self, text: &str) {
        match frame(text) {
            Some((path, line)) => self.add(path, line),
            None => self.see_mention(text),
        }
    }

    pub(crate) fn add(&mut self, path: String, line: u64) {
        if is_foreign(&path) {
            return;
        }
        let in_test = self
            .test_file
            .as_deref()
            .is_some_and(|file| same_file(&path, file));
        if in_test && self.in_test.is_none() {
            self.in_test = Some((path.clone(), line));
        }
        if self.likely.is_none() && looks_like_a_test(&path) {
            self.likely = Some((path.clone(), line));
        }
        if self.own.is_none() {
            self.own = Some((path, line));
        }
    }

    fn see_mention(&mut self, text: &str) {
        if self.mentioned.is_none()
            && let Some(file) = &self.test_file
        {
            self.mentioned = mentioned_line(text, file);
        }
    }

    /// The line in the test's file, if that file is known.
    pub(crate) fn line_in_test(&self) -> Option<u64> {
        let framed = self.in_test.as_ref().map(|(_, line)| *line);
        framed.or(self.mentioned)
    }

    /// The best place if the test's file is not known.
    pub(crate) fn place(&self) -> Option<&(String, u64)> {
        self.in_test
            .as_ref()
            .or(self.likely.as_ref())
            .or(self.own.as_ref())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_none()
    }
}

/// Gives failures without a place, such as timeouts, the file of the others if
/// they are all in one file. It is marked as a guess.
pub(crate) fn assume_only_file(failures: &mut [Failure]) {
    let mut files = failures.iter().filter_map(|failure| failure.file.as_ref());
    let Some(only) = files.next().cloned() else {
        return;
    };
    if files.any(|file| *file != only) {
        return;
    }
    for failure in failures.iter_mut().filter(|failure| failure.file.is_none()) {
        failure.file = Some(only.clone());
        failure.confidence = Confidence::Low;
    }
}

/// `at f (a.js:1:2)`, `at async a.js:1:2`, `❯ f a.ts:1:2`: path and line.
pub(crate) fn frame(text: &str) -> Option<(String, u64)> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("at ") {
        return located(rest);
    }
    let rest = text
        .strip_prefix("❯ ")
        .or_else(|| text.strip_prefix("› "))?;
    let (mut path, line) = located(rest)?;
    // The function is before the path, without brackets.
    while let Some((word, rest)) = path.split_once(' ')
        && !word.contains(['/', '\\'])
    {
        path = rest.to_owned();
    }
    Some((path, line))
}

/// A frame without the word before it: `f (a.js:1:2)`, `async a.js:1:2`.
pub(crate) fn located(text: &str) -> Option<(String, u64)> {
    let text = text.trim_end_matches([' ', '{']);
    let place = match (text.strip_suffix(')'), text.rfind('(')) {
        (Some(inner), Some(open)) => inner.get(open + 1..)?,
        _ => text.strip_prefix("async ").unwrap_or(text),
    };
    let (rest, last) = place.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    let (path, line) = match rest.rsplit_once(':') {
        // Without a column, the text before the colon is the path.
        Some((path, line)) => match line.parse() {
            Ok(line) => (path, line),
            Err(_) => (rest, last),
        },
        None => (rest, last),
    };
    (!path.is_empty() && !path.contains(" (")).then(|| (plain_path(path), line))
}

/// A path without the scheme of a file URL.
pub(crate) fn plain_path(path: &str) -> String {
    let rest = path.strip_prefix("file://");
    match rest.or_else(|| path.strip_prefix("file:")) {
        Some(rest) => rest.replace("%20", " "),
        None => path.to_owned(),
    }
}

/// `… ensure it resolves. (/home/dev/app/test/a.spec.js)`.
pub(crate) fn file_in_brackets(text: &str) -> Option<String> {
    let (_, file) = text.strip_suffix(')')?.rsplit_once(" (")?;
    crate::place::looks_like_a_file(file).then(|| file.to_owned())
}

/// Whether it is named like a test file.
pub(crate) fn looks_like_a_test(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or("");
    let by_name = [".test.", ".spec.", ".test-d.", "-test.", "_test.", "-spec."]
        .iter()
        .any(|infix| name.contains(infix))
        || name.starts_with("test.")
        || name.starts_with("test-");
    by_name
        || parts.any(|folder| {
            matches!(
                folder,
                "test" | "tests" | "__tests__" | "spec" | "specs" | "e2e"
            )
        })
}

/// Whether it belongs to the engine or a dependency.
fn is_foreign(path: &str) -> bool {
    path.starts_with("node:")
        || path.starts_with("internal/")
        || path.starts_with("native")
        || path.contains('<')
        || path.contains("node_modules/")
        || path.contains("node_modules\\")
        // Names of Node's modules before they had a prefix.
        || matches!(path, "events.js" | "timers.js" | "module.js" | "vm.js" | "async_hooks.js")
}

/// The line in `a.ts:3:11 - error …`, `a.ts:1:2: ERROR: …`,
/// `SyntaxError: /x/a.js: Unexpected token (1:10)`, if the file is this one.
fn mentioned_line(text: &str, file: &str) -> Option<u64> {
    for word in text.split([' ', '(', ')', '[', ']', '"', '\'', ',']) {
        if let Some((path, line, _)) = crate::place::leading(word)
            && same_file(&plain_path(path), file)
        {
            return Some(line);
        }
    }
    let (before, place) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (line, _) = place.split_once(':')?;
    before
        .split(' ')
        .any(|word| {
            word.strip_suffix(':')
                .is_some_and(|path| same_file(path, file))
        })
        .then(|| line.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{Frames, frame, mentioned_line};

    fn read(text: &str) -> Option<(String, u64)> {
        frame(text)
    }

    #[test]
    fn frames_are_read() {
        let a = |line| Some(("a b.js".to_owned(), line));
        assert_eq!(read("    at f (a b.js:1:2)"), a(1));
        assert_eq!(read("at async a b.js:3:2"), a(3));
        assert_eq!(read("at new X (file:///w/a%20b.js:3:2) {"), {
            Some(("/w/a b.js".to_owned(), 3))
        });
        assert_eq!(
            read(" ❯ Cart.add src/c.ts:4:25"),
            Some(("src/c.ts".to_owned(), 4))
        );
        assert_eq!(read("at new Promise (<anonymous>)"), None);
        assert_eq!(read("at C:\\w\\a.js:3:2"), {
            Some(("C:\\w\\a.js".to_owned(), 3))
        });
        assert_eq!(read("looks at a.js:1:2"), None);
    }

    #[test]
    fn the_tests_own_frame_wins() {
        let mut frames = Frames::for_test_file(Some("test/a.test.js"));
        for line in [
            "at x (/w/node_modules/j/i.js:1:1)",
            "at add (/w/src/add.js:4:1)",
            "at helper (/w/test/helper.js:6:1)",
            "at Object.<anonymous> (/w/test/a.test.js:9:1)",
        ] {
            frames.see(line);
        }
        assert_eq!(frames.line_in_test(), Some(9));
    }

    #[test]
    fn mentions_are_read() {
        let line = |text| mentioned_line(text, "test/a.ts");
        assert_eq!(line("test/a.ts:3:11 - error TS1: no"), Some(3));
        assert_eq!(line("SyntaxError: /w/test/a.ts: no (7:10)"), Some(7));
        assert_eq!(line("SyntaxError: /w/test/b.ts: no (7:10)"), None);
    }
}
