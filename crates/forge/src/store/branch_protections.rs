//! Branch protection.

use crate::store::prelude::*;
use serde_json::{Value, json};

/// What GitHub calls a branch protection rule.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the switches of GitHub's branch protection settings"
)]
pub(crate) struct BranchProtection {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    /// A branch's name, or a pattern as `fnmatch` reads it.
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

#[derive(Debug, Clone, Default)]
pub(crate) struct RequiredChecks {
    /// The head must have all commits of the base branch.
    pub(crate) strict: bool,
    pub(crate) checks: Vec<RequiredCheck>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequiredCheck {
    pub(crate) context: String,
    /// The app that must report it; any when absent.
    pub(crate) app_id: Option<i64>,
}

#[derive(Debug, Clone, Default)]
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

/// One that asks for nothing yet, to be filled in.
pub(crate) fn new(repository_id: i64, pattern: &str) -> BranchProtection {
    BranchProtection {
        id: 0,
        repository_id,
        pattern: pattern.to_owned(),
        enforce_admins: false,
        checks: None,
        reviews: None,
        push_users: None,
        linear_history: false,
        force_pushes: false,
        deletions: false,
        block_creations: false,
        conversation_resolution: false,
        lock_branch: false,
        fork_syncing: false,
        signatures: false,
    }
}

/// Takes the place of the one with the same pattern. The id stays.
pub(crate) fn put(tx: &Transaction<'_>, protection: &BranchProtection) -> rusqlite::Result<i64> {
    let checks = protection.checks.as_ref();
    let reviews = protection.reviews.as_ref();
    tx.one(
        "INSERT INTO branch_protections
             (repository_id, pattern, enforce_admins, checks, strict_checks, approvals,
              dismiss_stale_reviews, code_owner_reviews, last_push_approval, dismissal_users,
              bypass_users, push_users, linear_history, force_pushes, deletions, block_creations,
              conversation_resolution, lock_branch, fork_syncing, signatures)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET
              enforce_admins = excluded.enforce_admins, checks = excluded.checks,
              strict_checks = excluded.strict_checks, approvals = excluded.approvals,
              dismiss_stale_reviews = excluded.dismiss_stale_reviews,
              code_owner_reviews = excluded.code_owner_reviews,
              last_push_approval = excluded.last_push_approval,
              dismissal_users = excluded.dismissal_users, bypass_users = excluded.bypass_users,
              push_users = excluded.push_users, linear_history = excluded.linear_history,
              force_pushes = excluded.force_pushes, deletions = excluded.deletions,
              block_creations = excluded.block_creations,
              conversation_resolution = excluded.conversation_resolution,
              lock_branch = excluded.lock_branch, fork_syncing = excluded.fork_syncing,
              signatures = excluded.signatures
             RETURNING id",
        params![
            protection.repository_id,
            protection.pattern,
            protection.enforce_admins,
            checks.map(|checks| checks_json(&checks.checks)),
            checks.is_some_and(|checks| checks.strict),
            reviews.map(|reviews| reviews.approvals),
            reviews.is_some_and(|reviews| reviews.dismiss_stale),
            reviews.is_some_and(|reviews| reviews.code_owners),
            reviews.is_some_and(|reviews| reviews.last_push_approval),
            reviews.and_then(|reviews| reviews.dismissal_users.as_deref().map(ids_json)),
            ids_json(reviews.map_or(&[], |reviews| &reviews.bypass_users)),
            protection.push_users.as_deref().map(ids_json),
            protection.linear_history,
            protection.force_pushes,
            protection.deletions,
            protection.block_creations,
            protection.conversation_resolution,
            protection.lock_branch,
            protection.fork_syncing,
            protection.signatures,
        ],
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
        let checks: Option<String> = row.get("checks")?;
        let strict: bool = row.get("strict_checks")?;
        let approvals: Option<u32> = row.get("approvals")?;
        let reviews = approvals
            .map(|approvals| required_reviews(row, approvals))
            .transpose()?;
        let push_users: Option<String> = row.get("push_users")?;
        columns!(row => BranchProtection {
            id, repository_id, pattern, enforce_admins, linear_history, force_pushes, deletions,
            block_creations, conversation_resolution, lock_branch, fork_syncing, signatures;
            checks: checks.map(|text| RequiredChecks {
                strict,
                checks: parse_checks(&text),
            }),
            reviews,
            push_users: push_users.as_deref().map(parse_ids),
        })
    }
}

fn required_reviews(row: &Row<'_>, approvals: u32) -> rusqlite::Result<RequiredReviews> {
    let dismissal_users: Option<String> = row.get("dismissal_users")?;
    let bypass_users: String = row.get("bypass_users")?;
    Ok(RequiredReviews {
        approvals,
        dismiss_stale: row.get("dismiss_stale_reviews")?,
        code_owners: row.get("code_owner_reviews")?,
        last_push_approval: row.get("last_push_approval")?,
        dismissal_users: dismissal_users.as_deref().map(parse_ids),
        bypass_users: parse_ids(&bypass_users),
    })
}

fn checks_json(checks: &[RequiredCheck]) -> String {
    let list: Value = checks
        .iter()
        .map(|check| json!({ "context": check.context, "app_id": check.app_id }))
        .collect();
    list.to_string()
}

fn parse_checks(text: &str) -> Vec<RequiredCheck> {
    let list: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    list.iter()
        .filter_map(|check| {
            Some(RequiredCheck {
                context: check["context"].as_str()?.to_owned(),
                app_id: check["app_id"].as_i64(),
            })
        })
        .collect()
}

fn ids_json(ids: &[i64]) -> String {
    json!(ids).to_string()
}

fn parse_ids(text: &str) -> Vec<i64> {
    serde_json::from_str(text).unwrap_or_default()
}
