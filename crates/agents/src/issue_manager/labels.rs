//! The labels that issues get.

use baton_protocol::handoff::{IssueType, Priority, Vocabulary};
use baton_remote::github::GitHubErrorKind;
use baton_remote::github::resources::issues::Issue;
use baton_remote::github::resources::labels::Label;

use crate::AgentStep;
use crate::step_error::StepError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) name: &'static str,
    color: &'static str,
    description: &'static str,
}

pub(super) const CLARIFICATION: Known = Known {
    name: "needs-clarification",
    color: "d876e3",
    description: "It is not clear what is wanted",
};

pub(super) fn for_type(kind: IssueType) -> Known {
    let (color, description) = match kind {
        IssueType::Bug => ("d73a4a", "Something is not working"),
        IssueType::Feature => ("0e8a16", "Something new"),
        IssueType::Enhancement => ("a2eeef", "Something that works, made better"),
        IssueType::Refactor => ("c5def5", "The same, in a better shape"),
        IssueType::Chore => ("fef2c0", "Upkeep"),
    };
    Known {
        name: kind.word(),
        color,
        description,
    }
}

pub(super) fn for_priority(priority: Priority) -> Known {
    let (name, color, description) = match priority {
        Priority::Critical => ("priority: critical", "b60205", "Before everything else"),
        Priority::High => ("priority: high", "d93f0b", "Before most other work"),
        Priority::Medium => ("priority: medium", "fbca04", "In its turn"),
        Priority::Low => ("priority: low", "c2e0c6", "When there is time"),
    };
    Known {
        name,
        color,
        description,
    }
}

/// Makes labels where they are missing, and names those that can be used. A
/// token that may not make labels is no reason to stop.
pub(super) async fn ensure(
    step: &AgentStep<'_>,
    wanted: &[Known],
) -> Result<Vec<&'static str>, StepError> {
    let place = step.place;
    for label in wanted {
        let made = Label {
            name: label.name.to_owned(),
            color: Some(label.color.to_owned()),
            description: Some(label.description.to_owned()),
        };
        match place.github.ensure_label(&place.repository, &made).await {
            Ok(()) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    GitHubErrorKind::NotPermitted { .. } | GitHubErrorKind::NotFound { .. }
                ) =>
            {
                step.context
                    .say("the token may not make labels; going on without");
                return Ok(Vec::new());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(wanted.iter().map(|label| label.name).collect())
}

/// Adds labels to an issue; those that it has stay.
pub(super) async fn add(
    step: &AgentStep<'_>,
    issue: &Issue,
    wanted: &[Known],
) -> Result<(), StepError> {
    let (place, number) = (step.place, issue.number);
    let has = |name: &str| issue.labels.iter().any(|label| label.name == name);
    let wanted = wanted.iter().filter(|label| !has(label.name));
    let missing: Vec<Known> = wanted.copied().collect();
    let names = ensure(step, &missing).await?;
    if names.is_empty() {
        return Ok(());
    }
    let added = place.github.add_labels(&place.repository, number, &names);
    match added.await {
        Err(error) if !matches!(error.kind(), GitHubErrorKind::NotPermitted { .. }) => {
            Err(error.into())
        }
        _ => Ok(()),
    }
}
