//! `Fixes #12`: the issues that a merge closes.

/// An issue, as text names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Absent for an issue of the same repository.
    pub(crate) repository: Option<(String, String)>,
    pub(crate) number: i64,
}

const KEYWORDS: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];

/// In the order of the text, each once. `root` is the forge's own address: an
/// issue may be named by its page.
pub(crate) fn references(text: &str, root: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_start_matches(|char: char| !char.is_ascii_alphanumeric());
        let word = word.strip_suffix(':').unwrap_or(word);
        if !KEYWORDS
            .iter()
            .any(|keyword| keyword.eq_ignore_ascii_case(word))
        {
            continue;
        }
        let Some(reference) = words.peek().and_then(|next| parse(next, root)) else {
            continue;
        };
        if !found.contains(&reference) {
            found.push(reference);
        }
    }
    found
}

/// `#12`, `octo/demo#12` or the address of the page, with punctuation after it.
fn parse(word: &str, root: &str) -> Option<Reference> {
    if let Some(path) = word.strip_prefix(root) {
        let mut parts = path.strip_prefix('/')?.split('/');
        let repository = (parts.next()?.to_owned(), parts.next()?.to_owned());
        return (parts.next()? == "issues").then_some(Reference {
            repository: Some(repository),
            number: number(parts.next()?)?,
        });
    }
    let (name, rest) = word.split_once('#')?;
    let number = number(rest)?;
    if name.is_empty() {
        return Some(Reference {
            repository: None,
            number,
        });
    }
    let (owner, name) = name.split_once('/')?;
    let valid = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
    };
    (valid(owner) && valid(name)).then(|| Reference {
        repository: Some((owner.to_owned(), name.to_owned())),
        number,
    })
}

fn number(text: &str) -> Option<i64> {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let ends_here = !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_');
    ends_here.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Reference, references};

    fn shown(text: &str) -> Vec<String> {
        references(text, "http://forge.test")
            .into_iter()
            .map(|Reference { repository, number }| match repository {
                Some((owner, name)) => format!("{owner}/{name}#{number}"),
                None => format!("#{number}"),
            })
            .collect()
    }

    #[test]
    fn finds_what_github_finds() {
        assert_eq!(shown("Fixes #12"), ["#12"]);
        assert_eq!(shown("this (closes: #1), RESOLVES #2."), ["#1", "#2"]);
        assert_eq!(
            shown("fixed octo/demo#3\nfixed octo/demo#3"),
            ["octo/demo#3"]
        );
        assert_eq!(
            shown("resolve http://forge.test/octo/demo/issues/4"),
            ["octo/demo#4"]
        );
    }

    #[test]
    fn leaves_alone_what_is_no_request() {
        for text in [
            "#12",
            "see #12",
            "fixes 12",
            "prefixes #12",
            "fixes #12a",
            "fixes and #12",
            "fixes http://elsewhere.test/octo/demo/issues/4",
            "fixes http://forge.test/octo/demo/pull/4",
            "fixes #",
            "fixes #99999999999999999999",
        ] {
            assert_eq!(shown(text), [""; 0], "{text}");
        }
    }
}
