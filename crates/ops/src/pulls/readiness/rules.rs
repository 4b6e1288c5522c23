//! The rules of a branch, from classic protection and from rulesets, as one
//! list of demands.

use baton_remote::github::questions::merge_readiness::{
    BaseRef, ClassicProtection, VisibleProtection,
};
use baton_remote::github::resources::branch_protection::{Protection, ProtectionRules};
use baton_remote::github::resources::rules::{BranchRule, PullRequestRule, Rule as Ruled};
use baton_remote::github::{Fact, Listed, Unreadable};

use super::demand::Demand;

/// A demand, and who makes it.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) demand: Demand,
    pub(super) source: String,
}

/// What can be known of the classic protection.
#[derive(Clone, Debug)]
pub(super) enum Classic {
    None,
    Rules(Vec<Demand>),
    /// What everybody sees; the rest is for administrators.
    Partly(Vec<Demand>),
    Hidden {
        field: String,
        remedy: String,
    },
}

pub(super) const READ_ADMINISTRATION: &str =
    "Ask with a token that may read the repository's administration.";

impl Classic {
    /// What GraphQL shows of it, `None` when it shows nothing and another
    /// source has to be asked.
    pub(super) fn shown(base: &BaseRef, sees_all: bool) -> Option<Self> {
        match (&base.branch_protection_rule, &base.ref_update_rule) {
            (Some(full), visible) => {
                let may = visible.as_ref().map(|visible| visible.viewer_can_push);
                Some(Self::Rules(classic_demands(full, may)))
            }
            (None, _) if sees_all => Some(Self::None),
            (None, Some(visible)) => Some(Self::Partly(visible_demands(visible))),
            (None, None) => None,
        }
    }

    /// What REST shows of it.
    pub(super) fn from_rest(protection: Protection) -> Self {
        match protection {
            Protection::Unprotected => Self::None,
            Protection::Rules(rules) => Self::Rules(rest_demands(&rules)),
            Protection::Hidden(unreadable) => Self::hidden(&unreadable),
        }
    }

    pub(super) fn hidden(unreadable: &Unreadable) -> Self {
        Self::Hidden {
            field: unreadable.to_string(),
            remedy: unreadable.remedy.clone(),
        }
    }
}

/// All demands on the branch.
pub(super) fn all(branch: &str, classic: Classic, rulesets: Fact<Listed<BranchRule>>) -> Vec<Rule> {
    let source = format!("branch protection of {branch}");
    let from_classic = |demand| Rule {
        demand,
        source: source.clone(),
    };
    let mut rules: Vec<Rule> = match classic {
        Classic::None => Vec::new(),
        Classic::Rules(demands) => demands.into_iter().map(from_classic).collect(),
        Classic::Partly(mut demands) => {
            demands.push(Demand::AdministratorsOnly);
            demands.into_iter().map(from_classic).collect()
        }
        Classic::Hidden { field, remedy } => vec![from_classic(Demand::Unread {
            what: "there may be a branch protection".to_owned(),
            field,
            remedy,
        })],
    };
    let rulesets = match rulesets {
        Fact::Known(rulesets) => rulesets,
        Fact::Unreadable(unreadable) => {
            rules.push(unread("there may be rulesets", "rulesets", &unreadable));
            return rules;
        }
    };
    if rulesets.truncated {
        rules.push(Rule {
            demand: Demand::Unread {
                what: "there are more rules than were read".to_owned(),
                field: format!("rules: {} were read", rulesets.items.len()),
                remedy: "Look at the rules on the repository's page.".to_owned(),
            },
            source: "rulesets".to_owned(),
        });
    }
    for ruled in rulesets.items {
        let source = source_of(&ruled);
        rules.extend(ruleset_demands(ruled.rule).into_iter().map(|demand| Rule {
            demand,
            source: source.clone(),
        }));
    }
    rules
}

/// The rules of a stack are those of its base, which may be another branch.
pub(super) fn unread_stack(unreadable: &Unreadable) -> Rule {
    let what = "it may be part of a stack, whose base has rules";
    unread(what, "stacks", unreadable)
}

/// A part of the pull request or its branch that a merge may depend on.
pub(super) fn unread_part(unreadable: &Unreadable) -> Rule {
    let what = "there may be more that the merge depends on";
    unread(what, "the forge", unreadable)
}

fn unread(what: &str, source: &str, unreadable: &Unreadable) -> Rule {
    Rule {
        demand: Demand::Unread {
            what: what.to_owned(),
            field: unreadable.to_string(),
            remedy: unreadable.remedy.clone(),
        },
        source: source.to_owned(),
    }
}

