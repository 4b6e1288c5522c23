//! What a branch asks for before a merge: the id of the rule, and the words for it.

use baton_protocol::MergeRule;
use baton_remote::github::enums::MergeMethod;

/// What is asked, by a protection or a ruleset alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    Approvals(u32),
    CodeOwners,
    LastPush,
    /// Approvals of teams for certain files.
    Teams {
        patterns: Vec<String>,
        minimum: u32,
    },
    Conversations,
    Check {
        context: String,
        /// Who has to report it; anybody when absent.
        app: Option<u64>,
    },
    UpToDate,
    Signatures,
    LinearHistory,
    Deployment(String),
    Queue,
    Workflow(String),
    CodeScanning(String),
    Methods(Vec<MergeMethod>),
    /// Only those who may pass the rule by can change the branch.
    Update,
    Locked,
    /// Only some may push; whether the caller is one of them.
    Pushers {
        viewer_may: Option<bool>,
    },
    /// There are, or may be, rules of any kind that cannot be read.
    Unread {
        what: String,
        field: String,
        remedy: String,
    },
    /// Of a protection that is shown in part, what only administrators see.
    AdministratorsOnly,
    /// A rule that this version does not know.
    Other(String),
}

impl Demand {
    pub(super) fn rule(&self) -> MergeRule {
        match self {
            Self::Approvals(_) => MergeRule::Approvals,
            Self::CodeOwners => MergeRule::CodeOwners,
            Self::LastPush => MergeRule::LastPushApproval,
            Self::Teams { .. } => MergeRule::TeamReview,
            Self::Conversations => MergeRule::Conversations,
            Self::Check { .. } => MergeRule::RequiredCheck,
            Self::UpToDate => MergeRule::UpToDate,
            Self::Signatures => MergeRule::Signatures,
            Self::LinearHistory => MergeRule::LinearHistory,
            Self::Deployment(_) => MergeRule::Deployment,
            Self::Queue => MergeRule::MergeQueue,
            Self::Workflow(_) => MergeRule::RequiredWorkflow,
            Self::CodeScanning(_) => MergeRule::CodeScanning,
            Self::Methods(_) => MergeRule::MergeMethods,
            Self::Update => MergeRule::Update,
            Self::Locked => MergeRule::Locked,
            Self::Pushers { .. } => MergeRule::PushRestriction,
            Self::Unread { .. } | Self::AdministratorsOnly => MergeRule::UnreadRules,
            Self::Other(_) => MergeRule::Other,
        }
    }

    /// What is asked, for people. `base` is the branch that asks.
    pub(super) fn requirement(&self, base: &str) -> String {
        match self {
            Self::Approvals(count) => {
                format!("{} of those with write access", plural(*count, "approval"))
            }
            Self::CodeOwners => {
                "an approval of a code owner for every changed file that has one".to_owned()
            }
            Self::LastPush => {
                "an approval of the latest push by someone other than who pushed".to_owned()
            }
            Self::Teams { patterns, minimum } => format!(
                "{} of a team for {}",
                plural(*minimum, "approval"),
                patterns.join(", ")
            ),
            Self::Conversations => "all review conversations are resolved".to_owned(),
            Self::Check { context, .. } => format!("`{context}` passes"),
            Self::UpToDate => format!("the branch has all commits of {base}"),
            Self::Signatures => "every commit has a verified signature".to_owned(),
            Self::LinearHistory => format!("{base} gets no merge commits"),
            Self::Deployment(environment) => format!("the head is deployed to {environment}"),
            Self::Queue => "it goes through the merge queue".to_owned(),
            Self::Workflow(path) => format!("the workflow {path} passes"),
            Self::CodeScanning(tool) => format!("{tool} finds nothing new"),
            Self::Methods(allowed) => {
                let names: Vec<&str> = allowed.iter().map(MergeMethod::as_str).collect();
                format!("it is merged by {}", names.join(" or "))
            }
            Self::Update => format!("{base} may be changed"),
            Self::Locked => format!("{base} is not locked"),
            Self::Pushers { .. } => "the one who merges may push to the branch".to_owned(),
            Self::Unread { what, .. } => what.clone(),
            Self::AdministratorsOnly => "last-push approval, up-to-date branches, deployments, locks: only administrators see whether they are asked for".to_owned(),
            Self::Other(kind) => format!("the rule `{kind}` is kept"),
        }
    }
}

fn plural(count: u32, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}
