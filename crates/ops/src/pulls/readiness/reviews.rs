//! What people have to say: approvals, code owners, conversations.

use baton_host::cmd::quote;
use baton_protocol::code_owners::Owner;
use baton_protocol::short;
use baton_remote::github::Fact;

use super::facts::{Facts, Review, Verdict};
use super::ledger::{Clear, Finding};

/// More would not be run one after the other anyway.
const MAX_COMMANDS: usize = 5;

pub(super) fn approvals(facts: &Facts, needed: u32) -> Finding {
    let blocking: Vec<&Review> = facts
        .counted_reviews()
        .filter(|review| review.verdict == Verdict::ChangesRequested)
        .collect();
    if !blocking.is_empty() {
        let names = joined(blocking.iter().map(|review| review.author.as_str()));
        let mut clear = Clear::new(
            names.clone(),
            "Address what was asked for and ask for another review.",
        );
        for review in blocking.iter().take(MAX_COMMANDS) {
            let reviewer = format!("--add-reviewer {}", quote(&review.author));
            clear = clear.with(facts.gh_pr("edit", &reviewer));
        }
        let evidence = format!("latestOpinionatedReviews: CHANGES_REQUESTED by {names}");
        return Finding::failing(evidence, clear);
    }
    let given: Vec<&str> = facts
        .approvals()
        .map(|review| review.author.as_str())
        .collect();
    let evidence = match given.as_slice() {
        [] if facts.reviews.truncated => {
            "latestOpinionatedReviews: none that was read approves".to_owned()
        }
        [] => "latestOpinionatedReviews: no one has approved".to_owned(),
        names => format!("latestOpinionatedReviews: APPROVED by {}", names.join(", ")),
    };
    let clear = ask_for_approval(facts);
    if facts.reviews.truncated {
        // One of those that were not read may ask for changes; the forge has read them all.
        return if facts.is_approved() {
            Finding::satisfied("reviewDecision: APPROVED")
        } else {
            Finding::unknown(format!("{evidence}, and there are more reviews"), clear)
        };
    }
    if given.len() >= needed as usize {
        return Finding::satisfied(evidence);
    }
    Finding::failing(format!("{evidence}; {} of {needed}", given.len()), clear)
}

fn ask_for_approval(facts: &Facts) -> Clear {
    let people: Vec<&str> = facts
        .requested
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let by = match (people.as_slice(), &facts.author) {
        ([], Some(author)) => format!("anybody with write access other than {author}"),
        ([], None) => "anybody with write access".to_owned(),
        (people, _) => format!("{} (asked for a review)", people.join(", ")),
    };
    Clear::new(by, "A reviewer approves it.").with(facts.gh_pr("review", "--approve"))
}

/// Who pushed is told nowhere. The people of the head commit are the best guess,
/// so that an approval of theirs proves nothing by itself.
pub(super) fn last_push(facts: &Facts) -> Finding {
    let is_of_head = |review: &&Review| review.commit.as_ref() == Some(&facts.head);
    let of_head: Vec<&Review> = facts.approvals().filter(is_of_head).collect();
    let others = of_head.iter().find(|review| match &facts.head_people {
        Fact::Known(people) => !people.contains(&review.author),
        Fact::Unreadable(_) => false,
    });
    if let Some(review) = others {
        return Finding::satisfied(format!(
            "latestOpinionatedReviews: APPROVED by {} at the head {}",
            review.author,
            short(&facts.head)
        ));
    }
    match of_head.first() {
        Some(review) if facts.is_approved() => Finding::satisfied(format!(
            "reviewDecision: APPROVED, with the approval of {} at the head",
            review.author
        )),
        Some(review) => Finding::unknown(
            match &facts.head_people {
                Fact::Known(_) => format!(
                    "the only approval of the head is by {}, who also committed it; who pushed is not told",
                    review.author
                ),
                Fact::Unreadable(unreadable) => {
                    format!("the head is approved by {}; {unreadable}", review.author)
                }
            },
            ask_for_approval(facts),
        ),
        None if facts.reviews.truncated => Finding::unknown(
            "latestOpinionatedReviews: none of those read is of the head, and there are more",
            ask_for_approval(facts),
        ),
        None => Finding::failing(
            format!(
                "latestOpinionatedReviews: no approval of the head {}",
                short(&facts.head)
            ),
            ask_for_approval(facts),
        ),
    }
}

