//! Labels, and the issues that have them.

use rusqlite::{Connection, Transaction, params};

use crate::store::select::{Found, Rows, Select as _, from_row, insert};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: Option<String>,
    /// Whether GitHub gives it to every new repository.
    pub(crate) is_default: bool,
}

/// Name, colour and description of the labels of a new repository at GitHub.
const DEFAULT_LABELS: [(&str, &str, &str); 9] = [
    ("bug", "d73a4a", "Something isn't working"),
    (
        "documentation",
        "0075ca",
        "Improvements or additions to documentation",
    ),
    (
        "duplicate",
        "cfd3d7",
        "This issue or pull request already exists",
    ),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
];

pub(crate) fn create_defaults(tx: &Transaction<'_>, repository_id: i64) -> rusqlite::Result<()> {
    for (name, color, description) in DEFAULT_LABELS {
        create(tx, repository_id, name, color, Some(description))?;
    }
    tx.run(
        "UPDATE labels SET is_default = 1 WHERE repository_id = ?",
        [repository_id],
    )
}

pub(crate) fn create(
    tx: &Transaction<'_>,
    repository_id: i64,
    name: &str,
    color: &str,
    description: Option<&str>,
) -> rusqlite::Result<i64> {
    insert!(tx => labels { repository_id, name, color, description })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> Found<Label> {
    conn.find("SELECT * FROM labels WHERE id = ?", [id])
}

/// Names differ in more than case.
pub(crate) fn by_name(conn: &Connection, repository_id: i64, name: &str) -> Found<Label> {
    conn.find(
        "SELECT * FROM labels WHERE repository_id = ? AND name = ?",
        params![repository_id, name],
    )
}

pub(crate) fn for_repository(conn: &Connection, repository_id: i64) -> Rows<Label> {
    conn.all(
        "SELECT * FROM labels WHERE repository_id = ? ORDER BY name",
        [repository_id],
    )
}

pub(crate) fn for_issue(conn: &Connection, issue_id: i64) -> Rows<Label> {
    conn.all(
        "SELECT labels.* FROM labels JOIN issue_labels ON label_id = labels.id
             WHERE issue_id = ? ORDER BY labels.id",
        [issue_id],
    )
}

/// Says whether it was new there.
pub(crate) fn attach(tx: &Transaction<'_>, issue_id: i64, label_id: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("INSERT OR IGNORE INTO issue_labels (issue_id, label_id) VALUES (?, ?)")?
        .execute([issue_id, label_id])
        .map(|count| count > 0)
}

/// Says whether it was there.
pub(crate) fn detach(tx: &Transaction<'_>, issue_id: i64, label_id: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("DELETE FROM issue_labels WHERE issue_id = ? AND label_id = ?")?
        .execute([issue_id, label_id])
        .map(|count| count > 0)
}

from_row! {
    (_conn, row) => Label {
        id, repository_id, name, color, description, is_default
    }
}
