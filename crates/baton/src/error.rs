//! Errors of verbs: what happened, why, and what to do about it.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use baton_ops::{Fault, OpError};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_protocol::{causes, error_chain};

use crate::exit::Exit;
use crate::terminal::{self, Style};

/// An error that ends the command: what happened, to what, what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

/// Who can do something about it; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    WrongUse,
    Missing,
    Remote,
    Interrupted,
    /// The reader of our output has gone; there is no one to tell.
    BrokenPipe,
}

impl CommandError {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            hints: Vec::new(),
        }
    }

    pub(crate) fn wrong_use(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::WrongUse, message)
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Missing, message)
    }

    pub(crate) fn remote(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Remote, message)
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    #[must_use]
    pub(crate) fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// What happened and why, without hints.
    pub(crate) fn in_one_line(&self) -> String {
        match self.source.as_deref() {
            Some(source) => {
                let causes = error_chain(source).replace('\n', "; ");
                format!("{}: {causes}", self.message)
            }
            None => self.message.clone(),
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self.kind {
            ErrorKind::WrongUse => Exit::WrongUse,
            ErrorKind::Missing => Exit::Missing,
            ErrorKind::Remote => Exit::Remote,
            ErrorKind::Interrupted => Exit::Interrupted,
            ErrorKind::BrokenPipe => Exit::Done,
        }
    }

    /// Tells the person at the terminal, and says how the process ends.
    pub(crate) fn report(&self) -> Exit {
        if self.kind != ErrorKind::BrokenPipe {
            terminal::error_line(&self.render());
        }
        self.exit()
    }

    fn render(&self) -> String {
        let mut text = format!("{} {}", Style::Error.paint("error:"), self.message);
        let source = self.source.as_deref().map(|source| source as &dyn Error);
        for error in source
            .into_iter()
            .chain(source.into_iter().flat_map(causes))
        {
            for line in error.to_string().lines() {
                write!(text, "\n  {line}").expect("a string takes all text");
            }
        }
        for hint in &self.hints {
            write!(text, "\n{} {hint}", Style::Hint.paint("hint:"))
                .expect("a string takes all text");
        }
        text
    }
}

/// For the caller of an operation.
impl From<CommandError> for OpError {
    fn from(error: CommandError) -> Self {
        let mut response = ErrorResponse::new(ErrorCategory::User, error.in_one_line());
        response.suggestion = error.hints.into_iter().next();
        Self::new(Fault::Local, response)
    }
}

/// Trouble with our own output.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(ErrorKind::BrokenPipe, "the output was closed");
        }
        Self::missing("cannot write the result")
            .because(error)
            .hint("Check that there is space left where the output goes.")
    }
}
