//! What was said and done on an issue or pull request, in order.

use serde_json::Value;

use super::html::{Html, escaped, in_path};
use super::markdown::{self, Place};
use super::patch::{self, Line};
use super::people::Chip;
use super::prelude::*;
use crate::store::comments;
use crate::store::issues::Issue;
use crate::store::labels::Label;
use crate::store::review_threads::{self, ReviewComment, Thread};
use crate::store::reviews::{self, Review, ReviewState};
use crate::store::timeline::{self, TimelineEvent};
use crate::views::View;

/// Of the lines above a comment on a diff.
const SHOWN_HUNK_LINES: usize = 8;

pub(super) enum Entry {
    Comment(Comment),
    Review(ReviewEntry),
    Happening(Happening),
}

impl Entry {
    /// Times have seconds only. Within one, preparations come before what is
    /// said, and the end comes last.
    fn rank(&self) -> u8 {
        match self {
            Self::Happening(happening) if !happening.is_end => 0,
            Self::Comment(_) | Self::Review(_) => 1,
            Self::Happening(_) => 2,
        }
    }
}

/// Something that someone wrote.
pub(super) struct Comment {
    /// Where links lead.
    pub(super) anchor: String,
    pub(super) author: Person,
    pub(super) when: Moment,
    pub(super) body: Html,
    /// Why it is folded away.
    pub(super) hidden: Option<String>,
}

pub(super) struct ReviewEntry {
    pub(super) anchor: String,
    pub(super) icon: Icon,
    pub(super) author: Person,
    pub(super) verdict: &'static str,
    pub(super) when: Moment,
    pub(super) body: Html,
    pub(super) threads: Vec<ThreadEntry>,
}

pub(super) struct ThreadEntry {
    pub(super) path: String,
    pub(super) line: Option<u32>,
    pub(super) resolved: bool,
    pub(super) outdated: bool,
    pub(super) hunk: Vec<Line>,
    pub(super) comments: Vec<Comment>,
}

/// Something that someone did.
pub(super) struct Happening {
    pub(super) who: Option<Person>,
    pub(super) what: Html,
    pub(super) when: Moment,
    is_end: bool,
}

/// The text that an issue or pull request begins with.
pub(super) fn opening(visit: &Visit, repository: &Repository, issue: &Issue) -> Result<Comment> {
    let author = visit
        .app
        .read(|conn| Visit::person(conn, issue.author_id))?;
    Ok(Comment {
        anchor: format!("issue-{}", issue.id),
        author,
        when: visit.moment(&issue.created_at),
        body: prose(issue.body.as_deref().unwrap_or_default(), repository),
        hidden: None,
    })
}

/// What someone wrote here; links without a host lead to files.
fn prose(text: &str, repository: &Repository) -> Html {
    let home = home_of(repository);
    let folder = format!("{home}/blob/{}", in_path(&repository.default_branch));
    let place = Place {
        home: &home,
        folder: &folder,
    };
    markdown::render(text, place)
}

/// Oldest first.
pub(super) fn entries(visit: &Visit, repository: &Repository, issue: &Issue) -> Result<Vec<Entry>> {
    visit.app.show(|view| {
        let mut dated = Vec::new();
        for comment in comments::for_issue(view.conn, issue.id)? {
            let at = comment.created_at.clone();
            dated.push((at, Entry::Comment(said(visit, view, repository, &comment)?)));
        }
        for event in timeline::for_issue(view.conn, issue.id)? {
            // A merge closes, too; it is said once.
            let is_told = event.event == "closed" && has(&event, "commit_id");
            if !is_told {
                let at = event.created_at.clone();
                dated.push((at, Entry::Happening(done(visit, view, repository, &event)?)));
            }
        }
        if issue.is_pull {
            let threads = review_threads::for_pull(view.conn, issue.id)?;
            for review in reviews::for_pull(view.conn, issue.id, None)? {
                let at = review.submitted_at.clone().unwrap_or_default();
                if let Some(entry) = reviewed(visit, view, repository, &review, &threads)? {
                    dated.push((at, Entry::Review(entry)));
                }
            }
        }
        dated.sort_by(|(at, one), (other_at, other)| {
            (at, one.rank()).cmp(&(other_at, other.rank()))
        });
        Ok(dated.into_iter().map(|(_, entry)| entry).collect())
    })
}

fn said(
    visit: &Visit,
    view: View<'_>,
    repository: &Repository,
    comment: &comments::Comment,
) -> Result<Comment> {
    Ok(Comment {
        anchor: format!("issuecomment-{}", comment.id),
        author: Visit::person(view.conn, comment.author_id)?,
        when: visit.moment(&comment.created_at),
        body: prose(&comment.body, repository),
        hidden: comment
            .minimized_reason
            .as_deref()
            .map(|reason| reason.to_lowercase().replace('_', "-")),
    })
}

/// None for a review that only carries a reply, which stands in its thread.
fn reviewed(
    visit: &Visit,
    view: View<'_>,
    repository: &Repository,
    review: &Review,
    threads: &[Thread],
) -> Result<Option<ReviewEntry>> {
    let (icon, verdict) = match review.state {
        ReviewState::Approved => (Icon::Approved, "approved these changes"),
        ReviewState::ChangesRequested => (Icon::ChangesRequested, "requested changes"),
        ReviewState::Commented | ReviewState::Pending => (Icon::Comment, "reviewed"),
        ReviewState::Dismissed => (Icon::Skipped, "had an opinion, which was dismissed"),
    };
    let mut begun = Vec::new();
    for thread in threads {
        let comments = review_threads::comments_of_thread(view.conn, thread.id)?;
        if comments
            .first()
            .is_some_and(|first| first.review_id == review.id)
        {
            begun.push(threaded(visit, repository, thread, &comments));
        }
    }
    if review.body.is_empty() && begun.is_empty() && review.state == ReviewState::Commented {
        return Ok(None);
    }
    let at = review.submitted_at.as_deref().unwrap_or_default();
    Ok(Some(ReviewEntry {
        anchor: format!("pullrequestreview-{}", review.id),
        icon,
        author: Person::from(&review.user),
        verdict,
        when: visit.moment(at),
        body: prose(&review.body, repository),
        threads: begun,
    }))
}

