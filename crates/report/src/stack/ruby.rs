//! Parses frames of Ruby backtraces, and selects the one to display.

use crate::place;

/// Reads `./spec/a_spec.rb:12:in 'x'` or `./spec/a_spec.rb:12`, after the caller
/// removed the runner's prefix.
pub(crate) fn frame(text: &str) -> Option<(&str, u64)> {
    let (path, line, rest) = place::leading(text.trim())?;
    let is_frame = rest.is_empty() || rest.starts_with(":in ");
    (is_frame && looks_like_a_path(path)).then_some((path, line))
}

/// A path as it goes into the report.
pub(crate) fn tidy(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Collects the frames of a backtrace and keeps the one in the test's own file;
/// the innermost if there are several.
#[derive(Debug, Default)]
pub(crate) struct Backtrace {
    best: Option<(Rank, String, u64)>,
}

impl Backtrace {
    pub(crate) fn offer(&mut self, path: &str, line: u64) {
        let rank = rank(path);
        if self.best.as_ref().is_none_or(|(best, ..)| rank < *best) {
            self.best = Some((rank, tidy(path).to_owned(), line));
        }
    }

    /// The frame to display, if any is in the project's own code.
    pub(crate) fn place(&self) -> Option<(&str, u64)> {
        let (rank, path, line) = self.best.as_ref()?;
        (*rank != Rank::Library).then_some((path.as_str(), *line))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    TestFile,
    TestFolder,
    Project,
    Library,
}

fn rank(path: &str) -> Rank {
    const LIBRARIES: [&str; 6] = [
        "/gems/",
        "/lib/ruby/",
        "/vendor_ruby/",
        "/vendor/bundle/",
        "/bin/",
        "<internal:",
    ];
    if path.starts_with('<') || path == "-e" || LIBRARIES.iter().any(|part| path.contains(part)) {
        return Rank::Library;
    }
    if is_test_file(path) {
        return Rank::TestFile;
    }
    if in_tests(path) {
        Rank::TestFolder
    } else {
        Rank::Project
    }
}

/// Whether it has the extension of a Ruby file.
pub(crate) fn is_ruby(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == "rb")
}

/// A test file, or another file in the tests' folder.
pub(crate) fn in_tests(path: &str) -> bool {
    is_test_file(path)
        || path
            .split(['/', '\\'])
            .any(|part| matches!(part, "test" | "tests" | "spec" | "specs"))
}

/// Named like a test file rather than a helper.
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let is_helper = name == "test_helper.rb" || name == "spec_helper.rb";
    !is_helper
        && (name.ends_with("_spec.rb")
            || name.ends_with("_test.rb")
            || (name.starts_with("test_") && is_ruby(name)))
}

fn looks_like_a_path(path: &str) -> bool {
    !path.contains(' ') && (is_ruby(path) || path.contains('/'))
        || path.starts_with("<internal:")
        || path.ends_with("Rakefile")
}

#[cfg(test)]
mod tests {
    use super::{Backtrace, frame};

    #[test]
    fn the_tests_own_file_is_preferred() {
        let mut backtrace = Backtrace::default();
        for text in [
            "/usr/lib/ruby/gems/3.1.0/gems/x-1/lib/x.rb:1:in `a'",
            "./lib/stock.rb:5:in `add'",
            "./spec/support/steps.rb:7:in `b'",
            "./spec/stock_spec.rb:25:in `block'",
            "./spec/stock_spec.rb:30:in `block'",
        ] {
            let (path, line) = frame(text).unwrap();
            backtrace.offer(path, line);
        }
        assert_eq!(backtrace.place(), Some(("spec/stock_spec.rb", 25)));
    }

    #[test]
    fn libraries_alone_give_no_place() {
        let mut backtrace = Backtrace::default();
        backtrace.offer("<internal:kernel>", 85);
        assert_eq!(backtrace.place(), None);
        assert_eq!(frame("got 3:14 of them"), None);
    }
}
