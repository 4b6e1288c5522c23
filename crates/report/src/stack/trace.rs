//! Finds a test's own frame in a stack trace of a report, and the part of the
//! text that is worth displaying.

use crate::excerpt;
use crate::lines::cleaned;
use crate::place::{self, same_file};
use crate::session::Failure;
use crate::stack::{java, python};

/// What is known of a test besides its trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own<'a> {
    pub(crate) file: Option<&'a str>,
    /// The qualified class, on the JVM.
    pub(crate) class: Option<&'a str>,
}

/// Where a test failed: in its own file if the trace contains it, else in a file
/// named like a test, else in the innermost frame outside libraries.
pub(crate) fn place(text: &str, own: Own<'_>) -> Option<(String, u64)> {
    let mut of_a_test = None;
    let mut of_no_library = None;
    for frame in text.lines().filter_map(frame) {
        let is_own = match (own.class, own.file, frame.class) {
            (Some(own), _, Some(class)) => is_of_class(class, own),
            (_, Some(own), None) => same_file(frame.path, own),
            _ => false,
        };
        if is_own {
            return Some(frame.place());
        }
        if frame.is_of_a_library() {
            continue;
        }
        if of_a_test.is_none() && looks_like_a_test(frame.path) {
            of_a_test = Some(frame);
        }
        // Python puts the innermost frame last, the others first.
        if of_no_library.is_none() || place::extension(frame.path) == "py" {
            of_no_library = Some(frame);
        }
    }
    of_a_test.or(of_no_library).map(Frame::place)
}

/// The line in this file that the trace leads to, if any.
pub(crate) fn line_in(file: &str, trace: &str) -> Option<u64> {
    let own = Own {
        file: Some(file),
        class: None,
    };
    let (found, line) = place(trace, own)?;
    same_file(&found, file).then_some(line)
}

/// Adds the place in the test's own file, if that is known; else the place that
/// the trace leads to.
pub(crate) fn placed(
    mut failure: Failure,
    trace: &str,
    file: Option<String>,
    line: Option<u64>,
) -> Failure {
    let Some(file) = file else {
        let place = place(trace, Own::default());
        failure.line = line;
        return failure.at_place(place);
    };
    failure.line = line_in(&file, trace).or(line);
    failure.file = Some(file);
    failure
}

/// The useful part of a failure: the message, and the trace without library
/// frames.
pub(crate) fn error(message: &str, trace: &str) -> String {
    let message = message.trim();
    let trace = without_library_frames(trace);
    let trace = trace.trim_matches('\n').trim_end();
    let first = message.lines().next().unwrap_or_default().trim();
    let text = if trace.is_empty() {
        message.to_owned()
    } else if trace.contains(first) {
        trace.to_owned()
    } else {
        format!("{message}\n{trace}")
    };
    excerpt::cut(&excerpt::dedented(&text))
}

/// The text as displayed, without colours.
pub(crate) fn plain(text: &str) -> String {
    if !text.contains('\u{1b}') {
        return text.to_owned();
    }
    let mut scratch = Vec::new();
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        result.push_str(&String::from_utf8_lossy(cleaned(
            line.as_bytes(),
            &mut scratch,
        )));
        result.push('\n');
    }
    result
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame<'a> {
    path: &'a str,
    line: u64,
    /// The qualified class, on the JVM.
    class: Option<&'a str>,
}

impl<'a> Frame<'a> {
    fn new(path: &'a str, line: u64) -> Self {
        Self {
            path,
            line,
            class: None,
        }
    }

    fn place(self) -> (String, u64) {
        let package = self.class.and_then(|class| class.rsplit_once('.'));
        let path = match package {
            // The compiler keeps only the file's name.
            Some((package, _)) => format!("{}/{}", package.replace('.', "/"), self.path),
            None => self.path.to_owned(),
        };
        (path, self.line)
    }

    fn is_of_a_library(self) -> bool {
        match self.class {
            Some(class) => java::is_library(class),
            None => LIBRARY_PATHS.iter().any(|part| self.path.contains(part)),
        }
    }
}

