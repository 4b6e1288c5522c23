//! Search terms as SQL conditions.

use rusqlite::Connection;
use rusqlite::types::Value as SqlValue;

use crate::auth::Caller;
use crate::error::{ApiError, FieldError, Result};
use crate::store::{repositories, users};

use super::query::{Term, TermKind};

const UNREADABLE: &str = "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.";

/// What has to hold for an issue, as SQL over the table `issues`.
pub(super) struct Conditions<'a> {
    conn: &'a Connection,
    caller: &'a Caller,
    parts: Vec<String>,
    values: Vec<SqlValue>,
    /// Where words are looked for; everywhere when empty.
    fields: Vec<String>,
}

impl<'a> Conditions<'a> {
    pub(super) fn read(
        conn: &'a Connection,
        caller: &'a Caller,
        readable: &[i64],
        terms: &[Term],
    ) -> Result<Self> {
        let mut conditions = Self {
            conn,
            caller,
            parts: Vec::new(),
            values: Vec::new(),
            fields: Vec::new(),
        };
        conditions.scope(readable, terms)?;
        for term in terms {
            if let TermKind::Qualifier(name, value) = &term.kind {
                conditions.qualifier(term.negated, name, value)?;
            }
        }
        for term in terms {
            if let TermKind::Text(text) = &term.kind {
                conditions.text(term.negated, text);
            }
        }
        Ok(conditions)
    }

    pub(super) fn sql(&self) -> String {
        self.parts.join(" AND ")
    }

    pub(super) fn values(&self) -> &[SqlValue] {
        &self.values
    }

    /// `repo:`, `user:` and `org:` widen each other; without any, everything
    /// readable is searched.
    fn scope(&mut self, readable: &[i64], terms: &[Term]) -> Result<()> {
        let mut named = false;
        let mut wanted = Vec::new();
        let mut unwanted = Vec::new();
        for term in terms {
            let TermKind::Qualifier(name, value) = &term.kind else {
                continue;
            };
            let found = match name.as_str() {
                "repo" => self.repository(value)?,
                "user" | "org" => self.repositories_of(value)?,
                _ => continue,
            };
            if term.negated {
                unwanted.extend(found);
            } else {
                named = true;
                wanted.extend(found);
            }
        }
        let allowed: Vec<_> = readable
            .iter()
            .filter(|id| (!named || wanted.contains(id)) && !unwanted.contains(id))
            .map(ToString::to_string)
            .collect();
        if named && allowed.is_empty() {
            return Err(ApiError::Invalid(vec![FieldError {
                message: Some(UNREADABLE.to_owned()),
                ..FieldError::new("Search", "q", "invalid")
            }]));
        }
        self.parts
            .push(format!("repository_id IN ({})", allowed.join(", ")));
        Ok(())
    }

    fn repository(&self, full_name: &str) -> Result<Vec<i64>> {
        let Some((owner, name)) = full_name.split_once('/') else {
            return Ok(Vec::new());
        };
        let found = repositories::by_name(self.conn, owner, name)?;
        Ok(found.into_iter().map(|found| found.id).collect())
    }

    fn repositories_of(&self, login: &str) -> Result<Vec<i64>> {
        let login = self.login(login)?;
        let Some(owner) = users::by_login(self.conn, &login)? else {
            return Ok(Vec::new());
        };
        let all = repositories::for_owner(self.conn, owner.id)?;
        Ok(all.into_iter().map(|found| found.id).collect())
    }

    fn qualifier(&mut self, negated: bool, name: &str, value: &str) -> Result<()> {
        match name {
            "is" | "type" | "state" => self.is(negated, name, value)?,
            "draft" => {
                let sql = "id IN (SELECT id FROM pulls WHERE draft)";
                self.add(negated != (value != "true"), sql, vec![]);
            }
            "author"
            | "assignee"
            | "commenter"
            | "mentions"
            | "involves"
            | "review-requested"
            | "reviewed-by"
            | "user-review-requested" => self.person(negated, name, value)?,
            "label" | "head" | "base" => self.attribute(negated, name, value),
            "no" => self.no(negated, value)?,
            "in" => self.fields.extend(value.split(',').map(str::to_owned)),
            // Part of the scope and of the order.
            "repo" | "user" | "org" | "sort" => {}
            _ => return Err(unsupported(name, value)),
        }
        Ok(())
    }

    fn is(&mut self, negated: bool, name: &str, value: &str) -> Result<()> {
        let sql = match value.to_ascii_lowercase().as_str() {
            "issue" => "NOT is_pull",
            "pr" | "pull-request" => "is_pull",
            "open" => "state = 'open'",
            "closed" => "state = 'closed'",
            "merged" => "id IN (SELECT id FROM pulls WHERE merged_at IS NOT NULL)",
            "unmerged" => "id IN (SELECT id FROM pulls WHERE merged_at IS NULL)",
            "draft" => "id IN (SELECT id FROM pulls WHERE draft)",
            "locked" => "locked",
            "unlocked" => "NOT locked",
            _ => return Err(unsupported(name, value)),
        };
        self.add(negated, sql, vec![]);
        Ok(())
    }