fn source_of(rule: &BranchRule) -> String {
    let id = rule.ruleset_id.map(|id| format!(" {id}"));
    let of = rule.source.as_ref().map(|source| format!(" of {source}"));
    format!(
        "ruleset{}{}",
        id.unwrap_or_default(),
        of.unwrap_or_default()
    )
}

fn classic_demands(rule: &ClassicProtection, viewer_may: Option<bool>) -> Vec<Demand> {
    let mut demands = Vec::new();
    if rule.requires_approving_reviews {
        let count = rule.required_approving_review_count.unwrap_or(1);
        demands.extend((count > 0).then_some(Demand::Approvals(count)));
    }
    let checks = rule
        .required_status_checks
        .iter()
        .map(|check| Demand::Check {
            context: check.context.clone(),
            app: check.app.as_ref().and_then(|app| app.id),
        });
    if rule.requires_status_checks {
        demands.extend(checks);
    }
    let environments = rule.required_deployment_environments.iter().flatten();
    if rule.requires_deployments {
        demands.extend(environments.cloned().map(Demand::Deployment));
    }
    let switches = [
        (rule.requires_code_owner_reviews, Demand::CodeOwners),
        (rule.require_last_push_approval, Demand::LastPush),
        (
            rule.requires_status_checks && rule.requires_strict_status_checks,
            Demand::UpToDate,
        ),
        (rule.requires_conversation_resolution, Demand::Conversations),
        (rule.requires_commit_signatures, Demand::Signatures),
        (rule.requires_linear_history, Demand::LinearHistory),
        (rule.lock_branch, Demand::Locked),
        (rule.restricts_pushes, Demand::Pushers { viewer_may }),
    ];
    demands.extend(on(switches));
    demands
}

fn visible_demands(rule: &VisibleProtection) -> Vec<Demand> {
    let mut demands = Vec::new();
    let count = rule.required_approving_review_count.unwrap_or(0);
    demands.extend((count > 0).then_some(Demand::Approvals(count)));
    let contexts = rule.required_status_check_contexts.iter().flatten();
    demands.extend(contexts.map(|context| Demand::Check {
        context: context.clone(),
        app: None,
    }));
    demands.extend(on([
        (rule.requires_code_owner_reviews, Demand::CodeOwners),
        (rule.requires_conversation_resolution, Demand::Conversations),
        (rule.requires_signatures, Demand::Signatures),
        (rule.requires_linear_history, Demand::LinearHistory),
    ]));
    demands
}

fn rest_demands(rules: &ProtectionRules) -> Vec<Demand> {
    let mut demands = Vec::new();
    if let Some(reviews) = &rules.required_pull_request_reviews {
        let count = reviews.required_approving_review_count;
        demands.extend((count > 0).then_some(Demand::Approvals(count)));
        demands.extend(on([
            (reviews.require_code_owner_reviews, Demand::CodeOwners),
            (reviews.require_last_push_approval, Demand::LastPush),
        ]));
    }
    if let Some(checks) = &rules.required_status_checks {
        if checks.checks.is_empty() {
            demands.extend(checks.contexts.iter().map(|context| Demand::Check {
                context: context.clone(),
                app: None,
            }));
        }
        demands.extend(checks.checks.iter().map(|check| Demand::Check {
            context: check.context.clone(),
            app: app(check.app_id),
        }));
        demands.extend(checks.strict.then_some(Demand::UpToDate));
    }
    demands.extend(on([
        (
            rules.required_conversation_resolution.enabled,
            Demand::Conversations,
        ),
        (rules.required_signatures.enabled, Demand::Signatures),
        (rules.required_linear_history.enabled, Demand::LinearHistory),
        (rules.lock_branch.enabled, Demand::Locked),
        (
            rules.restrictions.is_some(),
            Demand::Pushers { viewer_may: None },
        ),
    ]));
    demands
}

