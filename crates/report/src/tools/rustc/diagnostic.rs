//! Reads one error of the compiler: `error[E0308]: mismatched types` and the
//! lines until an empty one.

use crate::excerpt::Excerpt;
use crate::place;
use crate::session::Failure;
use crate::text::Line;

pub(super) struct Diagnostic {
    pub(super) lines: (u64, u64),
    code: Option<String>,
    message: String,
    lint: Option<String>,
    /// The next lines contain the attribute that sets the lint level.
    level_follows: bool,
    place: Option<(String, u64)>,
    text: Excerpt,
}

impl Diagnostic {
    pub(super) fn begin(line: Line<'_>) -> Option<Self> {
        let (code, message) = head(line.text)?;
        let mut text = Excerpt::default();
        text.push(line.text);
        Some(Self {
            lines: (line.number, line.number),
            code: code.map(str::to_owned),
            message: message.to_owned(),
            lint: None,
            level_follows: false,
            place: None,
            text,
        })
    }

    /// Whether the line belongs to it.
    pub(super) fn line(&mut self, line: Line<'_>) -> bool {
        /// The compiler prints the place within this many lines.
        const MAX_MESSAGE_LINES: u64 = 20;
        let unplaced = self.place.is_none() && line.number - self.lines.0 > MAX_MESSAGE_LINES;
        if line.text.is_empty() || unplaced {
            return false;
        }
        let trimmed = line.text.trim_start();
        if let Some(place) = trimmed.strip_prefix("--> ")
            && self.place.is_none()
            && let Some((file, line, _)) = place::leading(place)
        {
            self.place = Some((file.to_owned(), line));
        }
        if trimmed == "note: the lint level is defined here" {
            self.level_follows = true;
        } else if self.lint.is_none() {
            self.lint = lint(trimmed, self.level_follows);
        }
        self.lines.1 = line.number;
        self.text.push(line.text);
        true
    }

    /// `None` without a place: another program printed it.
    pub(super) fn into_failure(self) -> Option<Failure> {
        let (file, line) = self.place?;
        let name = self.code.or(self.lint).unwrap_or(self.message);
        Some(
            Failure::named(name)
                .at(file, Some(line))
                .because(self.text.text()),
        )
    }
}

/// `src/a.rs:3:5: error[E0308]: mismatched types`, of `--message-format short`.
pub(super) fn short(text: &str) -> Option<Failure> {
    let (file, line, rest) = place::leading(text)?;
    if !place::looks_like_a_file(file) || file.contains(' ') {
        return None;
    }
    let (code, message) = head(rest.strip_prefix(": ")?)?;
    let message = message.split(": help: ").next().unwrap_or(message);
    Some(
        Failure::named(code.unwrap_or(message))
            .at(file, Some(line))
            .because(text),
    )
}

/// The code, if there is one, and the message.
fn head(text: &str) -> Option<(Option<&str>, &str)> {
    let rest = text.strip_prefix("error")?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((None, message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((Some(code), message))
}

/// The lint in a note.
fn lint(trimmed: &str, level_follows: bool) -> Option<String> {
    if let Some((_, rule)) = trimmed.split_once("rust-clippy/")
        && let Some((_, rule)) = rule.split_once("index.html#")
    {
        return Some(format!("clippy::{}", rule.trim()));
    }
    let note = trimmed.strip_prefix("= note: `");
    let level = match note {
        Some(note) => note,
        None if level_follows && trimmed.contains('|') => trimmed.split_once('|')?.1,
        None => return None,
    };
    let flag = level
        .strip_prefix("-D ")
        .or_else(|| level.strip_prefix("-F "));
    let name = if let Some(flag) = flag {
        flag.split('`').next()?
    } else {
        let attribute = level
            .split_once("deny(")
            .or_else(|| level.split_once("forbid("));
        attribute?.1.split(')').next()?
    };
    let is_name = !name.is_empty()
        && name != "warnings"
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':'));
    is_name.then(|| name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::{lint, short};

    #[test]
    fn notes_name_the_lint() {
        let find_lint = |note| lint(note, true);
        assert_eq!(
            find_lint("= note: `-D clippy::needless-return` implied by `-D warnings`").as_deref(),
            Some("clippy::needless_return")
        );
        assert_eq!(
            find_lint("= note: `#[deny(unused_variables)]` implied by `#[deny(unused)]`")
                .as_deref(),
            Some("unused_variables")
        );
        assert_eq!(
            find_lint("1 | #![forbid(unsafe_code)]").as_deref(),
            Some("unsafe_code")
        );
        assert_eq!(
            find_lint("= help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#len_zero").as_deref(),
            Some("clippy::len_zero")
        );
        assert_eq!(find_lint("1 | #![deny(warnings)]"), None);
        assert_eq!(find_lint("= note: expected reference `&str`"), None);
    }

    #[test]
    fn short_messages_have_a_place() {
        let failure = short("a/src/b.rs:4:7: error: expected one of `;`").unwrap();
        assert_eq!(
            (failure.name.as_str(), failure.line),
            ("expected one of `;`", Some(4))
        );
        assert_eq!(short("a.rs:4:7: warning: unused"), None);
        assert_eq!(short("thread 'x' panicked at a.rs:4:7: error: no"), None);
    }
}