    fn person(&mut self, negated: bool, name: &str, value: &str) -> Result<()> {
        const ASSIGNED: &str = "id IN (SELECT issue_id FROM assignees WHERE user_id = ?)";
        const COMMENTED: &str = "id IN (SELECT issue_id FROM comments WHERE author_id = ?)";
        const MENTIONED: &str = "instr(lower(COALESCE(body, '')), ?) > 0";
        let login = self.login(value)?;
        let user = users::by_login(self.conn, &login)?;
        let id = SqlValue::Integer(user.map_or(0, |user| user.id));
        let mention = text(&format!("@{}", login.to_ascii_lowercase()));
        match name {
            "author" => self.add(negated, "author_id = ?", vec![id]),
            "assignee" => self.add(negated, ASSIGNED, vec![id]),
            "commenter" => self.add(negated, COMMENTED, vec![id]),
            "mentions" => self.add(negated, MENTIONED, vec![mention]),
            "involves" => {
                let sql = format!("author_id = ? OR {ASSIGNED} OR {COMMENTED} OR {MENTIONED}");
                self.add(negated, &sql, vec![id.clone(), id.clone(), id, mention]);
            }
            "reviewed-by" => {
                let sql = "id IN (SELECT pull_id FROM reviews
                           WHERE user_id = ? AND state <> 'PENDING')";
                self.add(negated, sql, vec![id]);
            }
            _ => {
                let sql = "id IN (SELECT pull_id FROM review_requests WHERE user_id = ?)";
                self.add(negated, sql, vec![id]);
            }
        }
        Ok(())
    }

    fn attribute(&mut self, negated: bool, name: &str, value: &str) {
        match name {
            // With commas between them, one is enough.
            "label" => {
                let names: Vec<_> = value.split(',').map(text).collect();
                let marks = vec!["?"; names.len()].join(", ");
                let sql = format!(
                    "id IN (SELECT issue_id FROM issue_labels JOIN labels ON labels.id = label_id
                            WHERE labels.name COLLATE NOCASE IN ({marks}))"
                );
                self.add(negated, &sql, names);
            }
            "head" => {
                let branch = value.split_once(':').map_or(value, |(_, branch)| branch);
                let sql = "id IN (SELECT id FROM pulls WHERE head_ref = ?)";
                self.add(negated, sql, vec![text(branch)]);
            }
            _ => {
                let sql = "id IN (SELECT id FROM pulls WHERE base_ref = ?)";
                self.add(negated, sql, vec![text(value)]);
            }
        }
    }

    fn no(&mut self, negated: bool, value: &str) -> Result<()> {
        let sql = match value {
            "label" => "NOT EXISTS (SELECT 1 FROM issue_labels WHERE issue_id = issues.id)",
            "assignee" => "NOT EXISTS (SELECT 1 FROM assignees WHERE issue_id = issues.id)",
            _ => return Err(unsupported("no", value)),
        };
        self.add(negated, sql, vec![]);
        Ok(())
    }

    fn text(&mut self, negated: bool, word: &str) {
        if word.is_empty() {
            return;
        }
        let word = text(&word.to_lowercase());
        let places = [
            ("title", "instr(lower(title), ?) > 0"),
            ("body", "instr(lower(COALESCE(body, '')), ?) > 0"),
            (
                "comments",
                "EXISTS (SELECT 1 FROM comments
                         WHERE issue_id = issues.id AND instr(lower(comments.body), ?) > 0)",
            ),
        ];
        let chosen: Vec<_> = places
            .iter()
            .filter(|(name, _)| {
                self.fields.is_empty() || self.fields.iter().any(|field| field == name)
            })
            .map(|(_, sql)| *sql)
            .collect();
        if chosen.is_empty() {
            return;
        }
        let values = vec![word; chosen.len()];
        self.add(negated, &chosen.join(" OR "), values);
    }

    fn add(&mut self, negated: bool, sql: &str, values: Vec<SqlValue>) {
        let not = if negated { "NOT " } else { "" };
        // Without a value (never closed) a condition does not hold.
        self.parts.push(format!("{not}COALESCE(({sql}), 0)"));
        self.values.extend(values);
    }

    fn login(&self, value: &str) -> Result<String> {
        match value.trim_start_matches('@') {
            "me" if value.starts_with('@') => Ok(self.caller.user()?.login.clone()),
            login => Ok(login.to_owned()),
        }
    }
}

/// Ignoring a qualifier would return too much.
fn unsupported(name: &str, value: &str) -> ApiError {
    ApiError::Invalid(vec![FieldError {
        message: Some(format!(
            "The search qualifier {name}:{value} is not supported by this forge."
        )),
        ..FieldError::new("Search", "q", "invalid")
    }])
}

fn text(value: &str) -> SqlValue {
    SqlValue::Text(value.to_owned())
}
