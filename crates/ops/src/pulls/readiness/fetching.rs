//! Asks the forge for all that the ledger needs, side by side where it can.

use std::time::Duration;

use baton_protocol::Repository;
use baton_protocol::code_owners::CodeOwners;
use baton_remote::github::enums::{
    CheckConclusion, CheckStatus, MergeMethod, Mergeable, Permission, PullState, QueueEntryState,
    ReviewDecision, ReviewState, StatusState,
};
use baton_remote::github::questions::head_checks::HeadChecks;
use baton_remote::github::questions::merge_readiness::{
    BaseRef, MergeReadiness, RequestedReviewer,
};
use baton_remote::github::questions::pull_request_checks::{Check as Reported, Suite};
use baton_remote::github::questions::readiness_files::ReadinessFiles;
use baton_remote::github::resources::contents::TextFile;
use baton_remote::github::{Fact, GitHubError, Listed, Unreadable};

use super::super::ci_check::{CiCheck, RunFacts};
use super::super::context::PullContext;
use super::super::newest;
use super::demand::Demand;
use super::facts::{
    Checks, Commit, Deployment, Facts, Files, Queue, QueueEntry, Requested, Review, Thread, Verdict,
};
use super::rules::{self, Classic, Rule};
use super::workflows::Workflow;
use crate::error::OpError;

/// The forge tries the merge in the background when it is first asked. This
/// often it is asked again, each time after twice the pause.
const MAX_LOOKS: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(150);

/// All that is known.
pub(super) struct Found {
    pub(super) facts: Facts,
    pub(super) rules: Vec<Rule>,
    pub(super) circumstances: Circumstances,
    pub(super) unreadable: Vec<Unreadable>,
}

/// What is no reason for or against a merge and good to know.
#[derive(Clone, Debug, Default)]
pub(super) struct Circumstances {
    /// Open pull requests from the branch that this one goes to.
    pub(super) stacked_on: Vec<u32>,
    /// The forge's own stack has another base than the pull request.
    pub(super) is_in_native_stack: bool,
    pub(super) may_write: bool,
    pub(super) may_merge_as_admin: bool,
}

pub(super) async fn all(
    cx: &PullContext,
    repository: &Repository,
    number: u32,
) -> Result<Found, OpError> {
    let github = &cx.github;
    let (readiness, checks, stack) = tokio::join!(
        github.merge_readiness(repository, number),
        github.pull_request_checks(repository, number),
        github.native_stack(repository, number),
    );
    let mut readiness = readiness?;
    let (checks, checked_head) = match Fact::from_answer(checks)? {
        Fact::Known(checks) => (checks.head, Some(checks.pull.head_ref_oid)),
        Fact::Unreadable(cause) => (HeadChecks::unreadable(cause), None),
    };
    if readiness.pull.state == PullState::Merged {
        return Err(OpError::logical(
            format!("{repository}#{number} is merged already"),
            "There is nothing left to merge; ask about an open pull request.",
        ));
    }
    let stack = Fact::from_answer(stack)?;
    let branch = match &stack {
        // All pull requests of the forge's own stack go by the rules of its base.
        Fact::Known(Some(stack)) => stack.base.branch.clone(),
        Fact::Known(None) | Fact::Unreadable(_) => readiness.pull.base_ref_name.clone(),
    };
    let (rulesets, compared, classic) = tokio::join!(
        github.branch_rules(repository, &branch),
        github.compare(repository, &branch, readiness.pull.head_ref_oid.as_str()),
        classic(cx, repository, &branch, &readiness),
    );
    let mut rules = rules::all(&branch, classic?, Fact::from_answer(rulesets)?);
    rules.extend(stack.unreadable().map(rules::unread_stack));
    rules.extend(readiness.doubts.iter().map(rules::unread_part));
    let behind_by = Fact::from_answer(compared)?.map(|compared| compared.behind_by);
    let mut checks = checks_of(&checks);
    let (again, files) = tokio::join!(
        known_mergeability(cx, repository, &readiness),
        files(cx, repository, &readiness, &checks, &rules),
    );
    if let Some(again) = again? {
        readiness = again;
    }
    // Someone pushed in the meantime: what was read is about another commit.
    if checked_head.is_some_and(|head| head != readiness.pull.head_ref_oid) {
        checks.doubts.push(Unreadable {
            what: "the checks of the head".to_owned(),
            reason: "the head changed while they were read".to_owned(),
            remedy: "Ask again.".to_owned(),
        });
    }
    let circumstances = Circumstances {
        stacked_on: readiness
            .base_ref
            .known()
            .and_then(Option::as_ref)
            .map(BaseRef::pulls_from_here)
            .unwrap_or_default(),
        is_in_native_stack: matches!(stack, Fact::Known(Some(_))),
        may_write: readiness
            .repository
            .viewer_permission
            .as_ref()
            .is_some_and(Permission::may_write),
        may_merge_as_admin: readiness.pull.viewer_can_merge_as_admin,
    };
    let mut unreadable = readiness.unreadable.clone();
    unreadable.extend(checks.doubts.iter().cloned());
    unreadable.extend(stack.unreadable().cloned());
    unreadable.extend(behind_by.unreadable().cloned());
    let facts = Facts {
        checks,
        files: files?,
        ..facts(
            &cx.workplace.web_url,
            repository,
            readiness,
            branch,
            behind_by,
        )
    };
    Ok(Found {
        facts,
        rules,
        circumstances,
        unreadable,
    })
}

