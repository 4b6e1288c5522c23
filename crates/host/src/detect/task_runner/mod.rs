//! One module per task runner, all of the same shape: `proposals` returns the
//! tasks the project defines there, under names this crate knows. Foreign
//! names never reach a command line.

mod justfile;
mod lefthook;
mod makefile;
mod nox;
mod pre_commit;
mod taskfile;
mod tox;

use baton_protocol::Language;
use baton_protocol::detection::{Commands, Purpose};

use super::proposal::{Proposal, Surroundings, Tier, rank};

/// What authors call the tasks, the preferred name first.
const TASK_NAMES: [(Purpose, &[&str]); 8] = [
    (Purpose::Install, &["install-deps", "deps", "bootstrap"]),
    (
        Purpose::Format,
        &["format", "fmt", "format-check", "fmt-check", "check-format"],
    ),
    (
        Purpose::FormatFix,
        &["format-fix", "fmt-fix", "format", "fmt"],
    ),
    (Purpose::Lint, &["lint", "style", "lint-check"]),
    (Purpose::LintFix, &["lint-fix", "fix-lint", "fix"]),
    (Purpose::Build, &["build", "compile"]),
    (Purpose::Test, &["test", "tests", "unit-test", "unit"]),
    (Purpose::Start, &["dev", "serve", "start", "run"]),
];

/// In the order in which they are preferred within a tier.
pub(super) fn proposals(surroundings: Surroundings<'_>, language: Language) -> Vec<Proposal> {
    let mut proposals = pre_commit::proposals(surroundings, language);
    proposals.extend(lefthook::proposals(surroundings, language));
    proposals.extend(task_files(surroundings));
    if language == Language::Python {
        proposals.extend(tox::proposals(surroundings));
        proposals.extend(nox::proposals(surroundings));
    }
    proposals
}

/// What a project defines without regard to its language; `None` where it defines nothing.
pub(super) fn tasks(surroundings: Surroundings<'_>) -> Option<Commands> {
    let proposals = task_files(surroundings);
    (!proposals.is_empty()).then(|| rank(proposals))
}

fn task_files(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let mut proposals = makefile::proposals(surroundings);
    proposals.extend(justfile::proposals(surroundings));
    proposals.extend(taskfile::proposals(surroundings));
    proposals
}

/// A program that runs the project's tasks, and whether it is here.
struct Runner {
    program: &'static str,
    tier: Tier,
    is_installed: bool,
}

impl Runner {
    fn new(surroundings: Surroundings<'_>, program: &'static str, tier: Tier) -> Self {
        let is_installed = (surroundings.on_path)(program);
        Self {
            program,
            tier: tier.when_installed(is_installed),
            is_installed,
        }
    }

    fn proposal(
        &self,
        purpose: Purpose,
        command: impl Into<String>,
        task: (&str, &str),
        reason: String,
    ) -> Proposal {
        let reason = if self.is_installed {
            reason
        } else {
            format!("{reason}, but {} is not installed", self.program)
        };
        Proposal::task(purpose, self.tier, command, task, reason)
    }
}

/// The known task names among those that a project defines.
fn known_tasks(defined: &[String]) -> impl Iterator<Item = (Purpose, &'static str)> {
    TASK_NAMES.into_iter().flat_map(move |(purpose, names)| {
        names
            .iter()
            .filter(|name| defined.iter().any(|task| task == *name))
            .map(move |name| (purpose, *name))
    })
}

/// What known formatters and linters are for, by the name of their hook or program.
struct KnownTool {
    name: &'static str,
    languages: &'static [Language],
    purpose: Purpose,
}

const fn tool(name: &'static str, languages: &'static [Language], purpose: Purpose) -> KnownTool {
    KnownTool {
        name,
        languages,
        purpose,
    }
}

const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript];
const PYTHON: &[Language] = &[Language::Python];
const GO: &[Language] = &[Language::Go];
const RUST: &[Language] = &[Language::Rust];
const RUBY: &[Language] = &[Language::Ruby];
const JAVA: &[Language] = &[Language::Java];

static KNOWN_TOOLS: [KnownTool; 40] = [
    tool("prettier", SCRIPT, Purpose::Format),
    tool("biome-format", SCRIPT, Purpose::Format),
    tool("biome-check", SCRIPT, Purpose::Lint),
    tool("biome-ci", SCRIPT, Purpose::Lint),
    tool("biome-lint", SCRIPT, Purpose::Lint),
    tool("biome", SCRIPT, Purpose::Lint),
    tool("eslint", SCRIPT, Purpose::Lint),
    tool("oxlint", SCRIPT, Purpose::Lint),
    tool("black", PYTHON, Purpose::Format),
    tool("black-jupyter", PYTHON, Purpose::Format),
    tool("ruff-format", PYTHON, Purpose::Format),
    tool("isort", PYTHON, Purpose::Format),
    tool("yapf", PYTHON, Purpose::Format),
    tool("autopep8", PYTHON, Purpose::Format),
    tool("ruff", PYTHON, Purpose::Lint),
    tool("ruff-check", PYTHON, Purpose::Lint),
    tool("flake8", PYTHON, Purpose::Lint),
    tool("pylint", PYTHON, Purpose::Lint),
    tool("mypy", PYTHON, Purpose::Lint),
    tool("gofmt", GO, Purpose::Format),
    tool("go-fmt", GO, Purpose::Format),
    tool("gofumpt", GO, Purpose::Format),
    tool("goimports", GO, Purpose::Format),
    tool("go-imports", GO, Purpose::Format),
    tool("golangci-lint", GO, Purpose::Lint),
    tool("golangci-lint-full", GO, Purpose::Lint),
    tool("go-vet", GO, Purpose::Lint),
    tool("govet", GO, Purpose::Lint),
    tool("fmt", RUST, Purpose::Format),
    tool("cargo-fmt", RUST, Purpose::Format),
    tool("rustfmt", RUST, Purpose::Format),
    tool("clippy", RUST, Purpose::Lint),
    tool("cargo-clippy", RUST, Purpose::Lint),
    tool("cargo-check", RUST, Purpose::Lint),
    tool("rubocop", RUBY, Purpose::Lint),
    tool("standardrb", RUBY, Purpose::Lint),
    tool("google-java-format", JAVA, Purpose::Format),
    tool("pretty-format-java", JAVA, Purpose::Format),
    tool("spotless", JAVA, Purpose::Format),
    tool("checkstyle", JAVA, Purpose::Lint),
];

fn known_tools(language: Language) -> impl Iterator<Item = &'static KnownTool> {
    KNOWN_TOOLS
        .iter()
        .filter(move |tool| tool.languages.contains(&language))
}
