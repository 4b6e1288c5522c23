//! What a call would do, as far as that can be known without doing it.

use baton_protocol::phase::pr::{PrError, PrInput};

use super::branch::Branch;
use super::jira_issue::JiraIssue;
use super::place::Place;
use super::pull_request::PullRequests;
use super::{Call, Options};
use crate::context::Context;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The remote that the branch would be pushed to; none where only the
    /// remote has it.
    pub push_to: Option<String>,
    /// The branch as the pull request names it.
    pub head_name: String,
    /// Where the pull request goes, as `host/owner/name`.
    pub repository: Option<String>,
    pub pull: PlannedPull,
    pub issue: PlannedIssue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedPull {
    Open,
    /// There is one, which would be updated.
    Update {
        number: u32,
        url: String,
    },
    /// There is one, which is in the way.
    Refuse {
        number: u32,
        url: String,
    },
    /// GitHub cannot be asked.
    Unknown {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedIssue {
    NotAsked,
    /// It would be neither linked nor moved.
    Left {
        reason: String,
    },
    /// It would be linked.
    Linked {
        status: String,
        next: PlannedMove,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedMove {
    Take {
        transition: String,
    },
    Stay,
    /// A person would be asked which.
    Ask {
        transitions: Vec<String>,
    },
    Stuck {
        reason: String,
    },
}

/// Reads what a call would read, and writes nothing.
pub async fn plan(cx: &Context, input: &PrInput, options: &Options) -> Result<Plan, Box<PrError>> {
    let call = Call { cx, options };
    let branch = Branch::find(input, &call).await?;
    let place = Place::detect(&branch.git, &input.branch).await;
    let (pulls, issue) = tokio::join!(
        PullRequests::look(input, &place, call.cx),
        JiraIssue::look(input.jira_key.as_deref(), &call.options.jira),
    );
    let existing = pulls.as_ref().map(PullRequests::existing);
    let adopts = call.options.settings.adopt_existing;
    let pull = match existing {
        Err(reason) => PlannedPull::Unknown {
            reason: reason.clone(),
        },
        Ok(None) => PlannedPull::Open,
        Ok(Some((number, url))) if adopts => PlannedPull::Update {
            number,
            url: url.to_owned(),
        },
        Ok(Some((number, url))) => PlannedPull::Refuse {
            number,
            url: url.to_owned(),
        },
    };
    let base = place.base.as_ref();
    Ok(Plan {
        head_name: place.head_name(&input.branch),
        repository: base.map(|home| format!("{}/{}", home.host, home.repository)),
        push_to: place.remote.clone().filter(|_| branch.is_local()),
        pull,
        issue: issue.planned(&call.options.settings.acronyms),
    })
}
