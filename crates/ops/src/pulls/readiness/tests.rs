//! The judgement alone, on facts that no forge had to be asked for.

use baton_protocol::MergeRule;
use baton_protocol::Repository;
use baton_protocol::code_owners::CodeOwners;
use baton_protocol::tools::check_merge_readiness::{LedgerEntry, RuleStatus};
use baton_remote::github::enums::{
    DeploymentState, MergeMethod, MergeState, Mergeable, ReviewDecision,
};
use baton_remote::github::{Fact, Listed, Unreadable};

use super::super::ci_check::{CiCheck, CiState, RunFacts, Why};
use super::blockers;
use super::demand::Demand;
use super::facts::{
    Checks, Commit, Deployment, Facts, Files, Queue, QueueEntry, Requested, Review, Thread, Verdict,
};
use super::ledger;
use super::rules::Rule;
use super::workflows::Workflow;
use crate::pulls::context::OptionalChecks;

const HEAD: &str = "1111111111111111111111111111111111111111";

/// Nothing stands in its way.
fn facts() -> Facts {
    Facts {
        web_url: "https://github.com".to_owned(),
        repository: Repository::parse("octo/demo").unwrap(),
        id: "PR_12".to_owned(),
        number: 12,
        title: "Fix the cart".to_owned(),
        labels: Fact::Known(Vec::new()),
        author: Some("octo".to_owned()),
        is_open: true,
        is_draft: false,
        is_from_fork: false,
        base: "main".to_owned(),
        base_exists: Fact::Known(true),
        head_branch: "fix/cart".to_owned(),
        head: HEAD.to_owned(),
        head_message: "Fix the cart".to_owned(),
        head_people: Fact::Known(vec!["octo".to_owned()]),
        is_archived: false,
        methods: vec![MergeMethod::Merge, MergeMethod::Squash],
        auto_merge: None,
        mergeable: Mergeable::Mergeable,
        state: MergeState::Clean,
        decision: Fact::Known(None),
        behind_by: Fact::Known(0),
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

fn refused(what: &str) -> Unreadable {
    Unreadable {
        what: what.to_owned(),
        reason: "Resource not accessible by personal access token".to_owned(),
        remedy: "Give the token more permissions.".to_owned(),
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

fn check(name: &str, state: CiState) -> CiCheck {
    let word = match state {
        CiState::Passed => "PASSED",
        CiState::Waiting | CiState::Running => "UNFINISHED",
        CiState::Failed(_) => "FAILED",
    };
    CiCheck {
        app_id: Some(15368),
        word: word.to_owned(),
        run: Some(RunFacts {
            id: 7,
            workflow: "ci".to_owned(),
            event: None,
            created_at: None,
        }),
        ..CiCheck::new(name.to_owned(), state)
    }
}

/// `status: evidence -> who: commands` of the one demand.
fn judged(facts: &Facts, demand: Demand) -> String {
    let rules = [Rule {
        demand,
        source: "ruleset".to_owned(),
    }];
    let entries = ledger::build(facts, &rules, OptionalChecks::Block);
    let entry = entries.iter().find(|entry| entry.source == "ruleset");
    line(entry.expect("a demand is in the ledger"))
}

fn line(entry: &LedgerEntry) -> String {
    let status = match entry.status {
        RuleStatus::Satisfied => "satisfied",
        RuleStatus::Failing => "failing",
        RuleStatus::Unknown => "unknown",
    };
    let mut lines = vec![format!("{status}: {}", entry.evidence)];
    if let Some(by) = &entry.cleared_by {
        let action = entry.action.as_deref().unwrap_or_default();
        lines.push(format!("  {by}: {action}"));
    }
    lines.extend(
        entry
            .commands
            .iter()
            .map(|command| format!("  $ {command}")),
    );
    lines.join("\n")
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
    insta::assert_snapshot!(each(cases, &Demand::Approvals(1)), @"
    none: failing: latestOpinionatedReviews: no one has approved; 0 of 1
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    asked for: failing: latestOpinionatedReviews: no one has approved; 0 of 1
      acme/doors (asked for a review): A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    one: satisfied: latestOpinionatedReviews: APPROVED by reviewer
    own: failing: latestOpinionatedReviews: no one has approved; 0 of 1
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    powerless: failing: latestOpinionatedReviews: no one has approved; 0 of 1
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    changes: failing: latestOpinionatedReviews: CHANGES_REQUESTED by reviewer
      reviewer: Address what was asked for and ask for another review.
      $ gh pr edit 12 --repo octo/demo --add-reviewer reviewer
    cut: unknown: latestOpinionatedReviews: none that was read approves, and there are more reviews
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    ");
}

#[test]
fn the_last_push() {
    let with = |reviews: Vec<Review>| Facts {
        reviews: listed(reviews),
        ..facts()
    };
    let by_committer = Facts {
        head_people: Fact::Known(vec!["reviewer".to_owned()]),
        ..with(vec![approval("reviewer", HEAD)])
    };
    let known = Facts {
        decision: Fact::Known(Some(ReviewDecision::Approved)),
        ..by_committer.clone()
    };
    let cases = vec![
        ("none", facts()),
        ("head", with(vec![approval("reviewer", HEAD)])),
        ("older", with(vec![approval("reviewer", "2222222")])),
        ("by who committed", by_committer),
        ("and the forge agrees", known),
    ];
    insta::assert_snapshot!(each(cases, &Demand::LastPush), @"
    none: failing: latestOpinionatedReviews: no approval of the head 1111111
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    head: satisfied: latestOpinionatedReviews: APPROVED by reviewer at the head 1111111
    older: failing: latestOpinionatedReviews: no approval of the head 1111111
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    by who committed: unknown: the only approval of the head is by reviewer, who also committed it; who pushed is not told
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    and the forge agrees: satisfied: reviewDecision: APPROVED, with the approval of reviewer at the head
    ");
}

#[test]
fn code_owners() {
    let with = |owners: &str, reviews: Vec<Review>| Facts {
        reviews: listed(reviews),
        decision: Fact::Known(Some(ReviewDecision::ReviewRequired)),
        files: Some(Files {
            code_owners: CodeOwners::parse(owners),
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
        decision: Fact::Known(Some(ReviewDecision::Approved)),
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
            "a team, someone approved",
            with("* @acme/all\n", vec![approval("other", HEAD)]),
        ),
        ("a team, no one approved", with("* @acme/all\n", Vec::new())),
        ("no one owns it", with("docs/ @reviewer\n", Vec::new())),
    ];
    insta::assert_snapshot!(each(cases, &Demand::CodeOwners), @"
    the forge says so: satisfied: reviewDecision: APPROVED
    nothing is known: unknown: reviewDecision is not APPROVED, and there is no CODEOWNERS file that can be read
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    asked for: failing: reviewRequests: reviewer as code owner
      reviewer: A code owner approves it.
      $ gh pr review 12 --repo octo/demo --approve
    missing: failing: CODEOWNERS line 1: `src/` belongs to reviewer, for src/a.rs
      reviewer: A code owner approves it.
      $ gh pr review 12 --repo octo/demo --approve
    there: satisfied: CODEOWNERS: an owner of every changed file has approved
    a team, someone approved: unknown: CODEOWNERS line 1: `*` belongs to acme/all, for src/a.rs and 1 more
      acme/all: A code owner approves it.
      $ gh pr review 12 --repo octo/demo --approve
    a team, no one approved: failing: CODEOWNERS line 1: `*` belongs to acme/all, for src/a.rs and 1 more
      acme/all: A code owner approves it.
      $ gh pr review 12 --repo octo/demo --approve
    no one owns it: satisfied: CODEOWNERS: no changed file has an owner
    ");
}

#[test]
fn conversations() {
    let thread = |is_resolved| Thread {
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
    insta::assert_snapshot!(each(cases, &Demand::Conversations), @"
    none: satisfied: reviewThreads: none
    resolved: satisfied: reviewThreads: isResolved is true for all 1
    open: failing: reviewThreads: isResolved is false at src/a.rs:7 and 1 more
      octo, or anybody with write access: Settle each conversation, then resolve it; find_unresolved_comments has them all.
      $ baton pr find-unresolved-comments 'octo/demo#12'
    cut: unknown: reviewThreads: the first 1 are resolved, and there are more
      octo, or anybody with write access: Settle each conversation, then resolve it; find_unresolved_comments has them all.
      $ baton pr find-unresolved-comments 'octo/demo#12'
    ");
}

fn with_checks(all: Vec<CiCheck>) -> Facts {
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
            workflows: Some(vec![
                Workflow::parse(".github/workflows/ci.yml", text).unwrap(),
            ]),
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
    let status = CiCheck {
        app_id: None,
        ..check("test", CiState::Passed)
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
        ("passed", with_checks(vec![check("test", CiState::Passed)])),
        (
            "failed",
            with_checks(vec![check("test", CiState::Failed(Why::Failure))]),
        ),
        (
            "under way",
            with_checks(vec![check("test", CiState::Running)]),
        ),
        (
            "one of two failed",
            with_checks(vec![
                check("test", CiState::Passed),
                check("test", CiState::Failed(Why::Failure)),
            ]),
        ),
        ("missing", facts()),
        (
            "others run",
            with_checks(vec![check("lint", CiState::Running)]),
        ),
        ("to approve", to_approve),
        ("cut", cut),
        ("filtered out", with_workflow(filtered, facts())),
        ("should have run", with_workflow(plain, facts())),
        ("skipped", with_workflow(plain, skipped)),
        (
            "of no workflow",
            with_workflow("on: push\njobs:\n  lint: {}\n", facts()),
        ),
    ];
    insta::assert_snapshot!(each(cases, &test(None)), @"
    passed: satisfied: statusCheckRollup: `test` = PASSED
    failed: failing: statusCheckRollup: `test` = FAILED
      octo, or anybody with write access: Fix what failed, which get_failing_tests tells; run it again only if nothing is wrong with the change.
      $ gh run rerun 7 --failed --repo octo/demo
    under way: failing: statusCheckRollup: `test` = UNFINISHED
      CI: Wait for it.
      $ gh pr checks 12 --repo octo/demo
    one of two failed: failing: statusCheckRollup: `test` = FAILED
      octo, or anybody with write access: Fix what failed, which get_failing_tests tells; run it again only if nothing is wrong with the change.
      $ gh run rerun 7 --failed --repo octo/demo
    missing: failing: statusCheckRollup: `test` is not reported
      the maintainers of CI or the rules: See who has to report it.
      $ gh pr checks 12 --repo octo/demo
    others run: failing: statusCheckRollup: `test` is not reported while others are under way
      CI: Wait for it.
      $ gh pr checks 12 --repo octo/demo
    to approve: failing: statusCheckRollup: `test` is not reported; run 77 waits: action_required
      anybody with write access: Look at the change, then allow its workflows to run.
      $ gh api --method POST repos/octo/demo/actions/runs/77/approve
    cut: unknown: statusCheckRollup: `test` is not reported among the checks that were read, and there are more
      CI: Look at all checks.
      $ gh pr checks 12 --repo octo/demo
    filtered out: failing: statusCheckRollup: `test` is not reported and never will be: .github/workflows/ci.yml: on.pull_request.paths leaves out every changed file
      the maintainers of CI or the rules: Let the workflow always run and skip its jobs with `if`, which counts as passed; or no longer ask for it.
      $ gh workflow run ci.yml --ref fix/cart --repo octo/demo
    should have run: failing: statusCheckRollup: `test` is not reported; its workflow should have run
      the maintainers of CI or the rules: See whether the workflow was started.
      $ gh pr checks 12 --repo octo/demo
    skipped: failing: statusCheckRollup: `test` is not reported and never will be: the head commit says `[skip ci]`
      octo, or anybody with write access: Push a commit that does not say so.
      $ gh pr checkout 12 --repo octo/demo
      $ git commit --allow-empty --message 'Run the checks'
      $ git push
    of no workflow: failing: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
      the maintainers of CI or the rules: Have it reported, or no longer ask for it.
    ");
    let cases = vec![
        (
            "by the app",
            with_checks(vec![check("test", CiState::Passed)]),
        ),
        ("by a status", with_checks(vec![status])),
        (
            "of no workflow",
            with_workflow("on: push\njobs:\n  lint: {}\n", facts()),
        ),
    ];
    insta::assert_snapshot!(each(cases, &test(Some(15368))), @"
    by the app: satisfied: statusCheckRollup: `test` = PASSED
    by a status: unknown: statusCheckRollup: `test` = PASSED, reported by another app than the required one, as far as GitHub says
      the app that the rule names: Let the right app report it.
    of no workflow: failing: statusCheckRollup: `test` is not reported and never will be: no workflow of the head has a job of this name
      the maintainers of CI or the rules: Have it reported, or no longer ask for it.
    ");
}

#[test]
fn a_queue_needs_a_trigger_of_its_own() {
    let in_queue = |on: &str| {
        let facts = with_checks(vec![check("test", CiState::Passed)]);
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
    insta::assert_snapshot!(each(cases, &test), @"
    deaf: failing: .github/workflows/ci.yml: `on` has no `merge_group`, so that `test` never reports in the merge queue
      anybody with write access: Add `merge_group:` to `on` in .github/workflows/ci.yml.
    heard: satisfied: statusCheckRollup: `test` = PASSED
    ");
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
    insta::assert_snapshot!(each(cases, &Demand::Queue), @"
    not in: satisfied: isInMergeQueue: false; the merge command puts it in
    in: satisfied: mergeQueueEntry: AWAITING_CHECKS at 2
    thrown out: failing: mergeQueueEntry: UNMERGEABLE at 2
      octo, or anybody with write access: The queue could not merge it: fix what failed and put it in again.
      $ gh pr checks 12 --repo octo/demo
    ");
}

#[test]
fn up_to_date() {
    let behind = |behind_by, state| Facts {
        state,
        behind_by,
        ..facts()
    };
    let cases = vec![
        ("yes", facts()),
        ("no", behind(Fact::Known(3), MergeState::Blocked)),
        (
            "the forge says no",
            behind(
                Fact::Unreadable(refused("the comparison")),
                MergeState::Behind,
            ),
        ),
        (
            "not told",
            behind(
                Fact::Unreadable(refused("the comparison")),
                MergeState::Clean,
            ),
        ),
    ];
    insta::assert_snapshot!(each(cases, &Demand::UpToDate), @"
    yes: satisfied: compare: behind_by = 0
    no: failing: compare: behind_by = 3
      octo, or anybody with write access: Bring the base branch in.
      $ gh api --method PUT repos/octo/demo/pulls/12/update-branch -f expected_head_sha=1111111111111111111111111111111111111111
    the forge says no: failing: mergeStateStatus: BEHIND
      octo, or anybody with write access: Bring the base branch in.
      $ gh api --method PUT repos/octo/demo/pulls/12/update-branch -f expected_head_sha=1111111111111111111111111111111111111111
    not told: unknown: the comparison could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.
    ");
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
    insta::assert_snapshot!(each(cases, &Demand::Signatures), @"
    verified: satisfied: commits: signature.isValid is true for all 1
    unsigned: failing: commits: signature of 1111111 is null
      octo: Sign the commits and push them again.
      $ gh pr checkout 12 --repo octo/demo
      $ git fetch origin main
      $ git rebase --gpg-sign --force-rebase FETCH_HEAD
      $ git push --force-with-lease
    not trusted: failing: commits: signature of 1111111 is UNKNOWN_KEY
      octo: Sign the commits and push them again.
      $ gh pr checkout 12 --repo octo/demo
      $ git fetch origin main
      $ git rebase --gpg-sign --force-rebase FETCH_HEAD
      $ git push --force-with-lease
    cut: unknown: commits: not all could be read
      octo: Sign the commits and push them again.
      $ gh pr checkout 12 --repo octo/demo
      $ git fetch origin main
      $ git rebase --gpg-sign --force-rebase FETCH_HEAD
      $ git push --force-with-lease
    ");
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
    insta::assert_snapshot!(each(cases, &Demand::Deployment("staging".to_owned())), @"
    there: satisfied: deployments: staging = ACTIVE
    failed: failing: deployments: staging = FAILURE
      those who deploy or may approve deployments: Deploy the head to staging.
      $ gh api 'repos/octo/demo/deployments?sha=1111111111111111111111111111111111111111'
    missing: failing: deployments: none to staging
      those who deploy or may approve deployments: Deploy the head to staging.
      $ gh api 'repos/octo/demo/deployments?sha=1111111111111111111111111111111111111111'
    ");
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
    insta::assert_snapshot!(each(cases, &Demand::LinearHistory), @"
    squash is there: satisfied: the repository allows squash
    merge commits alone: failing: mergeCommitAllowed, squashMergeAllowed, rebaseMergeAllowed: none that the rules allow is switched on
      an administrator of the repository: Switch on a way of merging that the rules allow.
    ");
    let cases = vec![
        ("one is common", facts()),
        ("none is", only(MergeMethod::Rebase)),
    ];
    insta::assert_snapshot!(each(cases, &Demand::Methods(vec![MergeMethod::Squash])), @"
    one is common: satisfied: the repository allows squash
    none is: failing: mergeCommitAllowed, squashMergeAllowed, rebaseMergeAllowed: none that the rules allow is switched on
      an administrator of the repository: Switch on a way of merging that the rules allow.
    ");
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
            remedy: "Ask with a token that may read them.".to_owned(),
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
            judged(&blocked, demand.clone())
        )
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @r#"
    Workflow("ci.yml")
    satisfied: mergeStateStatus: CLEAN
    unknown: mergeStateStatus: BLOCKED; the runs of required workflows are not told one by one
      CI: Look at the checks on the pull request's page.
      $ gh pr checks 12 --repo octo/demo

    CodeScanning("CodeQL")
    satisfied: mergeStateStatus: CLEAN
    unknown: mergeStateStatus: BLOCKED; the results of code scanning are not told one by one
      CI: Look at the checks on the pull request's page.
      $ gh pr checks 12 --repo octo/demo

    Update
    failing: rules: update
      those who may bypass the ruleset: Ask one of them to merge it.
    failing: rules: update
      those who may bypass the ruleset: Ask one of them to merge it.

    Locked
    failing: lockBranch: true
      an administrator of the repository: Unlock the branch.
    failing: lockBranch: true
      an administrator of the repository: Unlock the branch.

    Pushers { viewer_may: Some(true) }
    satisfied: viewerCanPush: true
    satisfied: viewerCanPush: true

    Pushers { viewer_may: Some(false) }
    failing: viewerCanPush: false
      those who may push to the branch: Ask one of them to merge it.
    failing: viewerCanPush: false
      those who may push to the branch: Ask one of them to merge it.

    Pushers { viewer_may: None }
    unknown: viewerCanPush: not told
      those who may push to the branch: Ask one of them to merge it.
    unknown: viewerCanPush: not told
      those who may push to the branch: Ask one of them to merge it.

    Unread { what: "there may be a branch protection", field: "branches: protected = true", remedy: "Ask with a token that may read them." }
    unknown: branches: protected = true
      an administrator of the repository: Ask with a token that may read them.
    unknown: branches: protected = true
      an administrator of the repository: Ask with a token that may read them.

    Other("new_rule")
    unknown: rules: a rule that this version does not know
      anybody with write access: Look at the rules on the repository's page.
    unknown: rules: a rule that this version does not know
      anybody with write access: Look at the rules on the repository's page.

    Teams { patterns: ["src/**"], minimum: 1 }
    unknown: reviewDecision is not APPROVED, and who is in the team is not told
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    unknown: reviewDecision is not APPROVED, and who is in the team is not told
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    "#);
}

#[test]
fn its_own_state() {
    let cases = [
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
            base_exists: Fact::Known(false),
            is_archived: true,
            ..facts()
        },
        Facts {
            title: "WIP: it's $(here)".to_owned(),
            labels: Fact::Known(vec!["bug".to_owned(), "do not merge".to_owned()]),
            ..facts()
        },
    ];
    let shown = cases.iter().map(|facts| {
        let entries = ledger::build(facts, &[], OptionalChecks::Block);
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| format!("{} {}", entry.rule, line(entry)))
            .collect();
        lines.join("\n")
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @r"
    open satisfied: state: OPEN
    draft satisfied: isDraft: false
    conflicts satisfied: mergeable: MERGEABLE

    draft failing: isDraft: true
      octo, or anybody with write access: Mark it as ready for review.
      $ gh pr ready 12 --repo octo/demo
    conflicts failing: mergeable: CONFLICTING
      octo, or anybody with write access: Resolve the conflicts; detect_merge_conflicts has them.
      $ gh pr checkout 12 --repo octo/demo
      $ git fetch origin main
      $ git merge --no-edit FETCH_HEAD
    open satisfied: state: OPEN

    open failing: state: CLOSED
      octo, or anybody with write access: Open it again.
      $ gh pr reopen 12 --repo octo/demo
    conflicts unknown: mergeable: UNKNOWN
      the forge, in a moment: Ask again; detect_merge_conflicts asks git itself.
      $ gh pr view 12 --repo octo/demo --json mergeable,mergeStateStatus
    draft satisfied: isDraft: false

    open failing: baseRef: null
      octo, or anybody with write access: The branch main is gone: choose another one as the base.
    archived failing: isArchived: true
      an administrator of the repository: Unarchive the repository.
    draft satisfied: isDraft: false
    conflicts satisfied: mergeable: MERGEABLE

    hold failing: labels: do not merge
      octo, or anybody with write access: Take the label off when it may go in.
      $ gh pr edit 12 --repo octo/demo --remove-label 'do not merge'
    hold failing: title: WIP: it's $(here)
      octo, or anybody with write access: Change the title when it may go in.
      $ gh pr edit 12 --repo octo/demo --title 'it'\''s $(here)'
    open satisfied: state: OPEN
    draft satisfied: isDraft: false
    conflicts satisfied: mergeable: MERGEABLE
    ");
}

#[test]
fn what_is_withheld_is_never_satisfied() {
    let with_checks = |checks: Checks| Facts { checks, ..facts() };
    let cases = [
        Facts {
            labels: Fact::Unreadable(refused("the labels")),
            ..facts()
        },
        Facts {
            base_exists: Fact::Unreadable(refused("the base branch")),
            ..facts()
        },
        Facts {
            decision: Fact::Unreadable(refused("the review decision")),
            ..facts()
        },
        with_checks(Checks {
            all: vec![check("test", CiState::Passed)],
            doubts: vec![refused("1 of 2 checks of the head")],
            ..Checks::default()
        }),
        with_checks(Checks {
            all: vec![check("test", CiState::Passed)],
            truncated: true,
            ..Checks::default()
        }),
    ];
    let shown = cases.iter().map(|facts| {
        let entries = ledger::build(facts, &[], OptionalChecks::Ignore);
        let open = entries
            .iter()
            .filter(|entry| entry.status != RuleStatus::Satisfied);
        let lines: Vec<String> = open
            .map(|entry| format!("{} {}", entry.rule, line(entry)))
            .collect();
        lines.join("\n")
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @"
    hold unknown: the labels could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.

    open unknown: the base branch could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.

    approvals unknown: the review decision could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.

    ci unknown: 1 of 2 checks of the head could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.

    ci unknown: statusCheckRollup: more checks than were read
      CI: Look at all checks.
      $ gh pr checks 12 --repo octo/demo
    ");
    let cut = Facts {
        reviews: Listed {
            items: vec![approval("reviewer", HEAD)],
            truncated: true,
        },
        ..facts()
    };
    let decided = Facts {
        decision: Fact::Known(Some(ReviewDecision::Approved)),
        ..cut.clone()
    };
    let cases = vec![("one is missing", cut), ("the forge decided", decided)];
    insta::assert_snapshot!(each(cases, &Demand::Approvals(1)), @"
    one is missing: unknown: latestOpinionatedReviews: APPROVED by reviewer, and there are more reviews
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    the forge decided: satisfied: reviewDecision: APPROVED
    ");
    let people = Facts {
        head_people: Fact::Unreadable(refused("the people of the head")),
        reviews: listed(vec![approval("reviewer", HEAD)]),
        ..facts()
    };
    insta::assert_snapshot!(judged(&people, Demand::LastPush), @"
    unknown: the head is approved by reviewer; the people of the head could not be read: Resource not accessible by personal access token
      anybody with write access other than octo: A reviewer approves it.
      $ gh pr review 12 --repo octo/demo --approve
    ");
    let doubtful = Facts {
        checks: Checks {
            all: vec![check("test", CiState::Passed)],
            doubts: vec![refused("1 of 2 checks of the head")],
            ..Checks::default()
        },
        ..facts()
    };
    let required = |context: &str| Demand::Check {
        context: context.to_owned(),
        app: None,
    };
    insta::assert_snapshot!(format!("{}\n{}", judged(&doubtful, required("test")), judged(&doubtful, required("lint"))), @"
    unknown: statusCheckRollup: `test` = PASSED, and 1 of 2 checks of the head could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.
    unknown: statusCheckRollup: `lint` is not reported, and 1 of 2 checks of the head could not be read: Resource not accessible by personal access token
      the owner of the token: Give the token more permissions.
    ");
}

#[test]
fn checks_that_no_rule_requires() {
    let facts = Facts {
        checks: Checks {
            all: vec![
                check("docs", CiState::Running),
                check("lint", CiState::Failed(Why::Failure)),
                check("test", CiState::Passed),
            ],
            to_approve: vec![9],
            ..Checks::default()
        },
        ..facts()
    };
    let of = |optional| {
        let entries = ledger::build(&facts, &[], optional);
        let of_ci = entries.iter().filter(|entry| entry.rule == MergeRule::Ci);
        let lines: Vec<String> = of_ci
            .map(|entry| format!("{}\n{}", blockers::describe(entry, &facts), line(entry)))
            .collect();
        lines.join("\n")
    };
    insta::assert_snapshot!(of(OptionalChecks::Block), @r#"
    check `docs` has not ended, and no rule requires it
    failing: statusCheckRollup: `docs` = UNFINISHED
      CI: Wait for it.
      $ gh pr checks 12 --repo octo/demo
    check `lint` failed, and no rule requires it
    failing: statusCheckRollup: `lint` = FAILED
      octo, or anybody with write access: Fix what failed, which get_failing_tests tells; run it again only if nothing is wrong with the change. With `readiness.optional_checks = "ignore"` in your configuration it does not stand in the way.
      $ gh run rerun 7 --failed --repo octo/demo
    not every workflow is allowed to run, and no rule requires it
    failing: run 9 waits: action_required
      anybody with write access: Look at the change, then allow its workflows to run.
      $ gh api --method POST repos/octo/demo/actions/runs/9/approve
    "#);
    assert_eq!(of(OptionalChecks::Ignore), "");
}
