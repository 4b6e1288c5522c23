//! Parses the output of formatters, linters and compilers into typed
//! diagnostics. Machine-readable output is preferred; text output is the
//! fallback.
//!
//! All parsers are total: they skip what they do not understand.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix};

use crate::excerpt;
use crate::session::{Failure, Session};
use crate::tools::TOOLS;

pub use crate::output::Output;

/// More than a user reads.
const MAX_DIAGNOSTICS: usize = 5_000;
/// Characters of a message that are worth displaying.
const MAX_MESSAGE_LEN: usize = 2_000;

/// Declares the programs whose output format is known.
macro_rules! tools {
    ($($(#[$doc:meta])* $tool:ident = $name:literal,)+) => {
        /// A program whose output format is known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Tool {
            $($(#[$doc])* $tool,)+
        }

        impl Tool {
            pub const ALL: &[Self] = &[$(Self::$tool,)+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$tool => $name,)+
                }
            }
        }
    };
}

tools! {
    Prettier = "prettier",
    Eslint = "eslint",
    Biome = "biome",
    Tsc = "tsc",
    Black = "black",
    Ruff = "ruff",
    RuffFormat = "ruff format",
    Mypy = "mypy",
    /// flake8, pylint and others that print `file:line:column: message`.
    Plain = "linter",
    Gofmt = "gofmt",
    GoVet = "go vet",
    GoBuild = "go build",
    GolangciLint = "golangci-lint",
    Rustfmt = "rustfmt",
    Clippy = "clippy",
    CargoBuild = "cargo",
    Rubocop = "rubocop",
    Checkstyle = "checkstyle",
    Spotless = "spotless",
    Javac = "javac",
    Maven = "maven",
    Gradle = "gradle",
}

/// A way to read the diagnostics of a tool.
pub(crate) struct DiagnosticsReader {
    /// `None` for a standard format that any tool may write.
    tool: Option<Tool>,
    form: Form,
    read: fn(&Output) -> Vec<Diagnostic>,
}

/// How surely output that was read without knowing the tool is the tool's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Standard,
    Distinctive,
    /// Many tools print just a place and a message, so these are tried last.
    Generic,
    /// The same as another tool's.
    Shared,
}

impl DiagnosticsReader {
    pub(crate) const fn standard(read: fn(&Output) -> Vec<Diagnostic>) -> Self {
        Self {
            tool: None,
            form: Form::Standard,
            read,
        }
    }

    pub(crate) const fn distinctive(tool: Tool, read: fn(&Output) -> Vec<Diagnostic>) -> Self {
        Self {
            tool: Some(tool),
            form: Form::Distinctive,
            read,
        }
    }

    pub(crate) const fn generic(tool: Tool, read: fn(&Output) -> Vec<Diagnostic>) -> Self {
        Self {
            form: Form::Generic,
            ..Self::distinctive(tool, read)
        }
    }

    pub(crate) const fn shared(tool: Tool, read: fn(&Output) -> Vec<Diagnostic>) -> Self {
        Self {
            form: Form::Shared,
            ..Self::distinctive(tool, read)
        }
    }
}

/// The diagnostics of a tool. Without a tool, all formats are tried, and the one
/// that finds the most diagnostics is used.
pub fn read(tool: Option<Tool>, output: &Output) -> Vec<Diagnostic> {
    let known = readers()
        .find(|reader| tool.is_some() && reader.tool == tool)
        .map(|reader| (reader.read)(output));
    let forms = [Form::Standard, Form::Distinctive, Form::Generic];
    let guessed = forms.into_iter().map(|form| longest(form, output));
    let found = known
        .into_iter()
        .chain(guessed)
        .find(|found| !found.is_empty());
    bounded(found.unwrap_or_default())
}

/// A report of a linter. A finding without a rule gets the `unnamed` one.
pub(crate) fn session(
    tool: &'static str,
    found: impl IntoIterator<Item = Diagnostic>,
    unnamed: &str,
) -> Session {
    let mut session = Session::for_diagnostics(tool, 1);
    for diagnostic in found {
        session.broke |= diagnostic.severity == DiagnosticSeverity::Error;
        let line = diagnostic.line();
        let name = diagnostic.rule.unwrap_or_else(|| unnamed.to_owned());
        let message = excerpt::dedented(diagnostic.message.trim());
        let mut failure = Failure::named(name).because(message);
        (failure.file, failure.line) = (diagnostic.file, line);
        session.add(failure);
    }
    session
}

/// A file that a formatter would change.
pub(crate) fn unformatted(tool: &str, file: &str) -> Diagnostic {
    Diagnostic::new(tool, "is not formatted")
        .in_file(file)
        .mended_by(Fix::automatic())
}

/// The severity that most tools spell out.
pub(crate) fn severity(word: &str) -> Option<DiagnosticSeverity> {
    Some(match word {
        "error" => DiagnosticSeverity::Error,
        "warning" => DiagnosticSeverity::Warning,
        "note" => DiagnosticSeverity::Note,
        _ => return None,
    })
}

fn readers() -> impl Iterator<Item = &'static DiagnosticsReader> {
    TOOLS.iter().flat_map(|tool| tool.diagnostics)
}

/// The result of the reader that finds the most; of the first one in a tie.
fn longest(form: Form, output: &Output) -> Vec<Diagnostic> {
    let mut best: Vec<Diagnostic> = Vec::new();
    for reader in readers().filter(|reader| reader.form == form) {
        let found = (reader.read)(output);
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

#[cfg(test)]
mod tests {
    use super::{Tool, readers};

    #[test]
    fn every_tool_has_one_reader() {
        for tool in Tool::ALL {
            let count = readers()
                .filter(|reader| reader.tool == Some(*tool))
                .count();
            assert_eq!(count, 1, "{}", tool.name());
        }
    }
}
