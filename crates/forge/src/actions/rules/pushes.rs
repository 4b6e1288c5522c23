//! Rules at the time of a push.

use std::sync::Arc;

use super::{AppliedRule, ChecksRule, Occasion, Rule, TextSubject, Violation};
use crate::actions::prelude::*;
use crate::git::{Commit, HistoryRange, RefChange};
use crate::urls::Urls;

/// More new commits than this are not looked at one by one.
const MAX_COMMITS: usize = 2_000;

/// Branches of the merge queue are the forge's own.
const QUEUE: &str = "refs/heads/gh-readonly-queue/";

/// What a push does to one ref, as far as rules care.
#[derive(Debug, Clone)]
pub(crate) struct PushFacts {
    ref_name: String,
    kind: ChangeKind,
    new: Option<Oid>,
    /// What the ref has now and had not before.
    commits: Vec<Arc<Commit>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Creation,
    Update { fast_forward: bool },
    Deletion,
}

impl PushFacts {
    /// `git` sees the pushed commits.
    pub(crate) async fn gather(git: &GitRepository, change: &RefChange) -> Result<Self> {
        let kind = match (&change.old, &change.new) {
            (Some(old), Some(new)) => ChangeKind::Update {
                fast_forward: git.is_ancestor(old, new).await?,
            },
            (Some(_), None) => ChangeKind::Deletion,
            (None, _) => ChangeKind::Creation,
        };
        let commits = match &change.new {
            Some(new) => {
                let range = HistoryRange {
                    exclude: change.old.as_ref(),
                    limit: Some(MAX_COMMITS),
                    ..HistoryRange::new(new)
                };
                let oids = git.history(&range).await?;
                git.commits(&oids).await?
            }
            None => Vec::new(),
        };
        Ok(Self {
            ref_name: change.name.clone(),
            kind,
            new: change.new.clone(),
            commits,
        })
    }
}

/// What the rules of the ref say, and whether this user may pass them by.
#[derive(Debug, Clone, Default)]
pub(crate) struct PushVerdict {
    pub(crate) violations: Vec<Violation>,
    pub(crate) bypassed: Vec<Violation>,
}

impl PushVerdict {
    /// What git displays to the user who pushed, in GitHub's words.
    pub(crate) fn refusal(&self, urls: &Urls, repository: &Repository, ref_name: &str) -> String {
        let by_ruleset = self.violations.iter().all(|violation| violation.by_ruleset);
        let mut text = if by_ruleset {
            let page = urls.page(&format!("/{}/rules", repository.full_name()));
            format!(
                "error: GH013: Repository rule violations found for {ref_name}.\n\
                 Review all repository rules at {page}?ref={}\n",
                ref_name.replace('/', "%2F")
            )
        } else {
            format!("error: GH006: Protected branch update failed for {ref_name}.\n")
        };
        for violation in &self.violations {
            text.push_str("\n- ");
            text.push_str(&violation.message);
            text.push('\n');
        }
        text
    }
}

pub(crate) fn judge(
    conn: &Connection,
    repository: &Repository,
    user: Option<&User>,
    facts: &PushFacts,
) -> Result<PushVerdict> {
    let mut verdict = PushVerdict::default();
    if facts.ref_name.starts_with(QUEUE) {
        verdict.violations.push(Violation {
            message: "Cannot update this protected ref.".to_owned(),
            by_ruleset: true,
        });
    }
    for applied in super::for_ref(conn, repository, &facts.ref_name)? {
        let Some(message) = complaint(conn, repository, user, &applied, facts)? else {
            continue;
        };
        let violation = Violation {
            message,
            by_ruleset: applied.source.is_ruleset(),
        };
        let bypassed = super::bypasses(conn, repository, &applied.source, user, Occasion::Push)?;
        let list = if bypassed {
            &mut verdict.bypassed
        } else {
            &mut verdict.violations
        };
        if !list.contains(&violation) {
            list.push(violation);
        }
    }
    Ok(verdict)
}

fn complaint(
    conn: &Connection,
    repository: &Repository,
    user: Option<&User>,
    applied: &AppliedRule,
    facts: &PushFacts,
) -> Result<Option<String>> {
    let is = |kind: ChangeKind| facts.kind == kind;
    let adds_commits = !is(ChangeKind::Deletion);
    let is_update = matches!(facts.kind, ChangeKind::Update { .. });
    let ruleset = applied.source.is_ruleset();
    let text = match &applied.rule {
        Rule::Creation if is(ChangeKind::Creation) => {
            "Cannot create ref due to creations being restricted."
        }
        Rule::Update if is_update => "Cannot update this protected ref.",
        Rule::Deletion if is(ChangeKind::Deletion) => {
            if ruleset {
                "Cannot delete this protected ref."
            } else {
                "Cannot delete this protected branch"
            }
        }
        Rule::NonFastForward
            if is(ChangeKind::Update {
                fast_forward: false,
            }) =>
        {
            if ruleset {
                "Cannot force-push to this branch"
            } else {
                "Cannot force-push to this protected branch"
            }
        }
        Rule::LinearHistory
            if adds_commits && facts.commits.iter().any(|commit| commit.parents.len() > 1) =>
        {
            "This branch must not contain merge commits."
        }
        // Nothing here can verify a signature, so there is no verified one.
        Rule::Signatures if adds_commits && !facts.commits.is_empty() => {
            "Commits must have verified signatures."
        }
        Rule::PullRequest(rule) if is_update => {
            let exempt = user.is_some_and(|user| rule.bypass_users.contains(&user.id));
            if exempt {
                return Ok(None);
            }
            "Changes must be made through a pull request."
        }
        Rule::MergeQueue(_) if is_update => "Changes must be made through the merge queue",
        Rule::Pushers(users) if !user.is_some_and(|user| users.contains(&user.id)) => {
            "You're not authorized to push to this branch. Visit https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches for more information."
        }
        Rule::Locked if is_update => "Cannot change this locked branch",
        Rule::Checks(rule) if adds_commits => {
            return checks_complaint(conn, repository, rule, facts);
        }
        Rule::Text(rule) if adds_commits => {
            return Ok((!text_rule_holds(rule, facts)).then(|| rule.complaint()));
        }
        _ => return Ok(None),
    };
    Ok(Some(text.to_owned()))
}

fn checks_complaint(
    conn: &Connection,
    repository: &Repository,
    rule: &ChecksRule,
    facts: &PushFacts,
) -> Result<Option<String>> {
    let Some(new) = &facts.new else {
        return Ok(None);
    };
    if rule.not_on_creation && facts.kind == ChangeKind::Creation {
        return Ok(None);
    }
    super::merges::checks_complaint(conn, repository, rule, new.as_str())
}

fn text_rule_holds(rule: &super::rule::TextRule, facts: &PushFacts) -> bool {
    let name = |prefix: &str| facts.ref_name.strip_prefix(prefix);
    match rule.subject {
        TextSubject::BranchName => name("refs/heads/").is_none_or(|name| rule.allows(name)),
        TextSubject::TagName => name("refs/tags/").is_none_or(|name| rule.allows(name)),
        TextSubject::CommitMessage => facts.commits.iter().all(|c| rule.allows(&c.message)),
        TextSubject::AuthorEmail => facts.commits.iter().all(|c| rule.allows(&c.author.email)),
        TextSubject::CommitterEmail => facts
            .commits
            .iter()
            .all(|c| rule.allows(&c.committer.email)),
    }
}
