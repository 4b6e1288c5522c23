//! Merging a pull request.

use baton_host::git::GitError;

use super::merge_commits::MergeBuild;
use super::restack::restack_all;
use super::stacks::{self, Group};
use super::sync::follow_base_locked;
use super::{counts, fixed_issues, oid, record};
use crate::actions::prelude::*;
use crate::actions::pushes::{self, RefUpdate};
use crate::actions::rules::{self, Rule, Violation, merges};
use crate::git::RefChange;
use crate::store::merges_under_way::{self, MergeUnderWay};
use crate::store::pulls::MergeMethod;
use crate::store::stacks as stack_rows;
use crate::store::{refs, repositories};

/// How to merge.
#[derive(Debug, Clone)]
pub(crate) struct MergeOrder {
    pub(crate) method: MergeMethod,
    /// What the head must be.
    pub(crate) expected_head: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
}

/// Merges, or says why not. The pull request that is returned says by which
/// commit.
pub(crate) async fn merge(cx: RepoContext<'_>, pull: &Pull, order: &MergeOrder) -> Result<Pull> {
    cx.allowed_to_change(Permission::Write)?;
    if stacks::is_stacked(cx.app, pull)? {
        return Err(ApiError::refused(
            StatusCode::FORBIDDEN,
            "Merging stacked PRs via this endpoint is not supported. \
             Use the asynchronous merge endpoint instead.",
        ));
    }
    merge_group(cx, pull, order).await
}

/// The same for any pull request: with it, all below it in its stack are merged,
/// or none.
pub(super) async fn merge_group(
    cx: RepoContext<'_>,
    pull: &Pull,
    order: &MergeOrder,
) -> Result<Pull> {
    let user = cx.allowed_to_change(Permission::Write)?.clone();
    let (app, repository) = (cx.app, cx.repository);
    let guard = app.lock_pulls(repository.id).await;
    let base_ref = app.rows(|conn| stack_rows::target(conn, pull))?;
    // Another merge may have moved the base and not told of it yet.
    follow_base_locked(app, repository.id, &base_ref, None).await?;
    let group = Group::find(app, repository, pull.id())?;
    check_state(&group, order)?;
    if !group.is_linear(app, repository).await? {
        return Err(not_allowed(
            "The stack is not linear. Rebase it and try the merge again.",
        ));
    }
    for pull in &group.members {
        check_rules(app, repository, &group, pull, order.method, &user).await?;
    }
    let build = MergeBuild::new(app, repository, order, &user);
    let commits = build.commits(&group).await?;
    let aimed = group.members.iter().map(|pull| group.aimed(pull));
    let merges: Vec<(Pull, Oid)> = aimed.zip(commits).collect();
    let landed = land(app, repository, &merges, &user).await;
    drop(guard);
    let updates = match landed {
        Ok(updates) => updates,
        Err(error) => {
            // A branch that moved unseen must not refuse the next attempt, too.
            pushes::notice(app, repository, None).await?;
            return Err(error);
        }
    };
    pushes::after_push(app, repository, Some(user.id), &updates).await?;
    restack_all(app, Some(repository.id)).await;
    for (pull, _) in &merges {
        delete_branch(app, repository, pull, &user).await?;
    }
    super::reread(app, pull.id())
}

/// After a crash: a merge whose branch has moved is recorded, another forgotten.
pub(super) async fn resume_merges(app: &App) -> Result<()> {
    let under_way = app.rows(merges_under_way::all)?;
    for merge in under_way {
        let pull = super::reread(app, merge.pull_id)?;
        let repository = app.rows(|conn| repositories::by_id(conn, pull.issue.repository_id))?;
        let git = app.git(&repository);
        let commit = oid(&merge.commit_sha)?;
        let landed = match git.branch(&pull.base_ref).await? {
            Some(tip) if git.commit(&commit).await?.is_some() => {
                git.is_ancestor(&commit, &tip).await?
            }
            _ => false,
        };
        app.change(repository.id, Some(merge.merged_by), move |change| {
            if landed && pull.is_open() {
                record::merged(change, &pull, &merge.commit_sha)?;
            }
            Ok(merges_under_way::end(change.tx, merge.pull_id)?)
        })
        .await?;
    }
    Ok(())
}

fn check_state(group: &Group, order: &MergeOrder) -> Result<()> {
    if !group.members.iter().all(Pull::is_open) {
        return Err(not_allowed("Pull Request is not mergeable"));
    }
    let head = group.members.last().map(|pull| &pull.head_sha);
    if order.expected_head.is_some() && order.expected_head.as_ref() != head {
        return Err(ApiError::refused(
            StatusCode::CONFLICT,
            "Head branch was modified. Review and try the merge again.",
        ));
    }
    if group.members.iter().any(|pull| pull.draft) {
        return Err(not_allowed("Pull Request is still a draft"));
    }
    Ok(())
}

