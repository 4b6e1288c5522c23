//! Detects which runner wrote the XML, and interprets names and places
//! accordingly.

use quick_xml::events::BytesStart;

use super::case::Case;
use crate::place::{self, extension, looks_like_a_file};
use crate::stack::trace::{self, Own};
use crate::xml::attribute;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Pytest,
    Unittest,
    Jest,
    Vitest,
    Mocha,
    Node,
    Bun,
    OtherJavascript,
    Rspec,
    Minitest,
    Nextest,
    Go,
    Surefire,
    Gradle,
    Ant,
    Junit5,
    Testng,
    OtherJvm,
    Phpunit,
    Googletest,
    Other,
}

impl Dialect {
    pub(super) fn framework(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
            Self::Node => "node-test",
            Self::Rspec => "rspec",
            Self::Minitest => "minitest",
            Self::Nextest => "nextest",
            Self::Go => "go-test",
            Self::Surefire => "maven-surefire",
            Self::Gradle => "gradle",
            Self::Ant => "ant-junit",
            Self::Junit5 => "junit5",
            Self::Testng => "testng",
            Self::Phpunit => "phpunit",
            Self::Googletest => "googletest",
            Self::Bun => "bun-test",
            Self::OtherJavascript | Self::OtherJvm | Self::Other => "junit",
        }
    }

    /// From the names that runners give to the root suite.
    pub(super) fn from_suite(tag: &BytesStart<'_>) -> Option<Self> {
        if attribute(tag, &["noNamespaceSchemaLocation"])
            .is_some_and(|schema| schema.contains("surefire"))
        {
            return Some(Self::Surefire);
        }
        let name = attribute(tag, &["name"])?;
        Some(match name.as_str() {
            "pytest tests" | "pytest" => Self::Pytest,
            "jest tests" => Self::Jest,
            "vitest tests" => Self::Vitest,
            "Mocha Tests" => Self::Mocha,
            "nextest-run" => Self::Nextest,
            "JUnit Jupiter" | "JUnit Vintage" | "JUnit Platform Suite" => Self::Junit5,
            "AllTests" => Self::Googletest,
            "bun test" => Self::Bun,
            "deno test" => Self::OtherJavascript,
            name if name == "rspec" || name.starts_with("rspec ") => Self::Rspec,
            _ => return None,
        })
    }

    pub(super) fn from_property(tag: &BytesStart<'_>) -> Option<Self> {
        let name = attribute(tag, &["name"])?;
        match name.as_str() {
            "go.version" => Some(Self::Go),
            "ant.version" | "ant.file" => Some(Self::Ant),
            "surefire.test.class.path" | "surefire.real.class.path" => Some(Self::Surefire),
            "org.gradle.test.worker" => Some(Self::Gradle),
            _ => None,
        }
    }

    /// From the format of the trace.
    pub(super) fn from_case(case: &Case) -> Self {
        let trace = &case.trace;
        let file = case.file.as_deref().unwrap_or_default();
        let kind = extension(file);
        let has = |part: &str| trace.contains(part);
        if has("=== RUN ") || has("_test.go:") || has("--- FAIL: ") {
            Self::Go
        } else if has("\tat ") && (has(".java:") || has(".kt:") || has("(Unknown Source)")) {
            if has("org.gradle.") {
                Self::Gradle
            } else if has("org.testng.") {
                Self::Testng
            } else {
                Self::OtherJvm
            }
        } else if has("panicked at ") {
            Self::Nextest
        } else if kind == "py" || has("Traceback (most recent call last)") {
            Self::Unittest
        } else if has(".py:") && has("\nE ") {
            Self::Pytest
        } else if file.ends_with("_spec.rb") {
            Self::Rspec
        } else if kind == "rb" || has(".rb:") {
            Self::Minitest
        } else if kind == "php" || has(".php:") {
            Self::Phpunit
        } else if has("ERR_TEST_FAILURE") && case.class == "test" {
            Self::Node
        } else if has("    at ") {
            Self::OtherJavascript
        } else {
            Self::Other
        }
    }

    pub(super) fn is_of_the_jvm(self) -> bool {
        matches!(
            self,
            Self::Surefire
                | Self::Gradle
                | Self::Ant
                | Self::Junit5
                | Self::Testng
                | Self::OtherJvm
        )
    }

    /// The test's full name, as its runner prints it elsewhere, and its file if
    /// the attributes contain it.
    pub(super) fn name_and_file(self, case: &Case) -> (String, Option<String>) {
        let (class, name) = (without_harness(case.class.trim()), case.name.trim());
        let name = without_number(name);
        // Python's loader stands in for modules that it could not load.
        let file = case
            .file
            .clone()
            .filter(|file| !file.contains("/lib/python"));
        match self {
            Self::Pytest => pytest_node(class, name, file, &case.trace),
            Self::Go | Self::Nextest | Self::Rspec => (name.to_owned(), file),
            // A file that could not be loaded.
            _ if name.contains('/') && !name.contains(' ') && looks_like_a_file(name) => {
                (name.to_owned(), file.or_else(|| Some(name.to_owned())))
            }
            // The innermost suite comes first.
            Self::Bun => {
                let suites = class.split(" > ").filter(|suite| !suite.is_empty());
                let mut parts: Vec<&str> = suites.collect();
                parts.reverse();
                parts.push(name);
                (parts.join(" > "), file)
            }
            Self::Node => (
                [&case.suites, name]
                    .join(" > ")
                    .trim_start_matches(" > ")
                    .to_owned(),
                file,
            ),
            // The whole class failed, though each of its tests is listed.
            _ if self.is_of_the_jvm() && case.trace.contains(".invokeBeforeAllMethods(") => {
                (class.to_owned(), file)
            }
            // The class is the file, or repeats all or some of the name.
            _ if looks_like_a_file(class)
                && class.contains(['/', '.'])
                && !class.contains(' ')
                && is_source(class) =>
            {
                (name.to_owned(), file.or_else(|| Some(class.to_owned())))
            }
            // `spec/cart_spec.lua:3`
            _ if place::leading(class)
                .is_some_and(|(file, _, rest)| rest.is_empty() && looks_like_a_file(file)) =>
            {
                let own = place::leading(class).map(|(file, _, _)| file.to_owned());
                (name.to_owned(), file.or(own))
            }
            // behave and Cucumber select scenarios by their own names.
            _ if case.trace.contains(".feature:") => (name.to_owned(), file),
            _ if class.is_empty() || name.starts_with(class) || name.ends_with(class) => {
                (name.to_owned(), file)
            }
            Self::Jest | Self::Vitest | Self::Mocha | Self::OtherJavascript => {
                (format!("{class} {name}"), file)
            }
            Self::Phpunit => (format!("{class}::{name}"), file),
            Self::Minitest => (format!("{class}#{name}"), file),
            _ => (format!("{class}.{name}"), file),
        }
    }

    /// The useful part of a failure's text and of what the test printed.
    pub(super) fn details(self, trace: String, output: String) -> String {
        if self == Self::Go {
            return without_go_marks(&trace);
        }
        let is_nextest = self == Self::Nextest;
        let output = if is_nextest {
            without_libtest(&output)
        } else {
            output
        };
        // nextest puts only the first panic into the failure itself.
        let is_output_better = is_nextest && !output.trim().is_empty();
        if is_output_better || trace.trim().is_empty() {
            output
        } else {
            trace
        }
    }

    /// The file that a test must be in by its name, if nothing else names it.
    pub(super) fn likely_file(self, class: &str) -> Option<String> {
        if !self.is_of_the_jvm() {
            return None;
        }
        let outer = class.split('$').next()?;
        let is_qualified = outer.contains('.') && !outer.contains([' ', '/']);
        is_qualified.then(|| format!("{}.java", outer.replace('.', "/")))
    }

    /// Tests of one package or binary are often in one file, so a test without a
    /// file is likely in the file of the others.
    pub(super) fn shares_files(self) -> bool {
        matches!(self, Self::Go | Self::Nextest)
    }

    pub(super) fn place(self, text: &str, own: Own<'_>) -> Option<(String, u64)> {
        match self {
            Self::Go => go_place(text),
            _ => trace::place(text, own),
        }
    }
}

