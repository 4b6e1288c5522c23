//! Runs only what failed, where the runner can select tests by name.

use std::path::Path;

use baton_host::cmd::{quote, quote_program};
use baton_protocol::Confidence;
use baton_protocol::report::ReportedFailure;

use super::attempt::Attempt;

/// With more failures than this, running everything is as quick.
const MOST_TESTS: usize = 50;

/// The argument list that runs just these tests, if this runner can.
///
/// The command must be plain words: nothing that only a shell understands.
pub(super) fn select(
    command: &str,
    folder: &Path,
    last: &Attempt,
    failures: &[ReportedFailure],
) -> Option<Vec<String>> {
    if failures.is_empty() || failures.len() > MOST_TESTS {
        return None;
    }
    // Names that were guessed select the wrong thing or nothing.
    if failures.iter().any(|f| f.confidence == Confidence::Low) {
        return None;
    }
    let failed = last.record.counts.failed + last.record.counts.errors;
    if failed > failures.len() as u64 {
        // Some failures have no name.
        return None;
    }
    let words = plain_words(command)?;
    let runner = Runner::of(&words)?;
    runner.arguments(words, folder, failures)
}

/// The same for tests of which only the names are known.
pub(super) fn by_name(command: &str, folder: &Path, names: &[String]) -> Option<Vec<String>> {
    if names.is_empty() || names.len() > MOST_TESTS {
        return None;
    }
    let words = plain_words(command)?;
    let tests: Vec<ReportedFailure> = names
        .iter()
        .map(|name| ReportedFailure {
            name: name.clone(),
            file: None,
            line: None,
            error: String::new(),
            confidence: Confidence::High,
        })
        .collect();
    Runner::of(&words)?.arguments(words, folder, &tests)
}

/// A line for people.
pub(super) fn shown(words: &[String]) -> String {
    let mut shown = words.iter();
    let program = shown.next().map(quote_program).unwrap_or_default();
    shown.fold(program, |line, word| format!("{line} {}", quote(word)))
}

