//! Making labels and putting them on issues.

use crate::actions::prelude::*;
use crate::store::issues;
use crate::store::labels::{self, Label};

/// The colour of a label that no one chose one for.
const PLAIN_COLOR: &str = "ededed";

const MAX_NAME_LEN: usize = 50;
const MAX_DESCRIPTION_LEN: usize = 100;

/// How a label looks; what is absent takes its default.
#[derive(Debug, Clone, Default)]
pub(crate) struct LabelStyle {
    pub(crate) color: Option<String>,
    pub(crate) description: Option<String>,
}

pub(crate) async fn create(cx: RepoContext<'_>, name: String, style: LabelStyle) -> Result<Label> {
    cx.change(move |change| insert(change, name, style)).await
}

/// Puts labels on an issue or pull request. One that the repository does not
/// have is made, as GitHub does.
pub(crate) fn add(change: Change<'_>, issue: &Issue, names: &[String]) -> Result<()> {
    for name in names {
        let known = labels::by_name(change.tx, change.repository_id, name)?;
        let label = match known {
            Some(label) => label,
            None => insert(change, name.clone(), LabelStyle::default())?,
        };
        if labels::attach(change.tx, issue.id, label.id)? {
            note(change, issue, &label, "labeled")?;
        }
    }
    Ok(())
}

pub(crate) fn remove(change: Change<'_>, issue: &Issue, label: &Label) -> Result<()> {
    if labels::detach(change.tx, issue.id, label.id)? {
        note(change, issue, label, "unlabeled")?;
    }
    Ok(())
}

/// Makes these the only labels.
pub(crate) fn replace(change: Change<'_>, issue: &Issue, names: &[String]) -> Result<()> {
    for label in labels::for_issue(change.tx, issue.id)? {
        let stays = names.iter().any(|name| is_same_name(name, &label.name));
        if !stays {
            remove(change, issue, &label)?;
        }
    }
    add(change, issue, names)
}

fn note(change: Change<'_>, issue: &Issue, label: &Label, word: &str) -> Result<()> {
    issues::touch(change.tx, issue.id, change.at)?;
    let shown = json!({"label": {"name": label.name, "color": label.color}});
    change.timeline(issue.id, word, Some(shown))?;
    change.issue_event(issue, word, Some(json!({"label_id": label.id})))
}

fn insert(change: Change<'_>, name: String, style: LabelStyle) -> Result<Label> {
    let color = style.color.as_deref().unwrap_or(PLAIN_COLOR);
    let mut label = Label {
        id: 0,
        repository_id: change.repository_id,
        name,
        color: color.trim_start_matches('#').to_ascii_lowercase(),
        description: style.description,
        is_default: false,
    };
    check(change, &label)?;
    label.id = labels::create(
        change.tx,
        label.repository_id,
        &label.name,
        &label.color,
        label.description.as_deref(),
    )?;
    change.event("label", "created", label.id, None)?;
    Ok(label)
}

fn check(change: Change<'_>, label: &Label) -> Result<()> {
    let mut errors = Vec::new();
    if label.name.trim().is_empty() {
        errors.push(FieldError::missing("Label", "name"));
    } else if label.name.chars().count() > MAX_NAME_LEN {
        errors.push(FieldError::new("Label", "name", "invalid"));
    }
    if label.color.len() != 6 || !label.color.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        errors.push(FieldError::new("Label", "color", "invalid"));
    }
    let description = label.description.as_deref().unwrap_or_default();
    if description.chars().count() > MAX_DESCRIPTION_LEN {
        errors.push(FieldError::new("Label", "description", "invalid"));
    }
    if labels::by_name(change.tx, label.repository_id, &label.name)?.is_some() {
        errors.push(FieldError::new("Label", "name", "already_exists"));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ApiError::Invalid(errors))
    }
}

/// As SQLite compares them, too.
fn is_same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}
