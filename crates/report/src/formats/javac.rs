//! Reads errors of `javac`, plain, within Ant's `[javac]` lines, or below a
//! Gradle task, and of the Kotlin compiler.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::place;
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Javac {
    session: Option<Session>,
    block: Option<(Failure, Excerpt)>,
}

impl Format for Javac {
    fn triggers(&self) -> &'static [Trigger] {
        &[Trigger::Anywhere(": error: "), Trigger::Start("e: ")]
    }

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
            let session = self
                .session
                .get_or_insert_with(|| Session::for_diagnostics(framework, line.number));
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
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            session.broke = true;
            sessions.push(session);
        }
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
