//! What an answer claims: every word, switch and count that says yes or none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Words that say that nothing is in the way, as whole values.
const YES: [&str; 14] = [
    "passed",
    "satisfied",
    "approved",
    "APPROVED",
    "yes",
    "clean",
    "CLEAN",
    "none",
    "merged",
    "resolved",
    "up_to_date",
    "not_needed",
    "success",
    "unchanged",
];

/// Switches that say yes by being off.
const GOOD_WHEN_OFF: [&str; 6] = [
    "has_conflicts",
    "breaking_changes_detected",
    "changes_detected",
    "required",
    "draft",
    "is_stacked",
];

/// Switches that say nothing about whether it may go on.
const NEUTRAL: [&str; 7] = [
    "is_bot",
    "is_outdated",
    "can_resolve",
    "from_fork",
    "body_truncated",
    "by_pr_author",
    "upstream_merge_detected",
];

/// Parts of sentences that say yes or none.
const PHRASES: [&str; 13] = [
    "no ci ",
    "no conflict",
    "without conflict",
    "all resolved",
    "istrue for all",
    "is true for all",
    "reviewthreads: none",
    "never will be",
    "no one has approved",
    "not required",
    "nothing is missing",
    "codeowners: no changed file",
    "is merged already",
];

/// Lists and counts whose emptiness says that there is none.
const COUNTS: [&str; 12] = [
    "total_unresolved",
    "total",
    "failures",
    "blocking_issues",
    "conflicts",
    "labels",
    "suggested_reviewers",
    "related_issues",
    "pull_requests",
    "required_checks",
    "required_approvals",
    "similar_prs",
];

/// The claims of an answer that the whole truth does not bear out.
pub(super) fn wrong(truth: &Value, answer: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let (known, said) = (Claims::new(truth), Claims::new(answer));
    for yes in said.yes.difference(&known.yes) {
        wrong.push(format!("says {yes}"));
    }
    for phrase in said.phrases.difference(&known.phrases) {
        wrong.push(format!("says \"{phrase}\" in words"));
    }
    // Less may be known, as long as the answer admits it.
    let admits = answer["unreadable"]
        .as_array()
        .is_some_and(|parts| !parts.is_empty())
        || answer.to_string().contains("could not be read");
    for (place, count) in &known.counts {
        let lost = said.counts.get(place).is_some_and(|said| *said == 0);
        if *count > 0 && lost && (!admits || place.ends_with("total_unresolved")) {
            wrong.push(format!("says that there are no {place} of {count}"));
        }
    }
    wrong
}

#[derive(Default)]
struct Claims {
    yes: BTreeSet<String>,
    phrases: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Claims {
    fn new(answer: &Value) -> Self {
        let mut claims = Self::default();
        claims.read("", "", answer);
        claims
    }

    /// `place` names entries of lists by what they are about.
    fn read(&mut self, place: &str, key: &str, value: &Value) {
        match value {
            Value::Bool(is_on) if !NEUTRAL.contains(&key) => {
                if *is_on != GOOD_WHEN_OFF.contains(&key) {
                    self.yes.insert(format!("{place} = {is_on}"));
                }
            }
            Value::String(text) => self.read_text(place, text),
            Value::Number(number) if COUNTS.contains(&key) => {
                let count = number
                    .as_u64()
                    .and_then(|count| usize::try_from(count).ok());
                self.counts.insert(place.to_owned(), count.unwrap_or(0));
            }
            Value::Array(entries) => {
                if COUNTS.contains(&key) {
                    self.counts.insert(place.to_owned(), entries.len());
                }
                for entry in entries {
                    self.read(&format!("{place}[{}]", name_of(entry)), key, entry);
                }
            }
            // What was withheld is told in words that are about the refusal.
            Value::Object(_) if key == "unreadable" => {}
            Value::Object(fields) => {
                for (name, value) in fields {
                    let dot = if place.is_empty() { "" } else { "." };
                    self.read(&format!("{place}{dot}{name}"), name, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn read_text(&mut self, place: &str, text: &str) {
        if YES.contains(&text) {
            self.yes.insert(format!("{place} = {text}"));
        }
        let text = text.to_lowercase();
        // It names what would have to hold.
        if text.starts_with("not known: ") {
            return;
        }
        let said = PHRASES.iter().filter(|phrase| text.contains(*phrase));
        self.phrases.extend(said.map(ToString::to_string));
    }
}

/// By which an entry is recognized in another answer.
fn name_of(entry: &Value) -> &str {
    let keys = [
        "rule",
        "pr",
        "check_name",
        "path",
        "id",
        "category",
        "name",
        "branch",
    ];
    keys.iter()
        .find_map(|key| entry[key].as_str())
        .unwrap_or("")
}

#[test]
fn claims_that_the_truth_does_not_bear_out_are_found() {
    let truth = serde_json::json!({
        "status": "failed", "ready": false, "has_conflicts": true, "total_unresolved": 2,
        "ledger": [{ "rule": "open", "status": "satisfied" }, { "rule": "approvals", "status": "failing" }],
        "labels": ["wip"], "message": "2 of 3 failed",
    });
    assert!(wrong(&truth, &truth).is_empty());
    let less = serde_json::json!({
        "status": "unknown", "ready": false, "has_conflicts": true, "total_unresolved": 1, "labels": [],
        "unreadable": [{ "what": "labels" }],
    });
    assert!(
        wrong(&truth, &less).is_empty(),
        "{:?}",
        wrong(&truth, &less)
    );
    for (place, lie) in [
        ("/status", serde_json::json!("passed")),
        ("/ready", serde_json::json!(true)),
        ("/has_conflicts", serde_json::json!(false)),
        ("/total_unresolved", serde_json::json!(0)),
        ("/ledger/1/status", serde_json::json!("satisfied")),
        ("/labels", serde_json::json!([])),
        ("/message", serde_json::json!("No CI checks configured")),
    ] {
        let mut answer = truth.clone();
        *answer.pointer_mut(place).unwrap() = lie;
        assert_eq!(wrong(&truth, &answer).len(), 1, "{place}");
    }
}
