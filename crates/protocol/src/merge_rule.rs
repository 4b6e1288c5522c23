//! The rules that a pull request has to satisfy before it is merged, by their ids.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a branch, the forge or a user requires before a merge.
///
/// There is no wildcard arm over it anywhere: a new rule has to be decided on by everything
/// that decides about merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeRule {
    Open,
    Draft,
    Conflicts,
    /// The repository is archived.
    Archived,
    /// A label or the title asks to wait.
    Hold,
    Approvals,
    CodeOwners,
    LastPushApproval,
    TeamReview,
    Conversations,
    RequiredCheck,
    /// Checks that no rule requires.
    Ci,
    UpToDate,
    RequiredWorkflow,
    CodeScanning,
    Signatures,
    LinearHistory,
    MergeMethods,
    Deployment,
    MergeQueue,
    /// Only those who may bypass a ruleset may change the branch.
    Update,
    Locked,
    PushRestriction,
    /// Rules of any kind that could not be read.
    UnreadRules,
    /// A rule that this version does not know.
    #[serde(other)]
    Other,
}

impl MergeRule {
    /// The id, as it is written in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Draft => "draft",
            Self::Conflicts => "conflicts",
            Self::Archived => "archived",
            Self::Hold => "hold",
            Self::Approvals => "approvals",
            Self::CodeOwners => "code_owners",
            Self::LastPushApproval => "last_push_approval",
            Self::TeamReview => "team_review",
            Self::Conversations => "conversations",
            Self::RequiredCheck => "required_check",
            Self::Ci => "ci",
            Self::UpToDate => "up_to_date",
            Self::RequiredWorkflow => "required_workflow",
            Self::CodeScanning => "code_scanning",
            Self::Signatures => "signatures",
            Self::LinearHistory => "linear_history",
            Self::MergeMethods => "merge_methods",
            Self::Deployment => "deployment",
            Self::MergeQueue => "merge_queue",
            Self::Update => "update",
            Self::Locked => "locked",
            Self::PushRestriction => "push_restriction",
            Self::UnreadRules => "unread_rules",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for MergeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, to_value};

    use super::*;

    #[test]
    fn an_id_is_the_same_in_text_and_in_json() {
        for rule in [
            MergeRule::Open,
            MergeRule::CodeOwners,
            MergeRule::LastPushApproval,
            MergeRule::RequiredCheck,
            MergeRule::Ci,
            MergeRule::UpToDate,
            MergeRule::MergeQueue,
            MergeRule::UnreadRules,
            MergeRule::Other,
        ] {
            let json = to_value(rule).unwrap();
            assert_eq!(json, rule.as_str());
            assert_eq!(from_value::<MergeRule>(json).unwrap(), rule);
        }
    }

    #[test]
    fn a_rule_of_a_later_version_is_another_one() {
        let rule: MergeRule = from_value("moon_phase".into()).unwrap();
        assert_eq!(rule, MergeRule::Other);
    }
}
