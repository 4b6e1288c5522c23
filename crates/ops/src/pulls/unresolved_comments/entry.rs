//! A matter as the contract has it.

use baton_protocol::tools::find_unresolved_comments::{
    AuthorAssociation, CommentFinding, CommentThread, Reactions, ThreadReply, UnresolvedComment,
};
use baton_remote::github::enums::{AuthorAssociation as Association, Reaction};
use baton_remote::github::questions::review_discussion::{
    ReactionGroup, ThreadComment, ThreadPlace,
};
use jiff::Timestamp;

use super::actions::{self, Place};
use super::matters::{Matter, Said, id_of, is_bot, is_named, lines_of, login};
use super::{excerpt, findings, severity};

/// The last words of a long argument are the ones that count.
const MAX_REPLIES: usize = 10;
/// A review with more remarks is one to read on its page.
const MAX_FINDINGS: usize = 15;

pub(super) fn build(matter: &Matter<'_>, place: &Place<'_>) -> UnresolvedComment {
    let facts = Facts::new(matter);
    let (body, is_cut) = excerpt::body(matter.body());
    let lines = matter.place().map(lines_of).unwrap_or_default();
    let (findings, left_out) = remarks(matter);
    let author = matter.author();
    UnresolvedComment {
        id: matter.id(),
        kind: matter.kind(),
        author: login(author).to_owned(),
        author_association: association(facts.association),
        is_bot: is_bot(author),
        created_at: matter.created_at().to_string(),
        updated_at: facts.updated_at.to_string(),
        file_path: matter.place().map(|place| place.path.clone()),
        line_number: lines.0,
        start_line: lines.1,
        diff_hunk: facts.diff_hunk.and_then(excerpt::hunk),
        body,
        body_html: None,
        in_reply_to_id: facts.in_reply_to,
        reactions: reactions(facts.reactions),
        html_url: facts.url.to_owned(),
        action_commands: actions::build(matter, place),
        body_truncated: is_cut.then_some(true),
        thread: thread(matter),
        review_state: facts.review_state.map(str::to_owned),
        reviewed_commit: facts.reviewed_commit.map(str::to_owned),
        findings: (!findings.is_empty()).then_some(findings),
        findings_left_out: (left_out > 0).then_some(left_out as u64),
        severity: severity::parse(matter.body()),
        addressed: is_addressed(matter).then_some(true),
        by_pr_author: matter.by_pr_author.then_some(true),
    }
}

/// Bots write into their own remark, or below it, that a later commit dealt with it. What others
/// write proves nothing.
fn is_addressed(matter: &Matter<'_>) -> bool {
    const MARKS: [&str; 3] = [
        "✅ Addressed in commit",
        "✅ Confirmed as addressed",
        "✅ Resolved in commit",
    ];
    let author = matter.author();
    let Said::Thread { first, replies, .. } = &matter.said else {
        return false;
    };
    let is_own = |comment: &&&ThreadComment| is_named(comment.author.as_ref(), Some(login(author)));
    let own = replies
        .iter()
        .filter(is_own)
        .map(|reply| reply.body.as_str());
    let mut texts = own.chain([first.body.as_str()]);
    is_bot(author) && texts.any(|text| MARKS.iter().any(|mark| text.contains(mark)))
}

/// What the three kinds have under different names.
struct Facts<'a> {
    association: &'a Association,
    updated_at: Timestamp,
    url: &'a str,
    reactions: &'a [ReactionGroup],
    diff_hunk: Option<&'a str>,
    in_reply_to: Option<u64>,
    review_state: Option<&'a str>,
    reviewed_commit: Option<&'a str>,
}

