//! Detects JavaScript and TypeScript projects.

mod package_manager;
mod tools;

use baton_protocol::Language;
use baton_protocol::detection::{Candidate, Framework, Purpose, Source, TestingCommands};
use serde_json::Value;

use super::{Findings, framework, frameworks_of_dependencies};
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, Tier, WithFallback, candidate};
pub(in crate::detect) use package_manager::{Runner, workspace_runner};

/// What `npm init` writes: a script that fails on purpose.
const PLACEHOLDER: &str = "no test specified";

/// Scripts by purpose, the preferred name first.
const SCRIPTS: [(Purpose, &[&str]); 7] = [
    (
        Purpose::Format,
        &[
            "format",
            "fmt",
            "prettier",
            "format:check",
            "prettier:check",
            "check:format",
        ],
    ),
    (
        Purpose::FormatFix,
        &[
            "format:fix",
            "format:write",
            "prettier:fix",
            "prettier:write",
            "format",
            "fmt",
        ],
    ),
    (
        Purpose::Lint,
        &["lint", "eslint", "lint:check", "check:lint"],
    ),
    (
        Purpose::LintFix,
        &["lint:fix", "lint-fix", "eslint:fix", "fix:lint"],
    ),
    (Purpose::Build, &["build", "compile"]),
    (Purpose::Test, &["test", "test:ci", "test:unit"]),
    (Purpose::Start, &["dev", "start", "serve", "develop"]),
];

const FRAMEWORKS: [(&str, &str); 9] = [
    ("jest", "jest"),
    ("vitest", "vitest"),
    ("mocha", "mocha"),
    ("ava", "ava"),
    ("jasmine", "jasmine"),
    ("tap", "tap"),
    ("@playwright/test", "playwright"),
    ("cypress", "cypress"),
    ("karma", "karma"),
];

/// Whether a package.json has a test script that tests something.
pub(in crate::detect) fn has_test_script(files: &ProjectFiles, path: &str) -> bool {
    files
        .json(path)
        .is_some_and(|package| script(&package, "test").is_some())
}

pub(super) fn findings(surroundings: Surroundings<'_>, language: Language) -> Findings {
    let files = surroundings.files;
    let package = files.json("package.json").unwrap_or_default();
    let runner = Runner::for_project(files, &package);
    let mut proposals = scripts(&package, &runner);
    proposals.extend(tools::proposals(files, &package, &runner));
    proposals.push(runner.install(files));
    proposals.extend(defaults(&package, &runner));
    Findings {
        testing: testing(files, &package, &runner, language),
        frameworks: frameworks(files, &package, language),
        suggestion: runner.suggestion().to_owned(),
        package_manager: Some(runner.package_manager),
        proposals,
    }
}

/// The text of a script; `npm init`'s placeholder counts as none.
fn script<'a>(package: &'a Value, name: &str) -> Option<&'a str> {
    let text = package.get("scripts")?.get(name)?.as_str()?;
    let is_placeholder = name == "test" && text.contains(PLACEHOLDER);
    (!text.trim().is_empty() && !is_placeholder).then_some(text)
}

fn scripts(package: &Value, runner: &Runner) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for (purpose, names) in SCRIPTS {
        for name in names {
            let Some(text) = script(package, name) else {
                continue;
            };
            // A script that only checks repairs nothing.
            if purpose == Purpose::FormatFix && text.contains("--check") {
                continue;
            }
            let proposal = Proposal::task(
                purpose,
                Tier::Script,
                runner.run_script(name),
                ("package.json", &format!("scripts.{name}")),
                format!("package.json has the script {name}"),
            );
            let fallbacks = if *name == "test" {
                runner.test_fallbacks()
            } else {
                &[]
            };
            proposals.push(proposal.or_each(fallbacks));
        }
    }
    proposals
}