fn plain_words(command: &str) -> Option<Vec<String>> {
    let harmless = |c: char| c.is_alphanumeric() || " ./_-=:,@+%".contains(c);
    if !command.chars().all(harmless) {
        return None;
    }
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    // `NAME=value program` needs a shell.
    let first = words.first()?;
    (!first.contains('=')).then_some(words)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runner {
    Pytest { at: usize },
    Unittest,
    GoTest,
    CargoTest,
    Rspec,
    Maven,
    Gradle,
    Jest { at: usize },
}

impl Runner {
    fn of(words: &[String]) -> Option<Self> {
        let word = |index: usize| words.get(index).map(String::as_str);
        let base = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
        let first = base(word(0)?);
        // `uv run pytest`, `poetry run pytest`, `python -m pytest`
        let pytest = words
            .iter()
            .take(4)
            .position(|w| matches!(base(w).as_str(), "pytest" | "py.test"));
        if let Some(at) = pytest {
            return Some(Self::Pytest { at });
        }
        if first.starts_with("python") && word(1) == Some("-m") && word(2) == Some("unittest") {
            return (!words.iter().any(|w| w == "discover")).then_some(Self::Unittest);
        }
        let jest = words
            .iter()
            .take(3)
            .position(|w| matches!(base(w).as_str(), "jest" | "vitest"));
        if let Some(at) = jest {
            return Some(Self::Jest { at });
        }
        match (first.as_str(), word(1)) {
            ("go", Some("test")) => Some(Self::GoTest),
            ("cargo", Some("test")) => Some(Self::CargoTest),
            ("rspec", _) => Some(Self::Rspec),
            ("bundle", Some("exec")) if word(2) == Some("rspec") => Some(Self::Rspec),
            ("mvn" | "mvnw", Some("test")) => Some(Self::Maven),
            ("gradle" | "gradlew", Some("test")) => Some(Self::Gradle),
            _ => None,
        }
    }

    fn arguments(
        self,
        mut words: Vec<String>,
        folder: &Path,
        failures: &[ReportedFailure],
    ) -> Option<Vec<String>> {
        match self {
            Self::Pytest { at } => {
                // Paths given on the command line would run everything in them.
                let mut index = 0;
                words.retain(|word| {
                    index += 1;
                    index - 1 <= at || word.starts_with('-') || !folder.join(word).exists()
                });
                words.extend(each(failures, |f| {
                    f.name.contains("::").then(|| f.name.clone())
                })?);
            }
            Self::Unittest => words.extend(each(failures, |f| {
                let dotted = f.name.matches('.').count() >= 2
                    && f.name
                        .chars()
                        .all(|c| c.is_alphanumeric() || "._".contains(c));
                dotted.then(|| f.name.clone())
            })?),
            Self::GoTest => {
                if words.iter().any(|w| w.starts_with("-run")) {
                    return None;
                }
                let tops = each(failures, |f| {
                    let top = f.name.split('/').next()?;
                    top.chars()
                        .all(|c| c.is_alphanumeric() || c == '_')
                        .then(|| top.to_owned())
                })?;
                words.insert(2, format!("-run=^({})$", unique(tops).join("|")));
                // A cached result would not run anything.
                words.insert(3, "-count=1".to_owned());
            }
            Self::CargoTest => {
                if words.iter().any(|w| w == "--") {
                    return None;
                }
                words.extend(["--".to_owned(), "--exact".to_owned()]);
                words.extend(each(failures, |f| Some(f.name.clone()))?);
            }
            Self::Rspec => words.extend(each(failures, |f| {
                Some(format!("{}:{}", f.file.as_deref()?, f.line?))
            })?),
            Self::Maven => {
                let tests = each(failures, |f| java_method(&f.name, '#'))?;
                words.push(format!("-Dtest={}", unique(tests).join(",")));
                words.push("-Dsurefire.failIfNoSpecifiedTests=false".to_owned());
                words.push("-DfailIfNoTests=false".to_owned());
            }
            Self::Gradle => {
                for test in unique(each(failures, |f| java_method(&f.name, '.'))?) {
                    words.extend(["--tests".to_owned(), format!("*{test}")]);
                }
            }
            Self::Jest { at } => {
                let names = each(failures, |f| Some(escaped(&joined(&f.name))))?;
                words.insert(at + 1, "-t".to_owned());
                words.insert(at + 2, format!("^({})$", names.join("|")));
                // `vitest -t` would go on watching.
                if words[at].ends_with("vitest") && !words.iter().any(|w| w == "run") {
                    words.insert(at + 1, "run".to_owned());
                }
            }
        }
        Some(words)
    }
}

/// All names, or none: a selection that leaves a failure out would hide it.
fn each(
    failures: &[ReportedFailure],
    name: impl Fn(&ReportedFailure) -> Option<String>,
) -> Option<Vec<String>> {
    failures
        .iter()
        .map(|failure| name(failure).filter(|n| !n.is_empty() && !n.starts_with('-')))
        .collect()
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// `com.shop.CartTest.total()` gives `CartTest#total`; parameters fall away.
fn java_method(name: &str, separator: char) -> Option<String> {
    let plain = name.split(['(', '[', '{', ' ']).next()?;
    let (class, method) = plain.rsplit_once(['.', '#'])?;
    let class = class.rsplit('.').next()?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    (is_name(class) && is_name(method)).then(|| format!("{class}{separator}{method}"))
}

/// Jest and Vitest match against the names of suites and test joined by blanks.
fn joined(name: &str) -> String {
    name.replace(" › ", " ").replace(" > ", " ")
}

fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use baton_protocol::Confidence;
    use baton_protocol::report::ReportedFailure;

    use super::{Runner, plain_words, shown};

    fn failure(name: &str) -> ReportedFailure {
        ReportedFailure {
            name: name.to_owned(),
            file: Some("spec/a_spec.rb".to_owned()),
            line: Some(9),
            error: String::new(),
            confidence: Confidence::High,
        }
    }

    fn select(command: &str, names: &[&str]) -> String {
        let failures: Vec<_> = names.iter().map(|name| failure(name)).collect();
        let chosen = plain_words(command).and_then(|words| {
            let runner = Runner::of(&words)?;
            runner.arguments(words, "/".as_ref(), &failures)
        });
        chosen.map_or("everything".to_owned(), |words| shown(&words))
    }

    #[test]
    fn each_runner_selects_in_its_own_way() {
        insta::assert_snapshot!(select("pytest -q", &["tests/test_a.py::test_b[x y]"]), @"pytest -q 'tests/test_a.py::test_b[x y]'");
        insta::assert_snapshot!(select("python3 -m pytest usr", &["a.py::b"]), @"python3 -m pytest a.py::b");
        insta::assert_snapshot!(select("python3 -m unittest -v", &["test_a.ATest.test_b"]), @"python3 -m unittest -v test_a.ATest.test_b");
        insta::assert_snapshot!(select("python3 -m unittest discover -s t", &["test_a.ATest.test_b"]), @"everything");
        insta::assert_snapshot!(select("go test -race ./...", &["TestA/sub", "TestA", "TestB"]), @"go test '-run=^(TestA|TestB)$' -count=1 -race ./...");
        insta::assert_snapshot!(select("cargo test", &["tests::a"]), @"cargo test -- --exact tests::a");
        insta::assert_snapshot!(select("cargo test -- --nocapture", &["tests::a"]), @"everything");
        insta::assert_snapshot!(select("bundle exec rspec", &["Cart adds"]), @"bundle exec rspec spec/a_spec.rb:9");
        insta::assert_snapshot!(select("mvn test", &["com.shop.CartTest.total", "com.shop.CartTest.vat[1]"]), @"mvn test '-Dtest=CartTest#total,CartTest#vat' -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false");
        insta::assert_snapshot!(select("./gradlew test", &["CartTest.total()"]), @"./gradlew test --tests '*CartTest.total'");
        insta::assert_snapshot!(select("npx jest", &["Cart › adds (1+1)"]), @r"npx jest -t '^(Cart adds \(1\+1\))$'");
        insta::assert_snapshot!(select("npm test", &["a"]), @"everything");
    }

    #[test]
    fn what_needs_a_shell_runs_everything() {
        insta::assert_snapshot!(select("pytest && echo done", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("CI=1 pytest", &["a.py::b"]), @"everything");
        insta::assert_snapshot!(select("pytest -k 'a b'", &["a.py::b"]), @"everything");
    }

    #[test]
    fn a_name_is_never_an_option() {
        insta::assert_snapshot!(select("cargo test", &["--help"]), @"everything");
        insta::assert_snapshot!(select("pytest", &["--pdb::x"]), @"everything");
    }
}
