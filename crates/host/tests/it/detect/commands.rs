//! The commands that the two phases promise, without anything of the
//! project's own in the way.

use baton_protocol::Language;
use baton_protocol::detection::{Candidate, FallbackWhen, Purpose};

use super::Tree;

const TEST_SCRIPT: &str = r#"{"scripts": {"test": "mocha --exit"}}"#;
const ALL_SCRIPTS: &str =
    r#"{"scripts": {"test": "mocha", "build": "rollup -c", "lint": "eslint src"}}"#;

type Files = &'static [(&'static str, &'static str)];

fn command(candidate: Option<&Candidate>) -> Option<&str> {
    candidate.map(|candidate| candidate.command.as_str())
}

#[test]
fn the_testing_phase_tests_with_its_own_defaults() {
    let rows: [(Files, &str, &[&str]); 16] = [
        (
            &[("package.json", TEST_SCRIPT)],
            "npm test",
            &["yarn test", "pnpm test"],
        ),
        (
            &[("package.json", "{}")],
            "npm test",
            &["yarn test", "pnpm test"],
        ),
        (
            &[("package.json", TEST_SCRIPT), ("package-lock.json", "{}")],
            "npm test",
            &["yarn test", "pnpm test"],
        ),
        (
            &[("package.json", TEST_SCRIPT), ("yarn.lock", "")],
            "yarn test",
            &["npm test", "pnpm test"],
        ),
        (
            &[("package.json", TEST_SCRIPT), ("pnpm-lock.yaml", "")],
            "pnpm test",
            &["npm test", "yarn test"],
        ),
        (
            &[("package.json", TEST_SCRIPT), ("bun.lockb", "")],
            "bun run test",
            &["npm test", "yarn test", "pnpm test"],
        ),
        (
            &[("tsconfig.json", "{}"), ("package.json", TEST_SCRIPT)],
            "npm test",
            &["yarn test", "pnpm test"],
        ),
        (
            &[("pytest.ini", "")],
            "pytest",
            &["python -m pytest", "python -m unittest discover"],
        ),
        (
            &[("setup.py", "")],
            "pytest",
            &["python -m pytest", "python -m unittest discover"],
        ),
        (
            &[("Gemfile", "gem 'rspec'")],
            "bundle exec rspec",
            &["rake test", "ruby -Itest test/test_*.rb"],
        ),
        (
            &[("Cargo.toml", "")],
            "cargo test",
            &["cargo test --all-features"],
        ),
        (&[("pom.xml", "")], "mvn test", &["mvn verify"]),
        (&[("build.gradle", "")], "gradle test", &["./gradlew test"]),
        (
            &[("build.gradle.kts", "")],
            "gradle test",
            &["./gradlew test"],
        ),
        // Task runners are for validation; the testing phase has its own resolution.
        (
            &[
                ("pytest.ini", ""),
                ("Makefile", "test:\n\tpytest -x\n"),
                ("tox.ini", "[tox]\n"),
            ],
            "pytest",
            &["python -m pytest", "python -m unittest discover"],
        ),
        (
            &[
                ("Cargo.toml", ""),
                ("justfile", "test:\n  cargo test\n"),
                (".config/nextest.toml", ""),
            ],
            "cargo test",
            &["cargo test --all-features"],
        ),
    ];
    for (files, test, fallbacks) in rows {
        let project = Tree::new(files).detect_as(None, &["make", "just", "tox", "cargo-nextest"]);
        let language = project.language().unwrap();
        let first = &project.testing_commands(language).unwrap().test[0];
        assert_eq!(first.command, test, "{files:?}");
        let found: Vec<&str> = first
            .fallbacks
            .iter()
            .map(|fallback| {
                assert_eq!(fallback.when, FallbackWhen::NotFound);
                fallback.command.as_str()
            })
            .collect();
        assert_eq!(found, fallbacks, "{files:?}");
    }
}

#[test]
fn go_drops_the_race_detector_only_where_it_is_unsupported() {
    let project = Tree::new(&[("go.mod", "")]).detect();
    let test = &project.testing_commands(Language::Go).unwrap().test[0];
    assert_eq!(test.command, "go test -race ./...");
    let [fallback] = test.fallbacks.as_slice() else {
        panic!("one fallback: {:?}", test.fallbacks);
    };
    assert_eq!(fallback.command, "go test ./...");
    assert_eq!(fallback.when, FallbackWhen::RaceUnsupported);
}

