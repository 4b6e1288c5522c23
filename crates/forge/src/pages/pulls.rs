//! Pages of pull requests.

use axum::extract::Query;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

use super::commits::CommitRow;
use super::conversation::{self, Comment, Entry};
use super::issues::{self as issue_pages, Aside, ListPage, ListQuery, Row};
use super::patch::FileChange;
use super::prelude::*;
use super::runs::{CheckRow, check_rows, rollup_icon};
use super::visit::Number;
use crate::actions::pulls as actions;
use crate::store::issues::Issue;
use crate::store::pulls::{self, Pull};
use crate::store::reviews::{self, ReviewState};
use crate::store::rollup;
use crate::views::View;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}/pulls", get(list))
        .route("/{owner}/{name}/pull/{number}", get(talk_or_text))
        .route("/{owner}/{name}/pull/{number}/commits", get(commits))
        .route("/{owner}/{name}/pull/{number}/checks", get(checks))
        .route("/{owner}/{name}/pull/{number}/files", get(files))
}

async fn list(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
) -> Result<Page<ListPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    Ok(Page(ListPage {
        chrome: visit.chrome(format!("Pull requests · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Pulls)?,
        heading: "Pull requests",
        list: issue_pages::listing(&visit, &repository, &query, true)?,
    }))
}

pub(super) fn row(
    visit: &Visit,
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
) -> Result<Row> {
    let pull = pulls::by_id(view.conn, issue.id)?.ok_or(ApiError::NotFound)?;
    let state = rollup::for_commit(view.conn, repository.id, &pull.head_sha)?.state();
    Ok(Row {
        icon: icon(&pull),
        address: format!("{}/pull/{}", home_of(repository), issue.number),
        checks: state.map(rollup_icon),
        ..issue_pages::row(visit, view.conn, repository, issue)?
    })
}

fn icon(pull: &Pull) -> Icon {
    if pull.merged.is_some() {
        Icon::PullMerged
    } else if !pull.is_open() {
        Icon::PullClosed
    } else if pull.draft {
        Icon::PullDraft
    } else {
        Icon::PullOpen
    }
}

/// What is above each of its four pages.
#[expect(clippy::struct_field_names, reason = "templates read well with it")]
struct Head {
    number: i64,
    title: String,
    icon: Icon,
    state: &'static str,
    class: &'static str,
    author: Person,
    base: String,
    head: String,
    /// `/octo/demo/pull/1`
    address: String,
    commits: u64,
    files: u64,
    additions: u64,
    deletions: u64,
    checks: Option<Icon>,
    check_count: usize,
    page: &'static str,
}

struct Found {
    repository: Repository,
    pull: Pull,
    head: Head,
    masthead: Masthead,
}

async fn find(
    visit: &Visit,
    owner: &str,
    name: &str,
    number: i64,
    page: &'static str,
) -> Result<Found, PageError> {
    let repository = visit.repository(owner, name)?;
    let pull = visit
        .app
        .rows(|conn| pulls::by_number(conn, repository.id, number))?;
    let Some(pull) = pull else {
        let address = format!("{}/issues/{number}", home_of(&repository));
        let is_issue = visit.app.read(|conn| {
            let found = crate::store::issues::by_number(conn, repository.id, number)?;
            Ok(found.is_some())
        })?;
        return Err(if is_issue {
            PageError::Moved(address)
        } else {
            ApiError::NotFound.into()
        });
    };
    let counts = actions::counts(&visit.app, &repository, &pull).await?;
    let head = visit.app.read(|conn| {
        let rollup = rollup::for_commit(conn, repository.id, &pull.head_sha)?;
        Ok(Head {
            number,
            title: visible(&pull.issue.title),
            icon: icon(&pull),
            state: match icon(&pull) {
                Icon::PullMerged => "Merged",
                Icon::PullClosed => "Closed",
                Icon::PullDraft => "Draft",
                _ => "Open",
            },
            class: match icon(&pull) {
                Icon::PullMerged => "done",
                Icon::PullClosed => "closed",
                Icon::PullDraft => "dropped",
                _ => "open",
            },
            author: Visit::person(conn, pull.issue.author_id)?,
            base: pull.base_ref.clone(),
            head: if pull.is_cross_repository() {
                pull.head_label()
            } else {
                pull.head_ref.clone()
            },
            address: format!("{}/pull/{number}", home_of(&repository)),
            commits: counts.commits,
            files: counts.changed_files,
            additions: counts.additions,
            deletions: counts.deletions,
            checks: rollup.state().map(rollup_icon),
            check_count: rollup.contexts.len(),
            page,
        })
    })?;
    let masthead = visit.masthead(&repository, Tab::Pulls)?;
    Ok(Found {
        repository,
        pull,
        head,
        masthead,
    })
}

impl Found {
    fn chrome(&self, visit: &Visit) -> Chrome {
        let (title, number) = (&self.head.title, self.head.number);
        let name = self.repository.full_name();
        visit.chrome(format!("{title} · Pull request #{number} · {name}"))
    }
}

#[derive(Template)]
#[template(path = "pull.html")]
struct Talk {
    chrome: Chrome,
    repo: Masthead,
    pull: Head,
    opening: Comment,
    entries: Vec<Entry>,
    aside: Aside,
    checks: Vec<CheckRow>,
    /// What stands in the way of a merge; nothing once it is closed.
    merging: Option<Merging>,
}

struct Merging {
    icon: Icon,
    told: &'static str,
}

/// `/pull/1` is the page, `/pull/1.diff` and `/pull/1.patch` are what git reads.
async fn talk_or_text(
    visit: Visit,
    Path((owner, name, number)): Path<(String, String, String)>,
) -> Result<Response, PageError> {
    let (number, ending) = number.split_once('.').unwrap_or((&number, ""));
    let found = find(
        &visit,
        &owner,
        &name,
        number.parse().unwrap_or_default(),
        "talk",
    )
    .await?;
    let (app, repository, pull) = (&visit.app, &found.repository, &found.pull);
    let text = match ending {
        "" => return Ok(talk(&visit, found).await?.into_response()),
        "diff" => actions::diff_text(app, repository, pull).await?,
        "patch" => actions::mail_patches(app, repository, pull).await?,
        _ => return Err(ApiError::NotFound.into()),
    };
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

async fn talk(visit: &Visit, found: Found) -> Result<Page<Talk>, PageError> {
    let merging = if found.pull.is_open() {
        let state = actions::mergeability(&visit.app, &found.repository, &found.pull).await?;
        Some(merging(state.state))
    } else {
        None
    };
    let (aside, checks) = visit.app.show(|view| {
        let mut aside = issue_pages::aside(view.conn, &found.pull.issue)?;
        aside.reviewers = reviewers(view, &found.pull)?;
        let checks = check_rows(view, &found.repository, &found.pull.head_sha)?;
        Ok((aside, checks))
    })?;
    Ok(Page(Talk {
        chrome: found.chrome(visit),
        opening: conversation::opening(visit, &found.repository, &found.pull.issue)?,
        entries: conversation::entries(visit, &found.repository, &found.pull.issue)?,
        repo: found.masthead,
        pull: found.head,
        aside,
        checks,
        merging,
    }))
}

fn merging(state: actions::MergeState) -> Merging {
    use actions::MergeState;
    let (icon, told) = match state {
        MergeState::Clean => (Icon::Success, "This can be merged."),
        MergeState::Unstable => (
            Icon::Pending,
            "This can be merged, though a check has failed or is under way.",
        ),
        MergeState::Blocked => (
            Icon::Failure,
            "A rule of the branch stands in the way: a review, a check or an approval is missing.",
        ),
        MergeState::Behind => (
            Icon::Pending,
            "The branch has to be brought up to date first.",
        ),
        MergeState::Dirty => (
            Icon::Failure,
            "There are conflicts with the branch it goes to.",
        ),
        MergeState::Draft => (Icon::PullDraft, "This is a draft."),
        MergeState::Unknown => (
            Icon::Running,
            "Whether this can be merged is being found out.",
        ),
    };
    Merging { icon, told }
}

/// Those who gave an opinion, then those who were asked for one.
fn reviewers(view: View<'_>, pull: &Pull) -> Result<Vec<(Person, Icon)>> {
    let opinions = reviews::latest_opinions(view.conn, pull.id())?;
    let given = opinions.iter().map(|review| {
        let icon = match review.state {
            ReviewState::Approved => Icon::Approved,
            ReviewState::ChangesRequested => Icon::ChangesRequested,
            _ => Icon::Comment,
        };
        (Person::from(&review.user), icon)
    });
    let asked = reviews::requests(view.conn, pull.id())?;
    let asked = asked
        .iter()
        .map(|request| (Person::from(&request.user), Icon::Pending));
    Ok(given.chain(asked).collect())
}

#[derive(Template)]
#[template(path = "pull_commits.html")]
struct CommitsPage {
    chrome: Chrome,
    repo: Masthead,
    pull: Head,
    commits: Vec<CommitRow>,
}

async fn commits(
    visit: Visit,
    Path((owner, name, Number(number))): Path<(String, String, Number)>,
) -> Result<Page<CommitsPage>, PageError> {
    let found = find(&visit, &owner, &name, number, "commits").await?;
    let commits = actions::pull_commits(&visit.app, &found.repository, &found.pull).await?;
    let home = home_of(&found.repository);
    Ok(Page(CommitsPage {
        chrome: found.chrome(&visit),
        repo: found.masthead,
        pull: found.head,
        commits: commits
            .iter()
            .map(|commit| CommitRow::new(&visit, &home, commit))
            .collect(),
    }))
}

#[derive(Template)]
#[template(path = "pull_checks.html")]
struct ChecksPage {
    chrome: Chrome,
    repo: Masthead,
    pull: Head,
    checks: Vec<CheckRow>,
}

async fn checks(
    visit: Visit,
    Path((owner, name, Number(number))): Path<(String, String, Number)>,
) -> Result<Page<ChecksPage>, PageError> {
    let found = find(&visit, &owner, &name, number, "checks").await?;
    let checks = visit
        .app
        .show(|view| check_rows(view, &found.repository, &found.pull.head_sha))?;
    Ok(Page(ChecksPage {
        chrome: found.chrome(&visit),
        repo: found.masthead,
        pull: found.head,
        checks,
    }))
}

#[derive(Template)]
#[template(path = "pull_files.html")]
struct FilesPage {
    chrome: Chrome,
    repo: Masthead,
    pull: Head,
    files: Vec<FileChange>,
}

async fn files(
    visit: Visit,
    Path((owner, name, Number(number))): Path<(String, String, Number)>,
) -> Result<Page<FilesPage>, PageError> {
    let found = find(&visit, &owner, &name, number, "files").await?;
    let files = actions::diff(&visit.app, &found.repository, &found.pull).await?;
    Ok(Page(FilesPage {
        chrome: found.chrome(&visit),
        repo: found.masthead,
        pull: found.head,
        files: files.into_iter().map(FileChange::from).collect(),
    }))
}