/// A class without the names that a harness made up.
fn without_harness(class: &str) -> &str {
    match class {
        // Catch2's, for tests outside of classes.
        _ if class.ends_with(".global") => "",
        _ => class
            .strip_prefix("unittest.loader._FailedTest")
            .map_or(class, |module| module.trim_start_matches('.')),
    }
}

/// TAP's numbers before the names, `2 - sums up`.
fn without_number(name: &str) -> &str {
    match name.split_once(" - ") {
        Some((number, rest)) if number.parse::<u64>().is_ok() => rest,
        _ => name,
    }
}

/// What a test printed, without the harness's own lines.
fn without_libtest(output: &str) -> String {
    let is_framing = |line: &&str| {
        line.starts_with("running ")
            || line.starts_with("test ")
            || line.starts_with("failures:")
            || line.starts_with("---- ")
            || (line.starts_with("    ") && line.trim().split("::").all(is_identifier))
    };
    let kept: Vec<&str> = output.lines().filter(|line| !is_framing(line)).collect();
    kept.join("\n")
}

/// Removes Go's own lines around a test's output.
fn without_go_marks(trace: &str) -> String {
    let is_mark = |line: &&str| {
        let text = line.trim_start();
        text.starts_with("=== ") || text.starts_with("--- FAIL: ")
    };
    let kept: Vec<&str> = trace.lines().filter(|line| !is_mark(line)).collect();
    kept.join("\n")
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_source(path: &str) -> bool {
    const EXTENSIONS: [&str; 12] = [
        "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "rb",
    ];
    EXTENSIONS.contains(&extension(path))
}

/// pytest writes `tests.test_cart.TestCheckout` and `test_message` here, but
/// `tests/test_cart.py::TestCheckout::test_message` everywhere else.
fn pytest_node(
    class: &str,
    name: &str,
    file: Option<String>,
    trace: &str,
) -> (String, Option<String>) {
    if class.is_empty() {
        // A module that could not be loaded.
        let file = file.unwrap_or_else(|| python_file(name));
        return (file.clone(), Some(file));
    }
    let parts: Vec<&str> = class.split('.').collect();
    let modules = match &file {
        Some(file) => file.matches('/').count() + 1,
        None => module_parts(&parts, trace),
    };
    let (module, classes) = parts.split_at(modules.min(parts.len()));
    let file = file.unwrap_or_else(|| python_file(&module.join(".")));
    let mut node = file.clone();
    for part in classes.iter().chain([&name]) {
        node.push_str("::");
        node.push_str(part);
    }
    (node, Some(file))
}

/// How many parts lead to the module; the rest are classes. The trace may
/// contain the file. Otherwise, test modules are named `test_x` or `x_test`, and
/// classes begin with a capital letter.
fn module_parts(parts: &[&str], trace: &str) -> usize {
    let in_trace = |count: &usize| trace.contains(&python_file(&parts[..*count].join(".")));
    if let Some(count) = (1..=parts.len().min(20)).rev().find(in_trace) {
        return count;
    }
    let is_module = |part: &&str| part.starts_with("test_") || part.ends_with("_test");
    let is_class = |part: &&str| part.starts_with(char::is_uppercase);
    let by_class = parts.iter().position(is_class).unwrap_or(parts.len());
    match parts[..by_class].iter().rposition(is_module) {
        Some(module) => module + 1,
        None => by_class.max(1),
    }
}

fn python_file(module: &str) -> String {
    format!("{}.py", module.replace('.', "/"))
}

/// `    cart_test.go:22: Total() = 3, want 2.7`. Log lines look the same as
/// failures, so a line that mentions an expectation is preferred.
fn go_place(text: &str) -> Option<(String, u64)> {
    if let Some((_, panic)) = text.split_once("\npanic: ") {
        let trace = panic.split_once("goroutine ").map_or(panic, |(_, t)| t);
        let place = trace.lines().filter_map(go_line);
        if let Some((file, line, _)) = place.into_iter().find(|p| p.0.ends_with("_test.go")) {
            return Some((file.to_owned(), line));
        }
    }
    let places: Vec<_> = text.lines().filter_map(go_line).take(100).collect();
    let speaks = |message: &str| {
        let message = message.to_lowercase();
        [
            "want",
            "expected",
            "got",
            "error",
            "fail",
            "mismatch",
            "not equal",
        ]
        .iter()
        .any(|word| message.contains(word))
    };
    let (file, line, _) = places
        .iter()
        .find(|place| speaks(place.2))
        .or_else(|| places.first())?;
    Some(((*file).to_owned(), *line))
}

fn go_line(line: &str) -> Option<(&str, u64, &str)> {
    let (file, line, rest) = place::leading(line.trim_start())?;
    let is_place = extension(file) == "go" && !file.contains(' ');
    is_place.then_some((file, line, rest))
}

#[cfg(test)]
mod tests {
    use super::{go_place, pytest_node};

    #[test]
    fn pytest_nodes_are_rebuilt() {
        let node = |class: &str, name: &str| pytest_node(class, name, None, "").0;
        assert_eq!(node("a.test_b", "test_c[1.5]"), "a/test_b.py::test_c[1.5]");
        assert_eq!(node("a.test_b.C.D", "test_e"), "a/test_b.py::C::D::test_e");
        assert_eq!(node("checks", "test_d"), "checks.py::test_d");
        assert_eq!(node("Checks", "test_d"), "Checks.py::test_d");
        assert_eq!(node("", "tests.test_a"), "tests/test_a.py");
    }

    #[test]
    fn files_from_attributes_or_traces_are_preferred() {
        let (node, file) = pytest_node("x.t.Odd.t", "f", Some("x/t.py".to_owned()), "");
        assert_eq!(node, "x/t.py::Odd::t::f");
        assert_eq!(file.as_deref(), Some("x/t.py"));
        let (node, _) = pytest_node("a.test_b.test_c", "f", None, "a/test_b.py:3: OSError");
        assert_eq!(node, "a/test_b.py::test_c::f");
    }

    #[test]
    fn go_tests_fail_at_the_line_with_the_expectation() {
        let at = |text: &str| go_place(text).unwrap();
        assert_eq!(
            at("=== RUN T\n  a_test.go:3: starting\n  a_test.go:5: got 1, want 2").1,
            5
        );
        assert_eq!(
            at("=== RUN T\n  a_test.go:3: broke\n  a_test.go:5: again").1,
            3
        );
        let panic = "  a_test.go:3: x\npanic: no\n\ngoroutine 1 [running]:\nmain.F()\n\t/x/a.go:7 +0x1\n\t/x/a_test.go:9 +0x1";
        assert_eq!(at(panic), ("/x/a_test.go".to_owned(), 9));
        assert_eq!(go_place("nothing"), None);
    }
}
