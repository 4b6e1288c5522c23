//! Parses one line of TAP.

use memchr::memchr;

/// A line of the protocol; everything else is other output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TapLine<'a> {
    Version,
    Plan(u64),
    Point(Point<'a>),
    /// `# Subtest: name`.
    Subtest(&'a str),
    Comment(&'a str),
    BailOut,
    /// Closes a test point that ended with `{`.
    CloseBrace,
}

/// `not ok 3 - adds items # TODO later`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Point<'a> {
    pub(super) outcome: Outcome,
    pub(super) number: Option<u64>,
    pub(super) description: &'a str,
    /// Its subtests follow, in braces.
    pub(super) has_brace: bool,
    /// There is a dash before the description.
    pub(super) has_dash: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
    /// Skipped or a TODO, whether it passed or not.
    Excused,
}

/// Reads a line that has no indentation left.
pub(super) fn read(text: &str) -> Option<TapLine<'_>> {
    if let Some(comment) = text.strip_prefix('#') {
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        return Some(match comment.strip_prefix("Subtest: ") {
            Some(name) => TapLine::Subtest(name),
            None => TapLine::Comment(comment),
        });
    }
    if let Some(rest) = text.strip_prefix("1..") {
        let digits = rest.split(' ').next().unwrap_or(rest);
        return digits.parse().ok().map(TapLine::Plan);
    }
    if text == "}" {
        return Some(TapLine::CloseBrace);
    }
    if text.starts_with("TAP version ") {
        return Some(TapLine::Version);
    }
    if text.starts_with("Bail out!") {
        return Some(TapLine::BailOut);
    }
    point(text).map(TapLine::Point)
}

fn point(text: &str) -> Option<Point<'_>> {
    let (is_ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at_checked(digits)?;
    // `ok 3rd` is ordinary text.
    if !number.is_empty() && !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let dashed = rest.strip_prefix('-');
    let number = number.parse().ok();
    if number.is_none() && dashed.is_none() {
        return None;
    }
    let (description, directive) = divided(dashed.unwrap_or(rest).trim());
    let directive = directive.trim_start().to_ascii_lowercase();
    let is_excused = directive.starts_with("skip") || directive.starts_with("todo");
    let without_brace = description.strip_suffix(" {");
    Some(Point {
        outcome: match is_ok {
            _ if is_excused => Outcome::Excused,
            true => Outcome::Passed,
            false => Outcome::Failed,
        },
        number,
        description: without_brace.unwrap_or(description),
        has_brace: without_brace.is_some() || directive.ends_with(" {"),
        has_dash: dashed.is_some(),
    })
}

/// Splits description and directive. A `#` that is escaped, or not followed by a
/// known directive, belongs to the description.
fn divided(text: &str) -> (&str, &str) {
    if memchr(b'#', text.as_bytes()).is_none() {
        return (text, "");
    }
    let lower = text.to_ascii_lowercase();
    for directive in ["# skip", "# todo", "# time=", "#skip", "#todo", "# ("] {
        if let Some(at) = lower.rfind(directive)
            && (at == 0 || text[..at].ends_with(' '))
        {
            return (text[..at].trim_end(), &text[at + 1..]);
        }
    }
    (text, "")
}

/// A description without its escapes.
pub(super) fn unescaped(description: &str) -> String {
    if memchr(b'\\', description.as_bytes()).is_none() {
        return description.to_owned();
    }
    description.replace("\\#", "#").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::Outcome::{Excused, Failed, Passed};
    use super::{Outcome, TapLine, read};

    fn point(text: &str) -> Option<(Outcome, u64, &str)> {
        match read(text)? {
            TapLine::Point(point) => Some((point.outcome, point.number?, point.description)),
            _ => None,
        }
    }

    #[test]
    fn points_are_read() {
        assert_eq!(point("ok 1 - a"), Some((Passed, 1, "a")));
        assert_eq!(point("not ok 2 b # 1"), Some((Failed, 2, "b # 1")));
        assert_eq!(point("ok 3 - c # SKIP no"), Some((Excused, 3, "c")));
        assert_eq!(
            point("not ok 4 - d \\# todo # TODO"),
            Some((Excused, 4, "d \\# todo"))
        );
        assert_eq!(point("ok 5 - e # time=3ms {"), Some((Passed, 5, "e")));
        assert_eq!(point("ok"), None);
        assert_eq!(point("ok  \tpkg\t0.1s"), None);
        assert_eq!(point("okay 1"), None);
        assert_eq!(point("ok 1st"), None);
    }
}
