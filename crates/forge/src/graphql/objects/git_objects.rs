//! What a repository's history is made of, besides commits: trees, files, tags.

use async_graphql::{Context, ID, Interface, Object, Result};
use baton_host::git::Oid;

use super::{Commit, GitActor, Repository};
use crate::git::{self, TreeEntry as Entry};
use crate::graphql::access::{access, urls};
use crate::graphql::scalars::{GitObjectId, Uri, int};
use crate::node_id::{Kind, named_node_id};

/// A file above this is not shown as text.
const LARGEST_TEXT: usize = 512 * 1024;

#[derive(Interface)]
#[graphql(
    field(name = "abbreviated_oid", ty = "String"),
    field(name = "commit_resource_path", ty = "Uri"),
    field(name = "commit_url", ty = "Uri"),
    field(name = "id", ty = "ID"),
    field(name = "oid", ty = "GitObjectId"),
    field(name = "repository", ty = "&Repository")
)]
pub(in crate::graphql) enum GitObject {
    Commit(Commit),
    Tree(Tree),
    Blob(Blob),
    Tag(Tag),
}

impl GitObject {
    /// Absent where the repository has no such object.
    pub(in crate::graphql) async fn load(
        ctx: &Context<'_>,
        repository: &Repository,
        oid: &Oid,
    ) -> Result<Option<Self>> {
        let git = access(ctx).app.git(&repository.0);
        if let Some(commit) = git.known_commit(oid) {
            return Ok(Some(Self::Commit(Commit::new(commit, repository))));
        }
        let place = || Place {
            oid: oid.clone(),
            repository: repository.clone(),
        };
        Ok(match git.kind(oid).await?.as_deref() {
            Some("commit") => {
                let commit = git.commit(oid).await?;
                commit.map(|commit| Self::Commit(Commit::new(commit, repository)))
            }
            Some("tree") => Some(Self::Tree(Tree(place()))),
            Some("blob") => {
                let content = git.blob(oid).await?;
                content.map(|content| {
                    Self::Blob(Blob {
                        place: place(),
                        content,
                    })
                })
            }
            Some("tag") => git.tag(oid).await?.map(|tag| {
                Self::Tag(Tag {
                    place: place(),
                    tag,
                })
            }),
            _ => None,
        })
    }
}

/// Which object, and where.
#[derive(Debug, Clone)]
struct Place {
    oid: Oid,
    repository: Repository,
}

impl Place {
    fn short(&self) -> String {
        short(&self.oid)
    }

    fn path(&self) -> String {
        format!("{}/commit/{}", self.repository.path(), self.oid)
    }

    fn id(&self, kind: Kind) -> ID {
        ID(named_node_id(kind, self.repository.0.id, self.oid.as_str()))
    }
}

/// As people write it.
pub(super) fn short(oid: &Oid) -> String {
    oid.as_str().chars().take(7).collect()
}

/// A folder.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct Tree(Place);

#[Object]
impl Tree {
    pub(super) async fn abbreviated_oid(&self) -> String {
        self.0.short()
    }

    pub(super) async fn commit_resource_path(&self) -> Uri {
        Uri(self.0.path())
    }

    pub(super) async fn commit_url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.0.path()))
    }

    async fn entries(&self, ctx: &Context<'_>) -> Result<Option<Vec<TreeEntry>>> {
        let git = access(ctx).app.git(&self.0.repository.0);
        let entries = git.tree(&self.0.oid, false).await?;
        Ok(entries.map(|entries| {
            let entries = entries.into_iter().map(|entry| TreeEntry {
                entry,
                repository: self.0.repository.clone(),
            });
            entries.collect()
        }))
    }

    pub(super) async fn id(&self) -> ID {
        self.0.id(Kind::Tree)
    }

    pub(super) async fn oid(&self) -> GitObjectId {
        self.0.oid.as_str().into()
    }

    pub(super) async fn repository(&self) -> &Repository {
        &self.0.repository
    }
}

