//! What a terminal can show: width, links.

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice};
use baton_host::cmd::Environment;
use terminal_size::{Width, terminal_size_of};

use super::{Line, sanitize};
use crate::environment::{self, COLUMNS, TERM};

/// What output may look like where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// In columns.
    pub(crate) width: usize,
    /// Addresses can stand behind words. Where they cannot, they are written
    /// out.
    pub(crate) links: bool,
    /// A line can be taken back and written again.
    pub(crate) rewrites: bool,
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
        let is_terminal = stderr.is_terminal();
        let columns = environment::text(environment, COLUMNS).and_then(|text| text.parse().ok());
        let measured = is_terminal
            .then(|| terminal_size_of(&stderr))
            .flatten()
            .map(|(Width(width), _)| usize::from(width));
        let is_dumb = environment::text(environment, TERM).is_none_or(|name| name == "dumb");
        Self {
            rewrites: is_terminal && !is_dumb,
            ..Self::new(measured.or(columns).unwrap_or(USUAL), false)
        }
    }

    /// As much as fits: a line that wraps cannot be written over.
    pub(crate) fn one_line(self, text: &str) -> String {
        let text = sanitize(text).replace('\n', " ");
        Line::new().text(text).cut(self.width - 1).rendered(false)
    }

    pub(crate) fn new(width: usize, links: bool) -> Self {
        Self {
            width: width.clamp(NARROWEST, WIDEST),
            links,
            rewrites: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_rewritten_never_wraps() {
        let look = Look::new(40, false);
        let line =
            look.one_line("12 s  3 passed, 0 failed\n, slowest 漢字漢字漢字漢字漢字漢字 \u{1b}[2J");
        assert!(Line::new().text(&line).width() < 40, "{line}");
        assert!(!line.contains(['\n', '\u{1b}']), "{line}");
    }
}
