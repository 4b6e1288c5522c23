//! Reads a Maven build that failed without failing tests: the compiler, a
//! dependency, a plugin, a test process that died.

use baton_protocol::Confidence;

use super::{Level, tagged};
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, Kind, OpenSession, Session, Sessions};
use crate::stack::java;
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool =
    Tool::text::<Build>(&["Error:  /"], &["[ERROR] ", "Failed to execute goal"]);

#[derive(Default)]
struct Build {
    session: Option<Session>,
    block: Option<Block>,
}

enum Block {
    /// An error of the compiler or a linter; indented lines explain it.
    Diagnostic { failure: Failure, error: Excerpt },
    /// Why Maven stopped; the lines up to the advice explain it.
    Goal(Goal),
}

struct Goal {
    reason: String,
    error: Excerpt,
    crashed: Vec<String>,
    lists_crashed: bool,
    /// The compiler or the tests have reported the error already, which is not
    /// the case for a test process that died.
    is_reported: bool,
}

impl TextReader for Build {
    fn awake(&self) -> bool {
        self.block.is_some()
    }

    fn line(&mut self, line: Line<'_>, _sessions: &mut Sessions) {
        let text = line.text;
        let (level, rest) = tagged(text);
        let rest = rest.trim();
        if level == Level::None {
            self.untagged_line(text, line.number);
            return;
        }
        if level != Level::Error {
            self.close_block(line.number);
            return;
        }
        let repeated = diagnostic(rest);
        if let Some(Block::Goal(goal)) = &mut self.block
            && repeated.is_none()
        {
            if !goal.line(rest) {
                self.close_block(line.number);
            }
        } else if let Some(failure) = repeated {
            self.close_block(line.number);
            let mut error = Excerpt::default();
            error.push(rest);
            self.block = Some(Block::Diagnostic { failure, error });
        } else if let Some(goal) = Goal::open(rest) {
            self.close_block(line.number);
            self.block = Some(Block::Goal(goal));
        } else {
            self.close_block(line.number);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        let last = self.session.as_ref().map_or(0, |session| session.lines.1);
        self.close_block(last);
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            session.broke = true;
            session.evidence = Evidence::Summary;
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Build {
    fn untagged_line(&mut self, text: &str, number: u64) {
        match &mut self.block {
            Some(Block::Diagnostic { error, .. }) if text.starts_with([' ', '\t']) => {
                error.push(text);
            }
            Some(Block::Goal(goal)) => goal.error.push(text),
            _ => self.close_block(number),
        }
    }

    fn close_block(&mut self, number: u64) {
        let Some(block) = self.block.take() else {
            return;
        };
        let session = self.session.begin_diagnostics("maven", number);
        session.lines.1 = session.lines.1.max(number);
        let is_crash = matches!(&block, Block::Goal(goal) if !goal.crashed.is_empty());
        let failures = match block {
            Block::Diagnostic { failure, error } => vec![failure.because(error.text())],
            Block::Goal(goal) => goal.failures(),
        };
        for failure in failures {
            // Maven prints every error twice: as it happens and at the end.
            let known = session.failures.iter().any(|known| {
                known.name == failure.name
                    && known.file == failure.file
                    && known.line == failure.line
            });
            if known {
                continue;
            }
            if is_crash {
                // Tests were running; Surefire counts none of the class that
                // ended the JVM.
                session.kind = Kind::Tests;
                session.counts.run += 1;
                session.counts.errors += 1;
            }
            session.add(failure);
        }
    }
}

impl Goal {
    fn open(rest: &str) -> Option<Self> {
        let reason = match rest.strip_prefix("Failed to execute goal") {
            Some(goal) => goal
                .split_once(" on project ")
                .and_then(|(_, rest)| rest.split_once(": "))
                .map_or(goal, |(_, reason)| reason),
            None => [
                "The build could not read",
                "Plugin ",
                "Unknown lifecycle phase",
                "No goals have been specified",
                "The goal you specified requires",
            ]
            .iter()
            .any(|start| rest.starts_with(start))
            .then_some(rest)?,
        };
        let mut error = Excerpt::default();
        error.push(reason);
        Some(Self {
            reason: reason.trim().to_owned(),
            error,
            crashed: Vec::new(),
            lists_crashed: false,
            is_reported: is_reported_elsewhere(reason.trim()),
        })
    }

    /// Whether the line belongs to it.
    fn line(&mut self, rest: &str) -> bool {
        if rest.starts_with("-> [Help") || rest.starts_with("To see the full stack trace") {
            return false;
        }
        if rest == "Crashed tests:" {
            self.lists_crashed = true;
        } else if self.lists_crashed && is_class(rest) {
            if !self.crashed.iter().any(|known| known == rest) && self.crashed.len() < 100 {
                self.crashed.push(rest.to_owned());
            }
        } else {
            self.lists_crashed = false;
        }
        self.error.push(rest);
        true
    }

    fn failures(self) -> Vec<Failure> {
        let error = self.error.text();
        if !self.crashed.is_empty() {
            return self
                .crashed
                .into_iter()
                .map(|class| {
                    let file = java::file_of(&class);
                    Failure::named(class)
                        .at(file, None)
                        .because(error.as_str())
                        .sure(Confidence::Medium)
                })
                .collect();
        }
        if self.is_reported {
            return Vec::new();
        }
        let reason = self.reason.trim_end_matches("-> [Help 1]").trim();
        let name = reason.split(": ").next().unwrap_or(reason);
        let name = name.split(". ").next().unwrap_or(name);
        vec![Failure::named(name).because(error)]
    }
}

fn is_reported_elsewhere(reason: &str) -> bool {
    [
        "There are test failures",
        "There were test failures",
        "There are some test failures",
        "Compilation failure",
        "Compilation error",
    ]
    .iter()
    .any(|text| reason.starts_with(text))
        || reason.contains(" Checkstyle violations")
}

fn is_class(text: &str) -> bool {
    java::is_qualified(text.split('#').next().unwrap_or(text))
}

/// `/src/Cart.java:[5,9] cannot find symbol`, and the variants of Kotlin and of
/// linters.
fn diagnostic(rest: &str) -> Option<Failure> {
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    let (path, line, message) = javac_place(rest)
        .or_else(|| kotlin_place(rest))
        .or_else(|| {
            let (path, line, message) = crate::place::leading(rest)?;
            Some((path, line, message.trim_start_matches(':').trim_start()))
        })?;
    let extension = path.rsplit_once('.').map(|(_, extension)| extension)?;
    let is_source = matches!(extension, "java" | "kt" | "kts" | "scala" | "groovy");
    // A stack frame has a source file too.
    if !is_source || path.contains('(') {
        return None;
    }
    Some(Failure::named(rule(message)).at(path, Some(line)))
}

/// The subject of a message: the linter's rule if there is one, else the general
/// part of the compiler's message.
fn rule(message: &str) -> &str {
    // `(blocks) NeedBraces: 'if' construct must use '{}'s.`
    if let Some((_, rest)) = message
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "))
        && let Some((rule, _)) = rest.split_once(": ")
        && !rule.contains(' ')
    {
        return rule;
    }
    // `'if' construct must use '{}'s. [NeedBraces]`
    if let Some((_, rule)) = message
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once(" ["))
        && !rule.contains(' ')
    {
        return rule;
    }
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message.split(": ").next().unwrap_or(message).trim()
}

fn javac_place(rest: &str) -> Option<(&str, u64, &str)> {
    let (path, after) = rest.split_once(":[")?;
    let (place, message) = after.split_once(']')?;
    let line = place.split(',').next()?.parse().ok()?;
    Some((path, line, message.trim_start()))
}

fn kotlin_place(rest: &str) -> Option<(&str, u64, &str)> {
    let (path, after) = rest.split_once(": (")?;
    let (place, message) = after.split_once(')')?;
    let line = place.split(',').next()?.parse().ok()?;
    Some((path, line, message.trim_start_matches(':').trim_start()))
}
