//! A line of progress on standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use super::sanitize;

/// One line on stderr that is rewritten as things happen, and is gone when
/// they have. Only on a terminal; elsewhere nothing is printed.
#[derive(Clone, Default)]
pub(crate) struct ProgressLine(Arc<Mutex<State>>);

#[derive(Default)]
enum State {
    #[default]
    Blank,
    Drawn,
    /// What is told too late must not land in the result.
    Ended,
}

/// A line that wraps cannot be written over.
const WIDEST: usize = 78;

impl ProgressLine {
    pub(crate) fn tell(&self, what: &str) {
        if !io::stderr().is_terminal() {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Ended) {
            return;
        }
        let line: String = sanitize(what)
            .replace('\n', " ")
            .chars()
            .take(WIDEST)
            .collect();
        // When even stderr is closed there is no one to tell.
        let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{line}");
        *state = State::Drawn;
    }

    /// Takes the line away, until there is something to tell again.
    pub(crate) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Drawn) {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
            *state = State::Blank;
        }
    }

    pub(crate) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Drawn) {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
        }
        *state = State::Ended;
    }
}
