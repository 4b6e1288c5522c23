//! Pull requests follow their branches.
//!
//! The table `refs` says where branches are; a pull request says where its two
//! were. Whatever differs is brought in line, so it does not matter whether a
//! push was seen, or cut off by a crash, or made behind the forge's back.

use std::collections::{BTreeSet, HashMap};

use super::counts::count;
use super::mergeability::start_trial;
use super::{code_owners, fixed_issues, oid, record, requests, update};
use crate::actions::prelude::*;
use crate::actions::reviews;
use crate::actions::rules::merges;
use crate::git::FileDiff;
use crate::store::pull_commits::{self, Counts};
use crate::store::pulls::{self, OutOfStep};
use crate::store::review_threads::{self, Place};
use crate::store::{code_owner_sets, issues, refs, repositories, stacks, users};

/// Brings all pull requests in line that have a branch in this repository.
/// `actor_id` is who pushed.
pub(crate) async fn sync_repository(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
) -> Result<()> {
    let find = || app.rows(|conn| pulls::out_of_step(conn, repository.id));
    // A branch that was merged and deleted in one push was merged first.
    for found in find()? {
        if is_elsewhere(found.head.as_ref(), &found.pull.head_sha) {
            let followed = follow_head(app, &found.pull, actor_id).await;
            report(followed, found.pull.number());
        }
    }
    let bases: BTreeSet<(i64, String)> = find()?
        .into_iter()
        .filter(|found| is_elsewhere(found.base.as_ref(), &found.pull.base_sha))
        .map(|found| (found.pull.issue.repository_id, found.pull.base_ref))
        .collect();
    for (repository_id, base_ref) in bases {
        follow_base(app, repository_id, &base_ref, actor_id).await?;
    }
    for found in find()? {
        let number = found.pull.number();
        report(follow_deletion(app, found, actor_id).await, number);
    }
    Ok(())
}

fn is_elsewhere(now: Option<&String>, known: &str) -> bool {
    now.is_some_and(|now| now != known)
}

/// One that cannot follow does not hold up the others; it is out of step still
/// and is tried again.
fn report(followed: Result<()>, number: i64) {
    if let Err(error) = followed {
        tracing::error!(?error, number, "a pull request is behind its branches");
    }
}

/// Brings one in line, whatever happened to it, and derives again what depends
/// on its base branch.
pub(super) async fn sync_pull(app: &App, id: i64, actor_id: Option<i64>) -> Result<()> {
    let pull = super::reread(app, id)?;
    let repository = app.rows(|conn| repositories::by_id(conn, pull.issue.repository_id))?;
    sync_repository(app, &repository, actor_id).await?;
    derive_again(app, &repository, id).await
}

async fn derive_again(app: &App, repository: &Repository, id: i64) -> Result<()> {
    let guard = app.lock_pulls(repository.id).await;
    let pull = super::reread(app, id)?;
    if pull.is_open() {
        let head = oid(&pull.head_sha)?;
        let derived = Derived::find(app, repository, &pull, &head).await?;
        app.write(move |tx| derived.write(tx, &pull)).await?;
    }
    drop(guard);
    Ok(())
}

/// When the forge starts: what a crash left half done is completed.
pub(super) async fn sync_all(app: &App) -> Result<()> {
    let ids = app.rows(pulls::busy_repositories)?;
    for id in ids {
        let (repository, heads) = app.read(|conn| {
            let repository = repositories::by_id(conn, id)?;
            Ok((repository, pulls::open_heads(conn, id)?))
        })?;
        let git = app.git(&repository);
        let known: HashMap<String, Oid> = git
            .refs(&["refs/pull"])
            .await?
            .into_iter()
            .map(|found| (found.name, found.oid))
            .collect();
        for (number, head) in heads {
            let name = format!("refs/pull/{number}/head");
            let head = oid(&head)?;
            if known.get(&name) != Some(&head) {
                git.point(&name, &head).await?;
            }
        }
        sync_repository(app, &repository, None).await?;
    }
    Ok(())
}

/// What depends on the commits and is written with them.
struct Derived {
    counts: Counts,
    places: Vec<(i64, Option<Place>)>,
    owners: Vec<Vec<i64>>,
    files: Vec<FileDiff>,
    head: Oid,
}

impl Derived {
    async fn find(app: &App, repository: &Repository, pull: &Pull, head: &Oid) -> Result<Self> {
        let git = app.git(repository);
        let base = oid(&pull.base_sha)?;
        let counts = count(&git, base.as_str(), head.as_str()).await?;
        let merge_base = oid(&counts.merge_base_sha)?;
        let files = git.diff(&merge_base, head).await?;
        let threads = app.rows(|conn| review_threads::all_of_pull(conn, pull.id()))?;
        let old_merge_base = super::counts(app, repository, pull).await?.merge_base_sha;
        let moves = reviews::Moves {
            old_base: oid(&old_merge_base)?,
            new_base: merge_base,
            new_head: head.clone(),
        };
        let places = reviews::replace_threads(&git, &threads, &files, &moves).await?;
        let owners = match code_owners::read(&git, &base).await? {
            Some(owners) => {
                app.read(|conn| code_owners::owner_sets(conn, repository, &owners, &files))?
            }
            None => Vec::new(),
        };
        Ok(Self {
            counts,
            places,
            owners,
            files,
            head: head.clone(),
        })
    }

