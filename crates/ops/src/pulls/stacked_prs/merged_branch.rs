//! A branch that is kept current by merging what is below it.
//!
//! Its commits stay where they are; what it has of the one below is the newest
//! of that one's heads, now or before, that it contains.

use baton_host::git::{Git, GitError, LogEntry, NewCommit, Oid};

use super::fork_point::{Below, Ends, ForkPoint};
use super::landing::commits;
use super::survey::anonymous;

pub(super) async fn find(
    git: &Git,
    ends: Ends<'_>,
    all: &[LogEntry],
    below: Below,
) -> Result<Option<ForkPoint>, GitError> {
    let others: Vec<&LogEntry> = all
        .iter()
        .filter(|entry| !below.has(&entry.commit))
        .collect();
    let (merges, mut own): (Vec<&LogEntry>, Vec<&LogEntry>) = others
        .into_iter()
        .partition(|entry| entry.parents.len() > 1);
    own.reverse();
    let Some(contained) = contained(git, &ends, &merges, &below).await? else {
        return Ok(None);
    };
    let mut left_out: Vec<LogEntry> = all
        .iter()
        .filter(|entry| below.before_ids.contains(&entry.commit))
        .filter(|_| !below.now_has(&contained))
        .cloned()
        .collect();
    left_out.reverse();
    let commit = with_floor(git, &ends, &contained).await?;
    let doubt = doubt(&ends, commit.is_some(), &contained, &own)
        .or_else(|| doubt_about_leaving_out(&ends, &contained, &left_out));
    let (commit, joined) = commit.unwrap_or((contained.clone(), None));
    let evidence = format!(
        "it has {} and contains {} of the one below",
        match merges.len() {
            1 => "1 merge".to_owned(),
            count => format!("{count} merges"),
        },
        contained.short()
    );
    Ok(Some(ForkPoint {
        kept: git.is_ancestor(contained.as_str(), ends.lower).await?,
        certain: doubt.is_none(),
        evidence: match doubt {
            Some(doubt) => format!("{evidence}; {doubt}"),
            None => evidence,
        },
        below: all.iter().filter(|entry| below.has(&entry.commit)).count(),
        own: own.into_iter().cloned().collect(),
        merges: merges
            .into_iter()
            .map(|entry| entry.commit.clone())
            .collect(),
        dropped: below.into_dropped(),
        left_out,
        commit,
        joined,
    }))
}

/// The newest head of the lower one that the upper one has.
async fn contained(
    git: &Git,
    ends: &Ends<'_>,
    merges: &[&LogEntry],
    below: &Below,
) -> Result<Option<Oid>, GitError> {
    let Some(common) = git.merge_base(ends.lower, ends.upper).await? else {
        return Ok(None);
    };
    for head in &ends.history.heads {
        let commit = &head.commit;
        if *commit != common
            && git.is_ancestor(commit.as_str(), ends.upper).await?
            && git.is_ancestor(common.as_str(), commit.as_str()).await?
            && !is_superseded(git, commit, merges, below).await?
        {
            return Ok(Some(commit.clone()));
        }
    }
    Ok(Some(common))
}

/// Whether what the lower one is now was merged on top of what it was before.
async fn is_superseded(
    git: &Git,
    former: &Oid,
    merges: &[&LogEntry],
    below: &Below,
) -> Result<bool, GitError> {
    for merge in merges {
        let [first, others @ ..] = merge.parents.as_slice() else {
            continue;
        };
        if others.iter().any(|parent| below.now_has(parent))
            && git.is_ancestor(former.as_str(), first.as_str()).await?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the branch has of others, as one commit: of the lower one, and of what
/// both were made on where it merged that by itself. `None` where the two do
/// not fit together without a person's work.
async fn with_floor(
    git: &Git,
    ends: &Ends<'_>,
    contained: &Oid,
) -> Result<Option<(Oid, Option<(Oid, Oid)>)>, GitError> {
    let Some(floor) = git.merge_base(ends.floor, ends.upper).await? else {
        return Ok(Some((contained.clone(), None)));
    };
    if git.is_ancestor(floor.as_str(), contained.as_str()).await? {
        return Ok(Some((contained.clone(), None)));
    }
    if git.is_ancestor(contained.as_str(), floor.as_str()).await? {
        return Ok(Some((floor, None)));
    }
    let merge = git.merge_tree(contained.as_str(), floor.as_str()).await?;
    if !merge.clean {
        return Ok(None);
    }
    let nameless = anonymous();
    let new = NewCommit {
        tree: &merge.tree,
        parents: &[contained.clone(), floor.clone()],
        message: "What is below",
        author: &nameless,
        committer: &nameless,
    };
    let joined = git.make_commit(new).await?;
    Ok(Some((joined, Some((contained.clone(), floor)))))
}

fn doubt(
    ends: &Ends<'_>,
    is_told_apart: bool,
    contained: &Oid,
    own: &[&LogEntry],
) -> Option<String> {
    if own.is_empty() {
        return Some("nothing would be its own".to_owned());
    }
    if !is_told_apart {
        let count = commits(own.len());
        return Some(format!(
            "its merges had conflicts, and its {count} cannot be told from them"
        ));
    }
    match &ends.history.unknown {
        Some(why) if contained.as_str() != ends.lower => Some(format!(
            "whether the branch below was pushed by force is not known ({why})"
        )),
        _ => None,
    }
}

/// What went below before the pull request was opened may have been moved into it.
fn doubt_about_leaving_out(
    ends: &Ends<'_>,
    contained: &Oid,
    left_out: &[LogEntry],
) -> Option<String> {
    let last = left_out.last()?;
    let mut heads = ends.history.heads.iter();
    let left_at = heads.find(|head| head.commit == *contained)?.left_at;
    let is_told = matches!((ends.opened_at, left_at), (Some(opened), Some(left)) if opened <= left);
    (!is_told).then(|| {
        format!(
            "{} was below once and is there no longer",
            last.commit.short()
        )
    })
}
