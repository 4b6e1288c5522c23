//! Counts over everything that is listed, on whatever page.

use std::collections::BTreeMap;

use baton_protocol::tools::find_unresolved_comments::{CommentKind, CommentSummary, LeftOut};

use super::matters::{Sifted, is_bot, login};
use super::{entry, findings};

pub(super) fn build(sifted: &Sifted<'_>) -> CommentSummary {
    let matters = &sifted.matters;
    let mut by_author = BTreeMap::new();
    let mut by_type = BTreeMap::new();
    let (mut bots, mut with_reactions, mut outdated, mut remarks) = (0, 0, 0, 0);
    for matter in matters {
        let author = matter.author();
        *by_author.entry(login(author).to_owned()).or_default() += 1;
        *by_type.entry(word(matter.kind()).to_owned()).or_default() += 1;
        bots += u64::from(is_bot(author));
        with_reactions += u64::from(entry::has_reactions(matter));
        match matter.place() {
            Some(place) => outdated += u64::from(place.is_outdated),
            None => remarks += findings::parse(matter.body()).len() as u64,
        }
    }
    let total = matters.len() as u64;
    CommentSummary {
        total_comments: total,
        by_author,
        by_type,
        bot_comments: bots,
        human_comments: total - bots,
        with_reactions,
        resolved_threads: Some(sifted.resolved),
        outdated_threads: Some(outdated),
        findings: Some(remarks),
        left_out: (sifted.left_out != LeftOut::default()).then_some(sifted.left_out),
    }
}

fn word(kind: CommentKind) -> &'static str {
    match kind {
        CommentKind::ReviewComment => "review_comment",
        CommentKind::IssueComment => "issue_comment",
        CommentKind::Review => "review",
    }
}
