//! What does not depend on people or CI: the pull request's own state, holds,
//! and the switches of the branch.

use baton_host::cmd::quote;
use baton_protocol::MergeRule;
use baton_protocol::short;
use baton_protocol::tools::check_merge_readiness::LedgerEntry;
use baton_remote::github::Fact;
use baton_remote::github::enums::{DeploymentState, MergeMethod, MergeState, Mergeable};

use super::facts::{Commit, Facts};
use super::holds::{self, Hold};
use super::ledger::{self, ADMINISTRATOR, ANYBODY_WHO_MAY_WRITE, Clear, Finding, entry};
use super::reviews::and_more;
use super::rules::Rule;

/// What the forge itself asks of every pull request, and what people write on
/// one that must wait.
pub(super) fn entries(facts: &Facts) -> Vec<LedgerEntry> {
    const FORGE: &str = "the forge";
    let mut entries = vec![
        entry(
            MergeRule::Open,
            "the pull request is open",
            FORGE,
            open(facts),
        ),
        entry(MergeRule::Draft, "it is not a draft", FORGE, draft(facts)),
        entry(
            MergeRule::Conflicts,
            format!("it merges with {} without conflicts", facts.base),
            FORGE,
            conflicts(facts),
        ),
    ];
    if facts.is_archived {
        let clear = Clear::new(ADMINISTRATOR, "Unarchive the repository.");
        let finding = Finding::failing("isArchived: true", clear);
        entries.push(entry(
            MergeRule::Archived,
            "the repository takes changes",
            FORGE,
            finding,
        ));
    }
    let labels = match &facts.labels {
        Fact::Known(labels) => labels.as_slice(),
        Fact::Unreadable(unreadable) => {
            let finding = Finding::unreadable(unreadable);
            entries.push(entry(
                MergeRule::Hold,
                "no label asks to wait",
                FORGE,
                finding,
            ));
            &[]
        }
    };
    let holds = holds::find(&facts.title, labels);
    entries.extend(holds.into_iter().map(|hold| held(facts, hold)));
    if let Fact::Unreadable(unreadable) = &facts.decision {
        let finding = Finding::unreadable(unreadable);
        entries.push(entry(
            MergeRule::Approvals,
            "no review is missing",
            FORGE,
            finding,
        ));
    }
    entries
}

fn open(facts: &Facts) -> Finding {
    match &facts.base_exists {
        Fact::Known(true) => {}
        Fact::Known(false) => {
            let gone = format!(
                "The branch {} is gone: choose another one as the base.",
                facts.base
            );
            return Finding::failing("baseRef: null", Clear::new(facts.author_or_writer(), gone));
        }
        Fact::Unreadable(unreadable) => return Finding::unreadable(unreadable),
    }
    if facts.is_open {
        return Finding::satisfied("state: OPEN");
    }
    let clear =
        Clear::new(facts.author_or_writer(), "Open it again.").with(facts.gh_pr("reopen", ""));
    Finding::failing("state: CLOSED", clear)
}

fn draft(facts: &Facts) -> Finding {
    if !facts.is_draft {
        return Finding::satisfied("isDraft: false");
    }
    let clear = Clear::new(facts.author_or_writer(), "Mark it as ready for review.")
        .with(facts.gh_pr("ready", ""));
    Finding::failing("isDraft: true", clear)
}

fn conflicts(facts: &Facts) -> Finding {
    match &facts.mergeable {
        Mergeable::Mergeable => Finding::satisfied("mergeable: MERGEABLE"),
        Mergeable::Conflicting => Finding::failing(
            "mergeable: CONFLICTING",
            Clear::new(
                facts.author_or_writer(),
                "Resolve the conflicts; detect_merge_conflicts has them.",
            )
            .with(facts.gh_pr("checkout", ""))
            .with(format!("git fetch origin {}", quote(&facts.base)))
            .with("git merge --no-edit FETCH_HEAD"),
        ),
        Mergeable::NotKnownYet | Mergeable::Unknown(_) => Finding::unknown(
            format!("mergeable: {}", facts.mergeable.as_str()),
            Clear::new(
                "the forge, in a moment",
                "Ask again; detect_merge_conflicts asks git itself.",
            )
            .with(facts.gh_pr("view", "--json mergeable,mergeStateStatus")),
        ),
    }
}

fn held(facts: &Facts, hold: Hold) -> LedgerEntry {
    let by = facts.author_or_writer();
    let (evidence, clear) = match hold {
        Hold::Label(label) => (
            format!("labels: {label}"),
            Clear::new(by, "Take the label off when it may go in.")
                .with(facts.gh_pr("edit", &format!("--remove-label {}", quote(&label)))),
        ),
        Hold::Title { without } => {
            let clear = Clear::new(by, "Change the title when it may go in.");
            let clear = match without {
                Some(title) => {
                    clear.with(facts.gh_pr("edit", &format!("--title {}", quote(title))))
                }
                None => clear,
            };
            (format!("title: {}", facts.title), clear)
        }
    };
    let finding = Finding::failing(evidence, clear);
    entry(
        MergeRule::Hold,
        "no one asks to wait with it",
        "the people who work on it",
        finding,
    )
}

