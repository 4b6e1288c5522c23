//! What a command may tell the runner between the lines of its output, in the
//! words that tools already speak to GitHub's runners.

use crate::store::check_state::AnnotationLevel;

/// One line that is meant for the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Group(String),
    EndGroup,
    Debug(String),
    /// From here on, the value is hidden.
    Mask(String),
    /// Lines are only lines until the token comes.
    StopCommands(String),
    Remark(Remark),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remark {
    pub(super) level: AnnotationLevel,
    pub(super) message: String,
    pub(super) title: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<i64>,
    pub(super) end_line: Option<i64>,
    pub(super) column: Option<i64>,
    pub(super) end_column: Option<i64>,
}

/// `::NAME KEY=VALUE,KEY=VALUE::MESSAGE`; nothing where the line is none that
/// is known.
pub(super) fn parse(line: &str) -> Option<Command> {
    let rest = line.trim_start().strip_prefix("::")?;
    let (head, message) = rest.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let text = || unescape_message(message);
    let level = match name {
        "group" => return Some(Command::Group(text())),
        "endgroup" => return Some(Command::EndGroup),
        "debug" => return Some(Command::Debug(text())),
        "add-mask" => return Some(Command::Mask(text())),
        "stop-commands" => return Some(Command::StopCommands(text())),
        "error" => AnnotationLevel::Failure,
        "warning" => AnnotationLevel::Warning,
        "notice" => AnnotationLevel::Notice,
        _ => return None,
    };
    let property = |wanted: &str| {
        properties
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted))
            .map(|(_, value)| unescape_property(value))
            .filter(|value| !value.is_empty())
    };
    let number = |wanted: &str| {
        property(wanted)
            .and_then(|value| value.parse().ok())
            .filter(|number| *number > 0)
    };
    Some(Command::Remark(Remark {
        level,
        message: text(),
        title: property("title"),
        file: property("file"),
        line: number("line"),
        end_line: number("endLine"),
        column: number("col"),
        end_column: number("endColumn"),
    }))
}

fn unescape_message(text: &str) -> String {
    text.replace("%0D", "\r")
        .replace("%0A", "\n")
        .replace("%25", "%")
}

fn unescape_property(text: &str) -> String {
    unescape_message(&text.replace("%3A", ":").replace("%2C", ","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_say_where_they_belong() {
        let line = "::error file=src/a.rs,line=3,endLine=4,col=5,endColumn=6,title=no%3A 1%2C 2::one%0Atwo 100%25";
        assert_eq!(
            parse(line),
            Some(Command::Remark(Remark {
                level: AnnotationLevel::Failure,
                message: "one\ntwo 100%".to_owned(),
                title: Some("no: 1, 2".to_owned()),
                file: Some("src/a.rs".to_owned()),
                line: Some(3),
                end_line: Some(4),
                column: Some(5),
                end_column: Some(6),
            }))
        );
    }

    #[test]
    fn other_lines_are_only_lines() {
        for line in [
            "",
            "::",
            "::error",
            "a ::error::b",
            "::unknown::x",
            "std::env::args",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
        assert_eq!(parse("::endgroup::"), Some(Command::EndGroup));
    }
}
