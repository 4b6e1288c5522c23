//! One rule for a branch or tag, whether it stands in a branch protection or in
//! a ruleset.

use regex::RegexBuilder;

use crate::actions::prelude::*;
use crate::store::branch_protections::{BranchProtection, RequiredCheck};
use crate::store::pulls::MergeMethod;

/// A pattern that needs more memory than this is no pattern of commit messages.
const MAX_REGEX_LEN: usize = 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Creation,
    Update,
    Deletion,
    NonFastForward,
    LinearHistory,
    Signatures,
    PullRequest(PullRequestRule),
    /// All conversations must be resolved.
    ResolvedThreads,
    Checks(ChecksRule),
    /// Environments to which the commit must have been deployed.
    Deployments(Vec<String>),
    MergeQueue(MergeQueueRule),
    Text(TextRule),
    /// Users who may push.
    Pushers(Vec<i64>),
    Locked,
    /// Something that only a service beside GitHub can report, and none is
    /// here: it waits for ever, as it does there.
    Awaited {
        what: &'static str,
    },
    /// Has no say in pushes and merges.
    Silent,
}

#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the switches of GitHub's pull request rule"
)]
pub(crate) struct PullRequestRule {
    pub(crate) approvals: u32,
    pub(crate) dismiss_stale: bool,
    pub(crate) code_owners: bool,
    pub(crate) last_push_approval: bool,
    pub(crate) resolved_threads: bool,
    /// All, when empty.
    pub(crate) methods: Vec<MergeMethod>,
    /// Users who need no pull request.
    pub(crate) bypass_users: Vec<i64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ChecksRule {
    pub(crate) strict: bool,
    pub(crate) checks: Vec<RequiredCheck>,
    /// Whether a new branch needs none.
    pub(crate) not_on_creation: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MergeQueueRule {
    pub(crate) method: MergeMethod,
    pub(crate) max_entries_to_build: usize,
    pub(crate) check_response_timeout_minutes: u64,
}

/// What a text must look like.
#[derive(Debug, Clone)]
pub(crate) struct TextRule {
    pub(crate) subject: TextSubject,
    operator: Operator,
    pattern: String,
    negate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextSubject {
    CommitMessage,
    AuthorEmail,
    CommitterEmail,
    BranchName,
    TagName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    StartsWith,
    EndsWith,
    Contains,
    Regex,
}

/// Why a rule of a ruleset was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadRule(pub(crate) String);

impl Rule {
    /// Reads a rule in GitHub's words: `{"type": …, "parameters": {…}}`.
    pub(crate) fn parse(value: &Value) -> Result<Self, BadRule> {
        let kind = value["type"].as_str().unwrap_or_default();
        let parameters = &value["parameters"];
        Ok(match kind {
            "creation" => Self::Creation,
            "update" => Self::Update,
            "deletion" => Self::Deletion,
            "non_fast_forward" => Self::NonFastForward,
            "required_linear_history" => Self::LinearHistory,
            "required_signatures" => Self::Signatures,
            "pull_request" => Self::PullRequest(pull_request(parameters)?),
            "required_status_checks" => Self::Checks(checks(parameters)?),
            "required_deployments" => {
                Self::Deployments(strings(parameters, "required_deployment_environments")?)
            }
            "merge_queue" => Self::MergeQueue(merge_queue(parameters)?),
            "workflows" => Self::Awaited {
                what: "required workflows",
            },
            "code_scanning" => Self::Awaited {
                what: "code scanning results",
            },
            "license_compliance_scanning" => Self::Awaited {
                what: "license compliance results",
            },
            "copilot_code_review" => Self::Silent,
            _ => match TextSubject::parse(kind) {
                Some(subject) => Self::Text(TextRule::parse(subject, parameters)?),
                None => return Err(BadRule(format!("Invalid rule '{kind}'"))),
            },
        })
    }

    /// What a branch protection asks for.
    pub(crate) fn from_protection(protection: &BranchProtection) -> Vec<Self> {
        let mut rules = Vec::new();
        if let Some(reviews) = &protection.reviews {
            rules.push(Self::PullRequest(PullRequestRule {
                approvals: reviews.approvals,
                dismiss_stale: reviews.dismiss_stale,
                code_owners: reviews.code_owners,
                last_push_approval: reviews.last_push_approval,
                resolved_threads: false,
                methods: Vec::new(),
                bypass_users: reviews.bypass_users.clone(),
            }));
        }
        if let Some(checks) = &protection.checks {
            rules.push(Self::Checks(ChecksRule {
                strict: checks.strict,
                checks: checks.checks.clone(),
                not_on_creation: true,
            }));
        }
        if let Some(users) = &protection.push_users {
            rules.push(Self::Pushers(users.clone()));
            if protection.block_creations {
                rules.push(Self::Creation);
            }
        }
        let switches = [
            (protection.conversation_resolution, Self::ResolvedThreads),
            (protection.linear_history, Self::LinearHistory),
            (protection.signatures, Self::Signatures),
            (protection.lock_branch, Self::Locked),
            (!protection.force_pushes, Self::NonFastForward),
            (!protection.deletions, Self::Deletion),
        ];
        rules.extend(
            switches
                .into_iter()
                .filter_map(|(on, rule)| on.then_some(rule)),
        );
        rules
    }
}

impl TextSubject {
    fn parse(kind: &str) -> Option<Self> {
        match kind {
            "commit_message_pattern" => Some(Self::CommitMessage),
            "commit_author_email_pattern" => Some(Self::AuthorEmail),
            "committer_email_pattern" => Some(Self::CommitterEmail),
            "branch_name_pattern" => Some(Self::BranchName),
            "tag_name_pattern" => Some(Self::TagName),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::CommitMessage => "Commit message",
            Self::AuthorEmail => "Commit author email",
            Self::CommitterEmail => "Committer email",
            Self::BranchName => "Branch name",
            Self::TagName => "Tag name",
        }
    }
}

impl TextRule {
    fn parse(subject: TextSubject, parameters: &Value) -> Result<Self, BadRule> {
        let operator = match string(parameters, "operator")? {
            "starts_with" => Operator::StartsWith,
            "ends_with" => Operator::EndsWith,
            "contains" => Operator::Contains,
            "regex" => Operator::Regex,
            other => return Err(BadRule(format!("Invalid operator '{other}'"))),
        };
        let pattern = string(parameters, "pattern")?.to_owned();
        if operator == Operator::Regex && regex(&pattern).is_none() {
            return Err(BadRule(format!("Invalid regular expression '{pattern}'")));
        }
        Ok(Self {
            subject,
            operator,
            pattern,
            negate: parameters["negate"].as_bool().unwrap_or(false),
        })
    }

    pub(crate) fn allows(&self, text: &str) -> bool {
        let matches = match self.operator {
            Operator::StartsWith => text.starts_with(&self.pattern),
            Operator::EndsWith => text.ends_with(&self.pattern),
            Operator::Contains => text.contains(&self.pattern),
            Operator::Regex => regex(&self.pattern).is_some_and(|regex| regex.is_match(text)),
        };
        matches != self.negate
    }

    pub(crate) fn complaint(&self) -> String {
        let must = if self.negate { "must not" } else { "must" };
        let how = match self.operator {
            Operator::StartsWith => "start with a matching pattern",
            Operator::EndsWith => "end with a matching pattern",
            Operator::Contains => "contain a matching pattern",
            Operator::Regex => "match a given regex pattern",
        };
        format!("{} {must} {how}: {}", self.subject.as_str(), self.pattern)
    }
}

fn regex(pattern: &str) -> Option<regex::Regex> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX_LEN)
        .dfa_size_limit(MAX_REGEX_LEN)
        .build()
        .ok()
}

fn pull_request(parameters: &Value) -> Result<PullRequestRule, BadRule> {
    let flag = |name: &str| parameters[name].as_bool().unwrap_or(false);
    let methods = match &parameters["allowed_merge_methods"] {
        Value::Null => Vec::new(),
        _ => strings(parameters, "allowed_merge_methods")?
            .iter()
            .map(|text| {
                MergeMethod::parse(text)
                    .ok_or_else(|| BadRule(format!("Invalid merge method '{text}'")))
            })
            .collect::<Result<_, _>>()?,
    };
    let approvals = number(parameters, "required_approving_review_count")?;
    Ok(PullRequestRule {
        approvals: u32::try_from(approvals)
            .ok()
            .filter(|approvals| *approvals <= 10)
            .ok_or_else(|| {
                BadRule("Parameter required_approving_review_count must be at most 10".to_owned())
            })?,
        dismiss_stale: flag("dismiss_stale_reviews_on_push"),
        code_owners: flag("require_code_owner_review"),
        last_push_approval: flag("require_last_push_approval"),
        resolved_threads: flag("required_review_thread_resolution"),
        methods,
        bypass_users: Vec::new(),
    })
}

fn checks(parameters: &Value) -> Result<ChecksRule, BadRule> {
    let list = parameters["required_status_checks"]
        .as_array()
        .ok_or_else(|| missing("required_status_checks"))?;
    let checks = list
        .iter()
        .map(|check| {
            Ok(RequiredCheck {
                context: string(check, "context")?.to_owned(),
                app_id: check["integration_id"].as_i64(),
            })
        })
        .collect::<Result<_, BadRule>>()?;
    Ok(ChecksRule {
        strict: parameters["strict_required_status_checks_policy"]
            .as_bool()
            .unwrap_or(false),
        checks,
        not_on_creation: parameters["do_not_enforce_on_create"]
            .as_bool()
            .unwrap_or(false),
    })
}

fn merge_queue(parameters: &Value) -> Result<MergeQueueRule, BadRule> {
    let method = string(parameters, "merge_method")?;
    let at_most = |name: &str, largest: u64| {
        let value = number(parameters, name)?;
        if value > largest {
            return Err(BadRule(format!(
                "Parameter {name} must be at most {largest}"
            )));
        }
        Ok(value)
    };
    let to_build = at_most("max_entries_to_build", 100)?;
    Ok(MergeQueueRule {
        method: MergeMethod::parse(&method.to_ascii_lowercase())
            .ok_or_else(|| BadRule(format!("Invalid merge method '{method}'")))?,
        max_entries_to_build: usize::try_from(to_build).unwrap_or(1).max(1),
        check_response_timeout_minutes: at_most("check_response_timeout_minutes", 360)?,
    })
}

fn string<'a>(parameters: &'a Value, name: &str) -> Result<&'a str, BadRule> {
    parameters[name].as_str().ok_or_else(|| missing(name))
}

