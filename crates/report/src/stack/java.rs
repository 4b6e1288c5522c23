//! Parses Java stack traces, and selects the frame to display.

use crate::session::Failure;

/// A frame with a place in source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// With its package, and `$` before nested classes.
    pub(crate) class: &'a str,
    pub(crate) method: &'a str,
    pub(crate) file: &'a str,
    pub(crate) line: u64,
}

/// Reads `at app//com.shop.CartTest.total(CartTest.java:16)`; some launchers
/// omit the `at`.
pub(crate) fn frame(text: &str) -> Option<Frame<'_>> {
    let text = text.trim();
    let text = text.strip_prefix("at ").unwrap_or(text);
    // Log frameworks append the jar: `(A.java:3) ~[a.jar:1]`.
    let (text, _) = text.split_once(") ~[").unwrap_or((text, ""));
    let (head, place) = text.strip_suffix(')').unwrap_or(text).rsplit_once('(')?;
    let (file, line) = place.split_once(':')?;
    if !is_source(file) {
        return None;
    }
    // The class loader and module come before a slash.
    let head = head.rsplit('/').next().unwrap_or(head);
    let (class, method) = head.rsplit_once('.')?;
    (!class.is_empty() && !class.contains(' ')).then_some(Frame {
        class,
        method,
        file,
        line: line.parse().ok()?,
    })
}

impl Frame<'_> {
    /// Java requires the folders of the package; other JVM languages do not.
    fn path(&self) -> String {
        match self.class.rsplit_once('.') {
            Some((package, _)) if is_java(self.file) => {
                format!("{}/{}", package.replace('.', "/"), self.file)
            }
            _ => self.file.to_owned(),
        }
    }

    /// Whether the frame is in the file of this class, given with or without its
    /// package.
    fn in_file_of(&self, class: &str) -> bool {
        let outer = outermost(class);
        let stem = self.file.rsplit_once('.').map_or(self.file, |(s, _)| s);
        let own = outermost(self.class);
        own == outer || (!outer.contains('.') && (simple(own) == outer || stem == outer))
    }

    fn is_of_method(&self, method: &str) -> bool {
        // A lambda inside it is called `lambda$total$0`.
        self.method == method || self.method.split('$').nth(1) == Some(method)
    }
}

/// Collects the frames of a stack trace and keeps the one in the test's own
/// file; the innermost if there are several.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    best: Option<(Rank, String, u64)>,
    /// The class that declares the test method, or a nested one of the test's
    /// file, if it was among the frames.
    pub(crate) declaring: Option<String>,
    nested: Option<String>,
    in_cause: bool,
    pub(crate) frames_seen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    OwnFile,
    OwnFileInCause,
    OwnMethod,
    SomeTest,
    Project,
}

impl Trace {
    /// `class` and `method` are the test's, as far as they are known.
    pub(crate) fn line(&mut self, text: &str, class: Option<&str>, method: Option<&str>) {
        self.in_cause |= text.trim_start().starts_with("Caused by: ");
        let Some(frame) = frame(text) else {
            return;
        };
        self.frames_seen = true;
        let is_test_method = method.is_some_and(|method| frame.is_of_method(method));
        if is_test_method && self.declaring.is_none() && !is_library(frame.class) {
            self.declaring = Some(frame.class.to_owned());
        }
        let in_own_file = class.is_some_and(|class| frame.in_file_of(class));
        if in_own_file && self.nested.is_none() && is_named_nested(frame.class) {
            self.nested = Some(frame.class.to_owned());
        }
        let rank = if in_own_file {
            if self.in_cause {
                Rank::OwnFileInCause
            } else {
                Rank::OwnFile
            }
        } else if is_library(frame.class) {
            return;
        } else if is_test_method {
            Rank::OwnMethod
        } else if looks_like_a_test(frame.class) {
            Rank::SomeTest
        } else {
            Rank::Project
        };
        if self.best.as_ref().is_none_or(|(best, ..)| rank < *best) {
            self.best = Some((rank, frame.path(), frame.line));
        }
    }

    /// The class that declares the test, or a nested class in its file, if a
    /// frame is in one.
    pub(crate) fn class(&self) -> Option<&str> {
        self.declaring.as_deref().or(self.nested.as_deref())
    }

