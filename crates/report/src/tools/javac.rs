//! Reads errors of `javac`, plain, within Ant's `[javac]` lines, or below a
//! Gradle task, and of the Kotlin compiler.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::excerpt::Excerpt;
use crate::place::{self, Place};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Javac,
        diagnostics,
    )],
    ..Tool::text::<Javac>(&["e: "], &[": error: "])
};

#[derive(Default)]
struct Javac {
    session: Option<Session>,
    block: Option<(Failure, Excerpt)>,
}

impl TextReader for Javac {
    fn awake(&self) -> bool {
        self.block.is_some()
    }

    fn line(&mut self, line: Line<'_>, _sessions: &mut Sessions) {
        let text = line
            .text
            .trim_start()
            .strip_prefix("[javac] ")
            .unwrap_or(line.text);
        if let Some((framework, failure)) = java_error(text)
            .map(|failure| ("javac", failure))
            .or_else(|| kotlin_error(text).map(|failure| ("kotlinc", failure)))
        {
            self.close_block();
            let session = self.session.begin_diagnostics(framework, line.number);
            session.lines.1 = line.number;
            let mut error = Excerpt::default();
            error.push(text);
            self.block = Some((failure, error));
            return;
        }
        let is_count = is_count(text);
        if let Some(session) = &mut self.session
            && self.block.is_some()
            && is_count
        {
            session.evidence = Evidence::Summary;
            session.lines.1 = line.number;
        }
        match &mut self.block {
            // The source line, the caret, and `symbol:` and `location:`.
            Some((_, error)) if text.starts_with(' ') => error.push(text),
            _ => self.close_block(),
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_broken(sessions);
        *self = Self::default();
    }
}

impl Javac {
    fn close_block(&mut self) {
        if let Some((failure, error)) = self.block.take()
            && let Some(session) = &mut self.session
        {
            let known = session.failures.iter().any(|known| {
                known.name == failure.name
                    && known.file == failure.file
                    && known.line == failure.line
            });
            if !known {
                session.add(failure.because(error.text()));
            }
        }
    }
}

/// `src/Cart.java:4: error: incompatible types: String cannot be converted`
fn java_error(text: &str) -> Option<Failure> {
    let (place, message) = text.split_once(": error: ")?;
    let (path, line) = place.rsplit_once(':')?;
    let line = line.parse().ok()?;
    let path = path.strip_suffix(".java").and(Some(path))?;
    // Old versions of Gradle print the task without a line break:
    // `:compileJava/app/A.java`.
    let path = match path.strip_prefix(':') {
        Some(task) => task.get(task.find('/')?..)?,
        None => path,
    };
    Some(Failure::named(gist(message)).at(path.trim_start(), Some(line)))
}

/// `e: file:///app/Cart.kt:3:5 Unresolved reference: x`, and the older
/// `e: /app/Cart.kt: (3, 5): Unresolved reference: x`.
fn kotlin_error(text: &str) -> Option<Failure> {
    let rest = text.strip_prefix("e: ")?;
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    let (path, line, message) = match rest.split_once(": (") {
        Some((path, after)) if is_kotlin(path) => {
            let (place, message) = after.split_once(')')?;
            (path, place.split(',').next()?.trim().parse().ok()?, message)
        }
        _ => place::leading(rest)?,
    };
    let message = message.trim_start_matches(':').trim_start();
    is_kotlin(path).then(|| Failure::named(gist(message)).at(path, Some(line)))
}

fn is_kotlin(path: &str) -> bool {
    matches!(path.rsplit_once('.'), Some((_, "kt" | "kts")))
}

/// The general part of the compiler's message, before the details.
fn gist(message: &str) -> &str {
    message.split(": ").next().unwrap_or(message).trim()
}

/// `2 errors`
fn is_count(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(number, noun)| {
        number.parse::<u64>().is_ok() && matches!(noun, "error" | "errors")
    })
}

pub(super) fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    // The code, the caret below it, and what the message leaves out.
    let mut is_fresh = false;
    for line in output.lines() {
        if let Some(diagnostic) = parse_line(line) {
            found.push(diagnostic);
            is_fresh = true;
        } else if let Some(last) = found.last_mut().filter(|_| is_fresh) {
            if let Some(gap) = line.strip_suffix('^')
                && gap.trim().is_empty()
            {
                let column = gap.chars().count() as u64 + 1;
                last.range = last.line().map(|at| TextRange::point(at, Some(column)));
                continue;
            }
            let line = line.trim();
            if let Some((word, rest)) = line.split_once(": ")
                && matches!(
                    word,
                    "symbol" | "location" | "required" | "found" | "reason"
                )
            {
                last.message = format!("{}; {word}: {}", last.message, rest.trim());
            } else if line.ends_with(" errors") || line.ends_with(" error") {
                is_fresh = false;
            }
        }
    }
    found
}

/// `src/Total.java:7: error: incompatible types: …`.
fn parse_line(line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    if !is_jvm_source(place.file) {
        return None;
    }
    let (word, message) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    let severity =
        diagnostics::severity(word).filter(|severity| *severity > DiagnosticSeverity::Note)?;
    // `warning: [unchecked] …` contains the name for `-Xlint`.
    let (rule, message) = match message.strip_prefix('[').and_then(|m| m.split_once("] ")) {
        Some((rule, message)) => (Some(rule), message),
        None => (None, message),
    };
    let mut diagnostic = place.diagnostic("javac", message).with_severity(severity);
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}

fn is_jvm_source(file: &str) -> bool {
    [".java", ".kt", ".groovy", ".scala"]
        .iter()
        .any(|extension| file.ends_with(extension))
}
