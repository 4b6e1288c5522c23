//! How each runner is told to run some tests only.

use std::path::Path;

use baton_protocol::report::ReportedFailure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Pytest { at: usize },
    Unittest,
    GoTest,
    CargoTest,
    Nextest,
    Rspec,
    Minitest,
    Maven,
    Gradle,
    Jest { at: usize },
    Vitest { at: usize },
    Mocha { at: usize },
}

impl Runner {
    /// The runner that a command starts. `framework` is the one whose words
    /// the last run printed.
    pub(super) fn parse(words: &[String], framework: &str) -> Option<Self> {
        let word = |index: usize| words.get(index).map(String::as_str);
        let first = base(word(0)?);
        // `uv run pytest`, `poetry run pytest`, `python -m pytest`
        let pytest = words
            .iter()
            .take(4)
            .position(|w| matches!(base(w), "pytest" | "py.test"));
        if let Some(at) = pytest {
            return Some(Self::Pytest { at });
        }
        if first.starts_with("python") && word(1) == Some("-m") && word(2) == Some("unittest") {
            let elsewhere = |w: &String| w == "discover" && words.len() > 4;
            return (!words.iter().any(elsewhere)).then_some(Self::Unittest);
        }
        match (first, word(1)) {
            ("go", Some("test")) => Some(Self::GoTest),
            ("cargo", Some("test")) => Some(Self::CargoTest),
            ("cargo", Some("nextest")) if word(2) == Some("run") => Some(Self::Nextest),
            ("rspec", _) => Some(Self::Rspec),
            ("bundle", Some("exec")) if word(2) == Some("rspec") => Some(Self::Rspec),
            ("ruby", Some(_)) if framework == "minitest" && words.iter().any(|w| is_ruby(w)) => {
                Some(Self::Minitest)
            }
            ("mvn" | "mvnw", Some("test")) => Some(Self::Maven),
            ("gradle" | "gradlew", Some("test")) => Some(Self::Gradle),
            ("npm" | "yarn" | "pnpm" | "bun", _) => None,
            _ => Self::parse_javascript(words),
        }
    }

    /// Jest, Vitest or Mocha, started directly or through a program that sets
    /// something up for them.
    pub(super) fn parse_javascript(words: &[String]) -> Option<Self> {
        let each = words.iter().take(5).enumerate();
        let mut found = each.filter_map(|(at, word)| match base(word) {
            "jest" | "jest.js" => Some(Self::Jest { at }),
            "vitest" | "vitest.mjs" => Some(Self::Vitest { at }),
            "mocha" | "mocha.js" => Some(Self::Mocha { at }),
            _ => None,
        });
        found.next()
    }

    /// What reports call it.
    pub(super) fn framework(self) -> &'static str {
        match self {
            Self::Pytest { .. } => "pytest",
            Self::Unittest => "unittest",
            Self::GoTest => "go-test",
            Self::CargoTest => "cargo-test",
            Self::Nextest => "nextest",
            Self::Rspec => "rspec",
            Self::Minitest => "minitest",
            Self::Maven => "maven-surefire",
            Self::Gradle => "gradle",
            Self::Jest { .. } => "jest",
            Self::Vitest { .. } => "vitest",
            Self::Mocha { .. } => "mocha",
        }
    }

    pub(super) fn arguments(
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
            Self::Unittest => {
                words.retain(|word| word != "discover");
                words.extend(each(failures, |f| {
                    let dotted = f.name.matches('.').count() >= 2
                        && f.name
                            .chars()
                            .all(|c| c.is_alphanumeric() || "._".contains(c));
                    dotted.then(|| f.name.clone())
                })?);
            }
            Self::GoTest => {
                let tops = each(failures, |f| {
                    let top = f.name.split('/').next()?;
                    is_identifier(top).then(|| top.to_owned())
                })?;
                if words.iter().any(|w| w.starts_with("-run")) {
                    return None;
                }
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
            Self::Nextest => {
                let is_path = |name: &str| name.split("::").all(is_identifier);
                let tests = each(failures, |f| {
                    is_path(&f.name).then(|| format!("test(={})", f.name))
                })?;
                words.extend(["-E".to_owned(), unique(tests).join(" or ")]);
            }
            Self::Rspec => words.extend(each(failures, |f| {
                Some(format!("{}:{}", f.file.as_deref()?, f.line?))
            })?),
            Self::Minitest => words.extend(self.name_options(failures)?),
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
            Self::Jest { at } | Self::Vitest { at } | Self::Mocha { at } => {
                let is_subcommand = words.get(at + 1).is_some_and(|word| word == "run");
                let after = at + 1 + usize::from(is_subcommand);
                words.splice(after..after, self.name_options(failures)?);
            }
        }
        Some(words)
    }

    /// The options of runners that take one pattern for all names.
    pub(super) fn name_options(self, failures: &[ReportedFailure]) -> Option<Vec<String>> {
        let patterns = each(failures, |f| Some(pattern(&f.name)))?;
        let all = format!("^({})$", unique(patterns).join("|"));
        match self {
            Self::Jest { .. } | Self::Vitest { .. } => Some(vec!["-t".to_owned(), all]),
            Self::Mocha { .. } => Some(vec!["--grep".to_owned(), all]),
            Self::Minitest => Some(vec!["-n".to_owned(), format!("/{all}/")]),
            _ => None,
        }
    }
}

/// The last part of a path.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_ruby(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|e| e == "rb")
}

/// All names, or none: a selection that leaves a failure out would hide it.
fn each(
    failures: &[ReportedFailure],
    name: impl Fn(&ReportedFailure) -> Option<String>,
) -> Option<Vec<String>> {
    failures
        .iter()
        .map(|failure| {
            let is_option = failure.name.starts_with('-');
            name(failure).filter(|n| !n.is_empty() && !is_option)
        })
        .collect()
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// `com.shop.CartTest.total()` and `com.shop.CartTest > total()` give
/// `CartTest#total`; parameters fall away.
fn java_method(name: &str, separator: char) -> Option<String> {
    let name = name.replace(" > ", ".");
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

/// A regular expression for a name. Reports join suites and test in their own
/// ways, runners match against them joined by blanks. Every character that a
/// regular expression or the shell of a package manager could take for its own
/// is left open.
pub(super) fn pattern(name: &str) -> String {
    let parts = name.split(" › ").flat_map(|part| part.split(" > "));
    let parts: Vec<String> = parts.map(letters).collect();
    parts.join("( | . )")
}

fn letters(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || " _".contains(c) {
            pattern.push(c);
        } else {
            // JavaScript counts in units of UTF-16.
            pattern.extend(std::iter::repeat_n('.', c.len_utf16()));
        }
    }
    pattern
}
