use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::store::issues::{self, Issue, IssueState};
use crate::store::text_enum::text_enum;
use crate::store::users::{self, User};

/// An issue with branches. Its id is the issue's.
#[derive(Debug, Clone)]
pub(crate) struct Pull {
    pub(crate) issue: Issue,
    pub(crate) draft: bool,
    pub(crate) base_ref: String,
    pub(crate) base_sha: String,
    /// Nowhere, once a fork is gone.
    pub(crate) head_repository_id: Option<i64>,
    pub(crate) head_owner: User,
    pub(crate) head_ref: String,
    pub(crate) head_sha: String,
    pub(crate) maintainer_can_modify: bool,
    pub(crate) merged: Option<Merged>,
    pub(crate) pushed_by: Option<i64>,
    pub(crate) auto_merge: Option<AutoMerge>,
}

#[derive(Debug, Clone)]
pub(crate) struct Merged {
    pub(crate) at: String,
    pub(crate) by: Option<User>,
    pub(crate) commit_sha: String,
}

/// "Merge it as soon as it may be merged."
#[derive(Debug, Clone)]
pub(crate) struct AutoMerge {
    pub(crate) enabled_by: User,
    pub(crate) enabled_at: String,
    pub(crate) method: MergeMethod,
    pub(crate) commit_title: Option<String>,
    pub(crate) commit_message: Option<String>,
}

text_enum! {
    MergeMethod {
        Merge = "merge",
        Squash = "squash",
        Rebase = "rebase",
    }
}

impl Pull {
    pub(crate) fn id(&self) -> i64 {
        self.issue.id
    }

    pub(crate) fn number(&self) -> i64 {
        self.issue.number
    }

    pub(crate) fn is_open(&self) -> bool {
        self.issue.state == IssueState::Open
    }

    /// Whether the commits come from another repository.
    pub(crate) fn is_cross_repository(&self) -> bool {
        self.head_repository_id != Some(self.issue.repository_id)
    }

    /// `octo:feature`.
    pub(crate) fn head_label(&self) -> String {
        format!("{}:{}", self.head_owner.login, self.head_ref)
    }
}

pub(crate) struct NewPull<'a> {
    /// The row of the issue, which was made before.
    pub(crate) id: i64,
    pub(crate) draft: bool,
    pub(crate) base_ref: &'a str,
    pub(crate) base_sha: &'a str,
    pub(crate) head_repository_id: i64,
    pub(crate) head_owner_id: i64,
    pub(crate) head_ref: &'a str,
    pub(crate) head_sha: &'a str,
    pub(crate) maintainer_can_modify: bool,
    pub(crate) pushed_by: i64,
}

pub(crate) fn create(transaction: &Transaction<'_>, new: &NewPull<'_>) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO pulls
             (id, draft, base_ref, base_sha, head_repository_id, head_owner_id, head_ref, head_sha,
              maintainer_can_modify, pushed_by)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            new.id,
            new.draft,
            new.base_ref,
            new.base_sha,
            new.head_repository_id,
            new.head_owner_id,
            new.head_ref,
            new.head_sha,
            new.maintainer_can_modify,
            new.pushed_by,
        ])
        .map(drop)
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Pull>> {
    connection
        .prepare_cached("SELECT * FROM pulls WHERE id = ?")?
        .query_row([id], |row| from_row(connection, row))
        .optional()
}

pub(crate) fn by_number(
    connection: &Connection,
    repository_id: i64,
    number: i64,
) -> rusqlite::Result<Option<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND number = ?",
        )?
        .query_row([repository_id, number], |row| from_row(connection, row))
        .optional()
}

