//! Command lines: whether baton can read them, what stands behind a script's
//! name, and what they left behind.

use std::fs;
use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{Outcome, quote, quote_program};

/// The words of a command that is one program with its arguments, and no
/// shell's work.
pub(crate) fn plain_words(command: &str) -> Option<Vec<String>> {
    let harmless = |c: char| c.is_alphanumeric() || " ./_-=:,@+%".contains(c);
    if !command.chars().all(harmless) {
        return None;
    }
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    // `NAME=value program` needs a shell.
    let first = words.first()?;
    (!first.contains('=')).then_some(words)
}

pub(crate) fn is_plain(command: &str) -> bool {
    plain_words(command).is_some()
}

/// Whether a command is one program with its arguments, some of which may stand in
/// single quotes, where a shell leaves everything as it is.
pub(crate) fn is_one_program(command: &str) -> bool {
    let parts: Vec<&str> = command.split('\'').collect();
    let unquoted: String = parts.iter().step_by(2).copied().collect();
    parts.len() % 2 == 1 && plain_words(&unquoted).is_some()
}

/// A line for people.
pub(crate) fn shown(words: &[String]) -> String {
    let mut shown = words.iter();
    let program = shown.next().map(quote_program).unwrap_or_default();
    shown.fold(program, |line, word| format!("{line} {}", quote(word)))
}

/// The text of a script in `package.json`.
pub(crate) fn package_script(folder: &Path, name: &str) -> Option<String> {
    /// Far more than any real one has.
    const MAX_BYTES: u64 = 1 << 20;
    let path = folder.join("package.json");
    let facts = fs::metadata(&path).ok()?;
    if !facts.is_file() || facts.len() > MAX_BYTES {
        return None;
    }
    let package = baton_protocol::json::parse(&fs::read(path).ok()?).ok()?;
    Some(package.get("scripts")?.get(name)?.as_str()?.to_owned())
}

/// The end of what a command printed: where a failure explains itself.
pub(crate) fn tail(text: &str) -> String {
    const LINES: usize = 60;
    const CHARACTERS: usize = 6_000;
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(LINES);
    let tail = baton_report::plain_text(&lines[start..].join("\n"));
    match tail.char_indices().rev().nth(CHARACTERS) {
        Some((from, _)) => format!("…{}", &tail[from..]),
        None => tail,
    }
}

pub(crate) fn exit_code(outcome: Outcome) -> Option<i32> {
    match outcome {
        Outcome::Exited(code) => Some(code),
        Outcome::Signalled(_) | Outcome::TimedOut { .. } | Outcome::Cancelled => None,
    }
}

pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::is_one_program;

    #[test]
    fn single_quotes_hide_nothing_that_a_shell_would_run() {
        assert!(is_one_program("pytest -o 'python_files=test.py *_test.py'"));
        for command in [
            "pytest 'a b'; true",
            "pytest 'a",
            "pytest 'a' || 'b'",
            "pytest \"$(true)\"",
        ] {
            assert!(!is_one_program(command), "{command}");
        }
    }
}
