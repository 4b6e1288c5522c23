//! Pull requests of a repository, by what a list asks for.

use rusqlite::types::ToSql;

use crate::store::prelude::*;
use crate::store::pulls::Pull;

/// Which ones, in which order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) state: StateFilter,
    pub(crate) base_ref: Option<String>,
    pub(crate) head_ref: Option<String>,
    /// Whose branch `head_ref` is.
    pub(crate) head_owner: Option<String>,
    pub(crate) sort: Sort,
    pub(crate) ascending: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StateFilter {
    #[default]
    Open,
    /// Merged ones are closed, too.
    Closed,
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    Created,
    Updated,
    /// By comments.
    Popularity,
}

impl StateFilter {
    fn condition(self) -> &'static str {
        match self {
            Self::Open => "issues.state = 'open'",
            Self::Closed => "issues.state = 'closed'",
            Self::All => "TRUE",
        }
    }
}

impl Sort {
    fn column(self) -> &'static str {
        match self {
            Self::Created => "issues.created_at",
            Self::Updated => "issues.updated_at",
            Self::Popularity => "(SELECT count(*) FROM comments WHERE issue_id = issues.id)",
        }
    }
}

pub(crate) fn count(
    conn: &Connection,
    repository_id: i64,
    filter: &Filter,
) -> rusqlite::Result<usize> {
    let (conditions, values) = conditions(repository_id, filter);
    let sql = format!("SELECT count(*) FROM pulls JOIN issues USING (id) WHERE {conditions}");
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    conn.one(&sql, values.as_slice())
}

pub(crate) fn list(
    conn: &Connection,
    repository_id: i64,
    filter: &Filter,
    limit: usize,
    offset: usize,
) -> Rows<Pull> {
    let (conditions, mut values) = conditions(repository_id, filter);
    let direction = if filter.ascending { "ASC" } else { "DESC" };
    let column = filter.sort.column();
    let sql = format!(
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE {conditions}
         ORDER BY {column} {direction}, issues.number {direction} LIMIT ? OFFSET ?"
    );
    values.push(Box::new(limit));
    values.push(Box::new(offset));
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    conn.all(&sql, values.as_slice())
}

fn conditions(repository_id: i64, filter: &Filter) -> (String, Vec<Box<dyn ToSql>>) {
    let mut sql = format!("issues.repository_id = ? AND {}", filter.state.condition());
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(repository_id)];
    let mut also = |condition: &str, value: &Option<String>| {
        if let Some(value) = value {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.push(Box::new(value.clone()));
        }
    };
    also("base_ref = ?", &filter.base_ref);
    also("head_ref = ?", &filter.head_ref);
    also(
        "head_owner_id = (SELECT id FROM users WHERE login = ?)",
        &filter.head_owner,
    );
    (sql, values)
}
