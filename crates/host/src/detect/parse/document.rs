//! Parses JSON, TOML and YAML into one kind of tree.

use std::fmt;

use serde_json::Value;

/// A document that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub message: String,
    /// One-based line and column, where the parser knows them.
    pub place: Option<(u64, u64)>,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            Some((line, column)) => write!(f, " at {line}:{column}"),
            None => Ok(()),
        }
    }
}

/// All three kinds of documents become the same tree, so that there is one way
/// to look things up in them.
pub fn json(text: &str) -> Result<Value, Malformed> {
    serde_json::from_str(text).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        Malformed {
            message: first_line(message.strip_suffix(&place).unwrap_or(&message)),
            place: (error.line() > 0).then_some((error.line() as u64, error.column() as u64)),
        }
    })
}

pub fn toml(text: &str) -> Result<Value, Malformed> {
    toml::from_str(text).map_err(|error: toml::de::Error| Malformed {
        message: first_line(error.message()),
        place: error.span().map(|span| place_of(text, span.start)),
    })
}

/// The budget stops alias bombs: the content of an alias counts each time.
pub fn yaml(text: &str) -> Result<Value, Malformed> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 200_000,
            max_nodes: 100_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_depth: 48,
            max_documents: 4,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 100_000,
            max_replay_stack_depth: 16,
        },
        with_snippet: false,
        // As the programs that own these files read them.
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
        // `on:` in a workflow is a key, not the boolean of YAML 1.1.
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error
            .location()
            .map(|location| (location.line(), location.column()));
        let error = error.without_snippet();
        let message = if matches!(error, serde_saphyr::Error::Budget { .. }) {
            "it holds more than a project file ever does".to_owned()
        } else {
            first_line(&error.to_string())
        };
        // The parser puts the place into its own text as well.
        let message = match message.rfind(" at line ") {
            Some(at) if place.is_some() => message[..at].to_owned(),
            _ => message,
        };
        Malformed { message, place }
    })
}

fn first_line(message: &str) -> String {
    const MAX_LEN: usize = 200;
    let line = message.lines().next().unwrap_or_default();
    line.chars()
        .filter(|character| !character.is_control())
        .take(MAX_LEN)
        .collect()
}

fn place_of(text: &str, offset: usize) -> (u64, u64) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    (line as u64, column as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_documents_say_where() {
        let messages = [
            json("{\n  \"a\": }").unwrap_err().to_string(),
            toml("a = 1\nb = = 2").unwrap_err().to_string(),
            yaml("a: 1\nb: [1, 2").unwrap_err().to_string(),
        ];
        insta::assert_snapshot!(messages.join("\n"), @r"
        expected value at 2:8
        extra `=`, expected nothing at 2:5
        unclosed bracket '[' at 2:4
        ");
    }

    #[test]
    fn a_workflow_keeps_its_on_key() {
        let tree = yaml("on: push\njobs: {}\n").unwrap();
        assert_eq!(tree["on"], "push");
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let levels = (1..12).map(|level| {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("a{level}: &a{level} [{aliases}]\n")
        });
        let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x]\n".to_owned())
            .chain(levels)
            .collect();
        assert!(yaml(&bomb).is_err());
    }
}
