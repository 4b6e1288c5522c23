//! Everything a person sees goes through here: colours only where they are
//! wanted, and no escape sequence of anybody else's making.

mod line;
mod look;
mod page;
mod person;
mod progress;
mod table;

use std::fmt;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Color};

pub(crate) use line::Line;
pub(crate) use look::Look;
pub(crate) use page::Page;
pub(crate) use person::Person;
pub(crate) use progress::ProgressLine;
pub(crate) use table::Table;

/// The looks that baton's output has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Heading,
    Good,
    Bad,
    /// Neither: unfinished, unknown, to be looked at.
    Doubtful,
    Dim,
    /// To be run by a person.
    Command,
    Error,
    Hint,
}

impl Style {
    fn ansi(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        let colour = |c| plain.fg_color(Some(Color::Ansi(c)));
        match self {
            Self::Plain => plain,
            Self::Heading => plain.bold(),
            Self::Good => colour(AnsiColor::Green),
            Self::Bad => colour(AnsiColor::Red),
            Self::Doubtful => colour(AnsiColor::Yellow),
            Self::Dim => plain.dimmed(),
            Self::Error => colour(AnsiColor::Red).bold(),
            Self::Command | Self::Hint => colour(AnsiColor::Cyan),
        }
    }

    pub(crate) fn paint(self, text: impl fmt::Display) -> String {
        let style = self.ansi();
        format!("{style}{text}{style:#}")
    }
}

/// Writes the result to stdout. Colours are dropped unless it is a terminal
/// that wants them.
pub(crate) fn result(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes one line to stderr. When even that fails there is no one to tell.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Foreign text made safe for a terminal: control characters, which include
/// the beginning of every escape sequence, become visible; line breaks stay.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() || is_direction_mark(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Bidirectional controls reorder what a person reads.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn escape_sequences_become_visible() {
        assert_eq!(
            sanitize("a\u{1b}[31mb\tc\nd\r"),
            "a\u{fffd}[31mb\tc\nd\u{fffd}"
        );
        assert_eq!(sanitize("\u{9b}31m\u{202e}x"), "\u{fffd}31m\u{fffd}x");
    }
}
