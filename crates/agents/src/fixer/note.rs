//! What the step keeps, so that it knows after a crash how far it had come.

use baton_host::git::Oid;
use serde_json::{Value, json};

use super::evidence::Outcome;
use super::fate::Fate;
use super::work::Work;
use crate::AgentStep;
use crate::step_error::StepError;
use crate::workspace::Workspace;

const NAME: &str = "fix";

pub(super) struct Note {
    /// The head of the pull request before the fix.
    pub(super) start: Oid,
    /// What the agent will not do, by the number of the finding.
    pub(super) declined: Vec<(usize, String)>,
    /// The try in which the agent worked, and where the branch was then.
    worked: Option<(String, String)>,
    /// What is committed was looked at, and holds.
    pub(super) proven: bool,
    /// What became of each finding, once that is proven.
    pub(super) fates: Vec<Fate>,
}

impl Note {
    pub(super) async fn begin(step: &AgentStep<'_>, start: Oid) -> Result<Self, StepError> {
        let note = Self {
            start,
            declined: Vec::new(),
            worked: None,
            proven: false,
            fates: Vec::new(),
        };
        note.keep(step).await?;
        Ok(note)
    }

    pub(super) async fn recall(step: &AgentStep<'_>) -> Result<Option<Self>, StepError> {
        let Some(kept) = step.context.recall(NAME).await? else {
            return Ok(None);
        };
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        let list = |name: &str| kept[name].as_array().cloned().unwrap_or_default();
        let declined = list("declined");
        let declined = declined.iter().filter_map(|one| {
            let index = usize::try_from(one[0].as_u64()?).ok()?;
            Some((index, one[1].as_str()?.to_owned()))
        });
        let worked = kept["worked"].as_array().and_then(|one| {
            Some((
                one.first()?.as_str()?.to_owned(),
                one.get(1)?.as_str()?.to_owned(),
            ))
        });
        let fates = kept["fates"].as_array();
        let fates: Option<Vec<Fate>> =
            fates.and_then(|fates| fates.iter().map(Fate::from_json).collect());
        Ok(kept["start"]
            .as_str()
            .and_then(Oid::parse)
            .map(|start| Self {
                start,
                declined: declined.collect(),
                worked,
                // What cannot be read is looked at again.
                proven: kept["proven"] == true && fates.is_some(),
                fates: fates.unwrap_or_default(),
            }))
    }

    async fn keep(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        let note = json!({
            "start": self.start.as_str(),
            "declined": self.declined,
            "worked": self.worked,
            "proven": self.proven,
            "fates": self.fates.iter().map(Fate::to_json).collect::<Vec<_>>(),
        });
        Ok(step.context.remember(NAME, note.to_string()).await?)
    }

    /// The agent has done its work in this try; only a crash leads here twice.
    pub(super) async fn worked(
        &mut self,
        step: &AgentStep<'_>,
        workspace: &Workspace,
    ) -> Result<(), StepError> {
        let head = workspace.head().await?;
        self.worked = Some((this_try(step), head.to_string()));
        self.proven = false;
        self.keep(step).await
    }

    pub(super) async fn proven(
        &mut self,
        step: &AgentStep<'_>,
        outcomes: &[Outcome<'_>],
    ) -> Result<(), StepError> {
        self.proven = true;
        self.fates = outcomes
            .iter()
            .map(|outcome| outcome.fate.clone())
            .collect();
        self.keep(step).await
    }

    /// Whether the agent need not work (again).
    pub(super) async fn is_worked(
        &self,
        step: &AgentStep<'_>,
        workspace: &Workspace,
    ) -> Result<bool, StepError> {
        let Some((tried, head)) = &self.worked else {
            return Ok(false);
        };
        let is_here = workspace.head().await?.as_str() == head;
        Ok(is_here && (self.proven || *tried == this_try(step)))
    }

    pub(super) fn is_declined(&self, work: &Work<'_>) -> bool {
        work.are_all(&self.declined)
    }
}

/// An answer of a person does not count as a try of its own.
fn this_try(step: &AgentStep<'_>) -> String {
    format!("{}/{}", step.call.attempt, step.call.guidance().len())
}
