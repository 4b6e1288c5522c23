//! Where branches of pull requests were before pushes that took commits away.

use baton_protocol::{Oid, Repository};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection};
use crate::github::values::NodeId;

/// Pages of the pushes of one pull request. Five hundred pushes by force are more than evidence needs.
const MAX_PAGES: usize = 5;
/// GitHub takes no more ids at once.
pub const MAX_PULLS: usize = 100;

/// The pushes by force of one pull request, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushHistory {
    /// When the pull request was opened. Pushes before that are not recorded.
    pub opened_at: Timestamp,
    pub pushes: Vec<ForcePush>,
    /// There are more than were read, or some that may not be seen.
    pub truncated: bool,
}

/// A push after which a branch no longer has all the commits that it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForcePush {
    pub side: PushedSide,
    pub at: Timestamp,
    /// Absent when the account is gone.
    pub actor: Option<String>,
    /// Absent when the server no longer has the commit.
    pub before: Option<Oid>,
    pub after: Option<Oid>,
}

/// Which branch of the pull request was pushed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushedSide {
    Base,
    Head,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    nodes: Vec<Option<FoundPull>>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum FoundPull {
    PullRequest(WirePull),
    #[serde(other)]
    SomethingElse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePull {
    created_at: Timestamp,
    timeline_items: Option<Connection<WireEvent>>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum WireEvent {
    HeadRefForcePushedEvent(WirePush),
    BaseRefForcePushedEvent(WirePush),
    #[serde(other)]
    SomethingElse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePush {
    created_at: Timestamp,
    actor: Option<Actor>,
    before_commit: Option<Commit>,
    after_commit: Option<Commit>,
}

#[derive(Deserialize)]
struct Actor {
    login: String,
}

#[derive(Deserialize)]
struct Commit {
    oid: Oid,
}

impl GitHub {
    /// One history for each id, in their order; of [`MAX_PULLS`] at most.
    pub async fn force_pushes(
        &self,
        repository: &Repository,
        ids: &[NodeId],
    ) -> Result<Vec<Fact<PushHistory>>, GitHubError> {
        let ids = &ids[..ids.len().min(MAX_PULLS)];
        let mut histories = Vec::new();
        for (history, mut after) in self.force_pushes_page(repository, ids, None).await? {
            let id = &ids[histories.len()..=histories.len()];
            let mut history = history;
            for _ in 1..MAX_PAGES {
                let (Some(cursor), Fact::Known(known)) = (&after, &mut history) else {
                    break;
                };
                let next = self.force_pushes_page(repository, id, Some(cursor)).await?;
                after = None;
                match next.into_iter().next() {
                    Some((Fact::Known(more), cursor)) => {
                        known.pushes.extend(more.pushes);
                        known.truncated |= more.truncated;
                        after = cursor;
                    }
                    _ => known.truncated = true,
                }
            }
            if let (Some(_), Fact::Known(known)) = (&after, &mut history) {
                known.truncated = true;
            }
            histories.push(history);
        }
        Ok(histories)
    }

    /// With where the next page begins.
    async fn force_pushes_page(
        &self,
        repository: &Repository,
        ids: &[NodeId],
        after: Option<&str>,
    ) -> Result<Vec<(Fact<PushHistory>, Option<String>)>, GitHubError> {
        let errand = Errand::new(
            "read",
            format!("the pushes by force of {} pull requests", ids.len()),
        )
        .within(repository);
        let texts: Vec<&str> = ids.iter().map(NodeId::as_str).collect();
        let variables = json!({ "ids": texts, "after": after });
        let answer: Answer<Found> = self
            .ask(&documents::FORCE_PUSHES, &variables, errand)
            .await?;
        let Answer {
            data, unreadable, ..
        } = answer;
        let mut found = data.nodes.into_iter();
        let histories = (0..ids.len()).map(|index| {
            let path = format!("nodes.{index}");
            match found.next().flatten() {
                Some(FoundPull::PullRequest(pull)) => history(pull, &path, &unreadable),
                _ => (Fact::Unreadable(Unreadable::at(&path, &unreadable)), None),
            }
        });
        Ok(histories.collect())
    }
}

fn history(
    pull: WirePull,
    path: &str,
    unreadable: &[Unreadable],
) -> (Fact<PushHistory>, Option<String>) {
    let path = format!("{path}.timelineItems");
    let Some(items) = pull.timeline_items else {
        return (Fact::Unreadable(Unreadable::at(&path, unreadable)), None);
    };
    let next = items.next_page();
    let events = items.into_facts(&path, unreadable);
    let truncated = events.iter().any(|event| event.known().is_none());
    let pushes = events.into_iter().filter_map(|event| match event {
        Fact::Known(WireEvent::HeadRefForcePushedEvent(push)) => Some(read(push, PushedSide::Head)),
        Fact::Known(WireEvent::BaseRefForcePushedEvent(push)) => Some(read(push, PushedSide::Base)),
        _ => None,
    });
    let history = PushHistory {
        opened_at: pull.created_at,
        pushes: pushes.collect(),
        truncated,
    };
    (Fact::Known(history), next)
}

fn read(push: WirePush, side: PushedSide) -> ForcePush {
    ForcePush {
        side,
        at: push.created_at,
        actor: push.actor.map(|actor| actor.login),
        before: push.before_commit.map(|commit| commit.oid),
        after: push.after_commit.map(|commit| commit.oid),
    }
}