fn ruleset_demands(rule: Ruled) -> Vec<Demand> {
    match rule {
        Ruled::PullRequest(rule) => pull_request_demands(rule),
        Ruled::RequiredStatusChecks(rule) => {
            let checks = rule.checks.into_iter().map(|check| Demand::Check {
                app: app(check.app_id),
                context: check.context,
            });
            let mut demands: Vec<_> = checks.collect();
            demands.extend(rule.strict.then_some(Demand::UpToDate));
            demands
        }
        Ruled::RequiredDeployments(rule) => rule
            .environments
            .into_iter()
            .map(Demand::Deployment)
            .collect(),
        Ruled::RequiredSignatures => vec![Demand::Signatures],
        Ruled::RequiredLinearHistory => vec![Demand::LinearHistory],
        Ruled::MergeQueue(_) => vec![Demand::Queue],
        Ruled::Workflows(rule) => {
            let paths = rule.workflows.into_iter().map(|workflow| workflow.path);
            paths.map(Demand::Workflow).collect()
        }
        Ruled::CodeScanning(rule) => {
            let tools = rule.tools.into_iter().map(|tool| tool.tool);
            tools.map(Demand::CodeScanning).collect()
        }
        Ruled::Update => vec![Demand::Update],
        Ruled::Other { kind, .. } => vec![Demand::Other(kind)],
        Ruled::CopilotCodeReview | Ruled::Creation | Ruled::Deletion | Ruled::NonFastForward => {
            Vec::new()
        }
    }
}

fn pull_request_demands(rule: PullRequestRule) -> Vec<Demand> {
    let count = rule.required_approving_review_count;
    let mut demands = on([
        (count > 0, Demand::Approvals(count)),
        (rule.require_code_owner_review, Demand::CodeOwners),
        (rule.require_last_push_approval, Demand::LastPush),
        (
            rule.required_review_thread_resolution,
            Demand::Conversations,
        ),
        (
            !rule.allowed_merge_methods.is_empty(),
            Demand::Methods(rule.allowed_merge_methods),
        ),
    ]);
    let teams = rule.required_reviewers.into_iter();
    demands.extend(
        teams
            .filter(|team| team.minimum_approvals > 0)
            .map(|team| Demand::Teams {
                patterns: team.file_patterns,
                minimum: team.minimum_approvals,
            }),
    );
    demands
}

/// Minus one means any app.
fn app(id: Option<i64>) -> Option<u64> {
    id.and_then(|id| u64::try_from(id).ok())
}

fn on<const N: usize>(switches: [(bool, Demand); N]) -> Vec<Demand> {
    let wanted = switches.into_iter().filter(|(is_on, _)| *is_on);
    wanted.map(|(_, demand)| demand).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(classic: Classic, rulesets: &[serde_json::Value]) -> Vec<String> {
        let rulesets = rulesets
            .iter()
            .map(|rule| serde_json::from_value(rule.clone()).unwrap())
            .collect();
        let rulesets = Listed {
            items: rulesets,
            truncated: false,
        };
        let rules = all("main", classic, Fact::Known(rulesets));
        let lines = rules
            .iter()
            .map(|rule| format!("{}: {:?}", rule.source, rule.demand));
        lines.collect()
    }

    #[test]
    fn rest_says_the_same_as_graphql() {
        let rules = json!({
            "required_status_checks": { "strict": true, "checks": [{ "context": "test", "app_id": 7 }] },
            "required_pull_request_reviews": {
                "required_approving_review_count": 2, "require_last_push_approval": true,
            },
            "restrictions": { "users": [] },
            "lock_branch": { "enabled": true },
        });
        let protection = Protection::Rules(Box::new(serde_json::from_value(rules).unwrap()));
        assert_eq!(
            shown(Classic::from_rest(protection), &[]),
            [
                "branch protection of main: Approvals(2)",
                "branch protection of main: LastPush",
                r#"branch protection of main: Check { context: "test", app: Some(7) }"#,
                "branch protection of main: UpToDate",
                "branch protection of main: Locked",
                "branch protection of main: Pushers { viewer_may: None }",
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_a_demand() {
        let refused = || Unreadable {
            what: "the protection".to_owned(),
            reason: "no".to_owned(),
            remedy: "ask".to_owned(),
        };
        let hidden = shown(Classic::from_rest(Protection::Hidden(refused())), &[]);
        assert!(hidden[0].contains("Unread"), "{hidden:?}");
        let rules = all("main", Classic::None, Fact::Unreadable(refused()));
        assert!(
            matches!(rules[0].demand, Demand::Unread { .. }),
            "{rules:?}"
        );
        assert!(shown(Classic::from_rest(Protection::Unprotected), &[]).is_empty());
        let new = json!({ "type": "brand_new", "ruleset_id": 3, "ruleset_source": "octo/demo" });
        let silent = json!({ "type": "deletion" });
        assert_eq!(
            shown(Classic::None, &[new, silent]),
            [r#"ruleset 3 of octo/demo: Other("brand_new")"#]
        );
    }
}