/// Which ones, in which order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) state: StateFilter,
    pub(crate) base_ref: Option<String>,
    pub(crate) head_ref: Option<String>,
    /// Whose branch `head_ref` is.
    pub(crate) head_owner: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) sort: Sort,
    pub(crate) ascending: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StateFilter {
    #[default]
    Open,
    /// Merged ones are closed, too.
    Closed,
    Merged,
    ClosedUnmerged,
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
            Self::Merged => "pulls.merged_at IS NOT NULL",
            Self::ClosedUnmerged => "issues.state = 'closed' AND pulls.merged_at IS NULL",
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
    connection: &Connection,
    repository_id: i64,
    filter: &Filter,
) -> rusqlite::Result<usize> {
    let (conditions, values) = conditions(repository_id, filter);
    let sql = format!("SELECT count(*) FROM pulls JOIN issues USING (id) WHERE {conditions}");
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    connection
        .prepare_cached(&sql)?
        .query_row(values.as_slice(), |row| row.get(0))
}

pub(crate) fn list(
    connection: &Connection,
    repository_id: i64,
    filter: &Filter,
    limit: usize,
    offset: usize,
) -> rusqlite::Result<Vec<Pull>> {
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
    connection
        .prepare_cached(&sql)?
        .query_map(values.as_slice(), |row| from_row(connection, row))?
        .collect()
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
    also(
        "EXISTS (SELECT * FROM issue_labels JOIN labels ON labels.id = label_id
                 WHERE issue_id = issues.id AND labels.name = ?)",
        &filter.label,
    );
    (sql, values)
}

/// The open one between these two branches, of which there is at most one.
pub(crate) fn open_between(
    connection: &Connection,
    repository_id: i64,
    base_ref: &str,
    head_repository_id: i64,
    head_ref: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(
            "SELECT id FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND base_ref = ? AND head_repository_id = ? AND head_ref = ?
               AND state = 'open'",
        )?
        .query_row(
            params![repository_id, base_ref, head_repository_id, head_ref],
            |row| row.get(0),
        )
        .optional()
}

/// Open ones whose commits come from this branch, in whichever repository.
pub(crate) fn open_with_head(
    connection: &Connection,
    head_repository_id: i64,
    head_ref: &str,
) -> rusqlite::Result<Vec<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE head_repository_id = ? AND head_ref = ? AND state = 'open' ORDER BY pulls.id",
        )?
        .query_map(params![head_repository_id, head_ref], |row| {
            from_row(connection, row)
        })?
        .collect()
}

/// An open pull request that does not know where its branches are.
#[derive(Debug, Clone)]
pub(crate) struct OutOfStep {
    pub(crate) pull: Pull,
    /// Where the branches are; nowhere, once deleted.
    pub(crate) head: Option<String>,
    pub(crate) base: Option<String>,
}

/// Those with a branch in this repository.
pub(crate) fn out_of_step(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<OutOfStep>> {
    connection
        .prepare_cached(
            "SELECT pulls.*, head.oid AS head_now, base.oid AS base_now
             FROM pulls JOIN issues USING (id)
             LEFT JOIN refs AS head ON head.repository_id = pulls.head_repository_id
                  AND head.name = 'refs/heads/' || head_ref
             LEFT JOIN refs AS base ON base.repository_id = issues.repository_id
                  AND base.name = 'refs/heads/' || base_ref
             WHERE issues.state = 'open'
               AND (issues.repository_id = ?1 OR pulls.head_repository_id = ?1)
               AND (head.oid IS NOT head_sha OR base.oid IS NOT base_sha)
             ORDER BY pulls.id",
        )?
        .query_map([repository_id], |row| {
            Ok(OutOfStep {
                pull: from_row(connection, row)?,
                head: row.get("head_now")?,
                base: row.get("base_now")?,
            })
        })?
        .collect()
}

/// The newest one that was merged from this branch while it was at this commit.
pub(crate) fn merged_from(
    connection: &Connection,
    repository_id: i64,
    head_ref: &str,
    head_sha: &str,
) -> rusqlite::Result<Option<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE repository_id = ?1 AND head_repository_id = ?1 AND head_ref = ?2
               AND head_sha = ?3 AND merged_at IS NOT NULL
             ORDER BY merged_at DESC, pulls.id DESC LIMIT 1",
        )?
        .query_row(params![repository_id, head_ref, head_sha], |row| {
            from_row(connection, row)
        })
        .optional()
}

