use rusqlite::Connection;
use serde::Deserialize;

use crate::error::ApiError;
use crate::store::branch_protections::{
    self, BranchProtection, RequiredCheck, RequiredChecks, RequiredReviews,
};
use crate::store::users;

#[derive(Deserialize)]
pub(super) struct PutInput {
    required_status_checks: Option<ChecksInput>,
    enforce_admins: Option<bool>,
    required_pull_request_reviews: Option<ReviewsInput>,
    restrictions: Option<PeopleInput>,
    required_linear_history: Option<bool>,
    allow_force_pushes: Option<bool>,
    allow_deletions: Option<bool>,
    block_creations: Option<bool>,
    required_conversation_resolution: Option<bool>,
    lock_branch: Option<bool>,
    allow_fork_syncing: Option<bool>,
    required_signatures: Option<bool>,
}

#[derive(Deserialize, Default)]
pub(super) struct ChecksInput {
    pub(super) strict: Option<bool>,
    contexts: Option<Vec<String>>,
    checks: Option<Vec<CheckInput>>,
}

#[derive(Deserialize)]
pub(super) struct CheckInput {
    context: String,
    app_id: Option<i64>,
}

#[derive(Deserialize, Default)]
pub(super) struct ReviewsInput {
    dismissal_restrictions: Option<PeopleInput>,
    dismiss_stale_reviews: Option<bool>,
    require_code_owner_reviews: Option<bool>,
    required_approving_review_count: Option<u32>,
    require_last_push_approval: Option<bool>,
    bypass_pull_request_allowances: Option<PeopleInput>,
}

#[derive(Deserialize)]
pub(super) struct PeopleInput {
    users: Option<Vec<String>>,
}

impl ChecksInput {
    /// `checks` says more than `contexts` and wins. An app of -1 is any.
    pub(super) fn required(self) -> Option<Vec<RequiredCheck>> {
        if let Some(checks) = self.checks {
            let required = checks.into_iter().map(|check| RequiredCheck {
                context: check.context,
                app_id: check.app_id.filter(|id| *id >= 0),
            });
            return Some(required.collect());
        }
        let contexts = self.contexts?;
        let required = contexts.into_iter().map(|context| RequiredCheck {
            context,
            app_id: None,
        });
        Some(required.collect())
    }
}

impl ReviewsInput {
    pub(super) fn apply(
        self,
        connection: &Connection,
        required: &mut RequiredReviews,
    ) -> Result<(), ApiError> {
        if let Some(count) = self.required_approving_review_count {
            if count > 6 {
                return Err(ApiError::Unprocessable(
                    "Invalid request.\n\nrequired_approving_review_count must be at most 6"
                        .to_owned(),
                ));
            }
            required.approvals = count;
        }
        if let Some(on) = self.dismiss_stale_reviews {
            required.dismiss_stale = on;
        }
        if let Some(on) = self.require_code_owner_reviews {
            required.code_owners = on;
        }
        if let Some(on) = self.require_last_push_approval {
            required.last_push_approval = on;
        }
        if let Some(people) = self.dismissal_restrictions {
            // An empty object lifts the restriction.
            required.dismissal_users = match people.users {
                Some(logins) => Some(ids(connection, &logins)?),
                None => None,
            };
        }
        if let Some(people) = self.bypass_pull_request_allowances {
            required.bypass_users = ids(connection, &people.users.unwrap_or_default())?;
        }
        Ok(())
    }
}

fn ids(connection: &Connection, logins: &[String]) -> Result<Vec<i64>, ApiError> {
    logins
        .iter()
        .map(|login| {
            let user = users::by_login(connection, login)?;
            user.map(|user| user.id).ok_or_else(|| {
                ApiError::Unprocessable(format!("Validation Failed: no user {login}"))
            })
        })
        .collect()
}

impl PutInput {
    /// Everything that is not given is off.
    pub(super) fn protection(
        self,
        connection: &Connection,
        repository_id: i64,
        branch: &str,
    ) -> Result<BranchProtection, ApiError> {
        let on = |switch: Option<bool>| switch.unwrap_or(false);
        let mut new = branch_protections::new(repository_id, branch);
        new.enforce_admins = on(self.enforce_admins);
        new.linear_history = on(self.required_linear_history);
        new.force_pushes = on(self.allow_force_pushes);
        new.deletions = on(self.allow_deletions);
        new.block_creations = on(self.block_creations);
        new.conversation_resolution = on(self.required_conversation_resolution);
        new.lock_branch = on(self.lock_branch);
        new.fork_syncing = on(self.allow_fork_syncing);
        new.signatures = on(self.required_signatures);
        if let Some(checks) = self.required_status_checks {
            new.checks = Some(RequiredChecks {
                strict: on(checks.strict),
                checks: checks.required().unwrap_or_default(),
            });
        }
        if let Some(input) = self.required_pull_request_reviews {
            let mut required = RequiredReviews {
                approvals: 1,
                ..RequiredReviews::default()
            };
            input.apply(connection, &mut required)?;
            new.reviews = Some(required);
        }
        if let Some(people) = self.restrictions {
            new.push_users = Some(ids(connection, &people.users.unwrap_or_default())?);
        }
        Ok(new)
    }
}
