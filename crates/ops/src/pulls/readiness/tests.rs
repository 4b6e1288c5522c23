//! The judgement alone, on facts that no forge had to be asked for.

use baton_protocol::Repository;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::Listed;
use baton_remote::github::words::{
    DeploymentState, MergeMethod, MergeState, Mergeable, ReviewDecision,
};

use super::super::code_owners::CodeOwners;
use super::facts::{
    Check, CheckState, Checks, Commit, Deployment, Facts, Files, Queue, QueueEntry, Requested,
    Review, Thread, Verdict,
};
use super::ledger;
use super::rules::{Demand, Rule};
use super::workflows::Workflow;

const HEAD: &str = "1111111111111111111111111111111111111111";

/// Nothing stands in its way.
fn facts() -> Facts {
    Facts {
        repository: Repository::parse("octo/demo").unwrap(),
        number: 12,
        title: "Fix the cart".to_owned(),
        labels: Vec::new(),
        author: Some("octo".to_owned()),
        is_open: true,
        is_draft: false,
        is_from_fork: false,
        base: "main".to_owned(),
        base_exists: true,
        head_branch: "fix/cart".to_owned(),
        head: HEAD.to_owned(),
        head_message: "Fix the cart".to_owned(),
        head_people: vec!["octo".to_owned()],
        is_archived: false,
        methods: vec![MergeMethod::Merge, MergeMethod::Squash],
        auto_merge: None,
        mergeable: Mergeable::Mergeable,
        state: MergeState::Clean,
        decision: None,
        behind_by: Some(0),
        queue: Queue::default(),
        reviews: Listed::default(),
        requested: Vec::new(),
        threads: Listed::default(),
        commits: Listed::default(),
        deployments: Listed::default(),
        checks: Checks::default(),
        files: None,
    }
}

fn listed<T>(items: Vec<T>) -> Listed<T> {
    Listed {
        items,
        truncated: false,
    }
}

fn approval(author: &str, commit: &str) -> Review {
    Review {
        author: author.to_owned(),
        verdict: Verdict::Approved,
        may_push: true,
        commit: Some(commit.to_owned()),
    }
}

fn check(name: &str, state: CheckState) -> Check {
    Check {
        name: name.to_owned(),
        app: Some(15368),
        state,
        word: format!("{state:?}").to_uppercase(),
        run: Some(7),
    }
}

/// `status: evidence -> who: commands` of the one demand.
fn judged(facts: &Facts, demand: Demand) -> String {
    let rules = [Rule {
        demand,
        source: "ruleset".to_owned(),
    }];
    let entries = ledger::of(facts, &rules);
    let entry = entries.iter().find(|entry| entry.source == "ruleset");
    line(entry.expect("a demand is in the ledger"))
}

fn line(entry: &LedgerEntry) -> String {
    let status = match entry.status {
        RuleStatus::Satisfied => "satisfied",
        RuleStatus::Failing => "failing",
        RuleStatus::Unknown => "unknown",
    };
    let mut text = format!("{status}: {}", entry.evidence);
    if let Some(by) = &entry.cleared_by {
        text += &format!("\n  {by}: {}", entry.action.as_deref().unwrap_or_default());
    }
    for command in &entry.commands {
        text += &format!("\n  $ {command}");
    }
    text
}

#[track_caller]
fn each(cases: Vec<(&str, Facts)>, demand: &Demand) -> String {
    let shown = cases
        .into_iter()
        .map(|(name, facts)| format!("{name}: {}", judged(&facts, demand.clone())));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn approvals() {
    let with = |reviews: Vec<Review>| Facts {
        reviews: listed(reviews),
        ..facts()
    };
    let changes = Review {
        verdict: Verdict::ChangesRequested,
        ..approval("reviewer", HEAD)
    };
    let powerless = Review {
        may_push: false,
        ..approval("guest", HEAD)
    };
    let cut = Facts {
        reviews: Listed {
            items: Vec::new(),
            truncated: true,
        },
        ..facts()
    };
    let asked = Facts {
        requested: vec![Requested {
            name: "acme/doors".to_owned(),
            as_code_owner: false,
        }],
        ..facts()
    };
    let cases = vec![
        ("none", facts()),
        ("asked for", asked),
        ("one", with(vec![approval("reviewer", HEAD)])),
        ("own", with(vec![approval("octo", HEAD)])),
        ("powerless", with(vec![powerless])),
        ("changes", with(vec![approval("other", HEAD), changes])),
        ("cut", cut),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Approvals(1)), @"");
}

#[test]
fn the_last_push() {
    let with = |reviews: Vec<Review>| Facts {
        reviews: listed(reviews),
        ..facts()
    };
    let by_committer = Facts {
        head_people: vec!["reviewer".to_owned()],
        ..with(vec![approval("reviewer", HEAD)])
    };
    let known = Facts {
        decision: Some(ReviewDecision::Approved),
        ..by_committer.clone()
    };
    let cases = vec![
        ("none", facts()),
        ("head", with(vec![approval("reviewer", HEAD)])),
        ("older", with(vec![approval("reviewer", "2222222")])),
        ("by who committed", by_committer),
        ("and the forge agrees", known),
    ];
    insta::assert_snapshot!(each(cases, &Demand::LastPush), @"");
}

