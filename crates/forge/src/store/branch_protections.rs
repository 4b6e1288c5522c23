//! Branch protection.

use rusqlite::Error;
use rusqlite::types::Type;
use serde::{Deserialize, Serialize};

use crate::store::prelude::*;

/// What GitHub calls a branch protection rule. One that is new asks for nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the switches of GitHub's branch protection settings"
)]
pub(crate) struct BranchProtection {
    #[serde(skip)]
    pub(crate) id: i64,
    #[serde(skip)]
    pub(crate) repository_id: i64,
    /// A branch's name, or a pattern as `fnmatch` reads it.
    #[serde(skip)]
    pub(crate) pattern: String,
    pub(crate) enforce_admins: bool,
    pub(crate) checks: Option<RequiredChecks>,
    pub(crate) reviews: Option<RequiredReviews>,
    /// Users who may push; everybody with write access when absent.
    pub(crate) push_users: Option<Vec<i64>>,
    pub(crate) linear_history: bool,
    pub(crate) force_pushes: bool,
    pub(crate) deletions: bool,
    pub(crate) block_creations: bool,
    pub(crate) conversation_resolution: bool,
    pub(crate) lock_branch: bool,
    pub(crate) fork_syncing: bool,
    pub(crate) signatures: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RequiredChecks {
    /// The head must have all commits of the base branch.
    pub(crate) strict: bool,
    pub(crate) checks: Vec<RequiredCheck>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RequiredCheck {
    pub(crate) context: String,
    /// The app that must report it; any when absent.
    pub(crate) app_id: Option<i64>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RequiredReviews {
    pub(crate) approvals: u32,
    pub(crate) dismiss_stale: bool,
    pub(crate) code_owners: bool,
    pub(crate) last_push_approval: bool,
    /// Users who may dismiss; everybody with write access when absent.
    pub(crate) dismissal_users: Option<Vec<i64>>,
    /// Users who need no pull request.
    pub(crate) bypass_users: Vec<i64>,
}

/// Takes the place of the one with the same pattern. The id stays.
pub(crate) fn put(tx: &Transaction<'_>, protection: &BranchProtection) -> rusqlite::Result<i64> {
    let settings = serde_json::to_string(protection);
    let settings = settings.map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))?;
    tx.one(
        "INSERT INTO branch_protections (repository_id, pattern, settings) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET settings = excluded.settings RETURNING id",
        params![protection.repository_id, protection.pattern, settings],
    )
}

sql! {
    find by_pattern(repository_id: i64, pattern: &str) -> BranchProtection:
        "SELECT * FROM branch_protections WHERE repository_id = ? AND pattern = ?";
    find by_id(id: i64) -> BranchProtection: "SELECT * FROM branch_protections WHERE id = ?";

    /// The oldest first, which is the order in which patterns are tried.
    all for_repository(repository_id: i64) -> BranchProtection:
        "SELECT * FROM branch_protections WHERE repository_id = ? ORDER BY id";
    run delete(id: i64): "DELETE FROM branch_protections WHERE id = ?";
}

impl FromRow for BranchProtection {
    fn from_row(_: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        let settings: String = row.get("settings")?;
        let read = serde_json::from_str(&settings);
        let protection: Self =
            read.map_err(|error| Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))?;
        Ok(Self {
            id: row.get("id")?,
            repository_id: row.get("repository_id")?,
            pattern: row.get("pattern")?,
            ..protection
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protections_of_older_databases_ask_for_the_same() {
        let conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        conn.execute_batch(include_str!("schema/0005_rules.sql"))
            .unwrap();
        conn.execute_batch(
            r#"INSERT INTO branch_protections (repository_id, pattern) VALUES (7, 'bare');
               INSERT INTO branch_protections VALUES
                   (9, 7, 'full', 1, '[{"context":"ci","app_id":3},{"context":"any","app_id":null}]', 1,
                    2, 1, 0, 1, '[4]', '[5]', '[]', 1, 0, 1, 0, 1, 0, 1, 0);"#,
        )
        .unwrap();
        conn.execute_batch(include_str!("schema/0010_protection_settings.sql"))
            .unwrap();
        let all = for_repository(&conn, 7).unwrap();
        assert_eq!(all[0].pattern, "bare");
        let blank = serde_json::to_value(BranchProtection::default()).unwrap();
        assert_eq!(serde_json::to_value(&all[0]).unwrap(), blank);
        assert_eq!((all[1].id, all[1].repository_id), (9, 7));
        insta::assert_snapshot!(serde_json::to_string(&all[1]).unwrap(), @r#"{"enforce_admins":true,"checks":{"strict":true,"checks":[{"context":"ci","app_id":3},{"context":"any","app_id":null}]},"reviews":{"approvals":2,"dismiss_stale":true,"code_owners":false,"last_push_approval":true,"dismissal_users":[4],"bypass_users":[5]},"push_users":[],"linear_history":true,"force_pushes":false,"deletions":true,"block_creations":false,"conversation_resolution":true,"lock_branch":false,"fork_syncing":true,"signatures":false}"#);
    }
}
