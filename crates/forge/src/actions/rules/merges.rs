//! Rules at the time of a merge, and what they make of a pull request until
//! then.

use super::{AppliedRule, ChecksRule, Occasion, PullRequestRule, Rule, Violation};
use crate::actions::prelude::*;
use crate::store::branch_protections::RequiredCheck;
use crate::store::check_state::StatusState;
use crate::store::pull_commits::Counts;
use crate::store::pulls::MergeMethod;
use crate::store::reviews::{self, Review, ReviewState};
use crate::store::rollup::{self, Context};
use crate::store::{code_owner_sets, deployments, repositories, review_threads, stacks};

const BEHIND: &str = "The head branch is not up to date with the base branch.";

/// What stands between a pull request and its base branch.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergeVerdict {
    pub(crate) violations: Vec<RuleViolation>,
}

#[derive(Debug, Clone)]
pub(crate) struct RuleViolation {
    pub(crate) violation: Violation,
    /// The head lacks commits of a base branch that asks for them.
    is_behind: bool,
    applied: AppliedRule,
}

impl MergeVerdict {
    /// Whether an update of the branch is all that is missing.
    pub(crate) fn only_behind(&self) -> bool {
        !self.violations.is_empty() && self.violations.iter().all(|found| found.is_behind)
    }
}

/// Everything but the method and the queue, which are chosen at the merge.
pub(crate) fn judge(
    conn: &Connection,
    repository: &Repository,
    pull: &Pull,
    counts: &Counts,
) -> Result<MergeVerdict> {
    let mut verdict = MergeVerdict::default();
    for applied in super::for_branch(conn, repository, &stacks::target(conn, pull)?)? {
        let mut add = |message: String, is_behind: bool| {
            verdict.violations.push(RuleViolation {
                violation: Violation {
                    message,
                    by_ruleset: applied.source.is_ruleset(),
                },
                is_behind,
                applied: applied.clone(),
            });
        };
        for message in complaints(conn, repository, pull, &applied.rule)? {
            add(message, false);
        }
        if let Rule::Checks(rule) = &applied.rule
            && rule.strict
            && counts.behind > 0
        {
            add(BEHIND.to_owned(), true);
        }
    }
    Ok(verdict)
}

/// The part of a verdict that holds for this user; all of it where it is about no one.
pub(crate) fn binding(
    conn: &Connection,
    repository: &Repository,
    verdict: &MergeVerdict,
    user: Option<&User>,
) -> Result<Vec<Violation>> {
    let mut binding = Vec::new();
    for RuleViolation {
        violation, applied, ..
    } in &verdict.violations
    {
        let source = &applied.source;
        let bypassed = super::bypasses(conn, repository, source, user, Occasion::Merge)?;
        if !bypassed && !binding.contains(violation) {
            binding.push(violation.clone());
        }
    }
    Ok(binding)
}

/// What a branch says against someone's way of merging. `bypasser` is that user where rules can be
/// bypassed.
pub(crate) fn method_violations(
    conn: &Connection,
    repository: &Repository,
    pull: &Pull,
    method: MergeMethod,
    user: &User,
    bypasser: Option<&User>,
) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for applied in super::for_branch(conn, repository, &stacks::target(conn, pull)?)? {
        let message = match &applied.rule {
            Rule::LinearHistory if method == MergeMethod::Merge => {
                "This branch must not contain merge commits."
            }
            Rule::PullRequest(rule)
                if !rule.methods.is_empty() && !rule.methods.contains(&method) =>
            {
                not_allowed(method)
            }
            Rule::Pushers(users) if !users.contains(&user.id) => {
                "You're not authorized to push to this branch."
            }
            _ => continue,
        };
        let source = &applied.source;
        if !super::bypasses(conn, repository, source, bypasser, Occasion::Merge)? {
            found.push(Violation {
                message: message.to_owned(),
                by_ruleset: source.is_ruleset(),
            });
        }
    }
    Ok(found)
}

/// What GitHub says to a method that is switched off.
pub(crate) fn not_allowed(method: MergeMethod) -> &'static str {
    match method {
        MergeMethod::Merge => "Merge commits are not allowed on this repository.",
        MergeMethod::Squash => "Squash merges are not allowed on this repository.",
        MergeMethod::Rebase => "Rebase merges are not allowed on this repository.",
    }
}

