//! GraphQL's global ids: which kind of thing, and its number.

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
    IssueComment,
    Review,
    ReviewComment,
    ReviewThread,
    Label,
    CheckSuite,
    CheckRun,
    StatusContext,
    WorkflowRun,
    Workflow,
    Ref,
    Commit,
    Tree,
    Blob,
    Tag,
    IssueEvent,
    BranchProtectionRule,
    Ruleset,
    MergeQueue,
    MergeQueueEntry,
    Milestone,
    Reaction,
    Deployment,
    App,
}

const PREFIXES: &[(Kind, &str)] = &[
    (Kind::User, "U_"),
    (Kind::Organization, "O_"),
    (Kind::Bot, "BOT_"),
    (Kind::Repository, "R_"),
    (Kind::Issue, "I_"),
    (Kind::PullRequest, "PR_"),
    (Kind::IssueComment, "IC_"),
    (Kind::Review, "PRR_"),
    (Kind::ReviewComment, "PRRC_"),
    (Kind::ReviewThread, "PRRT_"),
    (Kind::Label, "LA_"),
    (Kind::CheckSuite, "CS_"),
    (Kind::CheckRun, "CR_"),
    (Kind::StatusContext, "SC_"),
    (Kind::WorkflowRun, "WFR_"),
    (Kind::Workflow, "W_"),
    (Kind::Ref, "REF_"),
    (Kind::Commit, "C_"),
    (Kind::Tree, "T_"),
    (Kind::Blob, "B_"),
    (Kind::Tag, "TA_"),
    (Kind::IssueEvent, "IE_"),
    (Kind::BranchProtectionRule, "BPR_"),
    (Kind::Ruleset, "RRS_"),
    (Kind::MergeQueue, "MQ_"),
    (Kind::MergeQueueEntry, "MQE_"),
    (Kind::Milestone, "MI_"),
    (Kind::Reaction, "REA_"),
    (Kind::Deployment, "DE_"),
    (Kind::App, "A_"),
];

pub(crate) fn node_id(kind: Kind, id: i64) -> String {
    encode(kind, &id.to_be_bytes())
}

/// For what has a name in a repository instead of a number: commits, trees,
/// refs.
pub(crate) fn named_node_id(kind: Kind, repository_id: i64, name: &str) -> String {
    encode(
        kind,
        &[&repository_id.to_be_bytes(), name.as_bytes()].concat(),
    )
}

/// Kind, repository and name.
pub(crate) fn parse_named(text: &str) -> Option<(Kind, i64, String)> {
    let (kind, bytes) = decode(text)?;
    let (repository, name) = bytes.split_first_chunk()?;
    let name = String::from_utf8(name.to_vec()).ok()?;
    (!name.is_empty()).then_some((kind, i64::from_be_bytes(*repository), name))
}

fn encode(kind: Kind, bytes: &[u8]) -> String {
    let prefix = PREFIXES
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or("", |(_, prefix)| prefix);
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes))
}

fn decode(text: &str) -> Option<(Kind, Vec<u8>)> {
    let (prefix, rest) = text.split_at(text.find('_')? + 1);
    let (kind, _) = PREFIXES.iter().find(|(_, known)| *known == prefix)?;
    Some((*kind, URL_SAFE_NO_PAD.decode(rest).ok()?))
}

pub(crate) fn parse(text: &str) -> Option<(Kind, i64)> {
    let (kind, bytes) = decode(text)?;
    Some((kind, i64::from_be_bytes(bytes.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back() {
        for (kind, _) in PREFIXES {
            assert_eq!(parse(&node_id(*kind, 42)), Some((*kind, 42)));
        }
        let named = named_node_id(Kind::Ref, 7, "refs/heads/ünï");
        let expected = (Kind::Ref, 7, "refs/heads/ünï".to_owned());
        assert_eq!(parse_named(&named), Some(expected));
        assert_eq!(parse(&named), None);
        assert_eq!(parse_named(&node_id(Kind::Issue, 1)), None);
        assert_eq!(parse("PR_"), None);
        assert_eq!(parse("nothing"), None);
    }
}
