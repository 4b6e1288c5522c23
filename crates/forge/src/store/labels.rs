//! Labels, and the issues that have them.

use crate::store::prelude::*;

row! {
    #[derive(PartialEq, Eq)]
    Label {
        id: i64,
        repository_id: i64,
        name: String,
        color: String,
        description: Option<String>,
        /// Whether GitHub gives it to every new repository.
        is_default: bool,
    }
}

/// Name, colour and description of the labels of a new repository at GitHub.
const DEFAULT_LABELS: [(&str, &str, &str); 9] = [
    ("bug", "d73a4a", "Something isn't working"),
    (
        "documentation",
        "0075ca",
        "Improvements or additions to documentation",
    ),
    (
        "duplicate",
        "cfd3d7",
        "This issue or pull request already exists",
    ),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
];

pub(crate) fn create_defaults(tx: &Transaction<'_>, repository_id: i64) -> rusqlite::Result<()> {
    for (name, color, description) in DEFAULT_LABELS {
        create(tx, repository_id, name, color, Some(description))?;
    }
    tx.run(
        "UPDATE labels SET is_default = 1 WHERE repository_id = ?",
        [repository_id],
    )
}

inserts! {
    create(repository_id: i64, name: &str, color: &str, description: Option<&str>) into labels {
        repository_id, name, color, description,
    }
}

sql! {
    find by_id(id: i64) -> Label: "SELECT * FROM labels WHERE id = ?";

    /// Names differ in more than case.
    find by_name(repository_id: i64, name: &str) -> Label:
        "SELECT * FROM labels WHERE repository_id = ? AND name = ?";
    all for_repository(repository_id: i64) -> Label:
        "SELECT * FROM labels WHERE repository_id = ? ORDER BY name";
    all for_issue(issue_id: i64) -> Label:
        "SELECT labels.* FROM labels JOIN issue_labels ON label_id = labels.id
         WHERE issue_id = ? ORDER BY labels.id";

    /// Says whether it was new there.
    did attach(issue_id: i64, label_id: i64):
        "INSERT OR IGNORE INTO issue_labels (issue_id, label_id) VALUES (?, ?)";

    /// Says whether it was there.
    did detach(issue_id: i64, label_id: i64):
        "DELETE FROM issue_labels WHERE issue_id = ? AND label_id = ?";
}