async fn classic(
    cx: &PullContext,
    repository: &Repository,
    branch: &str,
    readiness: &MergeReadiness,
) -> Result<Classic, GitHubError> {
    if branch != readiness.pull.base_ref_name {
        return protection_by_rest(cx, repository, branch).await;
    }
    let base = match &readiness.base_ref {
        Fact::Known(Some(base)) => base,
        Fact::Known(None) => return Ok(Classic::None),
        Fact::Unreadable(unreadable) => return Ok(Classic::hidden(unreadable)),
    };
    let is_admin = readiness.repository.viewer_permission == Some(Permission::Admin);
    let withheld = readiness.protection_unreadable.as_ref();
    if readiness.protection_gap.is_some() && base.branch_protection_rule.is_some() {
        return protection_by_rest(cx, repository, branch).await;
    }
    if let Some(shown) = Classic::shown(base, is_admin && withheld.is_none()) {
        return Ok(shown);
    }
    // Everybody may know whether a branch is protected at all.
    let branch = Fact::from_answer(cx.github.branch(repository, branch).await)?;
    Ok(match (branch, withheld) {
        (Fact::Known(branch), _) if !branch.protected => Classic::None,
        (Fact::Known(_), Some(withheld)) => Classic::hidden(withheld),
        (Fact::Known(_), None) => Classic::Hidden {
            field: "branches: protected = true, and the rules are not shown to this token"
                .to_owned(),
            remedy: rules::READ_ADMINISTRATION.to_owned(),
        },
        (Fact::Unreadable(unreadable), _) => Classic::hidden(&unreadable),
    })
}

async fn protection_by_rest(
    cx: &PullContext,
    repository: &Repository,
    branch: &str,
) -> Result<Classic, GitHubError> {
    let protection = cx.github.branch_protection(repository, branch).await;
    Ok(match Fact::from_answer(protection)? {
        Fact::Known(protection) => Classic::from_rest(protection),
        Fact::Unreadable(unreadable) => Classic::hidden(&unreadable),
    })
}

async fn known_mergeability(
    cx: &PullContext,
    repository: &Repository,
    readiness: &MergeReadiness,
) -> Result<Option<MergeReadiness>, GitHubError> {
    let is_known = |readiness: &MergeReadiness| readiness.pull.mergeable != Mergeable::NotKnownYet;
    if is_known(readiness) || readiness.pull.state != PullState::Open {
        return Ok(None);
    }
    let number = readiness.pull.number;
    let mut pause = FIRST_PAUSE;
    let mut latest = None;
    for _ in 0..MAX_LOOKS {
        tokio::time::sleep(pause).await;
        pause *= 2;
        let again = cx.github.merge_readiness(repository, number).await?;
        let is_done = is_known(&again);
        latest = Some(again);
        if is_done {
            break;
        }
    }
    Ok(latest)
}

