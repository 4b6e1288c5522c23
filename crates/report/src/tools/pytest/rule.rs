//! Parses the horizontal rules that structure pytest's report.

/// A line such as `==== FAILURES ====`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule<'a> {
    /// `=== title ===`
    Section(&'a str),
    /// `____ title ____`, and pytest-sugar's `―――― title ――――`.
    Block(&'a str),
    /// `_ _ _ _`, between the frames of a traceback.
    Frame,
    /// `---- Captured stdout call ----`: a test's own output follows.
    Captured,
    /// `!!!! title !!!!`
    Alarm(&'a str),
}

/// Every rule of a run is as wide as the terminal, or has one character on each
/// side if its title is too long. Any other line was printed by a test.
pub(super) fn read(text: &str, width: Option<usize>) -> Option<Rule<'_>> {
    let fill = text.chars().next()?;
    if !matches!(fill, '=' | '_' | '-' | '!' | '―') || !text.ends_with(fill) {
        return None;
    }
    if fill == '_' && text.starts_with("_ _ _") && text.bytes().all(|b| matches!(b, b'_' | b' ')) {
        return Some(Rule::Frame);
    }
    let title = text
        .trim_matches(fill)
        .strip_prefix(' ')?
        .strip_suffix(' ')?;
    if title.is_empty() || (fill != '―' && !fits(text, title, width)) {
        return None;
    }
    match fill {
        '=' => Some(Rule::Section(title)),
        '_' | '―' => Some(Rule::Block(title)),
        '!' => Some(Rule::Alarm(title)),
        _ => title.starts_with("Captured ").then_some(Rule::Captured),
    }
}

/// The width of the terminal, from a rule that is not overlong.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

fn fits(text: &str, title: &str, width: Option<usize>) -> bool {
    let Some(width) = width else {
        return true;
    };
    let length = text.chars().count();
    // pytest counts characters, but other implementations count columns.
    let overlong = length >= width && length == title.chars().count() + 4;
    length == width || overlong || (!text.is_ascii() && length <= width && length + 8 > width)
}

#[cfg(test)]
mod tests {
    use super::{Rule, read};

    #[test]
    fn rules_are_read() {
        assert_eq!(
            read("=== FAILURES ===", None),
            Some(Rule::Section("FAILURES"))
        );
        assert_eq!(
            read("____ T.__x__ ____", Some(17)),
            Some(Rule::Block("T.__x__"))
        );
        assert_eq!(
            read("_ test_a[a b] _", Some(10)),
            Some(Rule::Block("test_a[a b]"))
        );
        assert_eq!(read("_ _ _ _ _ _", Some(80)), Some(Rule::Frame));
        assert_eq!(read("-- Captured log call --", None), Some(Rule::Captured));
        assert_eq!(
            read("――― ERROR at setup of t ―――", Some(80)),
            Some(Rule::Block("ERROR at setup of t"))
        );
    }

    #[test]
    fn quoted_rules_are_not_as_wide() {
        assert_eq!(read("_____ test_fake _____", Some(80)), None);
        assert_eq!(read("===", None), None);
        assert_eq!(read("= a", None), None);
        assert_eq!(read("------", None), None);
    }
}
