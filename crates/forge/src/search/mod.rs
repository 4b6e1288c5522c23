//! Finding issues and pull requests in all repositories that a caller may
//! read, with GitHub's qualifiers.

mod conditions;
mod query;

use rusqlite::{Connection, params_from_iter};

use crate::auth::Caller;
use crate::error::{ApiError, FieldError, Result};
use crate::store::issues::Issue;
use crate::store::repositories::{self, Permission};
use crate::store::select::Select as _;

use conditions::Conditions;
use query::{TermKind, parse};

/// What a list is sorted by, with what is largest or newest first unless said
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) by: OrderBy,
    pub(crate) ascending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderBy {
    Created,
    Updated,
    Comments,
    Reactions,
}

impl OrderBy {
    /// GitHub's word; what is unknown means its best match, which here is the
    /// newest.
    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "updated" => Self::Updated,
            "comments" => Self::Comments,
            word if word.starts_with("reactions") => Self::Reactions,
            _ => Self::Created,
        }
    }

    fn sql(self) -> &'static str {
        match self {
            Self::Created => "created_at",
            Self::Updated => "updated_at",
            Self::Comments => "(SELECT COUNT(*) FROM comments WHERE issue_id = issues.id)",
            Self::Reactions => {
                "(SELECT COUNT(*) FROM reactions WHERE subject = 'issue' AND subject_id = issues.id)"
            }
        }
    }
}

/// All that match. `order` is overruled by a `sort:` in the text.
pub(crate) fn issues(
    conn: &Connection,
    caller: &Caller,
    text: &str,
    order: Option<Order>,
) -> Result<Vec<Issue>> {
    let terms = parse(text);
    if terms.is_empty() {
        return Err(ApiError::Invalid(vec![FieldError::new(
            "Search", "q", "missing",
        )]));
    }
    let mut order = order;
    for term in &terms {
        if let TermKind::Qualifier(name, value) = &term.kind
            && name == "sort"
        {
            order = Some(written_order(value));
        }
    }
    let readable = readable(conn, caller)?;
    let conditions = Conditions::read(conn, caller, &readable, &terms)?;
    let order = order.unwrap_or(Order {
        by: OrderBy::Created,
        ascending: false,
    });
    let direction = if order.ascending { "ASC" } else { "DESC" };
    let sql = format!(
        "SELECT * FROM issues WHERE {} ORDER BY {} {direction}, id {direction}",
        conditions.sql(),
        order.by.sql(),
    );
    Ok(conn.all(&sql, params_from_iter(conditions.values()))?)
}

/// Ids of the repositories that the caller may read.
fn readable(conn: &Connection, caller: &Caller) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for repository in repositories::all(conn)? {
        let permission = caller.permission(conn, &repository)?;
        if permission >= Permission::Read && repository.suspended.is_none() {
            ids.push(repository.id);
        }
    }
    Ok(ids)
}

/// `updated-asc`, or `updated`.
fn written_order(value: &str) -> Order {
    let (by, ascending) = match value.rsplit_once('-') {
        Some((by, "asc")) => (by, true),
        Some((by, "desc")) => (by, false),
        _ => (value, false),
    };
    Order {
        by: OrderBy::parse(by),
        ascending,
    }
}
