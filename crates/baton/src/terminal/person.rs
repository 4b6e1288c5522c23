//! The user at the terminal.

use std::io::{IsTerminal as _, Write as _};

use baton_ops::question::{Ask, PendingAnswer, Question};

use super::{error_line, sanitize};

/// Asks on standard error and reads a line from standard input.
#[derive(Clone, Copy)]
pub(crate) struct Person;

impl Person {
    /// Whether anybody is there to be asked.
    pub(crate) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Waits for the answer.
    pub(crate) fn ask_now(question: &Question) -> Option<char> {
        error_line("");
        loop {
            let mut stderr = std::io::stderr().lock();
            write!(stderr, "{} ", sanitize(&question.text)).ok()?;
            stderr.flush().ok()?;
            let mut line = String::new();
            if std::io::stdin().read_line(&mut line).ok()? == 0 {
                return None;
            }
            let key = line.trim().chars().next()?.to_ascii_uppercase();
            if question.options.iter().any(|option| option.key == key) {
                return Some(key);
            }
        }
    }
}

/// The thread that waits for a line cannot be stopped; a caller that is
/// cancelled does not wait for it.
impl Ask for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a> {
        let question = question.clone();
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || Self::ask_now(&question));
            asked.await.ok().flatten()
        })
    }
}
