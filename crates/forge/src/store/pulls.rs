//! Pull requests.

use crate::store::issues::{self, Issue, IssueState};
use crate::store::prelude::*;
use crate::store::users;

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

inserts! {
    create(new: &NewPull<'_>) into pulls {
        id: new.id, draft: new.draft, base_ref: new.base_ref, base_sha: new.base_sha,
        head_repository_id: new.head_repository_id, head_owner_id: new.head_owner_id,
        head_ref: new.head_ref, head_sha: new.head_sha,
        maintainer_can_modify: new.maintainer_can_modify, pushed_by: new.pushed_by,
    }
}

sql! {
    find by_id(id: i64) -> Pull: "SELECT * FROM pulls WHERE id = ?";
    find by_number(repository_id: i64, number: i64) -> Pull:
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE repository_id = ? AND number = ?";

    /// The open one between these two branches, of which there is at most one.
    find open_between(
        repository_id: i64,
        base_ref: &str,
        head_repository_id: i64,
        head_ref: &str,
    ) -> i64:
        "SELECT id FROM pulls JOIN issues USING (id) WHERE repository_id = ? AND base_ref = ?
         AND head_repository_id = ? AND head_ref = ? AND state = 'open'";
}

/// An open pull request that does not know where its branches are.
#[derive(Debug, Clone)]
pub(crate) struct OutOfStep {
    pub(crate) pull: Pull,
    /// Where the branches are; nowhere, once deleted. A head whose fork is gone
    /// stays where it was.
    pub(crate) head: Option<String>,
    pub(crate) base: Option<String>,
}

/// Those with a branch in this repository.
pub(crate) fn out_of_step(conn: &Connection, repository_id: i64) -> Rows<OutOfStep> {
    conn.all_with(
        "SELECT pulls.*, head.oid AS head_now, base.oid AS base_now
             FROM pulls JOIN issues USING (id)
             LEFT JOIN refs AS head ON head.repository_id = pulls.head_repository_id
                  AND head.name = 'refs/heads/' || head_ref
             LEFT JOIN refs AS base ON base.repository_id = issues.repository_id
                  AND base.name = 'refs/heads/' || base_ref
             WHERE issues.state = 'open'
               AND (issues.repository_id = ?1 OR pulls.head_repository_id = ?1)
               AND ((head_repository_id IS NOT NULL AND head.oid IS NOT head_sha)
                    OR base.oid IS NOT base_sha)
             ORDER BY pulls.id",
        [repository_id],
        |row| {
            Ok(OutOfStep {
                pull: Pull::from_row(conn, row)?,
                head: row.get("head_now")?,
                base: row.get("base_now")?,
            })
        },
    )
}

sql! {
    /// The newest one that was merged from this branch while it was at this commit.
    find merged_from(repository_id: i64, head_ref: &str, head_sha: &str) -> Pull:
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE repository_id = ?1
         AND head_repository_id = ?1 AND head_ref = ?2 AND head_sha = ?3
         AND merged_at IS NOT NULL ORDER BY merged_at DESC, pulls.id DESC LIMIT 1";

    /// Those that came in with this commit.
    all merged_by_commit(repository_id: i64, commit_sha: &str) -> Pull:
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE merge_commit_sha = ?2
         AND repository_id = ?1 ORDER BY pulls.id";
}

/// All open ones of a repository: their numbers and heads.
pub(crate) fn open_heads(conn: &Connection, repository_id: i64) -> Rows<(i64, String)> {
    conn.all_with(
        "SELECT number, head_sha FROM pulls JOIN issues USING (id)
             WHERE repository_id = ? AND state = 'open' ORDER BY number",
        [repository_id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

sql! {
    /// Repositories that have open ones, or the heads of some.
    all busy_repositories() -> i64:
        "SELECT repository_id FROM pulls JOIN issues USING (id) WHERE state = 'open' UNION
         SELECT head_repository_id FROM pulls JOIN issues USING (id) WHERE state = 'open'
         AND head_repository_id IS NOT NULL";

    /// Open ones that are to be merged into this branch.
    all open_with_base(repository_id: i64, base_ref: &str) -> Pull:
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE repository_id = ?
         AND base_ref = ? AND state = 'open' ORDER BY pulls.id";

    /// Open ones of a repository whose newest commit is this one.
    all open_with_head_commit(repository_id: i64, head_sha: &str) -> Pull:
        "SELECT pulls.* FROM pulls JOIN issues USING (id) WHERE head_sha = ?2
         AND repository_id = ?1 AND state = 'open' ORDER BY pulls.id";

    /// Those to look at when the forge starts.
    all with_auto_merge() -> Pull:
        "SELECT pulls.* FROM pulls JOIN auto_merges ON pull_id = pulls.id JOIN issues USING (id)
         WHERE state = 'open' ORDER BY pulls.id";
    run set_draft(id: i64, draft: bool): "UPDATE pulls SET draft = ?2 WHERE id = ?1";
    run set_maintainer_can_modify(id: i64, can_modify: bool):
        "UPDATE pulls SET maintainer_can_modify = ?2 WHERE id = ?1";
    run set_base(id: i64, base_ref: &str, base_sha: &str):
        "UPDATE pulls SET base_ref = ?2, base_sha = ?3 WHERE id = ?1";

    /// `pushed_by` is no one for a push that was made behind the forge's back.
    run set_head(id: i64, head_sha: &str, pushed_by: Option<i64>):
        "UPDATE pulls SET head_sha = ?2, pushed_by = ?3 WHERE id = ?1";
    run set_merged(id: i64, merged_by: Option<i64>, commit_sha: &str, at: &str):
        "UPDATE pulls SET merged_at = ?4, merged_by = ?2, merge_commit_sha = ?3 WHERE id = ?1";
    run set_auto_merge(id: i64, auto_merge: &AutoMerge):
        "INSERT
         OR REPLACE INTO auto_merges (pull_id, enabled_by, enabled_at, method, commit_title,
         commit_message) VALUES (?, ?, ?, ?, ?, ?)",
        [id, auto_merge.enabled_by.id, auto_merge.enabled_at, auto_merge.method,
         auto_merge.commit_title, auto_merge.commit_message];
    did clear_auto_merge(id: i64): "DELETE FROM auto_merges WHERE pull_id = ?";
}

impl FromRow for Pull {
    fn from_row(conn: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        let id = row.get("id")?;
        columns!(row => Pull {
            draft, base_ref, base_sha, head_repository_id, head_ref, head_sha, maintainer_can_modify,
            pushed_by;
            issue: issues::by_id(conn, id)?,
            head_owner: users::by_id(conn, row.get("head_owner_id")?)?,
            merged: merged(conn, row)?,
            auto_merge: auto_merge(conn, id)?,
        })
    }
}

fn merged(conn: &Connection, row: &Row<'_>) -> Found<Merged> {
    let at: Option<String> = row.get("merged_at")?;
    let Some(at) = at else { return Ok(None) };
    let by: Option<i64> = row.get("merged_by")?;
    Ok(Some(Merged {
        at,
        by: by.map(|id| users::by_id(conn, id)).transpose()?,
        commit_sha: row.get("merge_commit_sha")?,
    }))
}

fn auto_merge(conn: &Connection, id: i64) -> Found<AutoMerge> {
    conn.find_with("SELECT * FROM auto_merges WHERE pull_id = ?", [id], |row| {
        columns!(row => AutoMerge {
            enabled_at, method, commit_title, commit_message;
            enabled_by: users::by_id(conn, row.get("enabled_by")?)?,
        })
    })
}
