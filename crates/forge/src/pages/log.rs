//! Logs of jobs, made readable.

use super::prelude::*;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The end of a longer log is shown; the API has all of it.
const MAX_BYTES: u64 = 512 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct LogLine {
    pub(super) number: usize,
    pub(super) class: &'static str,
    pub(super) text: String,
}

pub(super) struct Log {
    pub(super) lines: Vec<LogLine>,
    /// Whether its beginning is not shown.
    pub(super) is_cut: bool,
}

/// A log that is not there is empty.
pub(super) fn read(path: &Path) -> io::Result<Log> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Log {
                lines: Vec::new(),
                is_cut: false,
            });
        }
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let is_cut = length > MAX_BYTES;
    if is_cut {
        file.seek(SeekFrom::Start(length - MAX_BYTES))?;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = if is_cut {
        text.split_once('\n').map_or("", |(_, rest)| rest)
    } else {
        &text
    };
    Ok(Log {
        lines: lines(text),
        is_cut,
    })
}

fn lines(text: &str) -> Vec<LogLine> {
    let shown = text.lines().filter_map(|line| {
        let text = without_escapes(without_time(line));
        let (class, text) = match text.strip_prefix("##[") {
            Some(command) => match command.split_once(']') {
                Some(("group", rest)) => ("group", rest.to_owned()),
                Some(("endgroup", _)) => return None,
                Some(("error", rest)) => ("error", rest.to_owned()),
                Some(("warning", rest)) => ("warning", rest.to_owned()),
                Some(("command" | "section", rest)) => ("command", rest.to_owned()),
                _ => ("", text),
            },
            None => ("", text),
        };
        Some((class, text))
    });
    shown
        .enumerate()
        .map(|(index, (class, text))| LogLine {
            number: index + 1,
            class,
            text,
        })
        .collect()
}

/// `2026-01-31T12:00:00.0000000Z ` stands before every line.
fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((first, rest)) if first.ends_with('Z') && first.contains('T') && first.len() >= 20 => {
            rest
        }
        _ => line,
    }
}

/// Takes out colours and other sequences for terminals, and control characters.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => {
                    while chars.next_if(|c| !('@'..='~').contains(c)).is_some() {}
                    chars.next();
                }
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}') {},
                _ => {}
            },
            '\t' => plain.push(c),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    visible(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_colours_and_commands_are_understood() {
        let log = "2026-01-31T12:00:00.1234567Z ##[group]Run make\n\
                   2026-01-31T12:00:00.1234567Z ##[command]make check\n\
                   2026-01-31T12:00:00.1234567Z ##[endgroup]\n\
                   2026-01-31T12:00:01.1234567Z \u{1b}[31mred\u{1b}[0m and \u{1b}]0;title\u{7}plain\n\
                   2026-01-31T12:00:02.1234567Z ##[error]Process completed with exit code 1.\n\
                   no time here";
        let shown: Vec<String> = lines(log)
            .iter()
            .map(|line| format!("{} {:>7}|{}", line.number, line.class, line.text))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @"
        1   group|Run make
        2 command|make check
        3        |red and plain
        4   error|Process completed with exit code 1.
        5        |no time here
        ");
    }

    #[test]
    fn a_broken_sequence_ends_with_its_line() {
        assert_eq!(without_escapes("a\u{1b}[12"), "a");
        assert_eq!(without_escapes("a\u{1b}"), "a");
        assert_eq!(without_escapes("a\u{1b}]0;never ends"), "a");
    }
}
