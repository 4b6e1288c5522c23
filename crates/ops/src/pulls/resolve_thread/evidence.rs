//! Whether what the caller says about a thread holds.

use baton_host::git::{GitError, LogEntry, LogRange};
use baton_protocol::Repository;
use baton_protocol::short;
use baton_protocol::tools::resolve_review_thread::{
    EvidenceKind, ResolutionEvidence, ResolveReviewThreadInput,
};
use baton_remote::github::questions::review_discussion::{ReviewThread, ThreadComment};

use super::super::context::PullContext;
use super::super::objects::{NeededCommit, Objects, ObjectsError};
use super::anchor::Anchor;
use crate::error::OpError;

/// What the caller says: one of both at least.
pub(super) struct Claim<'a> {
    pub(super) commit: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
}

/// The pull request as it is now.
pub(super) struct Target<'a> {
    pub(super) repository: &'a Repository,
    pub(super) number: u32,
    pub(super) head: &'a str,
}

impl<'a> Claim<'a> {
    pub(super) fn from_input(input: &'a ResolveReviewThreadInput) -> Result<Self, OpError> {
        let given =
            |text: &'a Option<String>| text.as_deref().map(str::trim).filter(|t| !t.is_empty());
        let claim = Self {
            commit: given(&input.commit),
            reason: given(&input.reason),
        };
        if claim.commit.is_none() && claim.reason.is_none() {
            return Err(OpError::logical(
                "a thread is resolved on evidence, and none was given",
                "Pass `commit`, the pushed commit that fixes it, or `reason`, why it needs no change.",
            ));
        }
        let is_id = |text: &str| {
            (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        match claim.commit {
            Some(commit) if !is_id(commit) => Err(OpError::logical(
                "`commit` must be the id of a commit, of 7 hexadecimal digits or more",
                "Pass what `git rev-parse HEAD` prints after the fix was pushed.",
            )),
            _ => Ok(claim),
        }
    }

    pub(super) async fn check(
        &self,
        cx: &PullContext,
        target: &Target<'_>,
        thread: &ReviewThread,
        first: &ThreadComment,
    ) -> Result<ResolutionEvidence, OpError> {
        let mut evidence = ResolutionEvidence {
            kind: EvidenceKind::Reason,
            head: target.head.to_owned(),
            commit: None,
            subject: None,
            reason: self.reason.map(str::to_owned),
            facts: Vec::new(),
        };
        let Some(commit) = self.commit else {
            evidence
                .facts
                .push("a reason was given; no commit was looked at".to_owned());
            return Ok(evidence);
        };
        let objects = cx.objects(target.repository).await?;
        objects
            .have(&[NeededCommit::head_of(target.number, target.head)])
            .await?;
        let fix = in_the_pull_request(&objects, target, commit).await?;
        evidence.commit = Some(fix.commit.to_string());
        evidence.subject = Some(fix.subject().to_owned());
        evidence.facts.push(format!(
            "{} is in the pull request, whose head is {}",
            fix.commit.short(),
            short(target.head)
        ));
        match settles(&objects, &fix, thread, first).await? {
            Ok(facts) => {
                evidence.kind = EvidenceKind::FixCommit;
                evidence.facts.extend(facts);
                Ok(evidence)
            }
            Err(why) if self.reason.is_some() => {
                evidence.facts.push(format!("{why}; the reason has to do"));
                Ok(evidence)
            }
            Err(why) => Err(OpError::logical(
                format!("the thread was not resolved: {why}"),
                "Pass the commit that changes the commented lines, or a `reason` why it is settled.",
            )),
        }
    }
}

/// The commit, if the head contains it. No reason makes up for one that does
/// not: it is not pushed, or was dropped.
async fn in_the_pull_request(
    objects: &Objects,
    target: &Target<'_>,
    commit: &str,
) -> Result<LogEntry, OpError> {
    let (repository, number) = (target.repository, target.number);
    let missing = || {
        OpError::logical(
            format!(
                "the thread was not resolved: {repository}#{number} does not contain the commit {commit}; its head is {}",
                short(target.head)
            ),
            "Push the fix first, and pass the id that the commit has on the pull request's branch.",
        )
    };
    let found = objects.git.find_commit(commit).await?.ok_or_else(missing)?;
    if !objects.git.is_ancestor(found.as_str(), target.head).await? {
        return Err(missing());
    }
    let range = LogRange {
        from: None,
        to: found.as_str(),
    };
    let log = objects.git.log(range, 1).await?;
    log.into_iter().next().ok_or_else(missing)
}

/// The facts that show that a commit is about the thread, or what speaks
/// against it.
async fn settles(
    objects: &Objects,
    fix: &LogEntry,
    thread: &ReviewThread,
    first: &ThreadComment,
) -> Result<Result<Vec<String>, String>, OpError> {
    let id = fix.commit.as_str();
    let path = &thread.place.path;
    let Some(written_for) = &first.original_commit else {
        return Ok(Err(format!(
            "the commit that the comment on {path} was written about is not known"
        )));
    };
    let written_for = written_for.oid.as_str();
    let wanted = NeededCommit {
        commit: written_for.to_owned(),
        reference: written_for.to_owned(),
    };
    match objects.have(&[wanted]).await {
        Err(ObjectsError::Gone { .. } | ObjectsError::Git(GitError::Remote { .. })) => {
            return Ok(Err(format!(
                "{}, which the comment on {path} was written about, is gone",
                short(written_for)
            )));
        }
        other => other?,
    }
    if id == written_for {
        return Ok(Err(format!(
            "{} is the commit that the comment is about",
            short(id)
        )));
    }
    if objects.git.is_ancestor(id, written_for).await? {
        return Ok(Err(format!(
            "{} is older than the comment, which is about {}",
            short(id),
            short(written_for)
        )));
    }
    let Some(anchor) = Anchor::new(&thread.place, first) else {
        return Ok(Err(format!(
            "the lines of the comment on {path} are not known"
        )));
    };
    let Some(parent) = fix.parents.first() else {
        return Ok(Err(format!("{} has nothing before it", short(id))));
    };
    let before = objects.git.diff(written_for, parent.as_str(), 0).await?;
    let change = objects.git.diff(parent.as_str(), id, 0).await?;
    let touched = anchor
        .after(&before)
        .and_then(|anchor| anchor.touched_by(&change));
    Ok(match touched {
        Some(touched) => Ok(vec![
            format!(
                "it is newer than the comment, which is about {}",
                short(written_for)
            ),
            touched,
        ]),
        None => Err(untouched(&anchor, id)),
    })
}

fn untouched(anchor: &Anchor, id: &str) -> String {
    let path = anchor.path.display();
    match anchor.lines {
        Some((first, last)) => format!(
            "{} does not change the commented hunk, which was {path}:{first}-{last}",
            short(id)
        ),
        None => format!("{} does not change {path}", short(id)),
    }
}