#[test]
fn code_owners() {
    let with = |owners: &str, reviews: Vec<Review>| Facts {
        reviews: listed(reviews),
        decision: Some(ReviewDecision::ReviewRequired),
        files: Some(Files {
            code_owners: Some(CodeOwners::parse(owners)),
            paths: listed(vec!["src/a.rs".to_owned(), "b.md".to_owned()]),
            ..Files::default()
        }),
        ..facts()
    };
    let by_request = Facts {
        requested: vec![Requested {
            name: "reviewer".to_owned(),
            as_code_owner: true,
        }],
        ..facts()
    };
    let approved = Facts {
        decision: Some(ReviewDecision::Approved),
        ..facts()
    };
    let cases = vec![
        ("the forge says so", approved),
        ("nothing is known", facts()),
        ("asked for", by_request),
        (
            "missing",
            with("src/ @reviewer\n", vec![approval("other", HEAD)]),
        ),
        (
            "there",
            with("src/ @Reviewer\n", vec![approval("reviewer", HEAD)]),
        ),
        (
            "a team, somebody approved",
            with("* @acme/all\n", vec![approval("other", HEAD)]),
        ),
        ("a team, nobody approved", with("* @acme/all\n", Vec::new())),
        ("nobody owns it", with("docs/ @reviewer\n", Vec::new())),
    ];
    insta::assert_snapshot!(each(cases, &Demand::CodeOwners), @"");
}

#[test]
fn conversations() {
    let thread = |is_resolved| Thread {
        id: "PRRT_1".to_owned(),
        is_resolved,
        place: "src/a.rs:7".to_owned(),
    };
    let with = |items: Vec<Thread>, truncated| Facts {
        threads: Listed { items, truncated },
        ..facts()
    };
    let cases = vec![
        ("none", facts()),
        ("resolved", with(vec![thread(true)], false)),
        (
            "open",
            with(vec![thread(true), thread(false), thread(false)], false),
        ),
        ("cut", with(vec![thread(true)], true)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Conversations), @"");
}

fn with_checks(all: Vec<Check>) -> Facts {
    Facts {
        checks: Checks {
            all,
            ..Checks::default()
        },
        ..facts()
    }
}

fn with_workflow(text: &str, facts: Facts) -> Facts {
    Facts {
        files: Some(Files {
            workflows: vec![Workflow::parse(".github/workflows/ci.yml", text).unwrap()],
            paths: listed(vec!["README.md".to_owned()]),
            ..Files::default()
        }),
        ..facts
    }
}

#[test]
fn required_checks() {
    let test = |app| Demand::Check {
        context: "test".to_owned(),
        app,
    };
    let status = Check {
        app: None,
        ..check("test", CheckState::Passed)
    };
    let to_approve = Facts {
        checks: Checks {
            to_approve: vec![77],
            ..Checks::default()
        },
        ..facts()
    };
    let cut = Facts {
        checks: Checks {
            truncated: true,
            ..Checks::default()
        },
        ..facts()
    };
    let skipped = Facts {
        head_message: "Fix [skip ci]".to_owned(),
        ..facts()
    };
    let filtered =
        "on:\n  pull_request:\n    paths: ['src/**']\n  workflow_dispatch:\njobs:\n  test: {}\n";
    let plain = "on: pull_request\njobs:\n  test: {}\n";
    let cases = vec![
        (
            "passed",
            with_checks(vec![check("test", CheckState::Passed)]),
        ),
        (
            "failed",
            with_checks(vec![check("test", CheckState::Failed)]),
        ),
        (
            "under way",
            with_checks(vec![check("test", CheckState::Unfinished)]),
        ),
        (
            "one of two failed",
            with_checks(vec![
                check("test", CheckState::Passed),
                check("test", CheckState::Failed),
            ]),
        ),
        ("missing", facts()),
        (
            "others run",
            with_checks(vec![check("lint", CheckState::Unfinished)]),
        ),
        ("to approve", to_approve),
        ("cut", cut),
        ("filtered out", with_workflow(filtered, facts())),
        ("should have run", with_workflow(plain, facts())),
        ("skipped", with_workflow(plain, skipped)),
        (
            "of nobody",
            with_workflow("on: push\njobs:\n  lint: {}\n", facts()),
        ),
    ];
    insta::assert_snapshot!(each(cases, &test(None)), @"");
    let cases = vec![
        (
            "by the app",
            with_checks(vec![check("test", CheckState::Passed)]),
        ),
        ("by a status", with_checks(vec![status])),
        (
            "of nobody",
            with_workflow("on: push\njobs:\n  lint: {}\n", facts()),
        ),
    ];
    insta::assert_snapshot!(each(cases, &test(Some(15368))), @"");
}

