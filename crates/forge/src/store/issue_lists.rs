//! Lists of issues or of pull requests, as GraphQL asks for them: the ids
//! alone, since a page shows only some of them.

use crate::store::prelude::*;
use rusqlite::params_from_iter;
use rusqlite::types::ToSql;

/// Which ones, in which order. What is absent or empty does not restrict.
#[derive(Debug, Clone, Default)]
pub(crate) struct IssueList {
    pub(crate) repository_id: Option<i64>,
    pub(crate) pulls: bool,
    /// One of them.
    pub(crate) states: Vec<ListedState>,
    /// One of them, in whichever case.
    pub(crate) labels: Vec<String>,
    pub(crate) label_id: Option<i64>,
    /// The login of someone; `*` for anybody.
    pub(crate) assignee: Option<String>,
    pub(crate) author: Option<String>,
    /// The login of someone whom the text names.
    pub(crate) mentioned: Option<String>,
    /// Changed then or later.
    pub(crate) since: Option<String>,
    pub(crate) base_ref: Option<String>,
    pub(crate) head_ref: Option<String>,
    pub(crate) sort: ListSort,
    pub(crate) descending: bool,
}

/// A merged pull request is not a closed one here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedState {
    Open,
    Closed,
    Merged,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ListSort {
    #[default]
    Created,
    Updated,
    Comments,
}

pub(crate) fn ids(conn: &Connection, list: &IssueList) -> Rows<i64> {
    let mut conditions = Conditions::default();
    restrict(&mut conditions, list);
    let direction = if list.descending { "DESC" } else { "ASC" };
    let column = match list.sort {
        ListSort::Created => "issues.created_at",
        ListSort::Updated => "issues.updated_at",
        ListSort::Comments => "(SELECT count(*) FROM comments WHERE issue_id = issues.id)",
    };
    let sql = format!(
        "SELECT issues.id FROM issues LEFT JOIN pulls ON pulls.id = issues.id
         WHERE {} ORDER BY {column} {direction}, issues.id {direction}",
        conditions.sql
    );
    conn.all(&sql, params_from_iter(conditions.values))
}

fn restrict(conditions: &mut Conditions, list: &IssueList) {
    conditions.also("issues.is_pull = ?", list.pulls);
    if let Some(id) = list.repository_id {
        conditions.also("issues.repository_id = ?", id);
    }
    if !list.states.is_empty() {
        let states = list.states.iter().map(|state| match state {
            ListedState::Open => "issues.state = 'open'",
            ListedState::Closed => "(issues.state = 'closed' AND pulls.merged_at IS NULL)",
            ListedState::Merged => "pulls.merged_at IS NOT NULL",
        });
        conditions.plainly(&format!("({})", states.collect::<Vec<_>>().join(" OR ")));
    }
    if !list.labels.is_empty() {
        let places = vec!["?"; list.labels.len()].join(", ");
        conditions.plainly(&format!(
            "EXISTS (SELECT * FROM issue_labels JOIN labels ON labels.id = label_id
                     WHERE issue_id = issues.id AND labels.name IN ({places}))"
        ));
        for label in &list.labels {
            conditions.values.push(Box::new(label.clone()));
        }
    }
    if let Some(id) = list.label_id {
        conditions.also(
            "EXISTS (SELECT * FROM issue_labels WHERE issue_id = issues.id AND label_id = ?)",
            id,
        );
    }
    match list.assignee.as_deref() {
        Some("*") => {
            conditions.plainly("EXISTS (SELECT * FROM assignees WHERE issue_id = issues.id)");
        }
        Some(login) => conditions.also(
            "EXISTS (SELECT * FROM assignees JOIN users ON users.id = user_id
                     WHERE issue_id = issues.id AND login = ?)",
            login.to_owned(),
        ),
        None => {}
    }
    for (condition, value) in [
        (
            "issues.author_id = (SELECT id FROM users WHERE login = ?)",
            &list.author,
        ),
        ("issues.updated_at >= ?", &list.since),
        ("pulls.base_ref = ?", &list.base_ref),
        ("pulls.head_ref = ?", &list.head_ref),
    ] {
        if let Some(value) = value {
            conditions.also(condition, value.clone());
        }
    }
    if let Some(login) = &list.mentioned {
        // A name goes on in letters, digits and dashes; LIKE cannot say so, and
        // a list with one too many is better than one that lacks some.
        conditions.also("issues.body LIKE ?", format!("%@{login}%"));
    }
}

#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    fn also(&mut self, condition: &str, value: impl ToSql + 'static) {
        self.plainly(condition);
        self.values.push(Box::new(value));
    }

    fn plainly(&mut self, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
    }
}
