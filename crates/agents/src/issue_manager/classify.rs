//! What kind of work an issue is, and how soon it matters.

use baton_protocol::handoff::{IssueType, Priority, Vocabulary};

use super::words::{stem, words};

/// Signs of each type. A text is of the type with the most; the first word of a
/// title, usually a verb, says the most.
const TYPES: &[(IssueType, &[&str])] = &[
    (
        IssueType::Bug,
        &[
            "bug",
            "fix",
            "crash",
            "error",
            "fail",
            "fails",
            "failing",
            "failure",
            "broken",
            "wrong",
            "incorrect",
            "regression",
            "exception",
            "panic",
            "leak",
            "hang",
            "race",
            "vulnerability",
            "injection",
            "typo",
            "corrupt",
            "missing",
            "cannot",
            "repair",
            "correct",
        ],
    ),
    (
        IssueType::Feature,
        &[
            "add",
            "implement",
            "support",
            "introduce",
            "create",
            "new",
            "allow",
            "enable",
            "provide",
            "feature",
            "build",
            "offer",
            "let",
        ],
    ),
    (
        IssueType::Enhancement,
        &[
            "improve",
            "improvement",
            "enhance",
            "enhancement",
            "better",
            "faster",
            "speed",
            "optimize",
            "optimise",
            "extend",
            "polish",
            "performance",
            "accelerate",
            "shorten",
        ],
    ),
    (
        IssueType::Refactor,
        &[
            "refactor",
            "restructure",
            "rename",
            "extract",
            "simplify",
            "split",
            "deduplicate",
            "reorganize",
            "reorganise",
            "decouple",
            "untangle",
            "cleanup",
        ],
    ),
    (
        IssueType::Chore,
        &[
            "bump",
            "upgrade",
            "dependency",
            "dependencies",
            "ci",
            "docs",
            "documentation",
            "readme",
            "lint",
            "release",
            "changelog",
            "chore",
            "license",
            "pin",
            "document",
        ],
    ),
];

const CRITICAL: &[&str] = &[
    "critical",
    "urgent",
    "outage",
    "vulnerability",
    "security",
    "injection",
    "asap",
    "immediately",
    "p0",
    "emergency",
    "exploit",
];
const HIGH: &[&str] = &[
    "high",
    "important",
    "blocker",
    "blocks",
    "blocking",
    "regression",
    "crash",
    "crashes",
    "p1",
    "corrupt",
    "corrupts",
    "severe",
];
const LOW: &[&str] = &[
    "low",
    "minor",
    "trivial",
    "cosmetic",
    "typo",
    "someday",
    "eventually",
    "p3",
    "p4",
    "nitpick",
];

/// Told by labels where there are any, else by words.
pub(super) fn issue_type(title: &str, body: &str, labels: &[&str]) -> IssueType {
    let labelled = labels.iter().find_map(|label| {
        let word = label_word(label);
        IssueType::from_word(&word).or(match word.as_str() {
            "defect" | "regression" => Some(IssueType::Bug),
            "documentation" | "dependencies" | "maintenance" | "ci" => Some(IssueType::Chore),
            "refactoring" | "tech-debt" => Some(IssueType::Refactor),
            _ => None,
        })
    });
    labelled.unwrap_or_else(|| by_words(title, body))
}

fn by_words(title: &str, body: &str) -> IssueType {
    const FIRST: usize = 6;
    const TITLE: usize = 2;
    let signs = |text: &str, list: &[&str]| {
        let found = words(text).filter(|word| is_among(word, list));
        found.count()
    };
    let score = |list: &[&str]| {
        let first = words(title).next();
        let first = usize::from(first.is_some_and(|word| is_among(&word, list)));
        FIRST * first + TITLE * signs(title, list) + signs(body, list).min(3)
    };
    let mut best = (IssueType::Feature, 0);
    for (kind, list) in TYPES {
        let score = score(list);
        if score > best.1 {
            best = (*kind, score);
        }
    }
    best.0
}

pub(super) fn priority(title: &str, body: &str, labels: &[&str]) -> Priority {
    let labelled = labels.iter().find_map(|label| {
        let word = label_word(label);
        Priority::from_word(&word).or(match word.as_str() {
            "p0" | "urgent" => Some(Priority::Critical),
            "p1" => Some(Priority::High),
            "p2" => Some(Priority::Medium),
            "p3" | "p4" => Some(Priority::Low),
            _ => None,
        })
    });
    let says = |list: &[&str]| {
        let title_words = words(title).chain(words(body));
        title_words
            .into_iter()
            .any(|word| list.contains(&word.as_str()))
    };
    labelled.unwrap_or_else(|| {
        if says(CRITICAL) {
            Priority::Critical
        } else if says(HIGH) {
            Priority::High
        } else if says(LOW) || body.contains("nice to have") || title.contains("nice to have") {
            Priority::Low
        } else {
            Priority::Medium
        }
    })
}

fn is_among(word: &str, list: &[&str]) -> bool {
    list.iter()
        .any(|known| *known == word || stem(known) == stem(word))
}

/// `type: bug` and `priority/high` are the words behind their groups.
fn label_word(label: &str) -> String {
    let lower = label.to_lowercase();
    let word = lower.rsplit([':', '/']).next().unwrap_or_default();
    word.trim().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(title: &str, body: &str, labels: &[&str]) -> String {
        let kind = issue_type(title, body, labels).word();
        format!("{kind}, {}", priority(title, body, labels).word())
    }

    #[test]
    fn words_tell_type_and_priority() {
        insta::assert_snapshot!(shown("Add rate limiting to the login endpoint", "", &[]), @"feature, medium");
        insta::assert_snapshot!(shown("Login crashes when the password is empty", "", &[]), @"bug, high");
        insta::assert_snapshot!(shown("SQL injection in the search form", "", &[]), @"bug, critical");
        insta::assert_snapshot!(shown("Fix the new search", "", &[]), @"bug, medium");
        insta::assert_snapshot!(shown("Make the search faster", "", &[]), @"enhancement, medium");
        insta::assert_snapshot!(shown("Rename the module and split it", "", &[]), @"refactor, medium");
        insta::assert_snapshot!(shown("Bump serde", "", &[]), @"chore, medium");
        insta::assert_snapshot!(shown("Typo in the title", "", &[]), @"bug, low");
        insta::assert_snapshot!(shown("Dark mode", "", &[]), @"feature, medium");
    }

    #[test]
    fn labels_outrank_words() {
        insta::assert_snapshot!(shown("Add a test", "", &["type: bug", "priority/high"]), @"bug, high");
        insta::assert_snapshot!(shown("Crash", "", &["enhancement", "P3"]), @"enhancement, low");
    }
}