/// Workflows and owners, where the ledger turns on them.
async fn files(
    cx: &PullContext,
    repository: &Repository,
    readiness: &MergeReadiness,
    checks: &Checks,
    rules: &[Rule],
) -> Result<Option<Files>, GitHubError> {
    let pull = &readiness.pull;
    let has_queue = pull.is_merge_queue_enabled;
    let wanted = |rule: &Rule| match &rule.demand {
        Demand::CodeOwners => !matches!(
            readiness.review_decision,
            Fact::Known(Some(ReviewDecision::Approved))
        ),
        Demand::Check { context, .. } => {
            has_queue || checks.all.iter().all(|check| check.name != *context)
        }
        Demand::Queue => true,
        _ => false,
    };
    if !rules.iter().any(wanted) {
        return Ok(None);
    }
    let base = &pull.base_ref_name;
    let found = cx
        .github
        .readiness_files(repository, pull.number, &pull.head_ref_oid, base)
        .await;
    // They only explain; without them, what turns on them stays unknown.
    Ok(match Fact::from_answer(found)? {
        Fact::Known(found) => Some(files_of(&found)),
        Fact::Unreadable(_) => None,
    })
}

fn files_of(found: &ReadinessFiles) -> Files {
    let parse = |file: &TextFile| Workflow::parse(&file.path, &file.text);
    let workflows = found.workflows.known();
    let owners = found.code_owners.known().and_then(Option::as_ref);
    Files {
        workflows: workflows.map(|files| files.iter().filter_map(parse).collect()),
        code_owners: owners.and_then(|file| CodeOwners::parse(&file.text)),
        paths: found.paths.clone(),
    }
}

fn facts(
    web_url: &str,
    repository: &Repository,
    readiness: MergeReadiness,
    base: String,
    behind_by: Fact<u64>,
) -> Facts {
    let (pull, settings) = (readiness.pull, readiness.repository);
    let methods = [
        (settings.merge_commit_allowed, MergeMethod::Merge),
        (settings.squash_merge_allowed, MergeMethod::Squash),
        (settings.rebase_merge_allowed, MergeMethod::Rebase),
    ];
    let methods = methods.into_iter().filter(|(is_on, _)| *is_on);
    Facts {
        web_url: web_url.to_owned(),
        repository: repository.clone(),
        id: pull.id.as_str().to_owned(),
        number: pull.number,
        title: pull.title,
        labels: readiness.labels,
        author: pull.author.map(|author| author.login),
        is_open: pull.state == PullState::Open,
        is_draft: pull.is_draft,
        is_from_fork: pull.is_cross_repository,
        base,
        base_exists: readiness.base_ref.map(|base| base.is_some()),
        head_branch: pull.head_ref_name,
        head: pull.head_ref_oid.as_str().to_owned(),
        head_message: readiness
            .head
            .known()
            .map(|head| head.message.clone())
            .unwrap_or_default(),
        head_people: readiness.head.map(|head| head.people),
        is_archived: settings.is_archived,
        methods: methods.map(|(_, method)| method).collect(),
        auto_merge: pull.auto_merge_request.map(|request| request.merge_method),
        mergeable: pull.mergeable,
        state: pull.merge_state_status,
        decision: readiness.review_decision,
        behind_by,
        queue: Queue {
            is_enabled: pull.is_merge_queue_enabled,
            entry: pull.merge_queue_entry.map(|entry| QueueEntry {
                position: entry.position,
                is_unmergeable: entry.state == QueueEntryState::Unmergeable,
                state: entry.state.as_str().to_owned(),
            }),
        },
        reviews: each(readiness.reviews, |review| {
            let verdict = match review.state {
                ReviewState::Approved => Verdict::Approved,
                ReviewState::ChangesRequested => Verdict::ChangesRequested,
                _ => return None,
            };
            Some(Review {
                author: review.author?.login,
                verdict,
                may_push: review.author_can_push_to_repository,
                commit: review.commit.map(|commit| commit.oid.as_str().to_owned()),
            })
        }),
        requested: each(readiness.review_requests, |request| {
            let reviewer = request.requested_reviewer.as_ref();
            let name = reviewer.and_then(RequestedReviewer::name);
            let hidden = if reviewer.is_some_and(RequestedReviewer::is_team) {
                "a team whose name could not be read"
            } else {
                "a reviewer whose name could not be read"
            };
            Some(Requested {
                name: name.unwrap_or(hidden).to_owned(),
                as_code_owner: request.as_code_owner,
            })
        })
        .items,
        threads: each(readiness.threads, |thread| {
            let line = thread.line.map(|line| format!(":{line}"));
            Some(Thread {
                is_resolved: thread.is_resolved,
                place: format!("{}{}", thread.path, line.unwrap_or_default()),
            })
        }),
        commits: each(readiness.commits, |commit| {
            Some(Commit {
                id: commit.oid.as_str().to_owned(),
                signature: commit
                    .signature
                    .map(|signature| (signature.is_valid, signature.state)),
            })
        }),
        deployments: each(readiness.deployments, |deployment| {
            Some(Deployment {
                environment: deployment.environment()?.to_owned(),
                state: deployment.state,
            })
        }),
        checks: Checks::default(),
        files: None,
    }
}

