//! Pages of issues, and lists of issues and pull requests.

use axum::extract::Query;
use serde::Deserialize;

use super::conversation::{self, Comment, Entry};
use super::html::Html;
use super::people::Chip;
use super::prelude::*;
use super::visit::Number;
use crate::store::issue_lists::{self, IssueList, ListSort, ListedState};
use crate::store::issues::{self, Issue, IssueState};
use crate::store::{assignees, comments, labels};

pub(super) const PAGE_SIZE: usize = 30;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}/issues", get(list))
        .route("/{owner}/{name}/issues/{number}", get(one))
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    pub(super) state: Option<String>,
    pub(super) page: Option<usize>,
}

impl ListQuery {
    pub(super) fn wants_closed(&self) -> bool {
        self.state.as_deref() == Some("closed")
    }

    pub(super) fn page(&self) -> usize {
        self.page.unwrap_or(1).clamp(1, 100_000)
    }
}

/// An issue or pull request in a list.
pub(super) struct Row {
    pub(super) icon: Icon,
    pub(super) address: String,
    pub(super) number: i64,
    pub(super) title: String,
    pub(super) author: Person,
    pub(super) opened: Moment,
    pub(super) labels: Vec<Chip>,
    pub(super) comments: i64,
    pub(super) assignees: Vec<Person>,
    /// Of pull requests.
    pub(super) checks: Option<Icon>,
}

/// A list with what leads to other parts of it.
pub(super) struct Listing {
    pub(super) rows: Vec<Row>,
    pub(super) open: usize,
    pub(super) closed: usize,
    pub(super) shows_closed: bool,
    /// `/octo/demo/issues`
    pub(super) address: String,
    pub(super) newer: Option<String>,
    pub(super) older: Option<String>,
    /// Said when there is nothing.
    pub(super) nothing: &'static str,
}

#[derive(Template)]
#[template(path = "list.html")]
pub(super) struct ListPage {
    pub(super) chrome: Chrome,
    pub(super) repo: Masthead,
    pub(super) heading: &'static str,
    pub(super) list: Listing,
}