/// Those that came in with this commit.
pub(crate) fn merged_by_commit(
    connection: &Connection,
    repository_id: i64,
    commit_sha: &str,
) -> rusqlite::Result<Vec<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE merge_commit_sha = ? AND repository_id = ? ORDER BY pulls.id",
        )?
        .query_map(params![commit_sha, repository_id], |row| {
            from_row(connection, row)
        })?
        .collect()
}

/// All open ones of a repository: their numbers and heads.
pub(crate) fn open_heads(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<(i64, String)>> {
    connection
        .prepare_cached(
            "SELECT number, head_sha FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND state = 'open' ORDER BY number",
        )?
        .query_map([repository_id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Repositories that have open ones, or the heads of some.
pub(crate) fn busy_repositories(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    connection
        .prepare_cached(
            "SELECT repository_id FROM pulls JOIN issues USING (id) WHERE state = 'open'
             UNION
             SELECT head_repository_id FROM pulls JOIN issues USING (id)
             WHERE state = 'open' AND head_repository_id IS NOT NULL",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Open ones that are to be merged into this branch.
pub(crate) fn open_with_base(
    connection: &Connection,
    repository_id: i64,
    base_ref: &str,
) -> rusqlite::Result<Vec<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND base_ref = ? AND state = 'open' ORDER BY pulls.id",
        )?
        .query_map(params![repository_id, base_ref], |row| {
            from_row(connection, row)
        })?
        .collect()
}

/// Open ones of a repository whose newest commit is this one.
pub(crate) fn open_with_head_commit(
    connection: &Connection,
    repository_id: i64,
    head_sha: &str,
) -> rusqlite::Result<Vec<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN issues USING (id)
             WHERE head_sha = ? AND repository_id = ? AND state = 'open' ORDER BY pulls.id",
        )?
        .query_map(params![head_sha, repository_id], |row| {
            from_row(connection, row)
        })?
        .collect()
}

/// Those to look at when the forge starts.
pub(crate) fn with_auto_merge(connection: &Connection) -> rusqlite::Result<Vec<Pull>> {
    connection
        .prepare_cached(
            "SELECT pulls.* FROM pulls JOIN auto_merges ON pull_id = pulls.id
             JOIN issues USING (id) WHERE state = 'open' ORDER BY pulls.id",
        )?
        .query_map([], |row| from_row(connection, row))?
        .collect()
}

pub(crate) fn set_draft(
    transaction: &Transaction<'_>,
    id: i64,
    draft: bool,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE pulls SET draft = ? WHERE id = ?")?
        .execute(params![draft, id])
        .map(drop)
}

pub(crate) fn set_maintainer_can_modify(
    transaction: &Transaction<'_>,
    id: i64,
    can_modify: bool,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE pulls SET maintainer_can_modify = ? WHERE id = ?")?
        .execute(params![can_modify, id])
        .map(drop)
}

pub(crate) fn set_base(
    transaction: &Transaction<'_>,
    id: i64,
    base_ref: &str,
    base_sha: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE pulls SET base_ref = ?, base_sha = ? WHERE id = ?")?
        .execute(params![base_ref, base_sha, id])
        .map(drop)
}

/// `pushed_by` is nobody for a push that was made behind the forge's back.
pub(crate) fn set_head(
    transaction: &Transaction<'_>,
    id: i64,
    head_sha: &str,
    pushed_by: Option<i64>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE pulls SET head_sha = ?, pushed_by = ? WHERE id = ?")?
        .execute(params![head_sha, pushed_by, id])
        .map(drop)
}

pub(crate) fn rename_head(
    transaction: &Transaction<'_>,
    id: i64,
    head_ref: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE pulls SET head_ref = ? WHERE id = ?")?
        .execute(params![head_ref, id])
        .map(drop)
}

pub(crate) fn set_merged(
    transaction: &Transaction<'_>,
    id: i64,
    merged_by: Option<i64>,
    commit_sha: &str,
    at: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE pulls SET merged_at = ?, merged_by = ?, merge_commit_sha = ? WHERE id = ?",
        )?
        .execute(params![at, merged_by, commit_sha, id])
        .map(drop)
}

pub(crate) fn set_auto_merge(
    transaction: &Transaction<'_>,
    id: i64,
    auto_merge: &AutoMerge,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO auto_merges
             (pull_id, enabled_by, enabled_at, method, commit_title, commit_message)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            id,
            auto_merge.enabled_by.id,
            auto_merge.enabled_at,
            auto_merge.method,
            auto_merge.commit_title,
            auto_merge.commit_message,
        ])
        .map(drop)
}