    /// `pull` has the new commits already.
    fn write(&self, tx: &Transaction<'_>, pull: &Pull) -> Result<()> {
        pull_commits::set_counts(tx, pull, &self.counts)?;
        for (thread, place) in &self.places {
            review_threads::set_place(tx, *thread, *place, self.head.as_str())?;
        }
        code_owner_sets::replace(tx, pull.id(), &self.owners)?;
        Ok(())
    }
}

/// What a push did to the head.
struct HeadMove {
    derived: Derived,
    forced: bool,
    outdates_approvals: bool,
}

/// The head branch has other commits than before.
async fn follow_head(app: &App, pull: &Pull, actor_id: Option<i64>) -> Result<()> {
    let guard = app.lock_pulls(pull.issue.repository_id).await;
    let pull = super::reread(app, pull.id())?;
    let (repository, head_repository, head) = app.read(|conn| {
        let head_repository = match pull.head_repository_id {
            Some(id) => repositories::by_id(conn, id)?,
            None => return Err(ApiError::NotFound),
        };
        let name = format!("refs/heads/{}", pull.head_ref);
        let head = refs::find(conn, head_repository.id, &name)?;
        let repository = repositories::by_id(conn, pull.issue.repository_id)?;
        Ok((repository, head_repository, head))
    })?;
    let Some(head) = head.filter(|head| *head != pull.head_sha && pull.is_open()) else {
        return Ok(());
    };
    let head = oid(&head)?;
    let git = app.git(&repository);
    git.import(&app.git(&head_repository), &head).await?;
    let derived = Derived::find(app, &repository, &pull, &head).await?;
    let head_move = HeadMove {
        outdates_approvals: is_changed(app, &repository, &pull, &derived).await?,
        forced: !git.is_ancestor(&oid(&pull.head_sha)?, &head).await?,
        derived,
    };
    git.point(&format!("refs/pull/{}/head", pull.number()), &head)
        .await?;
    let (id, written) = (pull.id(), repository.clone());
    app.change(repository.id, actor_id, move |change| {
        record_head(change, &written, &pull, &head_move)
    })
    .await?;
    drop(guard);
    let pull = super::reread(app, id)?;
    if pull.is_open() {
        start_trial(app, &repository, &pull);
    }
    Ok(())
}

/// Whether approvals were given to another change than the one there is now.
async fn is_changed(
    app: &App,
    repository: &Repository,
    pull: &Pull,
    derived: &Derived,
) -> Result<bool> {
    let dismisses = app.read(|conn| {
        let target = stacks::target(conn, pull)?;
        merges::dismisses_stale_reviews(conn, repository, &target)
    })?;
    if !dismisses {
        return Ok(false);
    }
    let before = super::diff(app, repository, pull).await?;
    let essence = |files: &[FileDiff]| -> Vec<_> {
        files
            .iter()
            .map(|file| (file.path.clone(), file.status, file.patch.clone()))
            .collect()
    };
    Ok(essence(&before) != essence(&derived.files))
}

fn record_head(
    change: Change<'_>,
    repository: &Repository,
    pull: &Pull,
    head_move: &HeadMove,
) -> Result<()> {
    let (tx, id, derived) = (change.tx, pull.id(), &head_move.derived);
    let head = derived.head.as_str();
    pulls::set_head(tx, id, head, change.actor_id)?;
    issues::touch(tx, id, change.at)?;
    let moved = pulls::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    derived.write(tx, &moved)?;
    if head_move.forced {
        record::force_pushed(change, id, "head_ref_force_pushed", &pull.head_sha, head)?;
    }
    let data = Some(json!({ "before": pull.head_sha, "after": head }));
    change.issue_event(&moved.issue, "synchronize", data)?;
    if head_move.outdates_approvals {
        reviews::dismiss_stale(change, &moved)?;
    }
    let pusher = match change.actor_id {
        Some(id) => Some(users::by_id(tx, id)?),
        None => None,
    };
    let permission = repositories::permission(tx, repository, pusher.as_ref())?;
    if permission < Permission::Write {
        record::give_up_merging(change, &moved, "NEW_COMMITS")?;
    }
    record::leave_queue(change, &moved, "BRANCH_UPDATED")?;
    if derived.counts.commits == 0 {
        return record::close(change, &moved);
    }
    if !moved.draft {
        requests::request_code_owners(change, repository, &moved)?;
    }
    Ok(())
}

/// The base branch has other commits than before: pull requests that are part
/// of it now were merged.
async fn follow_base(
    app: &App,
    repository_id: i64,
    base_ref: &str,
    actor_id: Option<i64>,
) -> Result<()> {
    let guard = app.lock_pulls(repository_id).await;
    let followed = follow_base_locked(app, repository_id, base_ref, actor_id).await;
    drop(guard);
    followed
}