/// Rules that only the forge can judge. Its own state is the only proof.
pub(super) fn by_the_forge_alone(facts: &Facts, what: &str) -> Finding {
    let evidence = format!("mergeStateStatus: {}", facts.state.as_str().to_uppercase());
    match facts.state {
        MergeState::Clean | MergeState::HasHooks | MergeState::Unstable => {
            Finding::satisfied(evidence)
        }
        _ => Finding::unknown(
            format!("{evidence}; {what} are not told one by one"),
            Clear::new("CI", "Look at the checks on the pull request's page.")
                .with(facts.gh_pr("checks", "")),
        ),
    }
}

pub(super) fn update() -> Finding {
    Finding::failing(
        "rules: update",
        Clear::new(
            "those who may bypass the ruleset",
            "Ask one of them to merge it.",
        ),
    )
}

pub(super) fn locked() -> Finding {
    Finding::failing(
        "lockBranch: true",
        Clear::new(ADMINISTRATOR, "Unlock the branch."),
    )
}

pub(super) fn other() -> Finding {
    Finding::unknown(
        "rules: a rule that this version does not know",
        Clear::new(
            ANYBODY_WHO_MAY_WRITE,
            "Look at the rules on the repository's page.",
        ),
    )
}

pub(super) fn signatures(facts: &Facts) -> Finding {
    let is_bad = |commit: &&Commit| !matches!(&commit.signature, Some((true, _)));
    let bad: Vec<&Commit> = facts.commits.items.iter().filter(is_bad).collect();
    let by = facts.author.clone();
    let clear = Clear::new(
        by.unwrap_or_else(|| "the author of the commits".to_owned()),
        "Sign the commits and push them again.",
    )
    .with(facts.gh_pr("checkout", ""))
    .with(format!("git fetch origin {}", quote(&facts.base)))
    .with("git rebase --gpg-sign --force-rebase FETCH_HEAD")
    .with("git push --force-with-lease");
    if let Some(first) = bad.first() {
        let word = match &first.signature {
            None => "null",
            Some((_, word)) => word,
        };
        let evidence = format!(
            "commits: signature of {} is {word}{}",
            short(&first.id),
            and_more(bad.len() - 1)
        );
        return Finding::failing(evidence, clear);
    }
    if facts.commits.truncated || facts.commits.items.is_empty() {
        return Finding::unknown("commits: not all could be read", clear);
    }
    let count = facts.commits.items.len();
    Finding::satisfied(format!(
        "commits: signature.isValid is true for all {count}"
    ))
}

pub(super) fn methods(facts: &Facts, rules: &[Rule]) -> Finding {
    let methods = ledger::methods(facts, rules);
    let names: Vec<&str> = methods.iter().map(MergeMethod::as_str).collect();
    if names.is_empty() {
        return Finding::failing(
            "mergeCommitAllowed, squashMergeAllowed, rebaseMergeAllowed: none that the rules allow is switched on",
            Clear::new(
                ADMINISTRATOR,
                "Switch on a way of merging that the rules allow.",
            ),
        );
    }
    Finding::satisfied(format!("the repository allows {}", names.join(" and ")))
}

pub(super) fn deployment(facts: &Facts, environment: &str) -> Finding {
    let found = facts
        .deployments
        .items
        .iter()
        .rev()
        .find(|deployment| deployment.environment.eq_ignore_ascii_case(environment));
    let look = quote(format!(
        "repos/{}/deployments?sha={}",
        facts.repository, facts.head
    ));
    let clear = Clear::new(
        "those who deploy or may approve deployments",
        format!("Deploy the head to {environment}."),
    )
    .with(format!("gh api {look}"));
    let state = found.and_then(|deployment| deployment.state.as_ref());
    match state {
        Some(DeploymentState::Active | DeploymentState::Success) => {
            Finding::satisfied(format!("deployments: {environment} = ACTIVE"))
        }
        Some(state) => Finding::failing(
            format!("deployments: {environment} = {}", state.as_str()),
            clear,
        ),
        None if facts.deployments.truncated => Finding::unknown(
            format!("deployments: {environment} is not among those read, and there are more"),
            clear,
        ),
        None => Finding::failing(format!("deployments: none to {environment}"), clear),
    }
}

pub(super) fn queue(facts: &Facts) -> Finding {
    match &facts.queue.entry {
        Some(entry) if entry.is_unmergeable => Finding::failing(
            format!("mergeQueueEntry: {} at {}", entry.state, entry.position),
            Clear::new(
                facts.author_or_writer(),
                "The queue could not merge it: fix what failed and put it in again.",
            )
            .with(facts.gh_pr("checks", "")),
        ),
        Some(entry) => Finding::satisfied(format!(
            "mergeQueueEntry: {} at {}",
            entry.state, entry.position
        )),
        None => Finding::satisfied("isInMergeQueue: false; the merge command puts it in"),
    }
}

pub(super) fn pushers(viewer_may: Option<bool>) -> Finding {
    let clear = Clear::new(
        "those who may push to the branch",
        "Ask one of them to merge it.",
    );
    match viewer_may {
        Some(true) => Finding::satisfied("viewerCanPush: true"),
        Some(false) => Finding::failing("viewerCanPush: false", clear),
        None => Finding::unknown("viewerCanPush: not told", clear),
    }
}
