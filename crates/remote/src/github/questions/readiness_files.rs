//! Files that decide the requirements of a pull request: workflows, code owners,
//! and the paths that it changes.

use baton_protocol::Oid;
use baton_protocol::Repository;
use baton_protocol::code_owners::CODE_OWNERS_PATHS;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection, InRepository, OnePull, Parts};
use crate::github::resources::contents::TextFile;
use crate::github::values::Listed;

const WORKFLOWS: &str = ".github/workflows";

#[derive(Clone, Debug)]
pub struct ReadinessFiles {
    /// At the head, which is where GitHub takes them from.
    pub workflows: Fact<Vec<TextFile>>,
    /// At the base branch, which is where GitHub takes them from.
    pub code_owners: Fact<Option<TextFile>>,
    /// The first hundred.
    pub paths: Listed<String>,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Deserialize)]
struct Files {
    workflows: Option<Folder>,
    owners0: Option<Blob>,
    owners1: Option<Blob>,
    owners2: Option<Blob>,
}

#[derive(Deserialize)]
struct Folder {
    #[serde(default)]
    entries: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    object: Option<Blob>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blob {
    /// Absent for what is no text.
    text: Option<String>,
    #[serde(default)]
    is_truncated: bool,
}

impl Blob {
    /// Half a file would be misread.
    fn whole(self) -> Option<String> {
        self.text.filter(|_| !self.is_truncated)
    }
}

#[derive(Deserialize)]
struct Pull {
    files: Option<Connection<Path>>,
}

#[derive(Deserialize)]
struct Path {
    path: String,
}

impl GitHub {
    /// `base` is a branch.
    pub async fn readiness_files(
        &self,
        repository: &Repository,
        number: u32,
        head: &Oid,
        base: &str,
    ) -> Result<ReadinessFiles, GitHubError> {
        let errand = Errand::numbered("read the files of", "pull request", repository, number);
        let owners = CODE_OWNERS_PATHS.map(|place| format!("refs/heads/{base}:{place}"));
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
            "workflows": format!("{head}:{WORKFLOWS}"),
            "owners0": owners[0],
            "owners1": owners[1],
            "owners2": owners[2],
        });
        let answer: Answer<InRepository<Parts<Files, OnePull<Pull>>>> = self
            .ask(&documents::READINESS_FILES, &variables, errand)
            .await?;
        let Parts(files, OnePull { pull_request }) = answer.data.repository;
        let paths = pull_request.files.unwrap_or_default().into_listed();
        Ok(ReadinessFiles {
            code_owners: first_of(
                [files.owners0, files.owners1, files.owners2],
                &answer.unreadable,
            ),
            workflows: workflows(files.workflows, &answer.unreadable),
            paths: Listed {
                items: paths.items.into_iter().map(|file| file.path).collect(),
                truncated: paths.truncated,
            },
            unreadable: answer.unreadable,
        })
    }
}

/// The first one that exists is the one that counts.
fn first_of(owners: [Option<Blob>; 3], unreadable: &[Unreadable]) -> Fact<Option<TextFile>> {
    for (index, (place, blob)) in CODE_OWNERS_PATHS.into_iter().zip(owners).enumerate() {
        let path = format!("repository.owners{index}");
        if let Some(blob) = blob {
            return match blob.whole() {
                Some(text) => Fact::Known(Some(TextFile {
                    path: place.to_owned(),
                    text,
                })),
                None => Fact::Unreadable(Unreadable::at(&path, unreadable)),
            };
        }
        if let Some(cause) = Unreadable::cause(unreadable, &path) {
            return Fact::Unreadable(cause.clone());
        }
    }
    Fact::Known(None)
}

fn workflows(folder: Option<Folder>, unreadable: &[Unreadable]) -> Fact<Vec<TextFile>> {
    let entries = folder.and_then(|folder| folder.entries);
    if let (None, Some(cause)) = (
        &entries,
        Unreadable::cause(unreadable, "repository.workflows"),
    ) {
        return Fact::Unreadable(cause.clone());
    }
    let is_workflow = |entry: &Entry| {
        let name = std::path::Path::new(&entry.name);
        name.extension()
            .is_some_and(|end| end == "yml" || end == "yaml")
    };
    let read = |entry: Entry| {
        let path = format!("{WORKFLOWS}/{}", entry.name);
        match entry.object.and_then(Blob::whole) {
            Some(text) => Fact::Known(TextFile { path, text }),
            None => {
                Fact::Unreadable(Unreadable::at("repository.workflows", unreadable).about(path))
            }
        }
    };
    let entries = entries.unwrap_or_default().into_iter();
    Fact::all(entries.filter(is_workflow).map(read).collect())
}