fn each<A, B>(listed: Listed<A>, read: impl FnMut(A) -> Option<B>) -> Listed<B> {
    Listed {
        items: listed.items.into_iter().filter_map(read).collect(),
        truncated: listed.truncated,
    }
}

fn checks_of(found: &HeadChecks) -> Checks {
    let mut all: Vec<CiCheck> = found
        .readable()
        .filter(|check| is_reported(check))
        .filter_map(CiCheck::read)
        .collect();
    // What a newer run has replaced counts no more.
    all = newest::only(all);
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let unknown = |check: &Reported| matches!(check, Reported::Unknown);
    let newest = newest_suites(found);
    let suites = || newest.iter().copied();
    let waits = |suite: &&Suite| suite.conclusion == Some(CheckConclusion::ActionRequired);
    Checks {
        all,
        truncated: found.truncated || found.readable().any(unknown),
        doubts: found
            .withheld()
            .into_iter()
            .chain(found.contradiction())
            .collect(),
        to_approve: suites()
            .filter(waits)
            .filter_map(|suite| suite.workflow_run.as_ref()?.run_id())
            .collect(),
        runs_under_way: suites()
            .filter(|suite| suite.status != CheckStatus::Completed)
            .count(),
    }
}

/// The suites of workflows, without those that a newer run of the same workflow has replaced.
fn newest_suites(found: &HeadChecks) -> Vec<&Suite> {
    let run_of = |suite: &Suite| RunFacts::read(suite.workflow_run.as_ref()?);
    let all: Vec<_> = found
        .readable_suites()
        .filter(|suite| suite.workflow_run.is_some())
        .map(|suite| (suite, run_of(suite)))
        .collect();
    let is_newer = |other: &RunFacts, run: &RunFacts| {
        other.workflow == run.workflow && other.event == run.event && other.id > run.id
    };
    let is_replaced = |run: &RunFacts| {
        let mut runs = all.iter().filter_map(|(_, run)| run.as_ref());
        runs.any(|other| is_newer(other, run))
    };
    let newest = all
        .iter()
        .filter(|(_, run)| !run.as_ref().is_some_and(&is_replaced));
    newest.map(|(suite, _)| *suite).collect()
}

/// A status that is only expected was not reported.
fn is_reported(check: &Reported) -> bool {
    !matches!(check, Reported::Status(status) if status.state == StatusState::Expected)
}