fn number(parameters: &Value, name: &str) -> Result<u64, BadRule> {
    parameters[name].as_u64().ok_or_else(|| missing(name))
}

fn strings(parameters: &Value, name: &str) -> Result<Vec<String>, BadRule> {
    let list = parameters[name].as_array().ok_or_else(|| missing(name))?;
    list.iter()
        .map(|item| {
            item.as_str()
                .map(str::to_owned)
                .ok_or_else(|| missing(name))
        })
        .collect()
}

fn missing(name: &str) -> BadRule {
    BadRule(format!("Parameter {name} is missing or invalid"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text_rule(operator: &str, pattern: &str, negate: bool) -> TextRule {
        let value = json!({
            "type": "commit_message_pattern",
            "parameters": { "operator": operator, "pattern": pattern, "negate": negate },
        });
        match Rule::parse(&value) {
            Ok(Rule::Text(rule)) => rule,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_held_to_their_pattern() {
        assert!(text_rule("starts_with", "fix", false).allows("fix: it"));
        assert!(!text_rule("ends_with", "fix", false).allows("fix: it"));
        assert!(!text_rule("contains", "x:", true).allows("fix: it"));
        let rule = text_rule("regex", "^[A-Z]+-[0-9]+", false);
        assert!(rule.allows("ABC-1 x"));
        assert!(!rule.allows("abc"));
        assert_eq!(
            rule.complaint(),
            "Commit message must match a given regex pattern: ^[A-Z]+-[0-9]+"
        );
    }

    #[test]
    fn a_rule_that_cannot_be_kept_is_refused() {
        let bad = [
            json!({}),
            json!({ "type": "surprise" }),
            json!({ "type": "required_status_checks" }),
            json!({ "type": "merge_queue", "parameters": { "merge_method": "BLEND" } }),
            json!({ "type": "commit_message_pattern",
                    "parameters": { "operator": "regex", "pattern": "(" } }),
        ];
        for value in bad {
            assert!(Rule::parse(&value).is_err(), "{value}");
        }
    }
}
