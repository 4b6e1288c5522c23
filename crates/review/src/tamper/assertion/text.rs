//! Code as text: brackets, quotes, arguments, comparisons.

/// Of an argument that is longer, the start is enough to know it again.
const MAX_ARGUMENT_LEN: usize = 2_000;

pub(super) fn normalised(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MAX_ARGUMENT_LEN)];
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    // A trailing comma or bracket on a line of its own is only layout.
    normal
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(",)", ")")
        .replace(" )", ")")
        .replace(") .", ").")
}

/// Names outside all brackets, and the arguments inside the outermost ones.
pub(super) fn names_and_arguments(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut arguments) = (Vec::new(), Vec::new());
    let mut rest = text;
    loop {
        let Some(open) = rest.find(['(', '[', '{']) else {
            names.extend(words(rest));
            return (names, arguments);
        };
        names.extend(words(&rest[..open]));
        let end = closing(&rest[open..]).map_or(rest.len(), |length| open + length);
        if rest[open..].starts_with('(') {
            arguments.extend(split(&rest[open + 1..end.max(open + 1)], ','));
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

/// The offset of the bracket that closes the one the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits outside brackets and quotes.
pub(super) fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 => {
                parts.push(text[from..at].trim().to_owned());
                from = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The comparison outside all brackets, if there is one: its operator and both sides.
pub(super) fn comparison(text: &str) -> Option<(String, Vec<String>)> {
    const OPERATORS: [&str; 14] = [
        "===",
        "!==",
        "==",
        "!=",
        "<=",
        ">=",
        " is not ",
        " is ",
        " not in ",
        " in ",
        " < ",
        " > ",
        " =~ ",
        " instanceof ",
    ];
    let mut depth = 0_usize;
    let mut scan = Scan::new(text);
    while let Some((at, letter)) = scan.next_code() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                let found = OPERATORS
                    .iter()
                    .find(|operator| text[at..].starts_with(**operator));
                if let Some(operator) = found {
                    let right = &text[at + operator.len()..];
                    let sides = vec![text[..at].trim().to_owned(), right.trim().to_owned()];
                    return Some((operator.trim().to_owned(), sides));
                }
            }
            _ => {}
        }
    }
    None
}

/// Characters that are code, not inside quotes.
struct Scan<'t> {
    letters: std::str::CharIndices<'t>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            letters: text.char_indices(),
        }
    }

    fn next_code(&mut self) -> Option<(usize, char)> {
        let (at, letter) = self.letters.next()?;
        if matches!(letter, '"' | '\'' | '`') {
            let mut rest = self.letters.clone();
            let mut escaped = false;
            // A lone quote, as of a lifetime, is never closed and is code.
            while let Some((_, inside)) = rest.next() {
                if !escaped && inside == letter {
                    self.letters = rest;
                    return Some((at, letter));
                }
                escaped = !escaped && inside == '\\';
            }
        }
        Some((at, letter))
    }
}

pub(super) fn is_literal(text: &str) -> bool {
    let text = text.trim();
    let number = text.trim_start_matches(['-', '+']);
    let word = matches!(
        text,
        "true" | "false" | "True" | "False" | "null" | "None" | "nil" | "undefined" | "NULL"
    );
    let quoted = text.len() >= 2
        && text.starts_with(['"', '\'', '`', ':'])
        && !text.contains("${")
        && (text.starts_with(':') || text.ends_with(['"', '\'', '`']));
    let collection = (text.starts_with('[') && text.ends_with(']')
        || text.starts_with('{') && text.ends_with('}'))
        && split(&text[1..text.len() - 1], ',').iter().all(|part| {
            part.split_once(':')
                .map_or(part.as_str(), |(_, value)| value)
                .trim()
                .parse::<f64>()
                .is_ok()
                || part.trim().starts_with(['"', '\''])
        });
    word || quoted || collection || number.starts_with(|letter: char| letter.is_ascii_digit())
}
