//! What people ask for on the pull request itself: in threads in the code that
//! are open, and in reviews that ask for changes.
//!
//! Those who may write to the repository are heard: what they ask for has to be
//! dealt with like a finding. What others ask for is passed on to people, and
//! no one acts on it.

use baton_protocol::handoff::{BlockingIssue, Handoff, Severity};
use baton_remote::github::Account;
use baton_remote::github::enums::{AuthorAssociation, ReviewState};
use baton_remote::github::questions::review_discussion::{
    DiscussedReview, ReviewDiscussion, ReviewThread, ThreadComment,
};
use baton_review::fingerprint_of;

use crate::AgentStep;
use crate::foreign_text::one_line;
use crate::marker;
use crate::review_comment::ReviewComment;

/// More at once help no one; the others are still there in the next round.
const MAX_ENTRIES: usize = 20;
/// Of a long discussion, the end counts.
const MAX_COMMENTS: usize = 5;
const MAX_COMMENT: usize = 500;
const MAX_NOTE: usize = 200;

/// What was asked for and has no answer yet.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) comments: Vec<ReviewComment>,
    /// What no one acts on.
    pub(crate) notes: Vec<String>,
}

pub(crate) fn asked(step: &AgentStep<'_>, discussion: &ReviewDiscussion) -> Asked {
    let mut asked = Asked::default();
    for thread in &discussion.threads {
        let comments = sent(thread);
        if let Some(wish) = in_thread(thread, &comments) {
            asked.add(wish);
        }
    }
    for review in standing(&discussion.reviews) {
        if !was_handed_over(step, &review.url) {
            asked.add(in_review(review));
        }
    }
    asked.comments.truncate(MAX_ENTRIES);
    asked
}

/// The address of what someone asked for, where a finding is that.
pub(crate) fn address(issue: &BlockingIssue) -> Option<&str> {
    let (_, behind) = issue.description.rsplit_once('(')?;
    let address = behind.strip_suffix(')')?;
    is_address(address).then_some(address)
}

/// The same of a comment.
pub(crate) fn address_of(comment: &ReviewComment) -> Option<&str> {
    is_address(&comment.rule).then_some(comment.rule.as_str())
}

/// The thread at an address.
pub(crate) fn thread_at<'d>(
    discussion: &'d ReviewDiscussion,
    address: &str,
) -> Option<&'d ReviewThread> {
    let mut threads = discussion.threads.iter();
    threads.find(|thread| {
        let first = thread.comments.first();
        first.is_some_and(|first| first.url == address)
    })
}

/// The names of rules are no addresses.
fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Something that someone asked for.
struct Wish {
    comment: ReviewComment,
    is_heard: bool,
}

impl Asked {
    fn add(&mut self, Wish { comment, is_heard }: Wish) {
        if is_heard {
            return self.comments.push(comment);
        }
        let place = match comment.location() {
            Some(location) => format!(" at {location}"),
            None => String::new(),
        };
        self.notes.push(format!(
            "not acted on{place}, as it takes write access to ask for changes: {}",
            one_line(&comment.what, MAX_NOTE)
        ));
    }
}

fn in_thread(thread: &ReviewThread, comments: &[&ThreadComment]) -> Option<Wish> {
    let first = comments.first().filter(|first| !is_ours(first))?;
    let is_heard = |comment: &ThreadComment| may_ask(&comment.author_association);
    let heard: Vec<usize> = (0..comments.len())
        .filter(|index| is_heard(comments[*index]) && !is_ours(comments[*index]))
        .collect();
    let answered = comments.iter().rposition(|comment| is_ours(comment));
    // Once we have answered, it is for them to say that it is not enough.
    let newest = heard.last().copied().unwrap_or(comments.len() - 1);
    if thread.place.is_resolved || answered.is_some_and(|answered| answered > newest) {
        return None;
    }
    let start = heard.len().saturating_sub(MAX_COMMENTS);
    let said = heard[start..].iter().map(|index| words(comments[*index]));
    let said = match heard.as_slice() {
        [] => words(first),
        _ => said.collect::<Vec<_>>().join("; "),
    };
    let line = thread.place.line.or(thread.place.original_line);
    let first_line = thread.place.start_line.or(line);
    let lines = (number(first_line), number(line));
    Some(Wish {
        comment: comment(&thread.place.path, lines, said, &first.url),
        is_heard: !heard.is_empty(),
    })
}

fn words(comment: &ThreadComment) -> String {
    asks(comment.author.as_ref(), &comment.body)
}

fn in_review(review: &DiscussedReview) -> Wish {
    let said = asks(review.author.as_ref(), &review.body);
    Wish {
        comment: comment("", (0, 0), said, &review.url),
        is_heard: may_ask(&review.author_association),
    }
}

fn comment(path: &str, lines: (u32, u32), what: String, address: &str) -> ReviewComment {
    ReviewComment {
        severity: Severity::Important,
        path: path.to_owned(),
        lines,
        rule: address.to_owned(),
        fingerprint: fingerprint_of(address, path, &what),
        what,
        why: String::new(),
        remedy: String::new(),
        excerpt: String::new(),
    }
}