async fn check_rules(
    app: &App,
    repository: &Repository,
    group: &Group,
    pull: &Pull,
    method: MergeMethod,
    user: &User,
) -> Result<()> {
    let switched_on = match method {
        MergeMethod::Merge => repository.allow_merge_commit,
        MergeMethod::Squash => repository.allow_squash_merge,
        MergeMethod::Rebase => repository.allow_rebase_merge,
    };
    if !switched_on {
        return Err(not_allowed(merges::not_allowed(method)));
    }
    let pull = &group.aimed(pull);
    let counts = counts(app, repository, pull).await?;
    let bypasser = group.bypasser(user);
    let violations = app.read(|conn| {
        let verdict = merges::judge(conn, repository, pull, &counts)?;
        let mut found = merges::binding(conn, repository, &verdict, bypasser)?;
        found.extend(queue_violation(conn, repository, pull, bypasser)?);
        found.extend(merges::method_violations(
            conn, repository, pull, method, user, bypasser,
        )?);
        Ok(found)
    })?;
    match violations.as_slice() {
        [] => Ok(()),
        violations => Err(not_allowed(complaint(violations))),
    }
}

/// Where there is a queue, only it merges.
fn queue_violation(
    conn: &Connection,
    repository: &Repository,
    pull: &Pull,
    bypasser: Option<&User>,
) -> Result<Option<Violation>> {
    for applied in rules::for_branch(conn, repository, &pull.base_ref)? {
        let occasion = rules::Occasion::Merge;
        if matches!(applied.rule, Rule::MergeQueue(_))
            && !rules::bypasses(conn, repository, &applied.source, bypasser, occasion)?
        {
            return Ok(Some(Violation {
                message: "Changes must be made through the merge queue".to_owned(),
                by_ruleset: true,
            }));
        }
    }
    Ok(None)
}

/// Rulesets are named as such; branch protection just says what it wants.
pub(super) fn complaint(violations: &[Violation]) -> String {
    let texts = |by_ruleset: bool| {
        violations
            .iter()
            .filter(move |violation| violation.by_ruleset == by_ruleset)
            .map(|violation| violation.message.as_str())
    };
    let protection: Vec<&str> = texts(false).collect();
    if !protection.is_empty() {
        return protection.join(" ");
    }
    let mut text = "Repository rule violations found\n\n".to_owned();
    for message in texts(true) {
        text.push_str(message);
        text.push_str("\n\n");
    }
    text
}

/// Moves the base branch to the last of the commits and records the merges, which have the same
/// base. The intention is written first: between the two, the forge may be ended.
pub(super) async fn land(
    app: &App,
    repository: &Repository,
    merges: &[(Pull, Oid)],
    user: &User,
) -> Result<Vec<RefUpdate>> {
    let Some((last, tip)) = merges.last() else {
        return Ok(Vec::new());
    };
    let under_way = merges.iter().map(|(pull, commit)| MergeUnderWay {
        pull_id: pull.id(),
        commit_sha: commit.to_string(),
        merged_by: user.id,
    });
    let under_way: Vec<MergeUnderWay> = under_way.collect();
    let ids: Vec<i64> = under_way.iter().map(|merge| merge.pull_id).collect();
    app.write(move |tx| {
        for merge in &under_way {
            merges_under_way::begin(tx, merge)?;
        }
        Ok(())
    })
    .await?;
    let change = RefChange {
        name: format!("refs/heads/{}", last.base_ref),
        old: Some(oid(&last.base_sha)?),
        new: Some(tip.clone()),
    };
    let moved = pushes::move_refs(app, repository, Some(user.id), &[change]).await;
    let updates = match moved {
        Ok(updates) => updates,
        Err(error) => {
            app.write(move |tx| {
                for id in ids {
                    merges_under_way::end(tx, id)?;
                }
                Ok(())
            })
            .await?;
            return Err(match error {
                ApiError::Git(GitError::Failed { .. }) => {
                    not_allowed("Base branch was modified. Review and try the merge again.")
                }
                other => other,
            });
        }
    };
    let root = app.urls().page("");
    let (id, repository, merges) = (repository.id, repository.clone(), merges.to_vec());
    app.change(id, Some(user.id), move |change| {
        for (pull, commit) in &merges {
            record::merged(change, pull, commit.as_str())?;
            fixed_issues::for_pull(change, &repository, pull, commit.as_str(), &root)?;
        }
        Ok(())
    })
    .await?;
    Ok(updates)
}

/// Where the repository wants it: a merged branch is of no more use.
pub(super) async fn delete_branch(
    app: &App,
    repository: &Repository,
    pull: &Pull,
    user: &User,
) -> Result<()> {
    let head_ref = &pull.head_ref;
    let unwanted = repository.delete_branch_on_merge
        && !pull.is_cross_repository()
        && *head_ref != repository.default_branch;
    if !unwanted {
        return Ok(());
    }
    let name = format!("refs/heads/{head_ref}");
    let (protected, current) = app.read(|conn| {
        let rules = rules::for_branch(conn, repository, head_ref)?;
        let protected = rules
            .iter()
            .any(|applied| matches!(applied.rule, Rule::Deletion));
        Ok((protected, refs::find(conn, repository.id, &name)?))
    })?;
    if protected || current.as_ref() != Some(&pull.head_sha) {
        return Ok(());
    }
    let id = pull.id();
    app.change(repository.id, Some(user.id), move |change| {
        change.timeline(id, "head_ref_deleted", None)
    })
    .await?;
    let change = RefChange {
        name,
        old: Some(oid(&pull.head_sha)?),
        new: None,
    };
    pushes::update_refs(app, repository, Some(user.id), &[change]).await
}

pub(super) fn not_allowed(message: impl Into<String>) -> ApiError {
    ApiError::refused(StatusCode::METHOD_NOT_ALLOWED, message)
}
