use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

#[derive(Debug, Clone)]
pub(crate) struct Milestone {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) number: i64,
    pub(crate) creator_id: i64,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    /// `open` or `closed`.
    pub(crate) state: String,
    pub(crate) due_on: Option<String>,
    pub(crate) closed_at: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

pub(crate) struct NewMilestone<'a> {
    pub(crate) repository_id: i64,
    pub(crate) creator_id: i64,
    pub(crate) title: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) due_on: Option<&'a str>,
    pub(crate) at: &'a str,
}

pub(crate) fn create(
    transaction: &Transaction<'_>,
    new: &NewMilestone<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO milestones
             (repository_id, number, creator_id, title, description, due_on, created_at, updated_at)
             VALUES (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM milestones WHERE repository_id = ?1),
                     ?2, ?3, ?4, ?5, ?6, ?6)",
        )?
        .insert(params![
            new.repository_id,
            new.creator_id,
            new.title,
            new.description,
            new.due_on,
            new.at,
        ])
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Milestone> {
    connection
        .prepare_cached("SELECT * FROM milestones WHERE id = ?")?
        .query_row([id], from_row)
}

pub(crate) fn by_number(
    connection: &Connection,
    repository_id: i64,
    number: i64,
) -> rusqlite::Result<Option<Milestone>> {
    connection
        .prepare_cached("SELECT * FROM milestones WHERE repository_id = ? AND number = ?")?
        .query_row([repository_id, number], from_row)
        .optional()
}

pub(crate) fn of_repository(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<Milestone>> {
    connection
        .prepare_cached("SELECT * FROM milestones WHERE repository_id = ? ORDER BY number")?
        .query_map([repository_id], from_row)?
        .collect()
}

/// How many issues and pull requests it has that are open, and closed.
pub(crate) fn counts(connection: &Connection, id: i64) -> rusqlite::Result<(i64, i64)> {
    connection
        .prepare_cached(
            "SELECT COUNT(*) FILTER (WHERE state = 'open'), COUNT(*) FILTER (WHERE state = 'closed')
             FROM issues WHERE milestone_id = ?",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Milestone> {
    Ok(Milestone {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        number: row.get("number")?,
        creator_id: row.get("creator_id")?,
        title: row.get("title")?,
        description: row.get("description")?,
        state: row.get("state")?,
        due_on: row.get("due_on")?,
        closed_at: row.get("closed_at")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