pub(super) fn code_owners(facts: &Facts) -> Finding {
    if facts.is_approved() {
        return Finding::satisfied("reviewDecision: APPROVED");
    }
    let waiting: Vec<&str> = facts
        .requested
        .iter()
        .filter(|request| request.as_code_owner)
        .map(|request| request.name.as_str())
        .collect();
    let read = facts
        .files
        .as_ref()
        .and_then(|files| Some((files, files.code_owners.as_ref()?)));
    let Some((files, owners)) = read else {
        return if waiting.is_empty() {
            Finding::unknown(
                "reviewDecision is not APPROVED, and there is no CODEOWNERS file that can be read",
                ask_for_approval(facts),
            )
        } else {
            let names = waiting.join(", ");
            Finding::failing(
                format!("reviewRequests: {names} as code owner"),
                Clear::new(names, "A code owner approves it.")
                    .with(facts.gh_pr("review", "--approve")),
            )
        };
    };
    let approvers: Vec<&str> = facts
        .approvals()
        .map(|review| review.author.as_str())
        .collect();
    let (mut open, mut unclear, mut has_owners) = (Vec::new(), Vec::new(), false);
    for path in &files.paths.items {
        let Some(entry) = owners
            .line_for(path)
            .filter(|entry| !entry.owners.is_empty())
        else {
            continue;
        };
        has_owners = true;
        let is_approved = entry.owners.iter().any(|owner| {
            matches!(owner, Owner::User(login) if approvers.iter().any(|by| by.eq_ignore_ascii_case(login)))
        });
        let is_plain = entry
            .owners
            .iter()
            .all(|owner| matches!(owner, Owner::User(_)));
        let line = (path.clone(), entry);
        if !is_approved && (is_plain || approvers.is_empty()) {
            open.push(line);
        } else if !is_approved {
            unclear.push(line);
        }
    }
    let first = open.first().or_else(|| unclear.first());
    let Some((path, entry)) = first else {
        return if files.paths.truncated {
            Finding::unknown(
                "not all changed files were read; the owners of those read have approved",
                ask_for_approval(facts),
            )
        } else {
            Finding::satisfied(if has_owners {
                "CODEOWNERS: an owner of every changed file has approved"
            } else {
                "CODEOWNERS: no changed file has an owner"
            })
        };
    };
    let names = joined(entry.owners.iter().map(Owner::name));
    let evidence = format!(
        "CODEOWNERS line {}: `{}` belongs to {names}, for {path}{}",
        entry.number,
        entry.pattern,
        and_more(open.len().max(unclear.len()) - 1)
    );
    let clear =
        Clear::new(names, "A code owner approves it.").with(facts.gh_pr("review", "--approve"));
    if open.is_empty() {
        // Who is in a team is not told.
        Finding::unknown(evidence, clear)
    } else {
        Finding::failing(evidence, clear)
    }
}

/// The rule names teams by numbers that say nothing about their members.
pub(super) fn teams(facts: &Facts) -> Finding {
    if facts.is_approved() {
        return Finding::satisfied("reviewDecision: APPROVED");
    }
    Finding::unknown(
        "reviewDecision is not APPROVED, and who is in the team is not told",
        ask_for_approval(facts),
    )
}

pub(super) fn conversations(facts: &Facts) -> Finding {
    let open: Vec<_> = facts
        .threads
        .items
        .iter()
        .filter(|thread| !thread.is_resolved)
        .collect();
    // No command resolves a conversation here: each one is settled first, by itself.
    let pull_request = format!("{}#{}", facts.repository, facts.number);
    let clear = Clear::new(
        facts.author_or_writer(),
        "Settle each conversation, then resolve it; find_unresolved_comments has them all.",
    )
    .with(format!(
        "baton pr find-unresolved-comments {}",
        quote(pull_request)
    ));
    if let Some(first) = open.first() {
        let evidence = format!(
            "reviewThreads: isResolved is false at {}{}",
            first.place,
            and_more(open.len() - 1)
        );
        return Finding::failing(evidence, clear);
    }
    let count = facts.threads.items.len();
    if facts.threads.truncated {
        let evidence = match count {
            0 => "reviewThreads: they could not be read".to_owned(),
            count => format!("reviewThreads: the first {count} are resolved, and there are more"),
        };
        return Finding::unknown(evidence, clear);
    }
    Finding::satisfied(match count {
        0 => "reviewThreads: none".to_owned(),
        count => format!("reviewThreads: isResolved is true for all {count}"),
    })
}

pub(super) fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(" and {count} more"),
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