fn threaded(
    visit: &Visit,
    repository: &Repository,
    thread: &Thread,
    comments: &[ReviewComment],
) -> ThreadEntry {
    let lines = patch::lines(&thread.diff_hunk);
    let skip = lines.len().saturating_sub(SHOWN_HUNK_LINES);
    let said = comments.iter().map(|comment| Comment {
        anchor: format!("discussion_r{}", comment.id),
        author: Person::from(&comment.user),
        when: visit.moment(&comment.created_at),
        body: prose(&comment.body, repository),
        hidden: None,
    });
    ThreadEntry {
        path: thread.path.clone(),
        line: thread.place.line.or(thread.original_place.line),
        resolved: thread.resolved_by.is_some(),
        outdated: thread.outdated,
        hunk: lines.into_iter().skip(skip).collect(),
        comments: said.collect(),
    }
}

fn done(
    visit: &Visit,
    view: View<'_>,
    repository: &Repository,
    event: &TimelineEvent,
) -> Result<Happening> {
    let who = match event.actor_id {
        Some(id) => Some(Visit::person(view.conn, id)?),
        None => None,
    };
    Ok(Happening {
        who,
        what: in_words(view, repository, event)?,
        when: visit.moment(&event.created_at),
        is_end: matches!(
            event.event.as_str(),
            "closed" | "merged" | "reopened" | "head_ref_deleted"
        ),
    })
}

fn in_words(view: View<'_>, repository: &Repository, event: &TimelineEvent) -> Result<Html> {
    let text = |path: &[&str]| escaped(&visible(text_at(event, path)));
    let someone = |key: &str| -> Result<String> {
        match number_at(event, &[key, "id"]) {
            Some(id) => Ok(Visit::person(view.conn, id)?.to_string()),
            None => Ok("someone".to_owned()),
        }
    };
    let commit = || {
        let sha = text_at(event, &["commit_id"]);
        let address = format!("{}/commit/{}", home_of(repository), in_path(sha));
        let short = escaped(sha.get(..7).unwrap_or(sha));
        format!(r#"<a class="sha" href="{address}">{short}</a>"#)
    };
    let words = match event.event.as_str() {
        "closed" => match text_at(event, &["state_reason"]) {
            "not_planned" => "closed this as not planned".to_owned(),
            "duplicate" => "closed this as a duplicate".to_owned(),
            _ => "closed this".to_owned(),
        },
        "reopened" => "reopened this".to_owned(),
        "merged" => format!("merged this with {}", commit()),
        "renamed" => format!(
            "changed the title from <del><bdi>{}</bdi></del> to <ins><bdi>{}</bdi></ins>",
            text(&["rename", "from"]),
            text(&["rename", "to"])
        ),
        "labeled" => format!("added {}", label(event)),
        "unlabeled" => format!("removed {}", label(event)),
        "assigned" => format!("assigned {}", someone("assignee")?),
        "unassigned" => format!("unassigned {}", someone("assignee")?),
        "review_requested" => format!("asked {} for a review", someone("requested_reviewer")?),
        "review_request_removed" => format!(
            "no longer asks {} for a review",
            someone("requested_reviewer")?
        ),
        "review_dismissed" => "dismissed a review".to_owned(),
        "head_ref_force_pushed" => format!("pushed again, by force, up to {}", commit()),
        "base_ref_force_pushed" => {
            format!("pushed the base branch again, by force, up to {}", commit())
        }
        "head_ref_deleted" => "deleted the branch".to_owned(),
        "base_ref_changed" | "automatic_base_change_succeeded" => {
            "changed the branch that this goes to".to_owned()
        }
        "ready_for_review" => "marked this as ready for review".to_owned(),
        "convert_to_draft" => "made this a draft".to_owned(),
        "added_to_merge_queue" => "put this in the merge queue".to_owned(),
        "removed_from_merge_queue" => "took this out of the merge queue".to_owned(),
        "auto_merge_enabled" | "auto_squash_enabled" | "auto_rebase_enabled" => {
            "will have this merged as soon as it may be".to_owned()
        }
        "auto_merge_disabled" => "no longer has this merged by itself".to_owned(),
        "locked" => "locked the conversation".to_owned(),
        "unlocked" => "unlocked the conversation".to_owned(),
        other => escaped(&other.replace('_', " ")),
    };
    Ok(Html::trusted(words))
}

fn label(event: &TimelineEvent) -> String {
    let label = Label {
        id: 0,
        repository_id: 0,
        name: text_at(event, &["label", "name"]).to_owned(),
        color: text_at(event, &["label", "color"]).to_owned(),
        description: None,
        is_default: false,
    };
    Chip::from(&label).to_string()
}

fn at<'a>(event: &'a TimelineEvent, path: &[&str]) -> Option<&'a Value> {
    path.iter()
        .try_fold(event.data.as_ref()?, |value, key| value.get(key))
}

fn has(event: &TimelineEvent, key: &str) -> bool {
    at(event, &[key]).is_some_and(|value| !value.is_null())
}

fn text_at<'a>(event: &'a TimelineEvent, path: &[&str]) -> &'a str {
    at(event, path).and_then(Value::as_str).unwrap_or_default()
}

fn number_at(event: &TimelineEvent, path: &[&str]) -> Option<i64> {
    at(event, path)?.as_i64()
}
