//! Earlier pull requests that touched the same files or have the same words in
//! their title.

use std::collections::BTreeSet;

use baton_protocol::tools::analyze_pr_impact::{PrOutcome, SimilarPr};
use baton_remote::github::enums::PullState;
use baton_remote::github::questions::recently_closed_pulls::ClosedPull;

/// Files say more than words.
const FILES: f64 = 0.7;
const WORDS: f64 = 0.3;
/// Below this two have nothing to do with each other.
const MIN_SCORE: f64 = 0.15;
const MAX_SIMILAR: usize = 5;
const MAX_SHARED_FILES: usize = 5;

/// Words that stand in every other title.
const COMMON: [&str; 22] = [
    "a", "add", "added", "adds", "an", "and", "chore", "feat", "fix", "fixed", "fixes", "for",
    "from", "in", "of", "on", "remove", "the", "to", "update", "use", "with",
];

/// The most similar first.
pub(super) fn to(
    number: u32,
    title: &str,
    paths: &[&str],
    closed: &[ClosedPull],
) -> Vec<SimilarPr> {
    let words = words(title);
    let paths: BTreeSet<&str> = paths.iter().copied().collect();
    let mut found: Vec<SimilarPr> = closed
        .iter()
        .filter(|pull| pull.facts.number != number)
        .filter_map(|pull| compared(&words, &paths, pull))
        .collect();
    found.sort_by(|one, other| {
        let by_score = other.similarity_score.total_cmp(&one.similarity_score);
        by_score.then(other.number.cmp(&one.number))
    });
    found.truncate(MAX_SIMILAR);
    found
}

fn compared(
    own_words: &BTreeSet<String>,
    own: &BTreeSet<&str>,
    pull: &ClosedPull,
) -> Option<SimilarPr> {
    let paths: BTreeSet<&str> = pull.paths.iter().map(String::as_str).collect();
    let by_files = overlap(own, &paths);
    let by_words = overlap(own_words, &words(&pull.facts.title));
    let score = FILES * by_files + WORDS * by_words;
    if score < MIN_SCORE {
        return None;
    }
    Some(SimilarPr {
        number: u64::from(pull.facts.number),
        title: pull.facts.title.clone(),
        similarity_score: (score * 100.0).round() / 100.0,
        outcome: match pull.facts.state {
            PullState::Merged => PrOutcome::Merged,
            _ => PrOutcome::Closed,
        },
        shared_files: own
            .intersection(&paths)
            .take(MAX_SHARED_FILES)
            .map(ToString::to_string)
            .collect(),
    })
}

/// How much two have in common of all that both have.
#[expect(
    clippy::cast_precision_loss,
    reason = "these are counts of files and words"
)]
fn overlap<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 {
        0.0
    } else {
        common as f64 / all as f64
    }
}

fn words(title: &str) -> BTreeSet<String> {
    title
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1 && !COMMON.contains(word))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn closed(number: u32, title: &str, state: &str, paths: &[&str]) -> ClosedPull {
        let facts = json!({
            "number": number, "title": title, "url": "u", "state": state,
            "mergedAt": null, "closedAt": null, "author": null,
        });
        ClosedPull {
            facts: serde_json::from_value(facts).unwrap(),
            labels: Vec::new(),
            paths: paths.iter().map(ToString::to_string).collect(),
            reviewers: Vec::new(),
        }
    }

    #[test]
    fn files_count_more_than_words() {
        let pulls = [
            closed(1, "Fix the cart total", "CLOSED", &["other.rs"]),
            closed(2, "Rename things", "MERGED", &["cart.rs", "lib.rs"]),
            closed(3, "Add docs", "MERGED", &["README.md"]),
            closed(9, "Fix the cart", "OPEN", &["cart.rs"]),
        ];
        let found = to(9, "Fix the cart", &["cart.rs", "lib.rs"], &pulls);
        let shown: Vec<_> = found
            .iter()
            .map(|pull| {
                format!(
                    "{} {} {:?} {:?}",
                    pull.number, pull.similarity_score, pull.outcome, pull.shared_files
                )
            })
            .collect();
        assert_eq!(
            shown,
            [r#"2 0.7 Merged ["cart.rs", "lib.rs"]"#, "1 0.15 Closed []"]
        );
        assert!(to(9, "", &[], &[]).is_empty());
    }
}
