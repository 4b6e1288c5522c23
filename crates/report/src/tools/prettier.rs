//! Reads `prettier --check`.

use baton_protocol::diagnostic::{Diagnostic, TextRange};

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{looks_like_a_file, position};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Prettier,
        diagnostics,
    )],
    ..Tool::text::<Prettier>(
        &[
            "Checking formatting...",
            "[warn] ",
            "[error] ",
            "All matched files use Prettier code style!",
            "Error occurred when checking code style",
        ],
        &[],
    )
};

#[derive(Default)]
struct Prettier {
    session: Option<Session>,
}

impl TextReader for Prettier {
    fn awake(&self) -> bool {
        false
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "Checking formatting..." {
            self.end(sessions);
            self.session = Some(Session::for_diagnostics("prettier", line.number));
        }
        let Some(session) = &mut self.session else {
            return;
        };
        session.lines.1 = line.number;
        if let Some(warning) = text.strip_prefix("[warn] ") {
            session.broke = true;
            if warning.starts_with("Code style issues ") {
                session.evidence = Evidence::Complete;
                self.end(sessions);
            } else {
                let failure = Failure::named("prettier")
                    .at(warning, None)
                    .because("Code style differs from Prettier's");
                session.add(failure);
            }
        } else if let Some(error) = text.strip_prefix("[error] ") {
            session.broke = true;
            match unreadable(error) {
                Some(failure) => session.add(failure),
                None => append(session.failures.last_mut(), error),
            }
        } else if text != "Checking formatting..." {
            session.evidence = Evidence::Complete;
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.session.close(sessions);
    }
}

/// `src/b.js: SyntaxError: Unexpected token (1:11)`.
fn unreadable(text: &str) -> Option<Failure> {
    let (file, message) = text.split_once(": ")?;
    let (name, _) = message.split_once(": ")?;
    if !name.ends_with("Error") || name.contains(' ') {
        return None;
    }
    let line = message
        .rsplit_once('(')
        .and_then(|(_, place)| place.split(':').next()?.parse().ok());
    Some(Failure::named(name).at(file, line).because(message))
}

/// The code below a syntax error.
fn append(failure: Option<&mut Failure>, text: &str) {
    const MAX_ERROR_LEN: usize = 4_000;
    if let Some(failure) = failure
        && failure.error.len() < MAX_ERROR_LEN
    {
        failure.error.push('\n');
        failure.error.push_str(text);
    }
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    output.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Diagnostic> {
    if let Some(file) = line.strip_prefix("[warn] ") {
        // `Code style issues found …` is the summary.
        return looks_like_a_file(file).then(|| diagnostics::unformatted("prettier", file));
    }
    let (file, message) = line.strip_prefix("[error] ")?.split_once(": ")?;
    if !looks_like_a_file(file) {
        return None;
    }
    let (message, range) = trailing_place(message);
    let mut diagnostic = Diagnostic::new("prettier", message).in_file(file);
    diagnostic.range = range;
    Some(diagnostic)
}

/// `… (2:10)`.
fn trailing_place(message: &str) -> (&str, Option<TextRange>) {
    let place = || {
        let (message, place) = message.strip_suffix(')')?.rsplit_once(" (")?;
        let (range, rest) = position(place, ':')?;
        let is_place = rest.is_empty() && range.start.column.is_some();
        is_place.then_some((message, Some(range)))
    };
    place().unwrap_or((message, None))
}