fn defaults(package: &Value, runner: &Runner) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for purpose in [Purpose::Format, Purpose::FormatFix] {
        proposals.push(Proposal::default(
            purpose,
            runner.exec("prettier", "prettier", "--write ."),
            "prettier is the default formatter",
        ));
    }
    proposals.push(Proposal::default(
        Purpose::Lint,
        runner.exec("eslint", "eslint", "."),
        "eslint is the default linter",
    ));
    proposals.push(Proposal::default(
        Purpose::LintFix,
        runner.exec("eslint", "eslint", ". --fix"),
        "eslint is the default linter",
    ));
    proposals.push(
        Proposal::default(Purpose::Test, runner.test(), test_reason(package))
            .or_each(runner.test_fallbacks()),
    );
    proposals
}

/// The specification's resolution: the script, then the configuration of a
/// test framework, then the default.
fn testing(
    files: &ProjectFiles,
    package: &Value,
    runner: &Runner,
    language: Language,
) -> TestingCommands {
    let mut test = Vec::new();
    if script(package, "test").is_some() {
        let source = Source::Task {
            file: "package.json".to_owned(),
            key: "scripts.test".to_owned(),
        };
        let reason = "package.json has the script test";
        test.push(candidate(runner.test(), source, reason).or_each(runner.test_fallbacks()));
    } else {
        test.extend(
            tools::configured_tests(files, runner)
                .into_iter()
                .map(|proposal| proposal.candidate),
        );
        test.push(
            candidate(runner.test(), Source::LanguageDefault, test_reason(package))
                .or_each(runner.test_fallbacks()),
        );
    }
    let build = script(package, "build").map(|_| {
        let source = Source::Task {
            file: "package.json".to_owned(),
            key: "scripts.build".to_owned(),
        };
        candidate(
            runner.run_script("build"),
            source,
            "package.json has the script build",
        )
    });
    let forced_build = build
        .clone()
        .unwrap_or_else(|| build_without_script(runner, language));
    TestingCommands {
        test,
        build,
        forced_build: Some(forced_build),
    }
}

fn build_without_script(runner: &Runner, language: Language) -> Candidate {
    if language == Language::TypeScript {
        candidate(
            "tsc",
            Source::LanguageDefault,
            "there is no build script, so the TypeScript compiler is the build",
        )
        .or(runner.exec_installed("tsc"))
    } else {
        candidate(
            runner.run_script("build"),
            Source::LanguageDefault,
            "there is no build script; npm will say so",
        )
    }
}

fn test_reason(package: &Value) -> String {
    let script = package.get("scripts").and_then(|all| all.get("test"));
    let found = match script.and_then(Value::as_str) {
        _ if package.is_null() => "package.json is missing or unreadable",
        Some(text) if text.contains(PLACEHOLDER) => {
            "the test script of package.json is npm's placeholder"
        }
        Some(text) if !text.trim().is_empty() => "package.json has the script test",
        _ => "package.json has no test script",
    };
    format!("default of the language; {found}")
}

fn frameworks(files: &ProjectFiles, package: &Value, language: Language) -> Vec<Framework> {
    let mut found =
        frameworks_of_dependencies(language, "package.json", dependencies(package), &FRAMEWORKS);
    for (name, config) in tools::test_configurations(files) {
        if found.iter().all(|known| known.name != name) {
            found.push(framework(language, name, format!("{config} configures it")));
        }
    }
    if script(package, "test").is_some_and(|text| text.contains("node --test")) {
        found.push(framework(
            language,
            "node:test",
            "the test script runs node --test",
        ));
    }
    if script(package, "test").is_some_and(|text| text.starts_with("bun test")) {
        found.push(framework(
            language,
            "bun:test",
            "the test script runs bun test",
        ));
    }
    found
}

fn dependencies(package: &Value) -> impl Iterator<Item = &str> {
    ["dependencies", "devDependencies"]
        .into_iter()
        .filter_map(|key| package.get(key)?.as_object())
        .flat_map(|packages| packages.keys().map(String::as_str))
}
