//! Reads rustfmt and `cargo fmt --check`: `Diff in src/a.rs:3:`.

use baton_protocol::diagnostic::{Diagnostic, TextRange};

use super::Tool;
use super::rustc::cargo;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::excerpt::Excerpt;
use crate::place;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::generic(
        diagnostics::Tool::Rustfmt,
        diagnostics,
    )],
    ..Tool::text::<Rustfmt>(&["Diff in "], &[])
};

#[derive(Default)]
struct Rustfmt {
    session: Option<Session>,
    /// The current hunk.
    hunk: Option<(Failure, Excerpt)>,
}

impl TextReader for Rustfmt {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if let Some((file, at)) = header(line.text) {
            self.settle();
            let session = self.session.begin_diagnostics("rustfmt", line.number);
            session.lines.1 = line.number;
            session.broke = true;
            session.evidence = Evidence::Summary;
            let failure = Failure::named("rustfmt").at(file, Some(at));
            self.hunk = Some((failure, Excerpt::default()));
            return;
        }
        // A hunk ends with an empty line. An empty line of code may have lost
        // its mark with the trailing spaces; then more of the hunk follows.
        let is_code = line.text.is_empty() || line.text.starts_with([' ', '+', '-']);
        match (&mut self.hunk, &mut self.session) {
            (Some((_, text)), Some(session)) if is_code => {
                session.lines.1 = line.number;
                text.push(line.text);
            }
            _ => self.close(sessions),
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close(sessions);
    }
}

impl Rustfmt {
    fn settle(&mut self) {
        if let (Some((failure, text)), Some(session)) = (self.hunk.take(), &mut self.session) {
            session.add(failure.because(text.text()));
        }
    }

    fn close(&mut self, sessions: &mut Sessions) {
        self.settle();
        self.session.close(sessions);
    }
}

/// `Diff in src/a.rs:3:`, or `Diff in src/a.rs at line 3:` of older versions.
fn header(text: &str) -> Option<(&str, u64)> {
    let rest = text.strip_prefix("Diff in ")?;
    if let Some((file, line)) = rest.split_once(" at line ") {
        return Some((file, line.strip_suffix(':')?.parse().ok()?));
    }
    let (file, line, rest) = place::leading(rest)?;
    (rest == ":").then_some((file, line))
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found = cargo::rendered(output, "rustfmt");
    found.extend(output.lines().filter_map(header).map(|(file, line)| {
        diagnostics::unformatted("rustfmt", file.strip_prefix("./").unwrap_or(file))
            .at(TextRange::point(line, None))
    }));
    found
}