async fn list(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
) -> Result<Page<ListPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    Ok(Page(ListPage {
        chrome: visit.chrome(format!("Issues · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Issues)?,
        heading: "Issues",
        list: listing(&visit, &repository, &query, false)?,
    }))
}

pub(super) fn listing(
    visit: &Visit,
    repository: &Repository,
    query: &ListQuery,
    pulls: bool,
) -> Result<Listing> {
    let shows_closed = query.wants_closed();
    let page = query.page();
    let address = format!(
        "{}/{}",
        home_of(repository),
        if pulls { "pulls" } else { "issues" }
    );
    let of = |states: Vec<ListedState>| IssueList {
        repository_id: Some(repository.id),
        pulls,
        states,
        sort: ListSort::Created,
        descending: true,
        ..IssueList::default()
    };
    visit.app.show(|view| {
        let open = issue_lists::ids(view.conn, &of(vec![ListedState::Open]))?;
        let closed = of(vec![ListedState::Closed, ListedState::Merged]);
        let closed = issue_lists::ids(view.conn, &closed)?;
        let shown = if shows_closed { &closed } else { &open };
        let on_page = shown.iter().skip((page - 1) * PAGE_SIZE).take(PAGE_SIZE);
        let mut rows = Vec::new();
        for id in on_page {
            let issue = issues::by_id(view.conn, *id)?;
            rows.push(if pulls {
                super::pulls::row(visit, view, repository, &issue)?
            } else {
                row(visit, view.conn, repository, &issue)?
            });
        }
        let link = |page: usize| {
            let state = if shows_closed { "state=closed&" } else { "" };
            format!("{address}?{state}page={page}")
        };
        Ok(Listing {
            rows,
            open: open.len(),
            closed: closed.len(),
            shows_closed,
            newer: (page > 1).then(|| link(page - 1)),
            older: (shown.len() > page * PAGE_SIZE).then(|| link(page + 1)),
            nothing: match (pulls, shows_closed) {
                (false, false) => "No open issues.",
                (false, true) => "No closed issues.",
                (true, false) => "No open pull requests.",
                (true, true) => "No closed pull requests.",
            },
            address,
        })
    })
}

pub(super) fn row(
    visit: &Visit,
    conn: &rusqlite::Connection,
    repository: &Repository,
    issue: &Issue,
) -> Result<Row> {
    let labels = labels::for_issue(conn, issue.id)?;
    let assigned = assignees::for_issue(conn, issue.id)?;
    Ok(Row {
        icon: icon(issue),
        address: format!("{}/issues/{}", home_of(repository), issue.number),
        number: issue.number,
        title: visible(&issue.title),
        author: Visit::person(conn, issue.author_id)?,
        opened: visit.moment(&issue.created_at),
        labels: labels.iter().map(Chip::from).collect(),
        comments: comments::count(conn, issue.id)?,
        assignees: assigned.iter().map(Person::from).collect(),
        checks: None,
    })
}

fn icon(issue: &Issue) -> Icon {
    match (issue.state, issue.state_reason.as_deref()) {
        (IssueState::Open, _) => Icon::IssueOpen,
        (IssueState::Closed, Some("not_planned" | "duplicate")) => Icon::IssueNotPlanned,
        (IssueState::Closed, _) => Icon::IssueClosed,
    }
}

/// What stands beside a conversation.
pub(super) struct Aside {
    pub(super) assignees: Vec<Person>,
    pub(super) labels: Vec<Chip>,
    /// Of pull requests: who, and how they see it.
    pub(super) reviewers: Vec<(Person, Icon)>,
}

pub(super) fn aside(conn: &rusqlite::Connection, issue: &Issue) -> Result<Aside> {
    let assigned = assignees::for_issue(conn, issue.id)?;
    let labels = labels::for_issue(conn, issue.id)?;
    Ok(Aside {
        assignees: assigned.iter().map(Person::from).collect(),
        labels: labels.iter().map(Chip::from).collect(),
        reviewers: Vec::new(),
    })
}

#[derive(Template)]
#[template(path = "issue.html")]
struct IssuePage {
    chrome: Chrome,
    repo: Masthead,
    number: i64,
    title: String,
    icon: Icon,
    state: &'static str,
    class: &'static str,
    opening: Comment,
    entries: Vec<Entry>,
    aside: Aside,
    locked: bool,
}

async fn one(
    visit: Visit,
    Path((owner, name, Number(number))): Path<(String, String, Number)>,
) -> Result<Page<IssuePage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let issue = visit
        .app
        .rows(|conn| issues::by_number(conn, repository.id, number))?;
    let issue = issue.ok_or(ApiError::NotFound)?;
    if issue.is_pull {
        let address = format!("{}/pull/{number}", home_of(&repository));
        return Err(PageError::Moved(address));
    }
    Ok(Page(IssuePage {
        chrome: visit.chrome(format!(
            "{} · Issue #{number} · {}",
            issue.title,
            repository.full_name()
        )),
        repo: visit.masthead(&repository, Tab::Issues)?,
        number,
        title: visible(&issue.title),
        icon: icon(&issue),
        state: match icon(&issue) {
            Icon::IssueOpen => "Open",
            Icon::IssueNotPlanned => "Not planned",
            _ => "Closed",
        },
        class: match icon(&issue) {
            Icon::IssueOpen => "open",
            Icon::IssueNotPlanned => "dropped",
            _ => "done",
        },
        opening: conversation::opening(&visit, &repository, &issue)?,
        entries: conversation::entries(&visit, &repository, &issue)?,
        aside: visit.app.read(|conn| aside(conn, &issue))?,
        locked: issue.locked,
    }))
}

/// Templates ask for it by name.
impl Comment {
    pub(super) fn is_empty(&self) -> bool {
        Html::is_empty(&self.body)
    }
}
