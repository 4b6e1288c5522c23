//! Parses the output of formatters, linters and compilers into typed
//! diagnostics, one tool per file. Machine-readable output is preferred; text
//! output is the fallback.
//!
//! All parsers are total: they skip what they do not understand.

mod biome;
mod black;
mod cargo;
mod checkstyle;
mod eslint;
mod go_vet;
mod gofmt;
mod golangci_lint;
mod gradle;
mod javac;
mod maven;
mod mypy;
mod output;
mod place;
mod plain;
mod prettier;
mod rubocop;
mod ruff;
mod rustfmt;
mod sarif;
mod spotless;
mod tsc;

use baton_protocol::diagnostic::Diagnostic;

pub use output::Output;

/// More than a user reads.
const MAX_DIAGNOSTICS: usize = 5_000;
/// Characters of a message that are worth displaying.
const MAX_MESSAGE_LEN: usize = 2_000;

/// A program whose output format is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Prettier,
    Eslint,
    Biome,
    Tsc,
    Black,
    Ruff,
    RuffFormat,
    Mypy,
    /// flake8, pylint and others that print `file:line:column: message`.
    Plain,
    Gofmt,
    GoVet,
    GoBuild,
    GolangciLint,
    Rustfmt,
    Clippy,
    CargoBuild,
    Rubocop,
    Checkstyle,
    Spotless,
    Javac,
    Maven,
    Gradle,
}

impl Tool {
    pub const ALL: [Self; 22] = [
        Self::Prettier,
        Self::Eslint,
        Self::Biome,
        Self::Tsc,
        Self::Black,
        Self::Ruff,
        Self::RuffFormat,
        Self::Mypy,
        Self::Plain,
        Self::Gofmt,
        Self::GoVet,
        Self::GoBuild,
        Self::GolangciLint,
        Self::Rustfmt,
        Self::Clippy,
        Self::CargoBuild,
        Self::Rubocop,
        Self::Checkstyle,
        Self::Spotless,
        Self::Javac,
        Self::Maven,
        Self::Gradle,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Prettier => "prettier",
            Self::Eslint => "eslint",
            Self::Biome => "biome",
            Self::Tsc => "tsc",
            Self::Black => "black",
            Self::Ruff => "ruff",
            Self::RuffFormat => "ruff format",
            Self::Mypy => "mypy",
            Self::Plain => "linter",
            Self::Gofmt => "gofmt",
            Self::GoVet => "go vet",
            Self::GoBuild => "go build",
            Self::GolangciLint => "golangci-lint",
            Self::Rustfmt => "rustfmt",
            Self::Clippy => "clippy",
            Self::CargoBuild => "cargo",
            Self::Rubocop => "rubocop",
            Self::Checkstyle => "checkstyle",
            Self::Spotless => "spotless",
            Self::Javac => "javac",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
        }
    }

    fn parse(self, output: &Output) -> Vec<Diagnostic> {
        match self {
            Self::Prettier => prettier::read(output),
            Self::Eslint => eslint::read(output),
            Self::Biome => biome::read(output),
            Self::Tsc => tsc::read(output),
            Self::Black => black::read(output),
            Self::Ruff | Self::RuffFormat => ruff::read(output),
            Self::Mypy => mypy::read(output),
            Self::Plain => plain::read(output),
            Self::Gofmt => gofmt::read(output),
            Self::GoVet | Self::GoBuild => go_vet::read(output, self.name()),
            Self::GolangciLint => golangci_lint::read(output),
            Self::Rustfmt => rustfmt::read(output),
            Self::Clippy | Self::CargoBuild => cargo::read(output, self.name()),
            Self::Rubocop => rubocop::read(output),
            Self::Checkstyle => checkstyle::read(output),
            Self::Spotless => spotless::read(output),
            Self::Javac => javac::read(output),
            Self::Maven => maven::read(output),
            Self::Gradle => gradle::read(output),
        }
    }
}

/// The diagnostics of a tool. Without a tool, all formats are tried, and the one
/// that finds the most diagnostics is used.
pub fn read(tool: Option<Tool>, output: &Output) -> Vec<Diagnostic> {
    let known = tool.map(|tool| tool.parse(output)).unwrap_or_default();
    bounded(if known.is_empty() {
        any_tool(output)
    } else {
        known
    })
}

/// Tools with a distinctive format.
const DISTINCTIVE: [Tool; 14] = [
    Tool::Eslint,
    Tool::Rubocop,
    Tool::Biome,
    Tool::Tsc,
    Tool::Clippy,
    Tool::Ruff,
    Tool::Mypy,
    Tool::Black,
    Tool::Prettier,
    Tool::Checkstyle,
    Tool::Maven,
    Tool::Gradle,
    Tool::Javac,
    Tool::Spotless,
];

/// Many tools print just a place and a message, so these are tried last.
const GENERIC: [Tool; 5] = [
    Tool::GolangciLint,
    Tool::GoVet,
    Tool::Gofmt,
    Tool::Rustfmt,
    Tool::Plain,
];

fn any_tool(output: &Output) -> Vec<Diagnostic> {
    [
        sarif::read(output),
        longest(&DISTINCTIVE, output),
        longest(&GENERIC, output),
    ]
    .into_iter()
    .find(|found| !found.is_empty())
    .unwrap_or_default()
}

/// The result of the tool that finds the most; of the first one in a tie.
fn longest(tools: &[Tool], output: &Output) -> Vec<Diagnostic> {
    let mut best: Vec<Diagnostic> = Vec::new();
    for tool in tools {
        let found = tool.parse(output);
        if found.len() > best.len() {
            best = found;
        }
    }
    best
}

fn bounded(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.truncate(MAX_DIAGNOSTICS);
    for diagnostic in &mut diagnostics {
        if let Some((at, _)) = diagnostic.message.char_indices().nth(MAX_MESSAGE_LEN) {
            diagnostic.message.truncate(at);
            diagnostic.message.push('…');
        }
    }
    diagnostics
}