/// The newest verdicts that ask for changes, in words.
fn standing(reviews: &[DiscussedReview]) -> impl Iterator<Item = &DiscussedReview> {
    let is_verdict = |review: &DiscussedReview| {
        matches!(
            review.state,
            ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed
        )
    };
    let login = |review: &DiscussedReview| review.author.as_ref().map(|one| one.login.clone());
    reviews
        .iter()
        .enumerate()
        .filter_map(move |(index, review)| {
            let is_newest = !reviews[index + 1..]
                .iter()
                .any(|later| is_verdict(later) && login(later) == login(review));
            let asks = review.state == ReviewState::ChangesRequested
                && !review.body.trim().is_empty()
                && !review.is_minimized
                && !marker::is_in_any(&review.body);
            (is_newest && asks).then_some(review)
        })
}

/// Nothing marks a review as answered but that it was dealt with.
fn was_handed_over(step: &AgentStep<'_>, url: &str) -> bool {
    let passed = step.call.state.passed().iter();
    let mut issues = passed.flat_map(|passed| match &*passed.handoff {
        Handoff::ChangesRequested(review) => review.blocking_issues.as_slice(),
        _ => &[],
    });
    issues.any(|issue| address(issue) == Some(url))
}

fn sent(thread: &ReviewThread) -> Vec<&ThreadComment> {
    let comments = thread.comments.iter();
    comments
        .filter(|comment| comment.state.as_deref() != Some("PENDING") && !comment.is_minimized)
        .collect()
}

/// A person may use the same account as we do.
fn is_ours(comment: &ThreadComment) -> bool {
    comment.viewer_did_author && marker::is_in_any(&comment.body)
}

/// Whether it is for this author to say what has to be done.
fn may_ask(association: &AuthorAssociation) -> bool {
    matches!(
        association,
        AuthorAssociation::Owner | AuthorAssociation::Member | AuthorAssociation::Collaborator
    )
}

fn asks(author: Option<&Account>, text: &str) -> String {
    let author = author.map_or("someone", |one| one.login.as_str());
    format!(
        "{} asks: “{}”",
        one_line(author, 60),
        one_line(text, MAX_COMMENT)
    )
}

fn number(line: Option<u64>) -> u32 {
    line.and_then(|line| line.try_into().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Who wrote the comments of a thread: `octo` may write, `guest` may not,
    /// and `baton` is us.
    fn thread(authors: &[&str]) -> ReviewThread {
        let comment = |author: &&str| {
            let is_ours = *author == "baton";
            let association = if *author == "guest" { "NONE" } else { "MEMBER" };
            let mark = if is_ours {
                "<!-- baton:r-1/006-fix -->"
            } else {
                ""
            };
            let comment = json!({
                "id": "C", "author": { "login": author }, "viewerDidAuthor": is_ours,
                "authorAssociation": association, "body": format!("word {mark}"),
                "path": "a.rs", "url": "https://forge.test/1",
                "createdAt": "2031-05-06T07:08:09Z", "updatedAt": "2031-05-06T07:08:09Z",
            });
            serde_json::from_value(comment).unwrap()
        };
        let place = json!({
            "id": "T", "isResolved": false, "isOutdated": false, "path": "a.rs", "line": 7,
        });
        ReviewThread {
            place: serde_json::from_value(place).unwrap(),
            comments: authors.iter().map(comment).collect(),
            reaction_groups: Vec::new(),
        }
    }

    fn shown(authors: &[&str]) -> String {
        let thread = thread(authors);
        let heard = match in_thread(&thread, &sent(&thread)) {
            None => "nothing is left".to_owned(),
            Some(wish) if wish.is_heard => wish.comment.description(),
            Some(wish) => format!("not heard: {}", wish.comment.what),
        };
        format!("{}: {heard}", authors.join(", "))
    }

    #[test]
    fn all_who_may_write_are_heard_until_we_have_answered() {
        let lines = [
            shown(&["octo"]),
            shown(&["octo", "guest"]),
            shown(&["octo", "baton"]),
            shown(&["octo", "baton", "guest"]),
            shown(&["octo", "baton", "octo"]),
            shown(&["guest"]),
            shown(&["guest", "octo"]),
            shown(&["baton", "octo"]),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        octo: octo asks: “word” (https://forge.test/1)
        octo, guest: octo asks: “word” (https://forge.test/1)
        octo, baton: nothing is left
        octo, baton, guest: nothing is left
        octo, baton, octo: octo asks: “word”; octo asks: “word” (https://forge.test/1)
        guest: not heard: guest asks: “word”
        guest, octo: octo asks: “word” (https://forge.test/1)
        baton, octo: nothing is left
        ");
    }

    #[test]
    fn a_finding_of_a_person_is_known_by_its_address() {
        let thread = thread(&["octo"]);
        let wish = in_thread(&thread, &sent(&thread)).unwrap();
        assert_eq!(address(&wish.comment.issue()), Some("https://forge.test/1"));
        assert_eq!(address_of(&wish.comment), Some("https://forge.test/1"));
        let mut other = wish.comment;
        other.rule = "rust/sql-injection".to_owned();
        assert_eq!(address(&other.issue()), None);
        assert_eq!(address_of(&other), None);
    }
}
