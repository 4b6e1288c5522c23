//! Which language a folder is in: the indicator table and the decision.

use baton_protocol::Language;
use baton_protocol::detection::{Confidence, Decision, Indicator};

use super::ecosystem::{javascript, python, ruby};
use super::project_files::{ProjectFiles, inside};
use Weight::{High, Medium};

/// One file that indicates a language. Among files of the same confidence the
/// earlier one is more specific about the tests.
struct Row {
    file: FileName,
    language: Language,
    weigh: Weigh,
}

type Weigh = fn(&ProjectFiles, &str) -> Weight;

enum FileName {
    Exact(&'static str),
    Suffix(&'static str),
}

/// How much a file that is there counts, and why.
enum Weight {
    High(&'static str),
    Medium(&'static str),
    /// It is no indication after all.
    None,
}

const fn exact(file: &'static str, language: Language, weigh: Weigh) -> Row {
    Row {
        file: FileName::Exact(file),
        language,
        weigh,
    }
}

/// In order of specificity within each language.
const TABLE: [Row; 14] = [
    exact("tsconfig.json", Language::TypeScript, |_, _| {
        High("configures TypeScript")
    }),
    exact("package.json", Language::JavaScript, |files, path| {
        if javascript::has_test_script(files, path) {
            High("has a test script")
        } else {
            Medium("has no test script")
        }
    }),
    exact("pytest.ini", Language::Python, |_, _| {
        High("configures pytest")
    }),
    exact("pyproject.toml", Language::Python, |files, path| {
        if python::pyproject_configures_pytest(files, path) {
            High("configures pytest")
        } else {
            Medium("does not configure pytest")
        }
    }),
    exact("setup.py", Language::Python, |_, _| {
        High("builds a Python package")
    }),
    exact("setup.cfg", Language::Python, |_, _| {
        Medium("configures Python tools")
    }),
    exact("requirements.txt", Language::Python, |_, _| {
        Medium("lists Python packages")
    }),
    exact("go.mod", Language::Go, |_, _| High("defines a Go module")),
    exact("Gemfile", Language::Ruby, |files, path| {
        if ruby::gemfile_names_test_framework(files, path) {
            return High("names rspec or minitest");
        }
        files.note(
            path,
            format!("{path} names neither rspec nor minitest, so it does not decide the language"),
        );
        Weight::None
    }),
    Row {
        file: FileName::Suffix(".gemspec"),
        language: Language::Ruby,
        weigh: |_, _| Medium("defines a gem"),
    },
    exact("Cargo.toml", Language::Rust, |_, _| {
        High("defines a Rust package or workspace")
    }),
    exact("pom.xml", Language::Java, |_, _| {
        High("defines a Maven project")
    }),
    exact("build.gradle", Language::Java, |_, _| {
        High("defines a Gradle project")
    }),
    exact("build.gradle.kts", Language::Java, |_, _| {
        High("defines a Gradle project")
    }),
];

/// Every indicator file in this folder itself, strongest first. Subfolders
/// never count: they may hold examples in any language.
pub(crate) fn indicators(files: &ProjectFiles, folder: &str) -> Vec<Indicator> {
    let mut found = Vec::new();
    for row in &TABLE {
        for file in matching(files, folder, &row.file) {
            let (confidence, reason) = match (row.weigh)(files, &inside(folder, &file)) {
                High(reason) => (Confidence::High, reason),
                Medium(reason) => (Confidence::Medium, reason),
                Weight::None => continue,
            };
            found.push(Indicator {
                file,
                language: row.language,
                confidence,
                reason: reason.to_owned(),
            });
        }
    }
    // The sort is stable, so specificity still orders equals.
    found.sort_by_key(|indicator| std::cmp::Reverse(indicator.confidence));
    found
}

pub(crate) fn decide(indicators: &[Indicator]) -> Decision {
    let Some(best) = indicators.first() else {
        return Decision::NotFound;
    };
    let mut candidates = Vec::new();
    for indicator in indicators
        .iter()
        .filter(|indicator| indicator.confidence == best.confidence)
    {
        let language = within_family(indicator.language, indicators);
        if !candidates.contains(&language) {
            candidates.push(language);
        }
    }
    if candidates.len() > 1 {
        return Decision::Ambiguous { candidates };
    }
    Decision::Detected {
        language: within_family(best.language, indicators),
        confidence: best.confidence,
        because: format!("{} {}", best.file, best.reason),
    }
}

/// JavaScript and TypeScript are one family, and TypeScript the more specific.
fn within_family(language: Language, indicators: &[Indicator]) -> Language {
    let has_typescript = indicators
        .iter()
        .any(|indicator| indicator.language == Language::TypeScript);
    if language == Language::JavaScript && has_typescript {
        Language::TypeScript
    } else {
        language
    }
}

fn matching(files: &ProjectFiles, folder: &str, name: &FileName) -> Vec<String> {
    match name {
        FileName::Exact(name) if files.has(&inside(folder, name)) => vec![(*name).to_owned()],
        FileName::Exact(_) => Vec::new(),
        FileName::Suffix(suffix) => files
            .names_in(folder)
            .into_iter()
            .filter(|name| name.ends_with(suffix) && files.has(&inside(folder, name)))
            .collect(),
    }
}
