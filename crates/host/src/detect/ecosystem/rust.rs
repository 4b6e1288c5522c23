//! Detects Rust projects.

use baton_protocol::Language;
use baton_protocol::detection::{PackageManagerName, Purpose, Source, TestingCommands};

use super::{Findings, framework, package_manager};
use crate::detect::proposal::{Proposal, Surroundings, WithFallback, candidate};

const NEXTEST: [&str; 2] = [".config/nextest.toml", "nextest.toml"];

pub(super) fn findings(surroundings: Surroundings<'_>) -> Findings {
    let files = surroundings.files;
    let mut frameworks = vec![framework(
        Language::Rust,
        "cargo test",
        "it belongs to the toolchain",
    )];
    let nextest = files.first(&NEXTEST);
    if let Some(file) = nextest {
        frameworks.push(framework(
            Language::Rust,
            "nextest",
            format!("{file} configures it"),
        ));
    }
    Findings {
        package_manager: files
            .has("Cargo.toml")
            .then(|| package_manager(PackageManagerName::Cargo, "there is Cargo.toml")),
        proposals: proposals(surroundings, nextest),
        testing: testing(nextest),
        frameworks,
        suggestion: "Install Rust with rustup (https://rustup.rs), then run: cargo fetch"
            .to_owned(),
    }
}

fn proposals(surroundings: Surroundings<'_>, nextest: Option<&str>) -> Vec<Proposal> {
    let install = if surroundings.files.has("Cargo.lock") {
        Proposal::configured(
            Purpose::Install,
            "cargo fetch --locked",
            "Cargo.lock",
            "Cargo.lock fixes the versions",
        )
    } else {
        Proposal::default(Purpose::Install, "cargo fetch", "there is no lockfile")
    };
    let mut proposals = vec![install];
    for (purpose, command) in [
        (Purpose::Format, "cargo fmt"),
        (Purpose::FormatFix, "cargo fmt"),
        (Purpose::Lint, "cargo clippy"),
        (
            Purpose::LintFix,
            "cargo clippy --fix --allow-dirty --allow-staged",
        ),
        (Purpose::Build, "cargo build"),
        (Purpose::Test, "cargo test"),
    ] {
        proposals.push(Proposal::default(
            purpose,
            command,
            "default of the language",
        ));
    }
    // Without nextest on this machine `cargo test` runs the same tests.
    if let Some(file) = nextest
        && (surroundings.on_path)("cargo-nextest")
    {
        proposals.push(Proposal::configured(
            Purpose::Test,
            "cargo nextest run",
            file,
            format!("{file} configures nextest"),
        ));
    }
    proposals
}

fn testing(nextest: Option<&str>) -> TestingCommands {
    let mut test = vec![
        candidate(
            "cargo test",
            Source::LanguageDefault,
            "default of the language",
        )
        .or("cargo test --all-features"),
    ];
    if let Some(file) = nextest {
        test.push(candidate(
            "cargo nextest run",
            Source::Configuration {
                file: file.to_owned(),
            },
            format!("{file} configures nextest"),
        ));
    }
    TestingCommands {
        test,
        build: None,
        forced_build: Some(candidate(
            "cargo build",
            Source::LanguageDefault,
            "asked for; the tests compile on their own",
        )),
    }
}
