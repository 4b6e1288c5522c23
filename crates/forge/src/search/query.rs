//! What a person writes into a search box: words, phrases in quotes, and
//! qualifiers such as `label:"good first issue"`, each negated by a dash.

/// One word, phrase or qualifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) negated: bool,
    pub(super) kind: TermKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TermKind {
    Text(String),
    /// The name in lower case, and the value without quotes.
    Qualifier(String, String),
}

pub(super) fn parse(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut negate_next = false;
    for word in split(text) {
        match word.as_str() {
            "AND" => continue,
            "NOT" => {
                negate_next = true;
                continue;
            }
            _ => {}
        }
        let (negated, rest) = match word.strip_prefix('-') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, word.as_str()),
        };
        terms.push(Term {
            negated: negated || std::mem::take(&mut negate_next),
            kind: kind(rest),
        });
    }
    terms
}

fn kind(word: &str) -> TermKind {
    if !word.starts_with('"')
        && let Some((name, value)) = word.split_once(':')
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
        && !value.is_empty()
    {
        return TermKind::Qualifier(name.to_ascii_lowercase(), unquoted(value));
    }
    TermKind::Text(unquoted(word))
}

/// At white space, except inside quotes.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in text.chars() {
        if c == '"' {
            quoted = !quoted;
        }
        if c.is_whitespace() && !quoted {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn unquoted(text: &str) -> String {
    text.chars().filter(|c| *c != '"').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let terms = parse(text).into_iter();
        terms
            .map(|term| {
                let sign = if term.negated { "-" } else { "+" };
                match term.kind {
                    TermKind::Text(text) => format!("{sign}<{text}>"),
                    TermKind::Qualifier(name, value) => format!("{sign}{name}=<{value}>"),
                }
            })
            .collect()
    }

    #[test]
    fn words_phrases_and_qualifiers_are_told_apart() {
        assert_eq!(
            shown(
                r#"crash "on start" Label:"good first issue" -author:octo NOT draft:true - a:b:c"#
            ),
            [
                "+<crash>",
                "+<on start>",
                "+label=<good first issue>",
                "-author=<octo>",
                "-draft=<true>",
                "+<->",
                "+a=<b:c>",
            ]
        );
        assert_eq!(
            shown("http://x \"unclosed label:x"),
            ["+http=<//x>", "+<unclosed label:x>"]
        );
        assert!(shown(" \t").is_empty());
    }
}
