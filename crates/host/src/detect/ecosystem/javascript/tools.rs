//! Tools that a JavaScript project configures.

use baton_protocol::detection::Purpose;
use serde_json::Value;

use super::package_manager::Runner;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, WithFallback};

const BIOME: [&str; 4] = ["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"];

const PRETTIER: [&str; 15] = [
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.json5",
    ".prettierrc.yaml",
    ".prettierrc.yml",
    ".prettierrc.toml",
    ".prettierrc.js",
    ".prettierrc.cjs",
    ".prettierrc.mjs",
    ".prettierrc.ts",
    "prettier.config.js",
    "prettier.config.cjs",
    "prettier.config.mjs",
    "prettier.config.ts",
    "prettier.config.mts",
];

const ESLINT: [&str; 12] = [
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
];

/// `(framework, how to run it once, configuration files)`.
type TestTool = (&'static str, &'static str, &'static [&'static str]);

const TEST_TOOLS: [TestTool; 5] = [
    (
        "vitest",
        "run",
        &[
            "vitest.config.ts",
            "vitest.config.mts",
            "vitest.config.js",
            "vitest.config.mjs",
        ],
    ),
    (
        "jest",
        "",
        &[
            "jest.config.js",
            "jest.config.ts",
            "jest.config.mjs",
            "jest.config.cjs",
            "jest.config.json",
        ],
    ),
    (
        "mocha",
        "",
        &[
            ".mocharc.json",
            ".mocharc.js",
            ".mocharc.cjs",
            ".mocharc.yml",
            ".mocharc.yaml",
        ],
    ),
    (
        "ava",
        "",
        &["ava.config.js", "ava.config.mjs", "ava.config.cjs"],
    ),
    (
        "jasmine",
        "",
        &["jasmine.json", "spec/support/jasmine.json"],
    ),
];

pub(super) fn proposals(files: &ProjectFiles, package: &Value, runner: &Runner) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    let prettier = configuration(files, package, &PRETTIER, "prettier");
    let eslint = configuration(files, package, &ESLINT, "eslintConfig");
    if let Some(file) = prettier {
        for purpose in [Purpose::Format, Purpose::FormatFix] {
            proposals.push(Proposal::configured(
                purpose,
                runner.exec("prettier", "prettier", "--write ."),
                file,
                format!("{file} configures prettier"),
            ));
        }
    }
    if let Some(file) = eslint {
        for (purpose, arguments) in [(Purpose::Lint, "."), (Purpose::LintFix, ". --fix")] {
            proposals.push(Proposal::configured(
                purpose,
                runner.exec("eslint", "eslint", arguments),
                file,
                format!("{file} configures eslint"),
            ));
        }
    }
    if let Some(file) = files.first(&BIOME) {
        proposals.extend(biome(file, runner));
    }
    if files.has("tsconfig.json") {
        proposals.push(
            Proposal::configured(
                Purpose::Build,
                runner.exec_installed("tsc --noEmit"),
                "tsconfig.json",
                "tsconfig.json configures the TypeScript compiler",
            )
            .or("tsc --noEmit"),
        );
    }
    proposals.extend(configured_tests(files, runner));
    proposals
}

/// Test frameworks by their configuration files.
pub(super) fn test_configurations(
    files: &ProjectFiles,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    TEST_TOOLS
        .into_iter()
        .filter_map(|(name, _, configs)| Some((name, files.first(configs)?)))
}

pub(super) fn configured_tests(files: &ProjectFiles, runner: &Runner) -> Vec<Proposal> {
    TEST_TOOLS
        .into_iter()
        .filter_map(|(name, arguments, configs)| {
            let file = files.first(configs)?;
            Some(Proposal::configured(
                Purpose::Test,
                runner.exec(name, name, arguments).trim_end(),
                file,
                format!("{file} configures {name}"),
            ))
        })
        .collect()
}

fn biome(file: &str, runner: &Runner) -> Vec<Proposal> {
    [
        (Purpose::Format, "format --write ."),
        (Purpose::FormatFix, "format --write ."),
        (Purpose::Lint, "lint ."),
        (Purpose::LintFix, "lint --write ."),
    ]
    .into_iter()
    .map(|(purpose, arguments)| {
        Proposal::configured(
            purpose,
            runner.exec("biome", "@biomejs/biome", arguments),
            file,
            format!("{file} configures biome"),
        )
    })
    .collect()
}

/// A configuration file, or a key of package.json that does the same.
fn configuration(
    files: &ProjectFiles,
    package: &Value,
    names: &[&'static str],
    key: &str,
) -> Option<&'static str> {
    files
        .first(names)
        .or_else(|| package.get(key).map(|_| "package.json"))
}
