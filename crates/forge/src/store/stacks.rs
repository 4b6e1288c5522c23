//! GitHub's own stacks: pull requests that build on each other.

use crate::store::prelude::*;
use crate::store::pulls::Pull;

row! {
    Stack by (conn, row) {
        id: i64,
        number: i64,
        base_ref: String,
        created_at: String,
        /// From the bottom up.
        members: Vec<Pull> = members(conn, row.get("id")?)?,
    }
}

row! {
    /// The place of one pull request in its stack.
    StackPlace {
        id: i64,
        number: i64,
        base_ref: String,
        /// From 1, which is the bottom.
        position: i64,
        size: i64,
    }
}

pub(crate) fn create(
    tx: &Transaction<'_>,
    repository_id: i64,
    base_ref: &str,
    at: &str,
) -> rusqlite::Result<i64> {
    let number: i64 = tx.one(
        "SELECT COALESCE(MAX(number), 0) + 1 FROM stacks WHERE repository_id = ?",
        [repository_id],
    )?;
    insert!(tx => stacks { repository_id, number, base_ref, created_at: at })
}

inserts! {
    /// On top of the others.
    add_member(stack_id: i64, pull_id: i64) into stack_members { stack_id, pull_id }
}

sql! {
    run remove_member(pull_id: i64): "DELETE FROM stack_members WHERE pull_id = ?";

    /// Of a repository, the newest first; with a number only that pull request's.
    all list(repository_id: i64, pull: Option<i64>) -> i64:
        "SELECT DISTINCT stacks.id FROM stacks JOIN stack_members ON stack_id = stacks.id
         JOIN issues ON issues.id = pull_id WHERE stacks.repository_id = ?1 AND (?2 IS NULL
         OR issues.number = ?2) ORDER BY stacks.number DESC";
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> Found<Stack> {
    let found: Option<Stack> = conn.find("SELECT * FROM stacks WHERE id = ?", [id])?;
    Ok(found.filter(|stack| !stack.members.is_empty()))
}

pub(crate) fn by_number(conn: &Connection, repository_id: i64, number: i64) -> Found<Stack> {
    let found: Option<i64> = conn.find(
        "SELECT id FROM stacks WHERE repository_id = ? AND number = ?",
        [repository_id, number],
    )?;
    found.map_or(Ok(None), |id| by_id(conn, id))
}

pub(crate) fn for_pull(conn: &Connection, pull_id: i64) -> Found<Stack> {
    match place(conn, pull_id)? {
        Some(place) => by_id(conn, place.id),
        None => Ok(None),
    }
}

sql! {
    find place(pull_id: i64) -> StackPlace:
        "SELECT stacks.*, COUNT(*) AS size, SUM(other.id <= member.id) AS position
         FROM stack_members AS member JOIN stacks ON stacks.id = member.stack_id
         JOIN stack_members AS other ON other.stack_id = member.stack_id
         WHERE member.pull_id = ? GROUP BY member.id";

    /// From the bottom up.
    all members(stack_id: i64) -> Pull:
        "SELECT pulls.* FROM stack_members JOIN pulls ON pulls.id = pull_id WHERE stack_id = ?
         ORDER BY stack_members.id";

    /// The next one in the same stack.
    find above(pull_id: i64) -> Pull:
        "SELECT pulls.* FROM stack_members AS member
         JOIN stack_members AS above USING (stack_id) JOIN pulls ON pulls.id = above.pull_id
         WHERE member.pull_id = ? AND above.id > member.id ORDER BY above.id LIMIT 1";

    /// Whether one below it was closed without a merge, which holds up all above.
    one is_held_up(pull_id: i64) -> bool:
        "SELECT COUNT(*) > 0 FROM stack_members AS member
         JOIN stack_members AS below USING (stack_id) JOIN pulls ON pulls.id = below.pull_id
         JOIN issues ON issues.id = below.pull_id WHERE member.pull_id = ?
         AND below.id < member.id AND merged_at IS NULL AND state = 'closed'";
}

/// The branch that a pull request goes to in the end, whose rules it has to keep.
pub(crate) fn target(conn: &Connection, pull: &Pull) -> rusqlite::Result<String> {
    let place = place(conn, pull.id())?;
    Ok(place.map_or_else(|| pull.base_ref.clone(), |place| place.base_ref))
}

/// Those whose lowest open pull request still has a merged one for its base.
pub(crate) fn to_restack(conn: &Connection) -> Rows<(i64, i64)> {
    conn.all_with(
        "SELECT stacks.repository_id, stacks.id FROM stacks
             JOIN stack_members AS member ON member.stack_id = stacks.id
             JOIN pulls ON pulls.id = member.pull_id
             JOIN issues ON issues.id = member.pull_id
             WHERE issues.state = 'open' AND pulls.base_ref != stacks.base_ref
               AND member.pull_id NOT IN (SELECT pull_id FROM merge_queue_entries)
               AND member.id > (SELECT MIN(id) FROM stack_members WHERE stack_id = stacks.id)
               AND NOT EXISTS (
                   SELECT 1 FROM stack_members AS lower JOIN pulls ON pulls.id = lower.pull_id
                       WHERE lower.stack_id = stacks.id AND lower.id < member.id
                         AND merged_at IS NULL)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
