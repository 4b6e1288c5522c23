//! The repositories of the forge, or of one owner.

use super::prelude::*;
use super::visit::{open_issues, open_pulls};
use crate::store::users;

#[derive(Template)]
#[template(path = "home.html")]
pub(super) struct Home {
    chrome: Chrome,
    heading: String,
    told: String,
    rows: Vec<Row>,
}

struct Row {
    home: String,
    owner: String,
    name: String,
    description: Option<String>,
    private: bool,
    archived: bool,
    is_fork: bool,
    open_issues: usize,
    open_pulls: usize,
    updated: Moment,
}

pub(super) async fn all(visit: Visit) -> Result<Page<Home>, PageError> {
    let rows = rows(&visit, None)?;
    Ok(Page(Home {
        chrome: visit.chrome("Repositories"),
        heading: "Repositories".to_owned(),
        told: if rows.is_empty() {
            "Nothing to see yet. `baton forge repo add OWNER/NAME` adds a repository; private ones are shown once you sign in."
                .to_owned()
        } else {
            String::new()
        },
        rows,
    }))
}

pub(super) async fn for_owner(
    visit: Visit,
    Path(owner): Path<String>,
) -> Result<Page<Home>, PageError> {
    let found = visit.app.rows(|conn| users::by_login(conn, &owner))?;
    let user = found.ok_or(ApiError::NotFound)?;
    let rows = rows(&visit, Some(user.id))?;
    Ok(Page(Home {
        chrome: visit.chrome(user.login.clone()),
        told: match (&user.name, rows.is_empty()) {
            (Some(name), _) => name.clone(),
            (None, true) => "No repositories to see here.".to_owned(),
            (None, false) => String::new(),
        },
        heading: user.login,
        rows,
    }))
}

fn rows(visit: &Visit, owner_id: Option<i64>) -> Result<Vec<Row>> {
    let shown = visit.repositories(owner_id)?;
    shown
        .iter()
        .map(|repository| row(visit, repository))
        .collect()
}

fn row(visit: &Visit, repository: &Repository) -> Result<Row> {
    let changed = match &repository.pushed_at {
        Some(pushed) => pushed.max(&repository.updated_at),
        None => &repository.updated_at,
    };
    let counts = visit.app.read(|conn| {
        let issues = open_issues(conn, repository.id)?;
        Ok((issues, open_pulls(conn, repository.id)?))
    })?;
    Ok(Row {
        home: home_of(repository),
        owner: repository.owner.login.clone(),
        name: repository.name.clone(),
        description: repository.description.clone(),
        private: repository.private,
        archived: repository.archived,
        is_fork: repository.fork_of.is_some(),
        open_issues: counts.0,
        open_pulls: counts.1,
        updated: visit.moment(changed),
    })
}