const LIBRARY_PATHS: [&str; 16] = [
    "node_modules/",
    "node:",
    "internal/",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "<frozen",
    "/gems/",
    "/lib/ruby/",
    "/rustc/",
    "/.cargo/registry/",
    "/usr/local/go/",
    "/usr/lib/go",
    "/go/pkg/mod/",
    "/hostedtoolcache/",
    "/vendor/bundle/",
];

fn frame(line: &str) -> Option<Frame<'_>> {
    let text = line.trim_start();
    // pytest marks the lines of an error.
    let text = text.strip_prefix("E  ").map_or(text, str::trim_start);
    if let Some(rest) = text.strip_prefix("at ") {
        let jvm = java::frame(rest).map(|frame| Frame {
            class: Some(frame.class),
            ..Frame::new(frame.file, frame.line)
        });
        return jvm
            .or_else(|| javascript_frame(rest))
            .or_else(|| worded(text));
    }
    if let Some(rest) = text.strip_prefix("❯ ") {
        return javascript_frame(rest);
    }
    if let Some((path, line, _)) = python::frame(text) {
        return Some(Frame::new(path, line));
    }
    if let Some((_, rest)) = text.split_once("panicked at ") {
        // Older compilers put the message in quotes before the place.
        let place = rest.rsplit_once("', ").map_or(rest, |(_, place)| place);
        return leading(place);
    }
    if let Some(rest) = text.trim_end().strip_suffix("]:") {
        // `test_total(OrderTest) [order_test.rb:5]:`, as minitest prints it.
        return leading(rest.rsplit_once('[')?.1);
    }
    let text = text.strip_prefix("# ").unwrap_or(text);
    leading(text)
        .or_else(|| parser_error(text))
        .or_else(|| worded(text))
        .or_else(|| {
            // `Failure message: spec/cart_spec.lua:4: Expected …`
            let (words, rest) = text.split_once(": ")?;
            (words.len() < 30).then(|| leading(rest))?
        })
}

/// `Object.toBe (/app/test/cart.test.js:10:51)` and `file:///app/a.mjs:3:1`.
fn javascript_frame(text: &str) -> Option<Frame<'_>> {
    let text = text.trim_end();
    let place = match text.strip_suffix(')') {
        Some(text) => text.rsplit_once('(')?.1,
        None => text.rsplit(' ').next()?,
    };
    leading(place.strip_prefix("file://").unwrap_or(place))
}

fn leading(text: &str) -> Option<Frame<'_>> {
    let (path, line, _) = place::leading(text)?;
    let is_path = !path.contains(char::is_whitespace) && place::looks_like_a_file(path);
    // Playwright puts the place of a test before its title.
    let is_title = text.contains(" › ");
    (is_path && !is_title).then(|| Frame::new(path, line))
}

/// Places with words or brackets around them: `in /app/CartTest.cs:line 12`,
/// `(in test file cart.bats, line 5)`, `cart.cpp(7): error`, `at t/cart.t line 4.`,
/// `Failure (test-cart.R:5:3): it adds`, `2 did not equal 3 (CartSpec.scala:9)`,
/// `test/cart_test.dart 9:7  main.<fn>`.
fn worded(text: &str) -> Option<Frame<'_>> {
    let (path, number) = if let Some((before, number)) = text.split_once(":line ") {
        (before.rsplit_once(" in ")?.1, number)
    } else if let Some((before, number)) = text.split_once(", line ") {
        (before.rsplit_once(" file ")?.1, number)
    } else if let Some((before, number)) = text.split_once(" line ") {
        (before.rsplit(' ').next()?, number)
    } else if let Some((before, _)) = text.split_once("):") {
        let (before, inner) = before.rsplit_once('(')?;
        if inner.starts_with(|c: char| c.is_ascii_digit()) {
            (before, inner)
        } else {
            return leading(inner.trim_matches('\''));
        }
    } else if let Some((_, inner)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
    {
        return leading(inner);
    } else {
        let (path, position) = text.split_once(' ')?;
        position.split(' ').next()?.split_once(':')?;
        (path, position)
    };
    let (line, _) = place::number(number)?;
    let is_path = !path.contains(char::is_whitespace) && place::looks_like_a_file(path);
    is_path.then(|| Frame::new(path, line))
}