pub(crate) fn clear_auto_merge(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<bool> {
    let changed = transaction
        .prepare_cached("DELETE FROM auto_merges WHERE pull_id = ?")?
        .execute([id])?;
    Ok(changed > 0)
}

/// A merge that was decided and may have moved the base branch already.
#[derive(Debug, Clone)]
pub(crate) struct MergeUnderWay {
    pub(crate) pull_id: i64,
    pub(crate) commit_sha: String,
    pub(crate) merged_by: i64,
}

pub(crate) fn begin_merge(
    transaction: &Transaction<'_>,
    merge: &MergeUnderWay,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO merges_under_way (pull_id, commit_sha, merged_by)
             VALUES (?, ?, ?)",
        )?
        .execute(params![merge.pull_id, merge.commit_sha, merge.merged_by])
        .map(drop)
}

pub(crate) fn end_merge(transaction: &Transaction<'_>, pull_id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM merges_under_way WHERE pull_id = ?")?
        .execute([pull_id])
        .map(drop)
}

pub(crate) fn merges_under_way(connection: &Connection) -> rusqlite::Result<Vec<MergeUnderWay>> {
    connection
        .prepare_cached("SELECT * FROM merges_under_way ORDER BY pull_id")?
        .query_map([], |row| {
            Ok(MergeUnderWay {
                pull_id: row.get("pull_id")?,
                commit_sha: row.get("commit_sha")?,
                merged_by: row.get("merged_by")?,
            })
        })?
        .collect()
}

fn from_row(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Pull> {
    let id = row.get("id")?;
    Ok(Pull {
        issue: issues::by_id(connection, id)?,
        draft: row.get("draft")?,
        base_ref: row.get("base_ref")?,
        base_sha: row.get("base_sha")?,
        head_repository_id: row.get("head_repository_id")?,
        head_owner: users::by_id(connection, row.get("head_owner_id")?)?,
        head_ref: row.get("head_ref")?,
        head_sha: row.get("head_sha")?,
        maintainer_can_modify: row.get("maintainer_can_modify")?,
        merged: merged(connection, row)?,
        pushed_by: row.get("pushed_by")?,
        auto_merge: auto_merge(connection, id)?,
    })
}

fn merged(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Option<Merged>> {
    let at: Option<String> = row.get("merged_at")?;
    let Some(at) = at else { return Ok(None) };
    let by: Option<i64> = row.get("merged_by")?;
    Ok(Some(Merged {
        at,
        by: by.map(|id| users::by_id(connection, id)).transpose()?,
        commit_sha: row.get("merge_commit_sha")?,
    }))
}

fn auto_merge(connection: &Connection, id: i64) -> rusqlite::Result<Option<AutoMerge>> {
    connection
        .prepare_cached("SELECT * FROM auto_merges WHERE pull_id = ?")?
        .query_row([id], |row| {
            Ok(AutoMerge {
                enabled_by: users::by_id(connection, row.get("enabled_by")?)?,
                enabled_at: row.get("enabled_at")?,
                method: row.get("method")?,
                commit_title: row.get("commit_title")?,
                commit_message: row.get("commit_message")?,
            })
        })
        .optional()
}
