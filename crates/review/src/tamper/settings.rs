//! Files of settings read line by line: keys, values and the items of lists,
//! whether written as JSON, YAML, TOML, INI or JavaScript.

/// A line of a file of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub(super) line: u32,
    pub(super) text: &'t str,
    /// The list or table that the entry is in: the last key without a value of its own.
    pub(super) section: String,
    /// `None` for an item of a list.
    pub(super) key: Option<String>,
    pub(super) value: String,
}

/// Every key with a value and every item of a list.
pub(super) fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut section = String::new();
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) || trimmed.starts_with("//") {
            continue;
        }
        if let Some(name) = table(trimmed) {
            section = name;
            continue;
        }
        let (item, rest) = match trimmed.strip_prefix("- ") {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let push = |key: Option<String>, value: &str, section: &str, entries: &mut Vec<_>| {
            entries.push(Entry {
                line: number,
                text: line,
                section: section.to_owned(),
                key,
                value: bare(value),
            });
        };
        match key_and_value(rest) {
            Some((key, value)) if value.is_empty() || matches!(value, "[" | "{" | "|" | ">") => {
                section = key;
            }
            Some((key, value)) if value.starts_with('[') => {
                for part in value.trim_matches(['[', ']', ',']).split(',') {
                    push(None, part, &key, &mut entries);
                }
                if !value.contains(']') {
                    section = key;
                }
            }
            Some((key, value)) => push(Some(key), value, &section, &mut entries),
            None if item || rest.starts_with(['"', '\'']) => {
                push(None, rest, &section, &mut entries);
            }
            None => {}
        }
    }
    entries
}

/// `[tool.ruff.lint]` opens a table in TOML and INI.
fn table(line: &str) -> Option<String> {
    let name = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = name.trim_matches(['[', ']']);
    let plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "._-:\" ".contains(letter));
    (plain && !name.starts_with('"')).then(|| name.to_owned())
}

fn key_and_value(line: &str) -> Option<(String, &str)> {
    let at = separator(line)?;
    let key = bare(&line[..at]);
    let named = !key.is_empty()
        && key
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-./@:*!".contains(letter));
    let value = line[at + 1..].trim().trim_start_matches(['=', '>']).trim();
    named.then_some((key, value))
}

/// The first `:` or `=` outside quotes; `a::b` and `https://` are part of a word.
fn separator(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), close) if open == *close => quote = None,
            (None, b'=') => return Some(at),
            (None, b':')
                if matches!(
                    bytes.get(at + 1),
                    None | Some(b' ' | b'\t' | b'"' | b'\'' | b'[' | b'{')
                ) =>
            {
                return Some(at);
            }
            (None, b':') if bytes[at + 1].is_ascii_digit() => return Some(at),
            _ => {}
        }
    }
    None
}

fn bare(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';']).trim();
    let text = match text.split_once(" #") {
        Some((value, _)) if !text.starts_with(['"', '\'']) => value.trim(),
        _ => text,
    };
    text.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn four_formats_are_read_alike() {
        let texts = [
            "{\n  \"rules\": {\n    \"no-eval\": \"error\",\n    \"semi\": [\"warn\", \"always\"]\n  },\n  \"ignore\": [\n    \"dist\"\n  ]\n}",
            "rules:\n  no-eval: error\n  semi: [warn, always]\nignore:\n  - dist\n",
            "[rules]\nno-eval = \"error\"\nsemi = [\"warn\", \"always\"]\nignore = [\n  \"dist\",\n]\n",
        ];
        for text in texts {
            let found: Vec<_> = entries(text)
                .into_iter()
                .map(|entry| {
                    format!(
                        "{}/{}={}",
                        entry.section,
                        entry.key.unwrap_or_default(),
                        entry.value
                    )
                })
                .collect();
            assert_eq!(
                found,
                [
                    "rules/no-eval=error",
                    "semi/=warn",
                    "semi/=always",
                    "ignore/=dist"
                ],
                "{text}"
            );
        }
    }
}