/// For those who hold the lock on the repository's pull requests.
pub(super) async fn follow_base_locked(
    app: &App,
    repository_id: i64,
    base_ref: &str,
    actor_id: Option<i64>,
) -> Result<()> {
    let (repository, base, open) = app.read(|conn| {
        let repository = repositories::by_id(conn, repository_id)?;
        let base = refs::find(conn, repository_id, &format!("refs/heads/{base_ref}"))?;
        let open = pulls::open_with_base(conn, repository_id, base_ref)?;
        Ok((repository, base, open))
    })?;
    let Some(base) = base else { return Ok(()) };
    let git = app.git(&repository);
    let tip = oid(&base)?;
    let merged = merges_by(&git, &tip, &open).await?;
    let taken_back = taken_back(&git, &tip, &open).await;
    let root = app.urls().page("");
    app.change(repository_id, actor_id, move |change| {
        for pull in open.iter().filter(|pull| pull.base_sha != base) {
            if let Some(commit) = merged.get(&pull.id()) {
                // Its base stays what it was: the difference is what was merged.
                let commit = commit.as_str();
                record::merged(change, pull, commit)?;
                fixed_issues::for_pull(change, &repository, pull, commit, &root)?;
                continue;
            }
            if taken_back.contains(&pull.base_sha) {
                let (id, before) = (pull.id(), &pull.base_sha);
                record::force_pushed(change, id, "base_ref_force_pushed", before, &base)?;
            }
            pulls::set_base(change.tx, pull.id(), &pull.base_ref, &base)?;
        }
        Ok(())
    })
    .await
}

/// Where the base branch was, as far as its tip no longer contains that.
async fn taken_back(git: &GitRepository, tip: &Oid, open: &[Pull]) -> BTreeSet<String> {
    let before: BTreeSet<&String> = open.iter().map(|pull| &pull.base_sha).collect();
    let mut taken_back = BTreeSet::new();
    for commit in before.into_iter().filter(|one| *one != tip.as_str()) {
        // A commit that is gone for good cannot be shown as what was there before.
        let contained = match Oid::parse(commit) {
            Some(commit) => git.is_ancestor(&commit, tip).await.unwrap_or(true),
            None => true,
        };
        if !contained {
            taken_back.insert(commit.clone());
        }
    }
    taken_back
}

async fn merges_by(git: &GitRepository, tip: &Oid, open: &[Pull]) -> Result<HashMap<i64, Oid>> {
    let contained = git.contained_pulls(tip).await?;
    let mut merged = HashMap::new();
    for pull in open {
        if contained.contains(&pull.number()) {
            let head = oid(&pull.head_sha)?;
            merged.insert(pull.id(), git.merge_that_brought(&head, tip).await?);
        }
    }
    Ok(merged)
}

/// A branch is gone: without a head there is nothing to merge, without a base
/// no place for it. Where the base was itself merged, its own base takes over.
async fn follow_deletion(app: &App, found: OutOfStep, actor_id: Option<i64>) -> Result<()> {
    let (id, repository_id) = (found.pull.id(), found.pull.issue.repository_id);
    let guard = app.lock_pulls(repository_id).await;
    let retargeted = app
        .change(repository_id, actor_id, move |change| {
            record_deletion(change, &found)
        })
        .await?;
    drop(guard);
    if retargeted {
        let repository = app.rows(|conn| repositories::by_id(conn, repository_id))?;
        derive_again(app, &repository, id).await?;
    }
    Ok(())
}

/// Says whether it has another base now.
fn record_deletion(change: Change<'_>, found: &OutOfStep) -> Result<bool> {
    let pull = match pulls::by_id(change.tx, found.pull.id())? {
        Some(pull) if pull.is_open() => pull,
        _ => return Ok(false),
    };
    if found.head.is_none() && pull.head_repository_id.is_some() {
        change.timeline(pull.id(), "head_ref_deleted", None)?;
        record::close(change, &pull)?;
        return Ok(false);
    }
    if found.base.is_some() {
        return Ok(false);
    }
    let Some((name, tip)) = base_below(change.tx, &pull)? else {
        change.timeline(pull.id(), "base_ref_deleted", None)?;
        record::close(change, &pull)?;
        return Ok(false);
    };
    change.timeline(pull.id(), "automatic_base_change_succeeded", None)?;
    update::set_base(change, &pull, &name, &tip)?;
    Ok(true)
}

/// Where the pull request went whose head was the base of this one: the branch
/// and its commit.
fn base_below(tx: &Transaction<'_>, pull: &Pull) -> Result<Option<(String, String)>> {
    let repository_id = pull.issue.repository_id;
    let (head_ref, head_sha) = (&pull.base_ref, &pull.base_sha);
    let Some(below) = pulls::merged_from(tx, repository_id, head_ref, head_sha)? else {
        return Ok(None);
    };
    let name = format!("refs/heads/{}", below.base_ref);
    let tip = refs::find(tx, repository_id, &name)?;
    Ok(tip.map(|tip| (below.base_ref, tip)))
}