impl Tree {
    pub(super) fn new(oid: &Oid, repository: &Repository) -> Self {
        Self(Place {
            oid: oid.clone(),
            repository: repository.clone(),
        })
    }
}

/// Something in a folder.
pub(in crate::graphql) struct TreeEntry {
    pub(super) entry: Entry,
    pub(super) repository: Repository,
}

#[Object]
impl TreeEntry {
    /// What git writes in octal digits.
    async fn mode(&self) -> i32 {
        i32::from_str_radix(&self.entry.mode, 8).unwrap_or_default()
    }

    async fn name(&self) -> &str {
        self.entry.name()
    }

    async fn object(&self, ctx: &Context<'_>) -> Result<Option<GitObject>> {
        GitObject::load(ctx, &self.repository, &self.entry.oid).await
    }

    async fn oid(&self) -> GitObjectId {
        self.entry.oid.as_str().into()
    }

    async fn path(&self) -> Option<&str> {
        Some(&self.entry.path)
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn size(&self) -> i32 {
        let size = self.entry.size.unwrap_or_default();
        int(i64::try_from(size).unwrap_or(i64::MAX))
    }

    #[graphql(name = "type")]
    async fn kind(&self) -> &str {
        self.entry.kind.as_str()
    }
}

/// The content of a file.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct Blob {
    place: Place,
    content: Vec<u8>,
}

#[Object]
impl Blob {
    pub(super) async fn abbreviated_oid(&self) -> String {
        self.place.short()
    }

    async fn byte_size(&self) -> i32 {
        int(i64::try_from(self.content.len()).unwrap_or(i64::MAX))
    }

    pub(super) async fn commit_resource_path(&self) -> Uri {
        Uri(self.place.path())
    }

    pub(super) async fn commit_url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.place.path()))
    }

    pub(super) async fn id(&self) -> ID {
        self.place.id(Kind::Blob)
    }

    #[graphql(name = "isBinary")]
    async fn shows_as_binary(&self) -> Option<bool> {
        Some(self.is_binary())
    }

    async fn is_truncated(&self) -> bool {
        self.content.len() > LARGEST_TEXT
    }

    pub(super) async fn oid(&self) -> GitObjectId {
        self.place.oid.as_str().into()
    }

    pub(super) async fn repository(&self) -> &Repository {
        &self.place.repository
    }

    async fn text(&self) -> Option<String> {
        if self.is_binary() {
            return None;
        }
        let shown = &self.content[..self.content.len().min(LARGEST_TEXT)];
        Some(String::from_utf8_lossy(shown).into_owned())
    }
}

impl Blob {
    /// As git guesses it.
    fn is_binary(&self) -> bool {
        self.content.iter().take(8000).any(|byte| *byte == 0)
    }
}

/// A tag with a text.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct Tag {
    place: Place,
    tag: git::Tag,
}

#[Object]
impl Tag {
    pub(super) async fn abbreviated_oid(&self) -> String {
        self.place.short()
    }

    pub(super) async fn commit_resource_path(&self) -> Uri {
        Uri(self.place.path())
    }

    pub(super) async fn commit_url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.place.path()))
    }

    pub(super) async fn id(&self) -> ID {
        self.place.id(Kind::Tag)
    }

    async fn message(&self) -> Option<&str> {
        Some(&self.tag.message)
    }

    async fn name(&self) -> &str {
        &self.tag.name
    }

    pub(super) async fn oid(&self) -> GitObjectId {
        self.place.oid.as_str().into()
    }

    pub(super) async fn repository(&self) -> &Repository {
        &self.place.repository
    }

    async fn tagger(&self) -> Option<GitActor> {
        Some(GitActor(self.tag.tagger.clone()))
    }

    async fn target(&self, ctx: &Context<'_>) -> Result<GitObject> {
        let target = GitObject::load(ctx, &self.place.repository, &self.tag.target).await?;
        target.ok_or_else(|| "a tag names an object that is gone".into())
    }
}
