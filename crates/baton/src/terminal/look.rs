//! What a terminal can show: width, links.

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice};
use baton_host::cmd::Environment;
use terminal_size::{Width, terminal_size_of};

use crate::environment::{self, COLUMNS};

/// What output may look like where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// In columns.
    pub(crate) width: usize,
    /// Addresses can stand behind words. Where they cannot, they are written
    /// out.
    pub(crate) links: bool,
}

/// Lines that are longer are hard to read.
const WIDEST: usize = 120;

/// On less, nothing could be laid out.
const NARROWEST: usize = 40;

/// Of a file or a pipe.
const USUAL: usize = 100;

impl Look {
    /// Of standard output.
    pub(crate) fn for_stdout(environment: &Environment) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let columns = environment::text(environment, COLUMNS).and_then(|text| text.parse().ok());
        let measured = is_terminal
            .then(|| terminal_size_of(&stdout))
            .flatten()
            .map(|(Width(width), _)| usize::from(width));
        let has_escapes = AutoStream::choice(&stdout) != ColorChoice::Never;
        Self::new(
            measured.or(columns).unwrap_or(USUAL),
            is_terminal && has_escapes,
        )
    }

    /// Of standard error, where no links are made.
    pub(crate) fn for_stderr(environment: &Environment) -> Self {
        let stderr = io::stderr();
        let columns = environment::text(environment, COLUMNS).and_then(|text| text.parse().ok());
        let measured = stderr
            .is_terminal()
            .then(|| terminal_size_of(&stderr))
            .flatten()
            .map(|(Width(width), _)| usize::from(width));
        Self::new(measured.or(columns).unwrap_or(USUAL), false)
    }

    pub(crate) fn new(width: usize, links: bool) -> Self {
        Self {
            width: width.clamp(NARROWEST, WIDEST),
            links,
        }
    }
}
