//! Strategies for handoffs of every kind, with text that XML and JSON have to
//! escape.

use std::num::{NonZeroU16, NonZeroU64};

use baton_protocol::handoff::xml::Element;
use baton_protocol::handoff::{
    Agent, AgentFailed, AppliedFix, Approved, BlockingIssue, ChangesRequested, Choice, Commit,
    Envelope, ErrorDetails, Fixed, Handoff, HttpUrl, Implemented, IssueReady, Line, Location,
    Merged, Metrics, Moment, NothingToFix, Percentage, Severity, Sha, ValidationFailed,
    ValidationFailure, ValidationSummary, Vocabulary, WorkflowComplete, WorkspaceChecks,
    WorkspaceReady,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A struct from a strategy per field; tuples have too few places for it, so
/// they are nested, as types and as patterns.
macro_rules! fields {
    ($type:ident { $($field:ident: $strategy:tt,)* }) => {
        nested!($($strategy,)*)
            .prop_map(|nested!($($field,)*)| $type { $($field),* })
            .boxed()
    };
}

macro_rules! nested {
    ($last:tt,) => { ($last,) };
    ($first:tt, $($rest:tt,)+) => { ($first, nested!($($rest,)+)) };
}

fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        4 => select(vec!['<', '>', '&', '"', '\'', ']', '\n', '\r', '\t', ' ', '|', ';', '#']),
        4 => proptest::char::range('a', 'z'),
        1 => any::<char>().prop_filter("XML has no such character", |character| {
            matches!(character, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
        }),
    ]
}

fn text() -> BoxedStrategy<String> {
    vec(character(), 0..24).prop_map(String::from_iter).boxed()
}

fn filled() -> BoxedStrategy<String> {
    (text(), "[a-z]", text())
        .prop_map(|(before, letter, after)| before + &letter + &after)
        .boxed()
}

fn line() -> BoxedStrategy<Line> {
    filled()
        .prop_map(|text| {
            let text: String = text.chars().filter(|found| !found.is_control()).collect();
            text.trim().parse().unwrap()
        })
        .boxed()
}

fn number() -> BoxedStrategy<NonZeroU64> {
    any::<NonZeroU64>().boxed()
}

/// Ends in letters, so that it cannot contradict a number.
fn url() -> BoxedStrategy<HttpUrl> {
    "https?://[a-z.]{1,9}(:[0-9]{1,4})?(/[a-z0-9&?=%_-]{0,9}){0,3}/[a-z]{1,5}"
        .prop_map(|url| url.parse().unwrap())
        .boxed()
}

fn moment() -> BoxedStrategy<Moment> {
    let date = "2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])";
    let time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])";
    (date, time)
        .prop_map(|(date, time)| format!("{date}T{time}").parse().unwrap())
        .boxed()
}

fn percentage() -> BoxedStrategy<Percentage> {
    "(100|[0-9]{1,2}(\\.[0-9]{1,6})?)%"
        .prop_map(|text| text.parse().unwrap())
        .boxed()
}

fn sha() -> BoxedStrategy<Sha> {
    "[0-9a-fA-F]{4,64}"
        .prop_map(|text| text.parse().unwrap())
        .boxed()
}

fn location() -> BoxedStrategy<Location> {
    text().prop_map(|text| text.as_str().into()).boxed()
}

fn choice<T: Vocabulary>() -> BoxedStrategy<Choice<T>> {
    let word = select(T::WORDS).prop_map(|word| T::from_word(word).unwrap());
    prop_oneof![
        3 => word.clone().prop_map(Choice::Word),
        1 => vec(word, 2..4).prop_map(Choice::Template),
    ]
    .boxed()
}

/// A tree in the form in which parsing leaves it: no layout, no empty text.
pub(super) fn element() -> BoxedStrategy<Element> {
    let attributes = vec(("u_[a-z]{1,6}", text()), 0..4);
    let empty = ("u_[a-zäß0-9.-]{1,8}", attributes)
        .prop_map(|(name, attributes)| {
            let mut element = Element::new(&name).unwrap();
            for (name, value) in attributes {
                element.set_attribute(&name, &value).unwrap();
            }
            element
        })
        .boxed();
    let leaf = (empty.clone(), text()).prop_map(|(mut element, text)| {
        element.push_text(&text);
        element
    });
    leaf.prop_recursive(4, 16, 3, move |child| {
        let mixed = vec((child, of(filled())), 1..4);
        (empty.clone(), mixed, any::<bool>()).prop_map(|(mut element, nodes, with_text)| {
            for (child, text) in nodes {
                element.push_element(child);
                if with_text {
                    element.push_text(&text.unwrap_or_default());
                }
            }
            element
        })
    })
    .boxed()
}

/// A name of the protocol as the XSD declares it.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    /// For a list, the name of its items and their attributes.
    pub(super) items: Option<(String, Vec<String>)>,
}

