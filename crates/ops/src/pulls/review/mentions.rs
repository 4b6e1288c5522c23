//! Issues and pull requests that a pull request speaks of.

use baton_protocol::Repository;
use baton_remote::github::questions::overview::Overview;
use baton_remote::github::{Fact, Unreadable};

use super::super::context::PullContext;
use crate::error::OpError;

/// By number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mentioned {
    pub(super) issues: Vec<u64>,
    pub(super) pull_requests: Vec<u64>,
    pub(super) unreadable: Vec<Unreadable>,
}

pub(super) async fn fetch(
    cx: &PullContext,
    repository: &Repository,
    overview: &Overview,
) -> Result<Mentioned, OpError> {
    let pull = &overview.pull;
    let is_here = |name: &str| name.eq_ignore_ascii_case(&repository.to_string());
    let closes: Vec<u32> = overview
        .closes
        .iter()
        .filter(|issue| is_here(&issue.repository.full_name))
        .map(|issue| issue.number)
        .collect();
    let text = format!("{}\n{}", pull.title, pull.body);
    let mut numbers = in_text(&text, repository);
    numbers.retain(|number| *number != pull.number && !closes.contains(number));
    let mut found = Mentioned {
        issues: closes.iter().copied().map(u64::from).collect(),
        pull_requests: Vec::new(),
        unreadable: Vec::new(),
    };
    if numbers.is_empty() {
        return Ok(found);
    }
    let kinds = cx.github.mentioned_numbers(repository, &numbers).await;
    match Fact::from_answer(kinds)? {
        Fact::Known(kinds) => {
            found.unreadable = kinds.unreadable;
            found.issues.extend(kinds.issues.into_iter().map(u64::from));
            let pulls = kinds.pull_requests.into_iter().map(u64::from);
            found.pull_requests.extend(pulls);
        }
        Fact::Unreadable(cause) => found.unreadable.push(cause),
    }
    found.issues.sort_unstable();
    found.pull_requests.sort_unstable();
    Ok(found)
}

/// `#12`, `octo/demo#12`, `GH-12` and addresses, each once.
fn in_text(text: &str, repository: &Repository) -> Vec<u32> {
    let name = repository.to_string();
    let mut found: Vec<u32> = Vec::new();
    let mut add = |digits: &str| {
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let is_whole = !digits[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Ok(number) = digits[..end].parse()
            && is_whole
            && number > 0
            && !found.contains(&number)
        {
            found.push(number);
        }
    };
    for (place, _) in text.match_indices('#') {
        let before = &text[..place];
        let word = before
            .rsplit(|c: char| c.is_whitespace() || "([,:;".contains(c))
            .next();
        // `other/repo#1` is another repository's, and `&#39;` is none.
        if word.is_some_and(|word| word.is_empty() || word.eq_ignore_ascii_case(&name)) {
            add(&text[place + 1..]);
        }
    }
    for (place, mark) in text.match_indices("GH-") {
        add(&text[place + mark.len()..]);
    }
    for kind in ["/issues/", "/pull/"] {
        let address = format!("/{name}{kind}");
        for (place, mark) in text.match_indices(address.as_str()) {
            add(&text[place + mark.len()..]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_they_are_written() {
        let repository = Repository::parse("octo/demo").unwrap();
        let text = "Fixes #12, see (#3) and octo/demo#4; not other/demo#5, &#39; or #6a.\n\
            GH-7, https://github.com/octo/demo/pull/8#issue and https://github.com/octo/demo/issues/9 #12 #0";
        assert_eq!(in_text(text, &repository), [12, 3, 4, 7, 9, 8]);
    }
}
