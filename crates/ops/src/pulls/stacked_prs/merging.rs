//! A stack that is kept current by merges: what is below is merged into a
//! branch, whose own commits stay as they are and need no push by force.

use baton_host::cmd::quote;
use baton_host::git::{Git, GitError, LogEntry, NewCommit, Oid, ReplayedCommit, Signature};

use super::rehearsal::{self, Rehearsal};
use super::survey::{Move, Onto, Survey};

/// Merges `ground` into the branch of one pull request, as if what the branch
/// has of it were the last commit that both have.
pub(in super::super) async fn rehearse(
    git: &Git,
    one: &Move,
    ground: &str,
    message: &str,
    committer: &Signature,
) -> Result<Rehearsal, GitError> {
    let base = one.fork_point.commit.as_str();
    let head = git.commit(&one.member.head).await?;
    let ground = git.commit(ground).await?;
    let merge = git
        .merge_tree_from(base, head.as_str(), ground.as_str())
        .await?;
    if !merge.clean {
        return Ok(Rehearsal::Conflict {
            subject: message.to_owned(),
            files: rehearsal::files(&merge),
            at: ground,
        });
    }
    let new = NewCommit {
        tree: &merge.tree,
        parents: &[head, ground],
        message,
        author: committer,
        committer,
    };
    let tip = git.make_commit(new).await?;
    let commits = one.fork_point.own.iter().map(unchanged).collect();
    Ok(Rehearsal::Clean { tip, commits })
}

fn unchanged(entry: &LogEntry) -> ReplayedCommit {
    ReplayedCommit {
        from: entry.commit.clone(),
        to: Some(entry.commit.clone()),
    }
}

/// Of the merge commit.
pub(in super::super) fn message(survey: &Survey, one: &Move) -> String {
    let below = match &one.onto {
        Onto::Ground => survey.ground.as_ref().map(|ground| ground.label.as_str()),
        Onto::Standing(below) => Some(below.head_branch.as_str()),
        Onto::Moved(number) => survey
            .stack
            .member(*number)
            .map(|below| below.head_branch.as_str()),
    };
    let branch = &one.member.head_branch;
    format!("Merge {} into {branch}", below.unwrap_or("what is below"))
}

/// The merge that was rehearsed, in a shell that stands on `branch`.
pub(super) fn command(survey: &Survey, one: &Move, ground: &str, branch: &str) -> String {
    let message = quote(message(survey, one));
    let (base, ground) = (base(one), quote(ground));
    format!(
        "git switch {branch} && tree=$(git merge-tree --write-tree --merge-base={base} HEAD {ground}) \
         && git merge --ff-only \"$(git commit-tree -p HEAD -p {ground} -m {message} \"$tree\")\"",
        branch = quote(branch),
    )
}

/// Succeeds where the branch changes what is below it as it did before.
pub(super) fn verification(one: &Move, ground: &str, branch: &str) -> String {
    let change = |from: &str, to: &str| {
        format!("\"$(git diff-tree -p -r -U0 {from} {to} | git patch-id --stable)\"")
    };
    let reference = quote(format!("refs/heads/{branch}"));
    format!(
        "test {} = {}",
        change(&base(one), &one.member.head),
        change(&quote(ground), &reference)
    )
}

/// What the branch has of what is below it.
fn base(one: &Move) -> String {
    let commit: &Oid = &one.fork_point.commit;
    match &one.fork_point.joined {
        None => commit.to_string(),
        Some((lower, floor)) => format!(
            "\"$(git commit-tree -p {lower} -p {floor} -m below \"$(git merge-tree --write-tree {lower} {floor})\")\""
        ),
    }
}