/// Values of which each form accepts some and refuses others.
const VALUES: &[&str] = &[
    "",
    " ",
    "0",
    "7",
    " 70000\n",
    "007",
    "96%",
    "960%",
    "true",
    "abcd",
    "fine",
    "high",
    "bug",
    "cloud",
    "squash",
    "success",
    "ready",
    "completed | skipped",
    "success|fine",
    "approved",
    "changes_requested",
    "merged",
    "failed",
    "critical",
    "https://forge.example/7",
    "2031-05-06T07:08:09Z",
    "2031-05-06",
];

/// A tree in which elements bear names of the protocol, with content that may
/// or may not be what the protocol means by them.
pub(super) fn borrowed(names: Vec<Declared>) -> BoxedStrategy<Element> {
    let lists: Vec<Declared> = names
        .iter()
        .filter(|declared| declared.items.is_some())
        .cloned()
        .collect();
    let name = prop_oneof![
        4 => select(names).prop_map(|declared| declared.name),
        1 => "u_[a-z]{1,4}",
    ]
    .boxed();
    let leaf = (name.clone(), select(VALUES)).prop_map(|(name, value)| {
        let mut element = Element::new(&name).unwrap();
        element.push_text(value);
        element
    });
    let leaf = prop_oneof![3 => leaf, 1 => list(lists)];
    let attribute = select(vec![
        ("xmlns", "urn:example:own"),
        ("xmlns", ""),
        ("xmlns:u", "urn:example:own"),
        ("xml:lang", "de"),
        ("type", "test"),
    ]);
    let attribute = prop_oneof![3 => Just(None), 1 => attribute.prop_map(Some)];
    leaf.prop_recursive(3, 8, 2, move |child| {
        let text = prop_oneof![4 => Just(""), 1 => select(VALUES)];
        (name.clone(), attribute.clone(), vec(child, 0..3), text).prop_map(
            |(name, attribute, children, text)| {
                let mut element = Element::new(&name).unwrap();
                if let Some((name, value)) = attribute {
                    element.set_attribute(name, value).unwrap();
                }
                for child in children {
                    element.push_element(child);
                }
                element.push_text(text);
                element
            },
        )
    })
    .boxed()
}

/// A list of the protocol with its items, mostly.
fn list(lists: Vec<Declared>) -> BoxedStrategy<Element> {
    let item = (vec(select(VALUES), 4), 0..8_usize);
    (select(lists), vec(item, 0..3), 0..9_usize)
        .prop_map(|(declared, contents, stranger)| {
            let (item, attributes) = declared.items.unwrap();
            let mut list = Element::new(&declared.name).unwrap();
            for (values, attributes_left_out) in contents {
                let name = if stranger == 0 { "u_item" } else { &item };
                let mut child = Element::new(name).unwrap();
                child.push_text(values[0]);
                let kept = attributes.iter().skip(attributes_left_out / 6);
                for (attribute, value) in kept.zip(&values[1..]) {
                    child.set_attribute(attribute, value).unwrap();
                }
                list.push_element(child);
            }
            list
        })
        .boxed()
}

fn other() -> BoxedStrategy<Vec<Element>> {
    vec(element(), 0..3).boxed()
}

fn issue_ready() -> BoxedStrategy<IssueReady> {
    fields!(IssueReady {
        timestamp: (of(moment())),
        issue_url: (url()),
        issue_number: (number()),
        issue_title: (filled()),
        issue_type: (choice()),
        priority: (choice()),
        pr_url: (of(url())),
        pr_number: (of(number())),
        status: (of(choice())),
        summary: (of(text())),
        requirements: (vec(text(), 0..3)),
        other: (other()),
    })
}

fn workspace_ready() -> BoxedStrategy<WorkspaceReady> {
    let checks = fields!(WorkspaceChecks {
        dependencies: (of(line())),
        build: (of(line())),
        dev_server: (of(line())),
        other: (other()),
    });
    fields!(WorkspaceReady {
        timestamp: (of(moment())),
        issue_url: (url()),
        issue_number: (number()),
        pr_url: (of(url())),
        pr_number: (of(number())),
        branch: (line()),
        workspace_path: (line()),
        workspace_type: (choice()),
        port: (of(any::<NonZeroU16>())),
        status: (choice()),
        summary: (of(text())),
        validation: (of(checks)),
        other: (other()),
    })
}

fn implemented() -> BoxedStrategy<Implemented> {
    let commit = fields!(Commit {
        sha: (sha()),
        message: (text()),
    });
    fields!(Implemented {
        timestamp: (of(moment())),
        issue_url: (of(url())),
        issue_number: (number()),
        pr_url: (url()),
        pr_number: (number()),
        branch: (line()),
        status: (of(choice())),
        summary: (of(text())),
        files_changed: (of(any::<u64>())),
        tests_added: (of(any::<u64>())),
        coverage: (of(percentage())),
        commits: (of(vec(commit, 0..3))),
        other: (other()),
    })
}

