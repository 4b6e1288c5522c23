//! GraphQL's global ids: which kind of thing, and which one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The prefixes are GitHub's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Organization,
    Bot,
    Repository,
    Issue,
    PullRequest,
    PullRequestCommit,
    IssueComment,
    Review,
    ReviewComment,
    ReviewRequest,
    ReviewThread,
    Label,
    CheckSuite,
    CheckRun,
    StatusCheckRollup,
    StatusContext,
    WorkflowRun,
    Workflow,
    Ref,
    Commit,
    Tree,
    Blob,
    Tag,
    IssueEvent,
    HeadRefForcePushedEvent,
    BaseRefForcePushedEvent,
    BranchProtectionRule,
    Ruleset,
    MergeQueue,
    MergeQueueEntry,
    Reaction,
    Deployment,
    DeploymentStatus,
    App,
    Stack,
}

const PREFIXES: &[(Kind, &str)] = &[
    (Kind::User, "U_"),
    (Kind::Organization, "O_"),
    (Kind::Bot, "BOT_"),
    (Kind::Repository, "R_"),
    (Kind::Issue, "I_"),
    (Kind::PullRequest, "PR_"),
    (Kind::PullRequestCommit, "PURC_"),
    (Kind::IssueComment, "IC_"),
    (Kind::Review, "PRR_"),
    (Kind::ReviewComment, "PRRC_"),
    (Kind::ReviewRequest, "RR_"),
    (Kind::ReviewThread, "PRRT_"),
    (Kind::Label, "LA_"),
    (Kind::CheckSuite, "CS_"),
    (Kind::CheckRun, "CR_"),
    (Kind::StatusCheckRollup, "SCR_"),
    (Kind::StatusContext, "SC_"),
    (Kind::WorkflowRun, "WFR_"),
    (Kind::Workflow, "W_"),
    (Kind::Ref, "REF_"),
    (Kind::Commit, "C_"),
    (Kind::Tree, "T_"),
    (Kind::Blob, "B_"),
    (Kind::Tag, "TA_"),
    (Kind::IssueEvent, "IE_"),
    (Kind::HeadRefForcePushedEvent, "HRFPE_"),
    (Kind::BaseRefForcePushedEvent, "BRFPE_"),
    (Kind::BranchProtectionRule, "BPR_"),
    (Kind::Ruleset, "RRS_"),
    (Kind::MergeQueue, "MQ_"),
    (Kind::MergeQueueEntry, "MQE_"),
    (Kind::Reaction, "REA_"),
    (Kind::Deployment, "DE_"),
    (Kind::DeploymentStatus, "DES_"),
    (Kind::App, "A_"),
    (Kind::Stack, "S_"),
];

/// What an id says. A commit or a branch has no number: it is named by its
/// repository and by its hash or name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodeId {
    Numbered(Kind, i64),
    Named(Kind, i64, String),
}

pub(crate) fn node_id(kind: Kind, id: i64) -> String {
    write(kind, id, "")
}

/// Of something in a repository that has a hash or a name: a commit, a branch.
pub(crate) fn named_node_id(kind: Kind, repository_id: i64, name: &str) -> String {
    write(kind, repository_id, name)
}

pub(crate) fn parse(text: &str) -> Option<NodeId> {
    let (prefix, rest) = text.split_at(text.find('_')? + 1);
    let (kind, _) = PREFIXES.iter().find(|(_, known)| *known == prefix)?;
    let bytes = URL_SAFE_NO_PAD.decode(rest).ok()?;
    let (number, name) = bytes.split_first_chunk()?;
    let number = i64::from_be_bytes(*number);
    if name.is_empty() {
        return Some(NodeId::Numbered(*kind, number));
    }
    let name = String::from_utf8(name.to_vec()).ok()?;
    Some(NodeId::Named(*kind, number, name))
}

fn write(kind: Kind, number: i64, name: &str) -> String {
    let prefix = PREFIXES
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or("", |(_, prefix)| prefix);
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.extend_from_slice(name.as_bytes());
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back() {
        for (kind, prefix) in PREFIXES {
            assert_eq!(
                parse(&node_id(*kind, 42)),
                Some(NodeId::Numbered(*kind, 42)),
                "{prefix}"
            );
            assert_eq!(
                parse(&named_node_id(*kind, 42, "refs/heads/main")),
                Some(NodeId::Named(*kind, 42, "refs/heads/main".to_owned())),
                "{prefix}"
            );
        }
    }

    #[test]
    fn what_is_no_id_is_none() {
        for text in ["", "PR_", "nothing", "PR_AAAA", "XX_AAAAAAAAACo", "PR_ü"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
