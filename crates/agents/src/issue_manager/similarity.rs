//! How alike two issues are.

use std::collections::BTreeSet;

use super::request::without_comments;
use super::words::{stem, words};

/// From here on one is worth a look from the other.
pub(super) const RELATED: f64 = 0.4;

/// The words of an issue, to be compared with others.
pub(super) struct Fingerprint {
    title: BTreeSet<String>,
    all: BTreeSet<String>,
}

/// What structured issues have in common.
const HEADINGS: &[&str] = &[
    "summary",
    "requirements",
    "request",
    "clarification",
    "related",
];

/// Words that say that something is wanted, and not what.
const WISHES: &[&str] = &[
    "add",
    "allow",
    "build",
    "creat",
    "create",
    "enabl",
    "enable",
    "fix",
    "implement",
    "introduc",
    "introduce",
    "let",
    "make",
    "need",
    "new",
    "offer",
    "please",
    "provid",
    "provide",
    "should",
    "support",
    "want",
    "write",
];

impl Fingerprint {
    pub(super) fn new(title: &str, body: &str) -> Self {
        let stems = |text: &str| -> BTreeSet<String> {
            let known = words(text).filter(|word| !HEADINGS.contains(&word.as_str()));
            known.map(|word| stem(&word).to_owned()).collect()
        };
        let title = stems(title);
        let mut all = stems(&without_comments(body));
        all.extend(title.iter().cloned());
        Self { title, all }
    }

    /// Whether both ask for the same: neither title names anything that the
    /// other does not. One word, such as the name of another function, makes two
    /// wishes of it, however alike they sound.
    pub(super) fn is_same_wish(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.wish(), other.wish());
        !ours.is_empty() && ours == theirs
    }

    fn wish(&self) -> BTreeSet<&str> {
        let words = self.title.iter().map(String::as_str);
        words.filter(|word| !WISHES.contains(word)).collect()
    }

    /// From 0 to 1. The title counts most: bodies differ in what they quote.
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let title = dice(&self.title, &other.title);
        let body = overlap(&self.all, &other.all);
        0.7 * title + 0.3 * body
    }
}

/// Twice what they share, over what both have.
fn dice(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.len() + other.len();
    if all == 0 {
        return 0.0;
    }
    ratio(2 * one.intersection(other).count(), all)
}

/// What they share, over what the smaller has: a short text can be part of a
/// long one.
fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let smaller = one.len().min(other.len());
    if smaller == 0 {
        return 0.0;
    }
    ratio(one.intersection(other).count(), smaller)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a text has fewer words than that"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: (&str, &str), other: (&str, &str)) -> f64 {
        Fingerprint::new(one.0, one.1).similarity(&Fingerprint::new(other.0, other.1))
    }

    #[test]
    fn the_same_wish_in_other_forms_is_the_same() {
        let ours = ("Add rate limiting to the login endpoint", "");
        assert!(alike(ours, ours) > 0.99);
        let same = |one: &str, other: &str| {
            Fingerprint::new(one, "").is_same_wish(&Fingerprint::new(other, ""))
        };
        assert!(same(ours.0, "Rate limits for the login endpoint"));
        assert!(same(
            "Please fix the crash of the parser",
            "Crash of the parser"
        ));
        for (one, other) in [
            (
                "Add a function to add numbers",
                "Add a function to multiply numbers",
            ),
            ("Add page 5 of the manual", "Add page 6 of the manual"),
            ("Fix the crash of parse_list", "Fix the crash of parse_map"),
            ("Export members as CSV", "Export members as JSON"),
        ] {
            assert!(!same(one, other), "{one} / {other}");
        }
        assert!(alike(ours, ("Add dark mode", "")) < RELATED);
        assert!(alike(ours, ("Add caching to the search endpoint", "")) < 0.75);
        assert!(alike(("", ""), ("", "")) < RELATED);
    }
}
