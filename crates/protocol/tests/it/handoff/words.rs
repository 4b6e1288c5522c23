//! Which words each edge accepts, exhaustively, and what they come to.

use baton_protocol::handoff::{Handoff, Outcome};

const GENERAL: &[&str] = &["success", "failure", "blocked", "pending", "skipped"];
const WORDS: &[&str] = &[
    "success",
    "failure",
    "blocked",
    "pending",
    "skipped",
    "ready",
    "ready-for-re-review",
    "completed",
    "changes_requested",
    "approved",
    "merged",
    "failed",
];

/// An edge, the field that carries a word, the rest of the document, and the
/// words of its own that the field accepts beside `general` ones.
struct Edge {
    from: &'static str,
    to: &'static str,
    field: &'static str,
    rest: &'static str,
    own: &'static [&'static str],
    general: &'static [&'static str],
}

const PULL: &str =
    "<pr_url>https://a</pr_url><pr_number>1</pr_number><issue_number>2</issue_number>";
const ISSUE: &str = "<issue_url>https://a</issue_url><issue_number>2</issue_number>";

const EDGES: &[Edge] = &[
    Edge {
        from: "issue-manager",
        to: "prep-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{issue}<issue_title>t</issue_title><type>bug</type><priority>low</priority><requirements/>",
    },
    Edge {
        from: "prep-agent",
        to: "implementer-agent",
        field: "status",
        own: &["ready"],
        general: GENERAL,
        rest: "{issue}<branch>b</branch><workspace_path>/w</workspace_path><workspace_type>cloud</workspace_type>",
    },
    Edge {
        from: "implementer-agent",
        to: "reviewer-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{pull}<branch>b</branch>",
    },
    Edge {
        from: "reviewer-agent",
        to: "fixer-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{pull}<review_status>changes_requested</review_status>{review}",
    },
    Edge {
        from: "reviewer-agent",
        to: "fixer-agent",
        field: "review_status",
        own: &["changes_requested"],
        general: &[],
        rest: "{pull}{review}",
    },
    Edge {
        from: "reviewer-agent",
        to: "validator-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{pull}<review_status>approved</review_status><critical_count>0</critical_count><important_count>0</important_count>",
    },
    Edge {
        from: "reviewer-agent",
        to: "validator-agent",
        field: "review_status",
        own: &["approved"],
        general: &[],
        rest: "{pull}<critical_count>0</critical_count><important_count>0</important_count>",
    },
    Edge {
        from: "fixer-agent",
        to: "reviewer-agent",
        field: "status",
        own: &["ready-for-re-review"],
        general: GENERAL,
        rest: "{pull}<fixes_applied/>",
    },
    Edge {
        from: "fixer-agent",
        to: "validator-agent",
        field: "status",
        own: &["skipped", "success"],
        general: &[],
        rest: "{pull}",
    },
    Edge {
        from: "validator-agent",
        to: "closer-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{pull}<merge_status>merged</merge_status><merge_sha>abcd</merge_sha>",
    },
    Edge {
        from: "validator-agent",
        to: "closer-agent",
        field: "merge_status",
        own: &["merged"],
        general: &[],
        rest: "{pull}<merge_sha>abcd</merge_sha>",
    },
    Edge {
        from: "validator-agent",
        to: "fixer-agent",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "{pull}<validation_status>failed</validation_status>{failures}",
    },
    Edge {
        from: "validator-agent",
        to: "fixer-agent",
        field: "validation_status",
        own: &["failed"],
        general: &[],
        rest: "{pull}{failures}",
    },
    Edge {
        from: "fixer-agent",
        to: "orchestrator",
        field: "status",
        own: &["failure", "blocked"],
        general: &[],
        rest: "<error><type>t</type><message>m</message><recoverable>false</recoverable></error>",
    },
    Edge {
        from: "source-agent-name",
        to: "target-agent-name",
        field: "status",
        own: &[],
        general: GENERAL,
        rest: "<issue_number>2</issue_number>",
    },
    Edge {
        from: "",
        to: "",
        field: "status",
        own: &["completed"],
        general: GENERAL,
        rest: "<issue_number>2</issue_number><pr_number>1</pr_number>",
    },
];