impl<'a> Facts<'a> {
    fn new(matter: &Matter<'a>) -> Self {
        match &matter.said {
            Said::Thread {
                first, reactions, ..
            } => Self {
                association: &first.author_association,
                updated_at: first.updated_at,
                url: &first.url,
                reactions,
                diff_hunk: Some(&first.diff_hunk),
                in_reply_to: first.reply_to.and_then(|to| to.full_database_id),
                review_state: None,
                reviewed_commit: None,
            },
            Said::Review(review) => Self {
                association: &review.author_association,
                updated_at: review.updated_at,
                url: &review.url,
                reactions: &review.reaction_groups,
                diff_hunk: None,
                in_reply_to: None,
                review_state: Some(review.state.as_str()),
                reviewed_commit: review.commit.as_ref().map(|commit| commit.oid.as_str()),
            },
            Said::Comment(comment) => Self {
                association: &comment.author_association,
                updated_at: comment.updated_at,
                url: &comment.url,
                reactions: &comment.reaction_groups,
                diff_hunk: None,
                in_reply_to: None,
                review_state: None,
                reviewed_commit: None,
            },
        }
    }
}

/// And how many more there are. A thread has its place already; other texts may
/// speak of several.
fn remarks(matter: &Matter<'_>) -> (Vec<CommentFinding>, usize) {
    if matter.place().is_some() {
        return (Vec::new(), 0);
    }
    let mut found = findings::parse(matter.body());
    let left_out = found.len().saturating_sub(MAX_FINDINGS);
    found.truncate(MAX_FINDINGS);
    (found, left_out)
}

fn thread(matter: &Matter<'_>) -> Option<CommentThread> {
    let Said::Thread { place, replies, .. } = &matter.said else {
        return None;
    };
    let ThreadPlace {
        id,
        is_resolved,
        is_outdated,
        viewer_can_resolve,
        resolved_by,
        ..
    } = place;
    let left_out = replies.len().saturating_sub(MAX_REPLIES);
    Some(CommentThread {
        id: id.as_str().to_owned(),
        is_resolved: *is_resolved,
        is_outdated: *is_outdated,
        can_resolve: *viewer_can_resolve,
        resolved_by: resolved_by.as_ref().map(|by| by.login.clone()),
        replies: replies[left_out..]
            .iter()
            .map(|reply| said_after(reply, matter.pr_author))
            .collect(),
        replies_left_out: (left_out > 0).then_some(left_out as u64),
    })
}

fn said_after(reply: &ThreadComment, pr_author: Option<&str>) -> ThreadReply {
    let author = reply.author.as_ref();
    let (body, is_cut) = excerpt::reply(&reply.body);
    ThreadReply {
        id: id_of(reply),
        author: login(author).to_owned(),
        is_bot: is_bot(author),
        created_at: reply.created_at.to_string(),
        body,
        body_truncated: is_cut.then_some(true),
        by_pr_author: is_named(author, pr_author).then_some(true),
    }
}

fn association(word: &Association) -> AuthorAssociation {
    match word {
        Association::Owner => AuthorAssociation::Owner,
        Association::Member => AuthorAssociation::Member,
        Association::Collaborator => AuthorAssociation::Collaborator,
        Association::Contributor => AuthorAssociation::Contributor,
        _ => AuthorAssociation::None,
    }
}

/// Absent when no one reacted.
pub(super) fn reactions(groups: &[ReactionGroup]) -> Option<Reactions> {
    let mut reactions = Reactions::default();
    for group in groups {
        let count = group.count();
        reactions.total_count += count;
        match group.content {
            Reaction::ThumbsUp => reactions.plus_one += count,
            Reaction::ThumbsDown => reactions.minus_one += count,
            Reaction::Laugh => reactions.laugh += count,
            Reaction::Hooray => reactions.hooray += count,
            Reaction::Confused => reactions.confused += count,
            Reaction::Heart => reactions.heart += count,
            Reaction::Rocket => reactions.rocket += count,
            Reaction::Eyes => reactions.eyes += count,
            Reaction::Unknown(_) => {}
        }
    }
    (reactions.total_count > 0).then_some(reactions)
}

pub(super) fn has_reactions(matter: &Matter<'_>) -> bool {
    reactions(Facts::new(matter).reactions).is_some()
}