    /// Adds the place to the failure; without a frame, the file that the class
    /// should be in.
    pub(crate) fn placed(&self, failure: Failure, class: Option<&str>) -> Failure {
        match (&self.best, class) {
            (Some((_, file, line)), _) => failure.at(file.clone(), Some(*line)),
            (None, Some(class)) => failure.at(file_of(class), None),
            (None, None) => failure,
        }
    }
}

/// Whether the qualified name is one of Java itself, of a test framework or of a
/// build tool.
pub(crate) fn is_library(class: &str) -> bool {
    const PACKAGES: [&str; 26] = [
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "junit.",
        "org.junit.",
        "org.testng.",
        "org.hamcrest.",
        "org.assertj.",
        "org.opentest4j.",
        "org.mockito.",
        "org.gradle.",
        "org.apache.maven.",
        "org.apache.tools.ant.",
        "kotlin.",
        "kotlinx.",
        "groovy.",
        "org.codehaus.groovy.",
        "org.spockframework.",
        "scala.",
        "org.scalatest.",
        "org.springframework.",
        "net.bytebuddy.",
        "com.google.common.truth.",
        "worker.org.gradle.",
    ];
    PACKAGES.iter().any(|package| class.starts_with(package))
}

/// The file in which Java expects a class.
pub(crate) fn file_of(class: &str) -> String {
    format!("{}.java", outermost(class).replace('.', "/"))
}

/// A class name without its package.
pub(crate) fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// Whether a text can be a class name with a package.
pub(crate) fn is_qualified(text: &str) -> bool {
    text.contains('.')
        && text
            .split('.')
            .all(|part| part.chars().next().is_some_and(char::is_alphabetic))
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
        && simple(text).chars().next().is_some_and(char::is_uppercase)
}

/// The name of a method without parameters and index: `totals` for
/// `totals(int)[2]`.
pub(crate) fn method_of(name: &str) -> &str {
    name.split(['(', '[', '{']).next().unwrap_or(name).trim()
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// `CartTest$WhenEmpty`, not `CartTest$1`.
fn is_named_nested(class: &str) -> bool {
    class
        .rsplit_once('$')
        .is_some_and(|(_, name)| name.starts_with(char::is_alphabetic))
}

fn looks_like_a_test(class: &str) -> bool {
    let name = simple(outermost(class));
    ["Test", "Tests", "IT", "Spec", "TestCase"]
        .iter()
        .any(|end| name.ends_with(end))
        || name.starts_with("Test")
}

fn is_source(file: &str) -> bool {
    is_java(file)
        || [".kt", ".kts", ".groovy", ".scala", ".clj"]
            .iter()
            .any(|extension| file.ends_with(extension))
}

fn is_java(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, e)| e == "java")
}

#[cfg(test)]
mod tests {
    use super::{Trace, frame, is_qualified, method_of};
    use crate::session::Failure;

    #[test]
    fn frames_are_read() {
        let frame = frame("\tat app//org.store.ShelfTest$Full.lambda$tip$0(ShelfTest.java:9)");
        let frame = frame.unwrap();
        assert_eq!(frame.class, "org.store.ShelfTest$Full");
        assert_eq!(frame.path(), "org/store/ShelfTest.java");
        assert!(frame.is_of_method("tip") && frame.in_file_of("ShelfTest"));
        assert_eq!(super::frame("at a.B.c(Native Method)"), None);
        assert_eq!(super::frame("at a.B.c(Unknown Source)"), None);
        assert_eq!(super::frame("see (A.java:3)"), None);
    }

    #[test]
    fn the_tests_own_file_is_preferred() {
        let mut trace = Trace::default();
        for text in [
            "at org.junit.Assert.fail(Assert.java:89)",
            "at org.store.Shelf.put(Shelf.java:11)",
            "at org.store.ShelfTest.check(ShelfTest.java:30)",
            "at org.store.ShelfTest.tip(ShelfTest.java:20)",
        ] {
            trace.line(text, Some("org.store.ShelfTest"), Some("tip"));
        }
        let failure = trace.placed(Failure::named("tip"), None);
        assert_eq!(failure.file.as_deref(), Some("org/store/ShelfTest.java"));
        assert_eq!(failure.line, Some(30));
    }

    #[test]
    fn names_are_parsed() {
        assert!(is_qualified("org.store.ShelfTest$Full"));
        assert!(!is_qualified("version 1.2 works"));
        assert!(!is_qualified("Shelf"));
        assert_eq!(method_of("totals{int, double}[2]"), "totals");
    }
}