/// Where reviews stand; nothing where none is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewDecision {
    Approved,
    ChangesRequested,
    ReviewRequired,
}

pub(crate) fn review_decision(
    conn: &Connection,
    repository: &Repository,
    pull: &Pull,
) -> Result<Option<ReviewDecision>> {
    let applied = super::for_branch(conn, repository, &pull.base_ref)?;
    let rules: Vec<&PullRequestRule> = applied
        .iter()
        .filter_map(|applied| match &applied.rule {
            Rule::PullRequest(rule) if rule.approvals > 0 || rule.code_owners => Some(rule),
            _ => None,
        })
        .collect();
    if rules.is_empty() {
        return Ok(None);
    }
    let opinions = Opinions::for_pull(conn, repository, pull)?;
    if opinions.changes_requested() {
        return Ok(Some(ReviewDecision::ChangesRequested));
    }
    for rule in rules {
        if !review_complaints(conn, pull, rule, &opinions)?.is_empty() {
            return Ok(Some(ReviewDecision::ReviewRequired));
        }
    }
    Ok(Some(ReviewDecision::Approved))
}

/// Whether a push has to take approvals back.
pub(crate) fn dismisses_stale_reviews(
    conn: &Connection,
    repository: &Repository,
    branch: &str,
) -> Result<bool> {
    let applied = super::for_branch(conn, repository, branch)?;
    Ok(applied
        .iter()
        .any(|applied| matches!(&applied.rule, Rule::PullRequest(rule) if rule.dismiss_stale)))
}

/// The checks that a branch waits for.
pub(crate) fn required_checks(
    conn: &Connection,
    repository: &Repository,
    branch: &str,
) -> Result<Vec<RequiredCheck>> {
    let mut required: Vec<RequiredCheck> = Vec::new();
    for applied in super::for_branch(conn, repository, branch)? {
        if let Rule::Checks(rule) = applied.rule {
            for check in rule.checks {
                if !required.contains(&check) {
                    required.push(check);
                }
            }
        }
    }
    Ok(required)
}

/// How far a required check of a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckProgress {
    /// No one has reported it yet.
    Expected,
    Pending,
    Failing,
    Passed,
}

pub(crate) fn check_progress(check: &RequiredCheck, contexts: &[Context]) -> CheckProgress {
    let reported = contexts.iter().filter(|context| {
        let by_app = match (check.app_id, context) {
            (None, _) => true,
            (Some(id), Context::CheckRun(run)) => run.app_id == id,
            (Some(_), Context::Status(_)) => false,
        };
        by_app && context.name() == check.context
    });
    match rollup::combined(reported.map(Context::state)) {
        None => CheckProgress::Expected,
        Some(StatusState::Pending) => CheckProgress::Pending,
        Some(StatusState::Success) => CheckProgress::Passed,
        Some(StatusState::Failure | StatusState::Error) => CheckProgress::Failing,
    }
}

pub(super) fn checks_complaint(
    conn: &Connection,
    repository: &Repository,
    rule: &ChecksRule,
    sha: &str,
) -> Result<Option<String>> {
    let contexts = rollup::for_commit(conn, repository.id, sha)?.contexts;
    let open: Vec<_> = rule
        .checks
        .iter()
        .map(|check| (check, check_progress(check, &contexts)))
        .filter(|(_, progress)| *progress != CheckProgress::Passed)
        .collect();
    Ok(match open.as_slice() {
        [] => None,
        [(check, progress)] => Some(format!(
            "Required status check \"{}\" is {}.",
            check.context,
            word(*progress)
        )),
        several => {
            let progress = several[0].1;
            let (count, all) = (several.len(), rule.checks.len());
            Some(if several.iter().all(|(_, other)| *other == progress) {
                format!(
                    "{count} of {all} required status checks are {}.",
                    word(progress)
                )
            } else {
                format!("{count} of {all} required status checks have not succeeded.")
            })
        }
    })
}

fn word(progress: CheckProgress) -> &'static str {
    match progress {
        CheckProgress::Expected => "expected",
        CheckProgress::Pending => "pending",
        CheckProgress::Failing => "failing",
        CheckProgress::Passed => "passing",
    }
}

