//! What went wrong, and the next step.

use std::fmt;

/// What went wrong and, where it is known, what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    /// What a program wrote before it failed.
    output: Option<String>,
    next: Option<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            output: None,
            next: None,
        }
    }

    /// Adds the next step for the reader.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    pub(crate) fn output(mut self, output: impl Into<String>) -> Self {
        self.output = Some(output.into());
        self
    }

    /// Closes the sentence "could not `doing`" over an error of the standard library.
    pub(crate) fn could_not<E: fmt::Display>(doing: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |error| Self::new(format!("could not {doing}: {error}"))
    }

    /// Without the output, for lists.
    pub(crate) fn in_one_line(&self) -> String {
        match &self.next {
            Some(next) => format!("{}; {next}", self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(output) = &self.output {
            write!(f, "\n{output}")?;
        }
        if let Some(next) = &self.next {
            write!(f, "\nnext: {next}")?;
        }
        Ok(())
    }
}
