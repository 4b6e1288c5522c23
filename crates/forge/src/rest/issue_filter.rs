//! Which issues a list shows, and in which order.

use std::collections::HashMap;

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, params_from_iter};

use crate::auth::Caller;
use crate::error::{ApiError, FieldError, Result};
use crate::store::issues::Issue;
use crate::store::repositories::Repository;
use crate::store::select::Select as _;
use crate::store::users;

/// Conditions and their values, joined by AND.
pub(super) struct Filter {
    conditions: Vec<String>,
    values: Vec<SqlValue>,
    order: &'static str,
    descending: bool,
}

impl Filter {
    pub(super) fn read(
        conn: &Connection,
        caller: &Caller,
        repository: &Repository,
        query: &HashMap<String, String>,
    ) -> Result<Self> {
        let mut filter = Self {
            conditions: Vec::new(),
            values: Vec::new(),
            order: order(query)?,
            descending: query.get("direction").map(String::as_str) != Some("asc"),
        };
        filter.add("repository_id = ?", SqlValue::Integer(repository.id));
        if !repository.has_issues {
            filter.conditions.push("is_pull = 1".to_owned());
        }
        filter.state(query)?;
        filter.people(conn, caller, query)?;
        for name in query
            .get("labels")
            .into_iter()
            .flat_map(|names| names.split(','))
        {
            if !name.is_empty() {
                filter.add(
                    "id IN (SELECT issue_id FROM issue_labels JOIN labels ON labels.id = label_id
                     WHERE labels.name = ?)",
                    SqlValue::Text(name.to_owned()),
                );
            }
        }
        if let Some(since) = query.get("since") {
            filter.add("updated_at >= ?", SqlValue::Text(in_utc(since)?));
        }
        Ok(filter)
    }

    pub(super) fn find(&self, conn: &Connection) -> Result<Vec<Issue>> {
        let direction = if self.descending { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT * FROM issues WHERE {} ORDER BY {} {direction}, number {direction}",
            self.conditions.join(" AND "),
            self.order,
        );
        Ok(conn.all(&sql, params_from_iter(&self.values))?)
    }

    fn add(&mut self, condition: &str, value: SqlValue) {
        self.conditions.push(condition.to_owned());
        self.values.push(value);
    }

    fn state(&mut self, query: &HashMap<String, String>) -> Result<()> {
        match query.get("state").map_or("open", String::as_str) {
            state @ ("open" | "closed") => self.add("state = ?", SqlValue::Text(state.to_owned())),
            "all" => {}
            _ => return Err(bad("state")),
        }
        Ok(())
    }

    fn people(
        &mut self,
        conn: &Connection,
        caller: &Caller,
        query: &HashMap<String, String>,
    ) -> Result<()> {
        const ASSIGNED: &str = "SELECT 1 FROM assignees WHERE issue_id = issues.id";
        match query.get("assignee").map(String::as_str) {
            Some("*") => self.conditions.push(format!("EXISTS ({ASSIGNED})")),
            Some("none") => self.conditions.push(format!("NOT EXISTS ({ASSIGNED})")),
            Some(login) => {
                let id = user_id(conn, caller, login)?;
                let condition = format!("EXISTS ({ASSIGNED} AND user_id = ?)");
                self.add(&condition, SqlValue::Integer(id));
            }
            None => {}
        }
        if let Some(login) = query.get("creator") {
            let id = user_id(conn, caller, login)?;
            self.add("author_id = ?", SqlValue::Integer(id));
        }
        if let Some(login) = query.get("mentioned") {
            let sign = format!("@{login}");
            self.add("instr(body, ?) > 0", SqlValue::Text(sign));
        }
        Ok(())
    }
}

fn order(query: &HashMap<String, String>) -> Result<&'static str> {
    match query.get("sort").map_or("created", String::as_str) {
        "created" => Ok("created_at"),
        "updated" => Ok("updated_at"),
        "comments" => Ok("(SELECT COUNT(*) FROM comments WHERE issue_id = issues.id)"),
        _ => Err(bad("sort")),
    }
}

fn user_id(conn: &Connection, caller: &Caller, login: &str) -> Result<i64> {
    if login == "@me" {
        return Ok(caller.user()?.id);
    }
    let user = users::by_login(conn, login)?;
    // An unknown user has no issues.
    Ok(user.map_or(0, |user| user.id))
}

fn bad(field: &'static str) -> ApiError {
    ApiError::Invalid(vec![FieldError::new("Issue", field, "invalid")])
}

/// Times are compared as text, which works in one time zone only.
pub(super) fn in_utc(time: &str) -> Result<String> {
    // A plus sign in a query is a space.
    let parsed: Result<jiff::Timestamp, _> = time.trim().replace(' ', "+").parse();
    let parsed = parsed.map_err(|_| bad("since"))?;
    let whole = jiff::Timestamp::from_second(parsed.as_second()).map_err(|_| bad("since"))?;
    Ok(whole.to_string())
}
