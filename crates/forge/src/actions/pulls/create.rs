//! Opening a pull request.

use super::counts::count;
use super::mergeability::start_trial;
use super::sync::sync_repository;
use super::{code_owners, requests};
use crate::actions::issues::check_text;
use crate::actions::prelude::*;
use crate::store::issues::{self, NewIssue};
use crate::store::pull_commits::{self, Counts};
use crate::store::pulls::{self, NewPull};
use crate::store::{code_owner_sets, repositories};

#[derive(Debug, Clone)]
pub(crate) struct NewPullRequest {
    /// Needed unless an issue is given.
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    /// An issue that becomes the pull request.
    pub(crate) issue: Option<i64>,
    pub(crate) head: HeadName,
    pub(crate) base: String,
    pub(crate) draft: bool,
    pub(crate) maintainer_can_modify: bool,
}

/// `feature`, `octo:feature`, or with the name of the repository besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadName {
    pub(crate) owner: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) branch: String,
}

impl HeadName {
    pub(crate) fn parse(text: &str, repository: Option<&str>) -> Self {
        let (owner, branch) = match text.split_once(':') {
            Some((owner, branch)) => (Some(owner.to_owned()), branch),
            None => (None, text),
        };
        Self {
            owner,
            repository: repository.map(str::to_owned),
            branch: branch
                .strip_prefix("refs/heads/")
                .unwrap_or(branch)
                .to_owned(),
        }
    }
}

/// Both ends of a pull request to be, found in git.
struct Ends {
    head_repository: Repository,
    head_ref: String,
    head: Oid,
    base_ref: String,
    base: Oid,
    counts: Counts,
}

pub(crate) async fn create(cx: RepoContext<'_>, new: NewPullRequest) -> Result<Pull> {
    cx.allowed_to_change(Permission::Read)?;
    let title = match new.issue {
        Some(_) => None,
        None => Some(new.title.as_deref().unwrap_or_default()),
    };
    check_text("Issue", title, new.body.as_deref())?;
    let ends = find_ends(cx.app, cx.caller, cx.repository, &new).await?;
    let owners = owner_sets(cx.app, cx.repository, &ends).await?;
    let (author_id, repository) = (cx.caller.user()?.id, cx.repository.clone());
    let pull = cx
        .change(move |change| {
            refuse_second(change, &ends)?;
            let issue = issue_of(change, author_id, &new)?;
            let pull = insert(change, &issue, &new, &ends, author_id)?;
            pull_commits::set_counts(change.tx, &pull, &ends.counts)?;
            code_owner_sets::replace(change.tx, pull.id(), &owners)?;
            change.issue_event(&pull.issue, "opened", None)?;
            if !new.draft {
                requests::request_code_owners(change, &repository, &pull)?;
            }
            Ok(pull)
        })
        .await?;
    let name = format!("refs/pull/{}/head", pull.number());
    cx.git().point(&name, &super::oid(&pull.head_sha)?).await?;
    // A push that came meanwhile did not know of it.
    sync_repository(cx.app, cx.repository, None).await?;
    let pull = super::reread(cx.app, pull.id())?;
    start_trial(cx.app, cx.repository, &pull);
    Ok(pull)
}

async fn find_ends(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    new: &NewPullRequest,
) -> Result<Ends> {
    let head_repository = app.read(|conn| head_repository(conn, caller, repository, &new.head))?;
    let git = app.git(repository);
    let head_git = app.git(&head_repository);
    let head = super::branch(app, &head_repository, &new.head.branch).await?;
    let base = super::branch(app, repository, &new.base).await?;
    let mut wrong = Vec::new();
    for (found, field) in [(&head, "head"), (&base, "base")] {
        if found.is_none() {
            wrong.push(FieldError::new("PullRequest", field, "invalid"));
        }
    }
    let (Some(head), Some(base)) = (head, base) else {
        return Err(ApiError::Invalid(wrong));
    };
    git.import(&head_git, &head).await?;
    let counts = count(&git, base.as_str(), head.as_str()).await?;
    let ends = Ends {
        head_ref: new.head.branch.clone(),
        head,
        base_ref: new.base.clone(),
        base,
        counts,
        head_repository,
    };
    check_history(&git, repository, &ends).await?;
    Ok(ends)
}

