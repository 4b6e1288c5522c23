//! A line of progress on standard error.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use super::Look;

/// One line on stderr that is rewritten as things happen, and is gone when
/// they have. Only on a terminal that can do that; elsewhere nothing is printed.
#[derive(Clone)]
pub(crate) struct ProgressLine {
    /// Of standard error.
    look: Look,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
enum State {
    #[default]
    Blank,
    Drawn,
    /// What is told too late must not land in the result.
    Ended,
}

impl ProgressLine {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            state: Arc::default(),
        }
    }

    pub(crate) fn tell(&self, what: &str) {
        if !self.look.rewrites {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Ended) {
            return;
        }
        let line = self.look.one_line(what);
        // When even stderr is closed there is no one to tell.
        let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{line}");
        *state = State::Drawn;
    }

    /// Takes the line away, until there is something to tell again.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Drawn) {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
            *state = State::Blank;
        }
    }

    pub(crate) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Drawn) {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
        }
        *state = State::Ended;
    }
}