#[test]
fn the_testing_phase_builds_scripts_and_nothing_else_unless_forced() {
    let rows: [(Files, Option<&str>, Option<&str>); 11] = [
        (
            &[("package.json", ALL_SCRIPTS)],
            Some("npm run build"),
            Some("npm run build"),
        ),
        (
            &[("package.json", ALL_SCRIPTS), ("yarn.lock", "")],
            Some("yarn run build"),
            Some("yarn run build"),
        ),
        (
            &[("package.json", TEST_SCRIPT)],
            None,
            Some("npm run build"),
        ),
        (
            &[("package.json", TEST_SCRIPT), ("tsconfig.json", "{}")],
            None,
            Some("tsc"),
        ),
        (
            &[("package.json", ALL_SCRIPTS), ("tsconfig.json", "{}")],
            Some("npm run build"),
            Some("npm run build"),
        ),
        (&[("pytest.ini", "")], None, None),
        (&[("Gemfile", "gem 'rspec'")], None, None),
        (&[("go.mod", "")], None, Some("go build ./...")),
        (&[("Cargo.toml", "")], None, Some("cargo build")),
        (&[("pom.xml", "")], None, Some("mvn compile")),
        (&[("build.gradle", "")], None, Some("gradle classes")),
    ];
    for (files, build, forced) in rows {
        let project = Tree::new(files).detect();
        let commands = project
            .testing_commands(project.language().unwrap())
            .unwrap();
        assert_eq!(command(commands.build.as_ref()), build, "{files:?}");
        assert_eq!(command(commands.forced_build.as_ref()), forced, "{files:?}");
    }
}

#[test]
fn validation_has_a_default_for_every_language() {
    let rows: [(Files, [Option<&str>; 4]); 8] = [
        (
            &[("package.json", ALL_SCRIPTS)],
            [
                Some("npx prettier --write ."),
                Some("npm run lint"),
                Some("npm run build"),
                Some("npm test"),
            ],
        ),
        (
            &[("package.json", "{}")],
            [
                Some("npx prettier --write ."),
                Some("npx eslint ."),
                None,
                Some("npm test"),
            ],
        ),
        (
            &[("pytest.ini", "")],
            [Some("black ."), Some("ruff check ."), None, Some("pytest")],
        ),
        (
            &[("go.mod", "")],
            [
                Some("go fmt ./..."),
                Some("go vet ./..."),
                Some("go build ./..."),
                Some("go test ./..."),
            ],
        ),
        (
            &[("Cargo.toml", "")],
            [
                Some("cargo fmt"),
                Some("cargo clippy"),
                Some("cargo build"),
                Some("cargo test"),
            ],
        ),
        (
            &[("Gemfile", "gem 'rspec'")],
            [
                Some("rubocop -a"),
                Some("rubocop"),
                None,
                Some("bundle exec rspec"),
            ],
        ),
        (
            &[("pom.xml", "")],
            [
                Some("mvn spotless:apply"),
                Some("mvn checkstyle:check"),
                Some("mvn compile"),
                Some("mvn test"),
            ],
        ),
        (
            &[("build.gradle", "")],
            [
                Some("gradle spotlessApply"),
                Some("gradle check"),
                Some("gradle classes"),
                Some("gradle test"),
            ],
        ),
    ];
    for (files, expected) in rows {
        let project = Tree::new(files).detect();
        let commands = project
            .validation_commands(project.language().unwrap())
            .unwrap();
        let found = [
            Purpose::Format,
            Purpose::Lint,
            Purpose::Build,
            Purpose::Test,
        ]
        .map(|purpose| command(commands.first(purpose)));
        assert_eq!(found, expected, "{files:?}");
    }
}

#[test]
fn golangci_lint_is_the_linter_where_it_is_installed() {
    let project = Tree::new(&[("go.mod", "")]).detect_as(None, &["golangci-lint"]);
    let commands = project.validation_commands(Language::Go).unwrap();
    assert_eq!(
        command(commands.first(Purpose::Lint)),
        Some("golangci-lint run")
    );
}

#[test]
fn every_suggestion_names_what_to_install() {
    let tree = Tree::new(&[("build.gradle", "")]);
    let words = [
        (Language::JavaScript, "npm"),
        (Language::TypeScript, "npm"),
        (Language::Python, "pip"),
        (Language::Go, "go.dev"),
        (Language::Ruby, "bundle"),
        (Language::Rust, "rustup"),
        (Language::Java, "gradle"),
    ];
    for (language, word) in words {
        let project = tree.detect_as(Some(language), &[]);
        let suggestion = &project.commands(language).unwrap().suggestion;
        assert!(suggestion.contains(word), "{language}: {suggestion}");
    }
}