/// `SyntaxError: /app/a.test.js: Unexpected token (1:10)`, as Babel prints it.
fn parser_error(text: &str) -> Option<Frame<'_>> {
    let (rest, position) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = position.split_once(':')?;
    column.parse::<u64>().ok()?;
    let path = rest
        .split(' ')
        .filter_map(|word| word.strip_suffix(':'))
        .find(|word| place::looks_like_a_file(word))?;
    Some(Frame::new(path, line.parse().ok()?))
}

fn is_of_class(class: &str, own: &str) -> bool {
    let outer = |name: &str| name.split('$').next().unwrap_or_default().to_owned();
    outer(class) == outer(own)
}

fn looks_like_a_test(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    name.contains("test")
        || name.contains("spec")
        || parts.any(|part| matches!(part, "test" | "tests" | "spec" | "__tests__" | "e2e"))
}

fn without_library_frames(trace: &str) -> String {
    let mut kept = String::with_capacity(trace.len());
    for line in trace.lines().filter(|line| !is_library_call(line)) {
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

fn is_library_call(line: &str) -> bool {
    let text = line.trim_start();
    if !text.starts_with("at ") && !text.starts_with("❯ ") {
        return false;
    }
    if let Some(frame) = frame(line) {
        return frame.is_of_a_library();
    }
    // A place that is not a file: `(native)`, `(<anonymous>)`,
    // `(Native Method)`.
    let call = text.trim_start_matches("at ");
    let call = call.rsplit_once('/').map_or(call, |(_, call)| call);
    text.ends_with("(<anonymous>)")
        || LIBRARY_PATHS.iter().any(|part| text.contains(part))
        || java::is_library(call)
}

#[cfg(test)]
mod tests {
    use super::{Own, error, place};

    fn at(text: &str) -> Option<(String, u64)> {
        place(text, Own::default())
    }

    #[test]
    fn frames_of_many_languages_are_read() {
        for (text, file, line) in [
            ("\tat a.b.C.m(C.java:7)", "a/b/C.java", 7),
            ("\tat app//a.b.C$D.lambda$m$0(C.kt:7)", "a/b/C.kt", 7),
            ("    at Object.f (/x/a.js:3:9)", "/x/a.js", 3),
            ("    at async file:///x/a.mjs:3:9", "/x/a.mjs", 3),
            (" ❯ f x/a.ts:3:9", "x/a.ts", 3),
            ("  File \"x/a.py\", line 5, in f", "x/a.py", 5),
            ("E     File \"x/a.py\", line 5", "x/a.py", 5),
            ("x/a.py:5: AssertionError", "x/a.py", 5),
            ("# ./x/a.rb:5:in `f'", "./x/a.rb", 5),
            ("test_f(ATest) [x/a.rb:5]:", "x/a.rb", 5),
            ("thread 't' panicked at src/a.rs:5:1:", "src/a.rs", 5),
            ("thread 't' panicked at 'no', src/a.rs:5:1", "src/a.rs", 5),
            ("SyntaxError: /x/a.js: Unexpected token (5:1)", "/x/a.js", 5),
        ] {
            assert_eq!(at(text), Some((file.to_owned(), line)), "{text}");
        }
        for text in [
            "",
            "at x",
            "error: 3:4",
            "see http://a.b:80",
            "at m (native)",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn the_own_file_comes_first() {
        let trace = "at helper (/app/src/a.js:1:2)\nat t (/app/x/b.js:3:4)";
        let own = Own {
            file: Some("x/b.js"),
            class: None,
        };
        assert_eq!(place(trace, own), Some(("/app/x/b.js".to_owned(), 3)));
        assert_eq!(at(trace), Some(("/app/src/a.js".to_owned(), 1)));
        let trace = "at a (node_modules/x.js:1:1)\nat b (lib/c.js:2:2)\nat d (spec/e.js:3:3)";
        assert_eq!(at(trace), Some(("spec/e.js".to_owned(), 3)));
    }

    #[test]
    fn errors_show_own_frames_only() {
        let trace = "Error: no\n    at f (a.js:1:1)\n    at g (node:internal/x:1:1)\n    at new Promise (<anonymous>)";
        assert_eq!(error("no", trace), "Error: no\n    at f (a.js:1:1)");
        assert_eq!(
            error("because", "at f (a.js:1:1)"),
            "because\nat f (a.js:1:1)"
        );
        assert_eq!(error(" because ", ""), "because");
    }
}
