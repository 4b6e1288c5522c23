//! Detects Go projects.

use baton_protocol::Language;
use baton_protocol::detection::{
    Fallback, FallbackWhen, PackageManagerName, Purpose, Source, TestingCommands,
};

use super::{Findings, framework, frameworks_of_dependencies, package_manager};
use crate::detect::parse;
use crate::detect::proposal::{Proposal, Surroundings, candidate};

const GOLANGCI: [&str; 4] = [
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".golangci.json",
];

const FRAMEWORKS: [(&str, &str); 5] = [
    ("gotest.tools/gotestsum", "gotestsum"),
    ("github.com/stretchr/testify", "testify"),
    ("github.com/onsi/ginkgo", "ginkgo"),
    ("github.com/onsi/ginkgo/v2", "ginkgo"),
    ("gopkg.in/check.v1", "gocheck"),
];

pub(super) fn findings(surroundings: Surroundings<'_>) -> Findings {
    let files = surroundings.files;
    let requires = files
        .text("go.mod")
        .map(|text| parse::go_mod_requires(&text))
        .unwrap_or_default();
    let mut frameworks = vec![framework(
        Language::Go,
        "go test",
        "it belongs to the toolchain",
    )];
    frameworks.extend(frameworks_of_dependencies(
        Language::Go,
        "go.mod",
        requires.iter().map(String::as_str),
        &FRAMEWORKS,
    ));
    Findings {
        package_manager: files
            .has("go.mod")
            .then(|| package_manager(PackageManagerName::GoModules, "there is go.mod")),
        proposals: proposals(surroundings),
        testing: testing(),
        frameworks,
        suggestion: "Install Go (https://go.dev/dl), then run: go mod download".to_owned(),
    }
}

fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let mut proposals = vec![
        Proposal::default(
            Purpose::Install,
            "go mod download",
            "default of the language",
        ),
        Proposal::default(Purpose::Format, "go fmt ./...", "default of the language"),
        Proposal::default(
            Purpose::FormatFix,
            "go fmt ./...",
            "default of the language",
        ),
        Proposal::default(Purpose::Build, "go build ./...", "default of the language"),
        Proposal::default(Purpose::Test, "go test ./...", "default of the language"),
    ];
    let linter = [
        (Purpose::Lint, "golangci-lint run"),
        (Purpose::LintFix, "golangci-lint run --fix"),
    ];
    if let Some(file) = surroundings.files.first(&GOLANGCI) {
        for (purpose, command) in linter {
            proposals.push(Proposal::configured(
                purpose,
                command,
                file,
                format!("{file} configures golangci-lint"),
            ));
        }
    } else if (surroundings.on_path)("golangci-lint") {
        for (purpose, command) in linter {
            proposals.push(Proposal::default(
                purpose,
                command,
                "golangci-lint is installed",
            ));
        }
    }
    proposals.push(Proposal::default(
        Purpose::Lint,
        "go vet ./...",
        "vet belongs to the toolchain",
    ));
    proposals
}

fn testing() -> TestingCommands {
    let mut test = candidate(
        "go test -race ./...",
        Source::LanguageDefault,
        "default of the language",
    );
    test.fallbacks.push(Fallback {
        command: "go test ./...".to_owned(),
        when: FallbackWhen::RaceUnsupported,
    });
    TestingCommands {
        test: vec![test],
        build: None,
        forced_build: Some(candidate(
            "go build ./...",
            Source::LanguageDefault,
            "asked for; the tests compile on their own",
        )),
    }
}