fn changes_requested() -> BoxedStrategy<ChangesRequested> {
    let issue = fields!(BlockingIssue {
        location: (of(location())),
        severity: (choice::<Severity>()),
        description: (text()),
    });
    fields!(ChangesRequested {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        review_status: (choice()),
        critical_count: (4..99_u64),
        important_count: (4..99_u64),
        suggestion_count: (of(4..99_u64)),
        status: (of(choice())),
        summary: (of(text())),
        blocking_issues: (vec(issue, 1..4)),
        other: (other()),
    })
}

fn approved() -> BoxedStrategy<Approved> {
    fields!(Approved {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        review_status: (choice()),
        critical_count: (Just(0)),
        important_count: (any::<u64>()),
        suggestion_count: (of(any::<u64>())),
        status: (of(choice())),
        summary: (of(text())),
        other: (other()),
    })
}

fn fixed() -> BoxedStrategy<Fixed> {
    let fix = fields!(AppliedFix {
        location: (of(location())),
        description: (text()),
    });
    fields!(Fixed {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        status: (choice()),
        summary: (of(text())),
        fixes_applied: (vec(fix, 0..3)),
        commits_added: (of(any::<u64>())),
        other: (other()),
    })
}

fn nothing_to_fix() -> BoxedStrategy<NothingToFix> {
    fields!(NothingToFix {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        status: (choice()),
        summary: (of(text())),
        other: (other()),
    })
}

fn merged() -> BoxedStrategy<Merged> {
    let summary = fields!(ValidationSummary {
        tests: (of(line())),
        coverage: (of(percentage())),
        lint: (of(line())),
        type_check: (of(line())),
        security: (of(line())),
        other: (other()),
    });
    fields!(Merged {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        merge_status: (choice()),
        merge_sha: (sha()),
        merge_strategy: (of(choice())),
        status: (of(choice())),
        summary: (of(text())),
        validation_summary: (of(summary)),
        other: (other()),
    })
}

fn validation_failed() -> BoxedStrategy<ValidationFailed> {
    let failure = fields!(ValidationFailure {
        failure_type: (line()),
        description: (text()),
    });
    fields!(ValidationFailed {
        timestamp: (of(moment())),
        pr_url: (url()),
        pr_number: (number()),
        issue_url: (of(url())),
        issue_number: (number()),
        validation_status: (choice()),
        status: (of(choice())),
        summary: (of(text())),
        failures: (vec(failure, 1..3)),
        other: (other()),
    })
}

fn agent_failed() -> BoxedStrategy<AgentFailed> {
    let error = fields!(ErrorDetails {
        error_type: (line()),
        message: (filled()),
        details: (of(text())),
        recoverable: (any::<bool>()),
        suggested_action: (of(text())),
        other: (other()),
    });
    let senders: Vec<Agent> = Agent::ALL
        .iter()
        .copied()
        .filter(|agent| *agent != Agent::Orchestrator)
        .collect();
    fields!(AgentFailed {
        from: (select(senders)),
        timestamp: (of(moment())),
        issue_url: (of(url())),
        issue_number: (of(number())),
        pr_url: (of(url())),
        pr_number: (of(number())),
        status: (choice()),
        summary: (of(text())),
        error: (error),
        other: (other()),
    })
}

fn workflow_complete() -> BoxedStrategy<WorkflowComplete> {
    let metrics = fields!(Metrics {
        review_iterations: (of(any::<u64>())),
        total_commits: (of(any::<u64>())),
        tests_added: (of(any::<u64>())),
        coverage: (of(percentage())),
        other: (other()),
    });
    fields!(WorkflowComplete {
        timestamp: (of(moment())),
        issue_number: (number()),
        issue_url: (of(url())),
        pr_number: (number()),
        pr_url: (of(url())),
        status: (choice()),
        cycle_time: (of(line())),
        summary: (of(text())),
        metrics: (of(metrics)),
        actions_taken: (of(vec(text(), 0..3))),
        other: (other()),
    })
}

fn envelope() -> BoxedStrategy<Envelope> {
    fields!(Envelope {
        timestamp: (of(moment())),
        issue_url: (of(url())),
        issue_number: (number()),
        pr_url: (of(url())),
        pr_number: (of(number())),
        status: (choice()),
        summary: (of(text())),
        other: (other()),
    })
}

/// A valid handoff of any kind.
pub(super) fn handoff() -> impl Strategy<Value = Handoff> {
    prop_oneof![
        issue_ready().prop_map(Handoff::IssueReady),
        workspace_ready().prop_map(Handoff::WorkspaceReady),
        implemented().prop_map(Handoff::Implemented),
        changes_requested().prop_map(Handoff::ChangesRequested),
        approved().prop_map(Handoff::Approved),
        fixed().prop_map(Handoff::Fixed),
        nothing_to_fix().prop_map(Handoff::NothingToFix),
        merged().prop_map(Handoff::Merged),
        validation_failed().prop_map(Handoff::ValidationFailed),
        agent_failed().prop_map(Handoff::AgentFailed),
        workflow_complete().prop_map(Handoff::WorkflowComplete),
        envelope().prop_map(Handoff::Envelope),
    ]
}
