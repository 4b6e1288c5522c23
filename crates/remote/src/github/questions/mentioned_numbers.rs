//! Tells issues from pull requests by number: they share one sequence, and people
//! write both as `#12`.

use std::collections::BTreeMap;

use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, InRepository};

/// Numbers per question: the slots of the document.
pub const SLOTS: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MentionedNumbers {
    pub issues: Vec<u32>,
    pub pull_requests: Vec<u32>,
    /// Those of which it is not known.
    pub unreadable: Vec<Unreadable>,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "__typename")]
    name: String,
}

impl GitHub {
    /// Numbers that are neither are left out. Only the first [`SLOTS`] are
    /// requested.
    pub async fn mentioned_numbers(
        &self,
        repository: &Repository,
        numbers: &[u32],
    ) -> Result<MentionedNumbers, GitHubError> {
        let numbers = &numbers[..numbers.len().min(SLOTS)];
        let errand =
            Errand::new("read", format!("what is mentioned in {repository}")).within(repository);
        let mut variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
        });
        for slot in 0..SLOTS {
            variables[format!("has{slot}")] = numbers.get(slot).is_some().into();
            variables[format!("number{slot}")] = numbers.get(slot).copied().unwrap_or(0).into();
        }
        let answer: Answer<InRepository<BTreeMap<String, Option<Kind>>>> = self
            .ask(&documents::MENTIONED_NUMBERS, &variables, errand)
            .await?;
        let mut found = MentionedNumbers::default();
        for (slot, number) in numbers.iter().enumerate() {
            let kind = answer.data.repository.get(&format!("item{slot}"));
            match kind.and_then(|kind| Some(kind.as_ref()?.name.as_str())) {
                Some("Issue") => found.issues.push(*number),
                Some("PullRequest") => found.pull_requests.push(*number),
                _ => {}
            }
        }
        let is_missing = |part: &Unreadable| answer.not_found.contains(&part.what);
        found.unreadable = answer.unreadable;
        found.unreadable.retain(|part| !is_missing(part));
        Ok(found)
    }
}
