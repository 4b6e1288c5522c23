use serde_json::json;

use crate::actions::change::Change;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError, Result};
use crate::store::issues::{self, Issue};
use crate::store::labels::{self, Label};
use crate::store::repositories::Repository;

/// The colour of a label that no one chose one for.
const PLAIN_COLOR: &str = "ededed";

const MAX_NAME_LEN: usize = 50;
const MAX_DESCRIPTION_LEN: usize = 100;

/// What a label is to be; what is absent stays.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::option_option,
    reason = "to leave as it is, to take away and to set are three different wishes"
)]
pub(crate) struct LabelEdit {
    pub(crate) name: Option<String>,
    pub(crate) color: Option<String>,
    pub(crate) description: Option<Option<String>>,
}

pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    name: String,
    edit: LabelEdit,
) -> Result<Label> {
    let user = caller.user()?.clone();
    app.change(repository, &user, move |change| {
        let mut label = Label {
            id: 0,
            repository_id: change.repository.id,
            name,
            color: PLAIN_COLOR.to_owned(),
            description: None,
            is_default: false,
        };
        apply(change, &mut label, &edit)?;
        label.id = labels::create(
            change.transaction,
            label.repository_id,
            &label.name,
            &label.color,
            label.description.as_deref(),
        )?;
        change.event("label", "created", label.id, None)?;
        Ok(label)
    })
    .await
}

pub(crate) async fn update(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    label: Label,
    edit: LabelEdit,
) -> Result<Label> {
    let user = caller.user()?.clone();
    app.change(repository, &user, move |change| {
        let mut label = label;
        apply(change, &mut label, &edit)?;
        labels::update(change.transaction, &label)?;
        change.event("label", "edited", label.id, None)?;
        Ok(label)
    })
    .await
}

pub(crate) async fn delete(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    label: Label,
) -> Result<()> {
    let user = caller.user()?.clone();
    app.change(repository, &user, move |change| {
        labels::delete(change.transaction, label.id)?;
        let data = json!({"label": {"name": label.name, "color": label.color}});
        change.event("label", "deleted", label.id, Some(data))
    })
    .await
}

/// Puts labels on an issue or pull request. One that the repository does not
/// have is made, as GitHub does.
pub(crate) fn add(change: Change<'_>, issue: &Issue, names: &[String]) -> Result<()> {
    for name in names {
        let label = find_or_create(change, name)?;
        if labels::attach(change.transaction, issue.id, label.id)? {
            note(change, issue, &label, "labeled")?;
        }
    }
    Ok(())
}

pub(crate) fn remove(change: Change<'_>, issue: &Issue, label: &Label) -> Result<()> {
    if labels::detach(change.transaction, issue.id, label.id)? {
        note(change, issue, label, "unlabeled")?;
    }
    Ok(())
}

/// Makes these the only labels.
pub(crate) fn replace(change: Change<'_>, issue: &Issue, names: &[String]) -> Result<()> {
    for label in labels::for_issue(change.transaction, issue.id)? {
        let stays = names.iter().any(|name| is_same_name(name, &label.name));
        if !stays {
            remove(change, issue, &label)?;
        }
    }
    add(change, issue, names)
}

fn note(change: Change<'_>, issue: &Issue, label: &Label, word: &str) -> Result<()> {
    issues::touch(change.transaction, issue.id, change.at)?;
    let shown = json!({"label": {"name": label.name, "color": label.color}});
    change.timeline(issue.id, word, Some(shown))?;
    change.issue_event(issue, word, Some(json!({"label_id": label.id})))
}

fn find_or_create(change: Change<'_>, name: &str) -> Result<Label> {
    let repository_id = change.repository.id;
    if let Some(label) = labels::by_name(change.transaction, repository_id, name)? {
        return Ok(label);
    }
    let mut label = Label {
        id: 0,
        repository_id,
        name: name.to_owned(),
        color: PLAIN_COLOR.to_owned(),
        description: None,
        is_default: false,
    };
    apply(change, &mut label, &LabelEdit::default())?;
    label.id = labels::create(
        change.transaction,
        repository_id,
        &label.name,
        PLAIN_COLOR,
        None,
    )?;
    change.event("label", "created", label.id, None)?;
    Ok(label)
}

/// Takes the changes over, and checks the result.
fn apply(change: Change<'_>, label: &mut Label, edit: &LabelEdit) -> Result<()> {
    if let Some(name) = &edit.name {
        label.name.clone_from(name);
    }
    if let Some(color) = &edit.color {
        label.color = color.trim_start_matches('#').to_ascii_lowercase();
    }
    if let Some(description) = &edit.description {
        label.description.clone_from(description);
    }
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
    let taken = labels::by_name(change.transaction, label.repository_id, &label.name)?;
    if taken.is_some_and(|taken| taken.id != label.id) {
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
