//! The commits, recreated on their new base.

use baton_host::git::{GitError, LogEntry, Oid, ReplayedCommit, Signature};
use baton_protocol::tools::restack::{RestackedCommit, RestackedPr};
use jiff::Timestamp;

use super::super::context::PullContext;
use super::super::stacked_prs::{
    Move, Onto, Rehearsal, Survey, first_words, merging, proof, rehearsal,
};
use super::refusals::{does_not_fit, refused};
use crate::error::OpError;

/// Makes the commits, and refuses those that would not be what they were.
pub(super) async fn make(cx: &PullContext, survey: &Survey) -> Result<Vec<RestackedPr>, OpError> {
    let git = &survey.objects.git;
    let committer = committer(survey).await?;
    let mut made: Vec<RestackedPr> = Vec::new();
    for one in &survey.moves {
        cx.tell(&format!("making the commits of #{}", one.member.number));
        if !matches!(one.rehearsal, Rehearsal::Clean { .. }) {
            return Err(does_not_fit(survey, one));
        }
        let ground = match &one.onto {
            Onto::Moved(number) => {
                let pr = format!("{}#{number}", survey.repository);
                made.iter()
                    .find(|below| below.pr == pr)
                    .map(|below| below.new_head.clone())
            }
            onto => survey.new_ground(onto),
        };
        let Some(ground) = ground else {
            return Err(does_not_fit(survey, one));
        };
        let Some((tip, commits)) = recreate(survey, one, &ground, &committer).await? else {
            return Err(does_not_fit(survey, one));
        };
        let objections = proof::objections(git, one, &ground, &tip, &commits).await?;
        if !objections.is_empty() {
            return Err(refused(survey, one, &objections));
        }
        made.push(recreated(survey, one, tip, &commits));
    }
    Ok(made)
}

/// The new head, and its commits by those that they were made from. `None` where they do not fit.
async fn recreate(
    survey: &Survey,
    one: &Move,
    ground: &str,
    committer: &Signature,
) -> Result<Option<(String, Vec<ReplayedCommit>)>, GitError> {
    let git = &survey.objects.git;
    let made = if one.by_merge {
        let message = merging::message(survey, one);
        merging::rehearse(git, one, ground, &message, committer).await?
    } else {
        rehearsal::play(git, &one.fork_point, &one.member.head, ground, committer).await?
    };
    Ok(match made {
        Rehearsal::Clean { tip, commits } => Some((tip.to_string(), commits)),
        _ => None,
    })
}

fn recreated(survey: &Survey, one: &Move, tip: String, commits: &[ReplayedCommit]) -> RestackedPr {
    let subject = |commit: &Oid| {
        let entry = one
            .fork_point
            .own
            .iter()
            .find(|entry| entry.commit == *commit);
        entry.map(LogEntry::subject).unwrap_or_default()
    };
    RestackedPr {
        pr: format!("{}#{}", survey.repository, one.member.number),
        branch: one.member.head_branch.clone(),
        cut: one.fork_point.commit.to_string(),
        old_head: one.member.head.clone(),
        new_head: tip,
        commits: commits
            .iter()
            .map(|commit| RestackedCommit {
                subject: first_words(subject(&commit.from)),
                old: commit.from.to_string(),
                new: commit.to.as_ref().map(ToString::to_string),
            })
            .collect(),
        merged: one.by_merge.then_some(true),
        left_out: one.fork_point.left_out_shown(),
    }
}

/// The committer that git names here. In a clone of our own it may know none;
/// then it is the last committer.
async fn committer(survey: &Survey) -> Result<Signature, GitError> {
    if let Some(known) = survey.objects.git.committer().await? {
        return Ok(known);
    }
    let last = survey
        .moves
        .iter()
        .rev()
        .find_map(|one| one.fork_point.own.last());
    Ok(match last {
        Some(entry) => Signature {
            time: Timestamp::now().as_second(),
            ..entry.committer.clone()
        },
        None => Signature {
            name: "baton".to_owned(),
            email: "baton@localhost".to_owned(),
            time: Timestamp::now().as_second(),
            zone: "+0000".to_owned(),
        },
    })
}