fn complaints(
    conn: &Connection,
    repository: &Repository,
    pull: &Pull,
    rule: &Rule,
) -> Result<Vec<String>> {
    let one = |text: &str| Ok(vec![text.to_owned()]);
    match rule {
        Rule::PullRequest(rule) => {
            let opinions = Opinions::for_pull(conn, repository, pull)?;
            let mut found = review_complaints(conn, pull, rule, &opinions)?;
            if rule.resolved_threads {
                found.extend(thread_complaint(conn, pull)?);
            }
            Ok(found)
        }
        Rule::ResolvedThreads => Ok(thread_complaint(conn, pull)?.into_iter().collect()),
        Rule::Checks(rule) => {
            let found = checks_complaint(conn, repository, rule, &pull.head_sha)?;
            Ok(found.into_iter().collect())
        }
        Rule::Deployments(environments) => {
            let mut found = Vec::new();
            for environment in environments {
                let sha = &pull.head_sha;
                if !deployments::succeeded(conn, repository.id, sha, environment)? {
                    found.push(format!(
                        "Missing successful active {environment} deployment."
                    ));
                }
            }
            Ok(found)
        }
        Rule::Signatures => one("Commits must have verified signatures."),
        Rule::Update => one("Cannot update this protected ref."),
        Rule::Locked => one("Cannot change this locked branch"),
        Rule::Awaited { what } => Ok(vec![format!("Waiting for {what}.")]),
        Rule::Creation
        | Rule::Deletion
        | Rule::NonFastForward
        | Rule::LinearHistory
        | Rule::MergeQueue(_)
        | Rule::Text(_)
        | Rule::Pushers(_)
        | Rule::Silent => Ok(Vec::new()),
    }
}

fn thread_complaint(conn: &Connection, pull: &Pull) -> Result<Option<String>> {
    let unresolved = review_threads::unresolved(conn, pull.id())?;
    Ok((unresolved > 0).then(|| "All comments must be resolved.".to_owned()))
}

/// The newest yes or no of everybody whose word counts: those who may write.
struct Opinions(Vec<Review>);

impl Opinions {
    fn for_pull(conn: &Connection, repository: &Repository, pull: &Pull) -> Result<Self> {
        let mut counted = Vec::new();
        for review in reviews::latest_opinions(conn, pull.id())? {
            let permission = repositories::permission(conn, repository, Some(&review.user))?;
            if permission >= Permission::Write && review.user.id != pull.issue.author_id {
                counted.push(review);
            }
        }
        Ok(Self(counted))
    }

    fn changes_requested(&self) -> bool {
        self.0
            .iter()
            .any(|review| review.state == ReviewState::ChangesRequested)
    }

    fn approvals(&self) -> impl Iterator<Item = &Review> {
        self.0
            .iter()
            .filter(|review| review.state == ReviewState::Approved)
    }
}

fn review_complaints(
    conn: &Connection,
    pull: &Pull,
    rule: &PullRequestRule,
    opinions: &Opinions,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if opinions.changes_requested() && rule.approvals > 0 {
        found.push("Changes have been requested by a reviewer with write access.".to_owned());
    }
    let approvals = opinions.approvals().count();
    if approvals < rule.approvals as usize {
        let reviews = if rule.approvals == 1 {
            "review is"
        } else {
            "reviews are"
        };
        found.push(format!(
            "At least {} approving {reviews} required by reviewers with write access.",
            rule.approvals
        ));
    }
    if rule.code_owners {
        for owners in code_owner_sets::for_pull(conn, pull.id())? {
            let approved = opinions
                .approvals()
                .any(|review| owners.iter().any(|owner| owner.id == review.user.id));
            if !approved {
                let names: Vec<&str> = owners.iter().map(|owner| owner.login.as_str()).collect();
                found.push(format!(
                    "Waiting on code owner review from {}.",
                    names.join(" and/or ")
                ));
            }
        }
    }
    if rule.last_push_approval {
        let approved = opinions.approvals().any(|review| {
            review.commit_sha == pull.head_sha && Some(review.user.id) != pull.pushed_by
        });
        if !approved {
            found.push(
                "New changes require approval from someone other than the last pusher.".to_owned(),
            );
        }
    }
    Ok(found)
}