/// The fork with the head branch. GitHub asks that its author may write there.
fn head_repository(
    conn: &Connection,
    caller: &Caller,
    repository: &Repository,
    head: &HeadName,
) -> Result<Repository> {
    let invalid = || ApiError::invalid("PullRequest", "head", "invalid", None);
    let found = match (&head.owner, &head.repository) {
        (None, None) => repository.clone(),
        (Some(owner), None) if owner.eq_ignore_ascii_case(&repository.owner.login) => {
            repository.clone()
        }
        (Some(owner), None) => {
            repositories::fork_of_owner(conn, repository, owner)?.ok_or_else(invalid)?
        }
        (owner, Some(name)) => {
            let owner = owner.as_ref().unwrap_or(&repository.owner.login);
            repositories::by_name(conn, owner, name)?.ok_or_else(invalid)?
        }
    };
    let same_network =
        repositories::network(conn, &found)? == repositories::network(conn, repository)?;
    let visible = caller.check(conn, &found, Permission::Read).is_ok();
    if !same_network || !visible {
        return Err(invalid());
    }
    if caller.check(conn, &found, Permission::Write).is_err() {
        return Err(ApiError::custom(
            "PullRequest",
            format!("must be a collaborator of {}", found.full_name()),
        ));
    }
    Ok(found)
}

async fn check_history(git: &GitRepository, repository: &Repository, ends: &Ends) -> Result<()> {
    if ends.counts.commits == 0 {
        let (base, head) = if ends.head_repository.id == repository.id {
            (ends.base_ref.clone(), ends.head_ref.clone())
        } else {
            let named =
                |repository: &Repository, name: &str| format!("{}:{name}", repository.owner.login);
            (
                named(repository, &ends.base_ref),
                named(&ends.head_repository, &ends.head_ref),
            )
        };
        let message = format!("No commits between {base} and {head}");
        return Err(ApiError::custom("PullRequest", message));
    }
    if git.merge_base(&ends.base, &ends.head).await?.is_none() {
        let message = format!(
            "The {} branch has no history in common with {}",
            ends.head_ref, ends.base_ref
        );
        return Err(ApiError::custom("PullRequest", message));
    }
    Ok(())
}

async fn owner_sets(app: &App, repository: &Repository, ends: &Ends) -> Result<Vec<Vec<i64>>> {
    let git = app.git(repository);
    let Some(owners) = code_owners::read(&git, &ends.base).await? else {
        return Ok(Vec::new());
    };
    let merge_base = super::oid(&ends.counts.merge_base_sha)?;
    let files = git.diff(&merge_base, &ends.head).await?;
    app.read(|conn| code_owners::owner_sets(conn, repository, &owners, &files))
}

fn refuse_second(change: Change<'_>, ends: &Ends) -> Result<()> {
    let (tx, id, head) = (change.tx, change.repository_id, &ends.head_repository);
    let open = pulls::open_between(tx, id, &ends.base_ref, head.id, &ends.head_ref)?;
    if open.is_some() {
        let label = format!("{}:{}", head.owner.login, ends.head_ref);
        let message = format!("A pull request already exists for {label}.");
        return Err(ApiError::custom("PullRequest", message));
    }
    Ok(())
}

/// A new issue, or the one that becomes a pull request.
fn issue_of(change: Change<'_>, author_id: i64, new: &NewPullRequest) -> Result<Issue> {
    let (tx, repository_id) = (change.tx, change.repository_id);
    let Some(number) = new.issue else {
        let new = NewIssue {
            repository_id,
            is_pull: true,
            author_id,
            title: new.title.as_deref().unwrap_or_default(),
            body: new.body.as_deref(),
            at: change.at,
        };
        return Ok(issues::create(tx, &new)?);
    };
    let found = issues::by_number(tx, repository_id, number)?;
    let issue = found
        .filter(|issue| !issue.is_pull)
        .ok_or_else(|| ApiError::invalid("PullRequest", "issue", "invalid", None))?;
    issues::make_pull(tx, issue.id)?;
    Ok(issues::by_id(tx, issue.id)?)
}

fn insert(
    change: Change<'_>,
    issue: &Issue,
    new: &NewPullRequest,
    ends: &Ends,
    author_id: i64,
) -> Result<Pull> {
    let tx = change.tx;
    pulls::create(
        tx,
        &NewPull {
            id: issue.id,
            draft: new.draft,
            base_ref: &ends.base_ref,
            base_sha: ends.base.as_str(),
            head_repository_id: ends.head_repository.id,
            head_owner_id: ends.head_repository.owner.id,
            head_ref: &ends.head_ref,
            head_sha: ends.head.as_str(),
            maintainer_can_modify: new.maintainer_can_modify
                && ends.head_repository.id != issue.repository_id,
            pushed_by: author_id,
        },
    )?;
    pulls::by_id(tx, issue.id)?
        .ok_or_else(|| ApiError::internal("a pull request vanished while it was made"))
}

#[cfg(test)]
mod tests {
    use super::HeadName;

    #[test]
    fn a_head_may_name_its_owner() {
        let shown = |text| {
            let head = HeadName::parse(text, None);
            format!("{:?} {}", head.owner.as_deref(), head.branch)
        };
        assert_eq!(shown("feature"), "None feature");
        assert_eq!(shown("octo:a/b"), "Some(\"octo\") a/b");
        assert_eq!(shown("octo:refs/heads/a"), "Some(\"octo\") a");
    }
}
