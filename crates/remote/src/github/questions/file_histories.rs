//! The authors of recent changes to files.

use std::collections::BTreeMap;

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection, InRepository};
use crate::github::values::Account;

/// Files per question: the slots of the document.
pub const SLOTS: usize = 10;

#[derive(Clone, Debug, Default)]
pub struct FileHistories {
    pub files: Vec<FileHistory>,
    pub unreadable: Vec<Unreadable>,
}

/// The latest twenty changes of a file, newest first.
#[derive(Clone, Debug)]
pub struct FileHistory {
    pub path: String,
    pub changes: Vec<Change>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub oid: Oid,
    pub committed_date: Timestamp,
    pub author: Option<ChangeAuthor>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ChangeAuthor {
    pub name: Option<String>,
    /// The account of the address, where there is one.
    pub user: Option<Account>,
}

#[derive(Deserialize)]
struct Page {
    object: Option<BTreeMap<String, Value>>,
}

impl GitHub {
    /// As of `revision`. Only the first [`SLOTS`] paths are requested.
    pub async fn file_histories(
        &self,
        repository: &Repository,
        revision: &str,
        paths: &[&str],
    ) -> Result<FileHistories, GitHubError> {
        let paths = &paths[..paths.len().min(SLOTS)];
        let errand = Errand::new("read", format!("who changed the files of {repository}"))
            .within(repository);
        let mut variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "revision": revision,
        });
        for slot in 0..SLOTS {
            variables[format!("has{slot}")] = paths.get(slot).is_some().into();
            variables[format!("path{slot}")] = paths.get(slot).copied().into();
        }
        let answer: Answer<InRepository<Page>> = self
            .ask(&documents::FILE_HISTORIES, &variables, errand)
            .await?;
        let mut object = answer.data.repository.object.unwrap_or_default();
        let histories = paths.iter().enumerate().map(|(slot, path)| {
            let history = object.remove(&format!("file{slot}")).unwrap_or_default();
            FileHistory {
                path: (*path).to_owned(),
                changes: Connection::<Change>::deserialize(history)
                    .unwrap_or_default()
                    .into_items(),
            }
        });
        Ok(FileHistories {
            files: histories.collect(),
            unreadable: answer.unreadable,
        })
    }
}
