//! Which language a folder has.

use baton_protocol::Language::{self, Go, Java, JavaScript, Python, Ruby, Rust, TypeScript};
use baton_protocol::detection::Confidence::{self, High, Medium};
use baton_protocol::detection::{Decision, FILES_CHECKED};

use super::Tree;

const TESTED: &str = r#"{"name": "pump", "scripts": {"test": "vitest run"}}"#;
const UNTESTED: &str = r#"{"name": "pump"}"#;
const PLACEHOLDER: &str = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;

type Files = &'static [(&'static str, &'static str)];

/// Every row of the indicator table, and what wins over what.
const DETECTED: [(Files, Language, Confidence, &str); 34] = [
    (
        &[("package.json", TESTED)],
        JavaScript,
        High,
        "package.json has a test script",
    ),
    (
        &[("package.json", UNTESTED)],
        JavaScript,
        Medium,
        "package.json has no test script",
    ),
    (
        &[("package.json", PLACEHOLDER)],
        JavaScript,
        Medium,
        "package.json has no test script",
    ),
    (
        &[("package.json", r#"{"scripts": {"test": 7}}"#)],
        JavaScript,
        Medium,
        "package.json has no test script",
    ),
    (
        &[("package.json", "[]")],
        JavaScript,
        Medium,
        "package.json has no test script",
    ),
    (
        &[("package.json", "{ broken")],
        JavaScript,
        Medium,
        "package.json has no test script",
    ),
    (
        &[("tsconfig.json", "{}")],
        TypeScript,
        High,
        "tsconfig.json configures TypeScript",
    ),
    (
        &[("tsconfig.json", "{}"), ("package.json", TESTED)],
        TypeScript,
        High,
        "tsconfig.json configures TypeScript",
    ),
    (
        &[("tsconfig.json", "{}"), ("package.json", UNTESTED)],
        TypeScript,
        High,
        "tsconfig.json configures TypeScript",
    ),
    (
        &[(
            "pyproject.toml",
            "[tool.pytest.ini_options]\nminversion = '8'\n",
        )],
        Python,
        High,
        "pyproject.toml configures pytest",
    ),
    (
        &[("pyproject.toml", "[tool.pytest]\nminversion = '9'\n")],
        Python,
        High,
        "pyproject.toml configures pytest",
    ),
    (
        &[("pyproject.toml", "[project]\nname = 'pump'\n")],
        Python,
        Medium,
        "pyproject.toml does not configure pytest",
    ),
    (
        &[("pyproject.toml", "= broken")],
        Python,
        Medium,
        "pyproject.toml does not configure pytest",
    ),
    (
        &[("pytest.ini", "")],
        Python,
        High,
        "pytest.ini configures pytest",
    ),
    (
        &[("setup.py", "")],
        Python,
        High,
        "setup.py builds a Python package",
    ),
    (
        &[("requirements.txt", "")],
        Python,
        Medium,
        "requirements.txt lists Python packages",
    ),
    (
        &[("setup.cfg", "")],
        Python,
        Medium,
        "setup.cfg configures Python tools",
    ),
    (
        &[("go.mod", "module example.org/pump\n")],
        Go,
        High,
        "go.mod defines a Go module",
    ),
    (
        &[("Gemfile", "gem 'rspec-rails'\n")],
        Ruby,
        High,
        "Gemfile names rspec or minitest",
    ),
    (
        &[("Gemfile", "gem \"minitest\", require: false\n")],
        Ruby,
        High,
        "Gemfile names rspec or minitest",
    ),
    (
        &[("pump.gemspec", "")],
        Ruby,
        Medium,
        "pump.gemspec defines a gem",
    ),
    (
        &[("pump.gemspec", ""), ("Gemfile", "gemspec\n")],
        Ruby,
        Medium,
        "pump.gemspec defines a gem",
    ),
    (
        &[("Cargo.toml", "")],
        Rust,
        High,
        "Cargo.toml defines a Rust package or workspace",
    ),
    (
        &[("pom.xml", "")],
        Java,
        High,
        "pom.xml defines a Maven project",
    ),
    (
        &[("build.gradle", "")],
        Java,
        High,
        "build.gradle defines a Gradle project",
    ),
    (
        &[("build.gradle.kts", "")],
        Java,
        High,
        "build.gradle.kts defines a Gradle project",
    ),
    (
        &[("go.mod", ""), ("setup.cfg", "")],
        Go,
        High,
        "go.mod defines a Go module",
    ),
    (
        &[("Cargo.toml", ""), ("package.json", PLACEHOLDER)],
        Rust,
        High,
        "Cargo.toml defines a Rust package or workspace",
    ),
    (
        &[("setup.py", ""), ("pump.gemspec", "")],
        Python,
        High,
        "setup.py builds a Python package",
    ),
    (
        &[("requirements.txt", ""), ("pytest.ini", "")],
        Python,
        High,
        "pytest.ini configures pytest",
    ),
    (
        &[("setup.py", ""), ("pyproject.toml", "[tool.pytest]\n")],
        Python,
        High,
        "pyproject.toml configures pytest",
    ),
    (
        &[("requirements.txt", ""), ("setup.cfg", "")],
        Python,
        Medium,
        "setup.cfg configures Python tools",
    ),
    (
        &[("build.gradle.kts", ""), ("pom.xml", "")],
        Java,
        High,
        "pom.xml defines a Maven project",
    ),
    (
        &[("Gemfile", "# gem 'rspec'\n"), ("requirements.txt", "")],
        Python,
        Medium,
        "requirements.txt lists Python packages",
    ),
];

#[test]
fn every_indicator_is_weighed() {
    for (files, language, confidence, because) in DETECTED {
        let project = Tree::new(files).detect();
        let expected = Decision::Detected {
            language,
            confidence,
            because: because.to_owned(),
        };
        assert_eq!(project.decision, expected, "{files:?}");
        assert_eq!(project.language(), Some(language), "{files:?}");
    }
}

#[test]
fn two_families_at_the_same_confidence_are_ambiguous() {
    let rows: [(Files, &[Language]); 6] = [
        (&[("go.mod", ""), ("Cargo.toml", "")], &[Go, Rust]),
        (
            &[("package.json", TESTED), ("setup.py", "")],
            &[JavaScript, Python],
        ),
        (
            &[("requirements.txt", ""), ("package.json", UNTESTED)],
            &[JavaScript, Python],
        ),
        (
            &[
                ("tsconfig.json", "{}"),
                ("package.json", TESTED),
                ("go.mod", ""),
            ],
            &[TypeScript, Go],
        ),
        (&[("pump.gemspec", ""), ("setup.cfg", "")], &[Python, Ruby]),
        (
            &[
                ("pom.xml", ""),
                ("build.gradle", ""),
                ("Gemfile", "gem 'rspec'"),
            ],
            &[Ruby, Java],
        ),
    ];
    for (files, candidates) in rows {
        let project = Tree::new(files).detect();
        let expected = Decision::Ambiguous {
            candidates: candidates.to_vec(),
        };
        assert_eq!(project.decision, expected, "{files:?}");
        assert_eq!(project.language(), None);
        let mut found = project.found();
        let mut written: Vec<&str> = files.iter().map(|(file, _)| *file).collect();
        found.sort_unstable();
        written.sort_unstable();
        assert_eq!(found, written);
        for language in candidates {
            assert!(project.testing_commands(*language).is_some(), "{language}");
        }
    }
}

#[test]
fn subfolders_and_unknown_files_decide_nothing() {
    let rows: [Files; 4] = [
        &[],
        &[("app/package.json", TESTED), ("README.md", "# Pump\n")],
        &[("Gemfile", "source 'https://rubygems.org'\n")],
        &[("package.json/index.js", "")],
    ];
    for files in rows {
        let project = Tree::new(files).detect();
        assert_eq!(project.decision, Decision::NotFound, "{files:?}");
        assert_eq!(project.found(), Vec::<&str>::new(), "{files:?}");
        assert!(project.languages.is_empty());
    }
    assert_eq!(
        FILES_CHECKED,
        [
            "package.json",
            "pyproject.toml",
            "go.mod",
            "Gemfile",
            "Cargo.toml",
            "pom.xml"
        ]
    );
}

#[test]
fn a_folder_that_is_not_there_has_no_language() {
    let tree = Tree::new::<&str, &str>(&[]);
    let options = baton_host::detect::Options {
        language: None,
        on_path: &|_| false,
        by_sources: false,
    };
    let project = baton_host::detect::detect(&tree.path().join("gone"), &options);
    assert_eq!(project.decision, Decision::NotFound);
}

#[test]
fn a_given_language_wins_and_always_has_commands() {
    let tree = Tree::new(&[("go.mod", ""), ("Cargo.toml", "")]);
    for language in Language::ALL {
        let project = tree.detect_as(Some(language), &[]);
        assert_eq!(project.decision, Decision::Given { language });
        let commands = project.testing_commands(language).unwrap();
        assert!(!commands.test.is_empty(), "{language}");
    }
}