fn document(edge: &Edge, word: &str) -> String {
    let field = edge.field;
    let rest = edge
        .rest
        .replace("{pull}", PULL)
        .replace("{issue}", ISSUE)
        .replace("{review}", "<critical_count>0</critical_count><important_count>0</important_count><blocking_issues><issue severity=\"suggestion\">x</issue></blocking_issues>")
        .replace("{failures}", "<failures><failure type=\"test\">x</failure></failures>");
    let word = format!("<{field}>{word}</{field}>");
    if edge.from.is_empty() {
        format!("<workflow-complete>{word}{rest}</workflow-complete>")
    } else {
        let (from, to) = (edge.from, edge.to);
        format!("<handoff><from>{from}</from><to>{to}</to>{word}{rest}</handoff>")
    }
}

#[test]
fn every_edge_accepts_its_words_and_refuses_those_of_others() {
    for edge in EDGES {
        for word in WORDS {
            let legal = edge.own.contains(word) || edge.general.contains(word);
            let read = Handoff::from_xml(document(edge, word).as_bytes());
            let (from, to, field) = (edge.from, edge.to, edge.field);
            match read {
                Ok(_) => assert!(legal, "{from} → {to} accepts {field} `{word}`"),
                Err(error) => {
                    assert!(!legal, "{from} → {to} refuses {field} `{word}`: {error}");
                    let message = error.to_string();
                    assert!(
                        message.contains(&format!("<{field}> is `{word}`; expected ")),
                        "{message}"
                    );
                    assert_eq!(message.lines().count(), 1, "{message}");
                }
            }
        }
    }
}

#[test]
fn a_template_of_legal_words_is_accepted_and_one_with_an_illegal_word_is_not() {
    for edge in EDGES {
        let legal: Vec<&str> = edge.own.iter().chain(edge.general).copied().collect();
        let (first, last) = (legal[0], legal[legal.len() - 1]);
        let template = document(edge, &format!("{first}|{last}"));
        let read = Handoff::from_xml(template.as_bytes()).unwrap();
        assert!(read.require_concrete().is_err());
        assert_eq!(read.outcome(), None, "{template}");
        let template = document(edge, &format!("{first}|nonsense"));
        assert!(Handoff::from_xml(template.as_bytes()).is_err());
    }
}

#[test]
fn words_come_to_one_outcome() {
    let outcome = |from: &str, to: &str, field: &str, word: &str| {
        let edge = EDGES
            .iter()
            .find(|edge| (edge.from, edge.to, edge.field) == (from, to, field))
            .unwrap();
        let handoff = Handoff::from_xml(document(edge, word).as_bytes()).unwrap();
        handoff.outcome().unwrap()
    };
    let prep = |word| outcome("prep-agent", "implementer-agent", "status", word);
    assert_eq!(prep("ready"), Outcome::Success);
    assert_eq!(prep("blocked"), Outcome::Blocked);
    let review = |word| outcome("reviewer-agent", "fixer-agent", "status", word);
    assert_eq!(review("success"), Outcome::ChangesRequested);
    assert_eq!(review("failure"), Outcome::Failure);
    let fix = |word| outcome("fixer-agent", "reviewer-agent", "status", word);
    assert_eq!(fix("ready-for-re-review"), Outcome::Success);
    assert_eq!(
        outcome("fixer-agent", "validator-agent", "status", "skipped"),
        Outcome::Skipped
    );
    assert_eq!(
        outcome("validator-agent", "closer-agent", "merge_status", "merged"),
        Outcome::Success
    );
    assert_eq!(
        outcome(
            "validator-agent",
            "fixer-agent",
            "validation_status",
            "failed"
        ),
        Outcome::ChangesRequested
    );
    assert_eq!(
        outcome("fixer-agent", "orchestrator", "status", "failure"),
        Outcome::Failure
    );
    assert_eq!(outcome("", "", "status", "completed"), Outcome::Success);
}