#[test]
fn a_queue_needs_a_trigger_of_its_own() {
    let in_queue = |on: &str| {
        let facts = with_checks(vec![check("test", CheckState::Passed)]);
        let text = format!("on: {on}\njobs:\n  test: {{}}\n");
        Facts {
            queue: Queue {
                is_enabled: true,
                entry: None,
            },
            ..with_workflow(&text, facts)
        }
    };
    let cases = vec![
        ("deaf", in_queue("pull_request")),
        ("heard", in_queue("[pull_request, merge_group]")),
    ];
    let test = Demand::Check {
        context: "test".to_owned(),
        app: None,
    };
    insta::assert_snapshot!(each(cases, &test), @"");
    let entry = |state: &str, is_unmergeable| Facts {
        queue: Queue {
            is_enabled: true,
            entry: Some(QueueEntry {
                position: 2,
                state: state.to_owned(),
                is_unmergeable,
            }),
        },
        ..facts()
    };
    let cases = vec![
        ("not in", facts()),
        ("in", entry("AWAITING_CHECKS", false)),
        ("thrown out", entry("UNMERGEABLE", true)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Queue), @"");
}

#[test]
fn up_to_date() {
    let behind = |behind_by, state| Facts {
        behind_by,
        state,
        ..facts()
    };
    let cases = vec![
        ("yes", facts()),
        ("no", behind(Some(3), MergeState::Blocked)),
        ("the forge says no", behind(None, MergeState::Behind)),
        ("not told", behind(None, MergeState::Clean)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::UpToDate), @"");
}

#[test]
fn signatures() {
    let with = |signature: Option<(bool, &str)>, truncated| Facts {
        commits: Listed {
            items: vec![Commit {
                id: HEAD.to_owned(),
                signature: signature.map(|(is_valid, word)| (is_valid, word.to_owned())),
            }],
            truncated,
        },
        ..facts()
    };
    let cases = vec![
        ("verified", with(Some((true, "VALID")), false)),
        ("unsigned", with(None, false)),
        ("not trusted", with(Some((false, "UNKNOWN_KEY")), false)),
        ("cut", with(Some((true, "VALID")), true)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Signatures), @"");
}

#[test]
fn deployments() {
    let with = |state| Facts {
        deployments: listed(vec![Deployment {
            environment: "staging".to_owned(),
            state: Some(state),
        }]),
        ..facts()
    };
    let cases = vec![
        ("there", with(DeploymentState::Active)),
        ("failed", with(DeploymentState::Failure)),
        ("missing", facts()),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Deployment("staging".to_owned())), @"");
}

#[test]
fn the_way_of_merging() {
    let only = |method| Facts {
        methods: vec![method],
        ..facts()
    };
    let cases = vec![
        ("squash is there", facts()),
        ("merge commits alone", only(MergeMethod::Merge)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::LinearHistory), @"");
    let cases = vec![
        ("one is common", facts()),
        ("none is", only(MergeMethod::Rebase)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Methods(vec![MergeMethod::Squash])), @"");
}

#[test]
fn what_only_others_can_say() {
    let blocked = Facts {
        state: MergeState::Blocked,
        ..facts()
    };
    let demands = [
        Demand::Workflow("ci.yml".to_owned()),
        Demand::CodeScanning("CodeQL".to_owned()),
        Demand::Update,
        Demand::Locked,
        Demand::Pushers {
            viewer_may: Some(true),
        },
        Demand::Pushers {
            viewer_may: Some(false),
        },
        Demand::Pushers { viewer_may: None },
        Demand::Unread {
            what: "there may be a branch protection".to_owned(),
            field: "branches: protected = true".to_owned(),
        },
        Demand::Other("new_rule".to_owned()),
        Demand::Teams {
            patterns: vec!["src/**".to_owned()],
            minimum: 1,
        },
    ];
    let shown = demands.into_iter().map(|demand| {
        format!(
            "{demand:?}\n{}\n{}",
            judged(&facts(), demand.clone()),
            judged(&blocked, demand)
        )
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @"");
}

#[test]
fn its_own_state() {
    let cases = vec![
        facts(),
        Facts {
            is_draft: true,
            mergeable: Mergeable::Conflicting,
            ..facts()
        },
        Facts {
            is_open: false,
            mergeable: Mergeable::NotKnownYet,
            ..facts()
        },
        Facts {
            base_exists: false,
            is_archived: true,
            ..facts()
        },
        Facts {
            title: "WIP: it's $(here)".to_owned(),
            labels: vec!["bug".to_owned(), "do not merge".to_owned()],
            ..facts()
        },
    ];
    let shown = cases.iter().map(|facts| {
        let entries = ledger::of(facts, &[]);
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| format!("{} {}", entry.rule, line(entry)))
            .collect();
        lines.join("\n")
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @"");
}
