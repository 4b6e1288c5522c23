//! Whoever sits at the terminal.

use std::io::{IsTerminal as _, Write as _};

use baton_ops::question::{Ask, Question};

use super::{error_line, harmless};

/// Asks on standard error and reads a line from standard input.
pub(crate) struct Person;

impl Person {
    /// Whether anybody is there to be asked.
    pub(crate) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }
}

impl Ask for Person {
    fn ask(&mut self, question: &Question) -> Option<char> {
        error_line("");
        loop {
            let mut stderr = std::io::stderr().lock();
            write!(stderr, "{} ", harmless(&question.text)).ok()?;
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
