//! What a repository's history is made of: commits, trees, files, tags.

use baton_host::git::Oid;

use super::Repo;
use super::accounts::GitActor;
use super::checks::{self, CheckSuite};
use super::deployments::deployments_of;
use super::listings::found;
use crate::git::{self, EntryKind, HistoryRange, Person};
use crate::graphql::prelude::*;
use crate::node_id::{NodeId, named_node_id, parse};
use crate::store::check_suites::{self, SuiteFilter};
use crate::store::users;

/// A file above this is not shown as text.
const MAX_TEXT_LEN: usize = 512 * 1024;

#[derive(Clone)]
pub(super) struct Commit {
    pub(super) commit: Arc<git::Commit>,
    pub(super) repository: Arc<Repository>,
}

/// A field that is a commit, where there is one and the repository still has it.
pub(super) async fn load(
    cx: &Context,
    repository: &Arc<Repository>,
    oid: Option<&str>,
) -> Resolved {
    match oid {
        Some(oid) => maybe(Commit::load(cx, repository, oid).await?),
        None => plain(Value::Null),
    }
}

/// Whatever has this id. Null where the repository has no such object.
pub(crate) async fn git_object(cx: &Context, repository: &Arc<Repository>, oid: &Oid) -> Resolved {
    let git = cx.app.git(repository);
    let made = |content| {
        one(GitObject {
            oid: oid.clone(),
            repository: Arc::clone(repository),
            content,
        })
    };
    if let Some(commit) = git.known_commit(oid) {
        return one(Commit::new(commit, repository));
    }
    match git.kind(oid).await?.as_deref() {
        Some("commit") => load(cx, repository, Some(oid.as_str())).await,
        Some("tree") => made(Content::Tree),
        Some("blob") => made(Content::Blob(found(git.blob(oid).await?)?)),
        Some("tag") => made(Content::Tag(found(git.tag(oid).await?)?)),
        _ => plain(Value::Null),
    }
}

impl Commit {
    pub(super) fn new(commit: Arc<git::Commit>, repository: &Arc<Repository>) -> Self {
        let repository = Arc::clone(repository);
        Self { commit, repository }
    }

    /// Absent where the repository has no such commit, or no longer.
    pub(super) async fn load(
        cx: &Context,
        repository: &Arc<Repository>,
        oid: &str,
    ) -> Result<Option<Self>, QueryError> {
        let Some(oid) = Oid::parse(oid) else {
            return Ok(None);
        };
        let git = cx.app.git(repository);
        let commit = match git.known_commit(&oid) {
            Some(commit) => Some(commit),
            None => git.commit(&oid).await?,
        };
        Ok(commit.map(|commit| Self::new(commit, repository)))
    }

    /// A page of a list of commits; only what is on it is read.
    async fn page_of(&self, cx: &Context, field: &Field<'_>, oids: &[Oid]) -> Resolved {
        let page = field.page()?;
        let window = page.window(oids.len());
        let shown = if page.wanted {
            let git = cx.app.git(&self.repository);
            git.commits(&oids[window.clone()]).await?
        } else {
            Vec::new()
        };
        let nodes = shown
            .into_iter()
            .map(|commit| Self::new(commit, &self.repository));
        one(Connection::window(
            window.start,
            oids.len(),
            nodes.collect(),
        ))
    }

    /// The id of the commit, or of something that every commit has.
    pub(super) fn named(&self, kind: Kind) -> String {
        named_node_id(kind, self.repository.id, self.commit.oid.as_str())
    }

    async fn history(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let arguments = &field.arguments;
        let email = match arguments.input("author") {
            Some(author) => wanted_email(cx, &author)?,
            None => None,
        };
        let range = HistoryRange {
            path: arguments.text("path"),
            author: email.as_deref(),
            since: arguments.text("since"),
            until: arguments.text("until"),
            ..HistoryRange::new(&self.commit.oid)
        };
        let oids = cx.app.git(&self.repository).history(&range).await?;
        self.page_of(cx, field, &oids).await
    }

    fn check_suites(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let filter = field.arguments.input("filterBy").unwrap_or_default();
        let filter = SuiteFilter {
            app_id: filter.number("appId"),
            check_name: filter.text("checkName"),
        };
        let rows = cx.read(|conn| {
            let (id, oid) = (self.repository.id, self.commit.oid.as_str());
            Ok(check_suites::for_commit(conn, id, oid, filter)?)
        })?;
        let node = |row| CheckSuite(row, Arc::clone(&self.repository));
        field.list(rows, |row| row.id, node)
    }
}

/// git looks for one address; GitHub's filter has a list, of which the first counts here.
fn wanted_email(cx: &Context, author: &Arguments) -> Result<Option<String>, QueryError> {
    let Some(id) = author.text("id") else {
        return Ok(author
            .texts("emails")
            .and_then(|emails| emails.into_iter().next()));
    };
    let Some(NodeId::Numbered(Kind::User, number)) = parse(id) else {
        return Err(QueryError::unknown_id(id));
    };
    Ok(cx.rows(|conn| users::by_id(conn, number))?.email)
}

/// The author, then those whom the message thanks in `Co-authored-by` lines.
fn authors(commit: &git::Commit) -> Vec<Person> {
    let mut authors = vec![commit.author.clone()];
    for line in commit.message.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim().strip_suffix('>');
        let Some((name, email)) = value.and_then(|value| value.split_once('<')) else {
            continue;
        };
        let is_author = key.eq_ignore_ascii_case("co-authored-by");
        if is_author && authors.iter().all(|known| known.email != email) {
            authors.push(Person {
                name: name.trim().to_owned(),
                email: email.to_owned(),
                date: commit.author.date.clone(),
            });
        }
    }
    authors
}

/// What the signature is. The forge knows no keys, so it can tell that there is one and of which
/// kind, and nothing more.
fn signature(commit: &git::Commit) -> Option<Plain> {
    let signature = commit.signature.as_deref()?;
    let kinds = [
        ("BEGIN PGP SIGNATURE", "GpgSignature"),
        ("BEGIN SSH SIGNATURE", "SshSignature"),
        ("BEGIN SIGNED MESSAGE", "SmimeSignature"),
    ];
    let kind = kinds.iter().find(|(sign, _)| signature.contains(sign));
    Some(Plain {
        kind: kind.map_or("UnknownSignature", |(_, kind)| kind),
        facts: json!({
            "email": commit.committer.email,
            "valid": false,
            "signature": signature,
            "signer": null,
            "state": "unknown_key",
            "was_signed_by_git_hub": false,
        }),
    })
}

/// What every object of git has.
fn object_field(
    cx: &Context,
    field: &Field<'_>,
    repository: &Arc<Repository>,
    oid: &Oid,
) -> Resolved {
    let path = format!("/commit/{oid}");
    match field.name {
        "abbreviatedOid" => plain(oid.as_str().chars().take(7).collect::<String>()),
        "commitResourcePath" | "resourcePath" => {
            plain(format!("/{}{path}", repository.full_name()))
        }
        "commitUrl" | "url" => plain(cx.page(repository, &path)),
        "oid" => plain(oid.as_str()),
        "repository" => one(Repo(Arc::clone(repository))),
        _ => Ok(Output::Fact),
    }
}

impl Object for Commit {
    kind!("Commit");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (commit, repository) = (&self.commit, &self.repository);
        match field.name {
            "author" => one(GitActor(commit.author.clone())),
            "authoredDate" => plain(commit.author.date.as_str()),
            "authors" => field.fixed(authors(commit), GitActor),
            "checkSuites" => self.check_suites(cx, field),
            "committedDate" => plain(commit.committer.date.as_str()),
            "committer" => one(GitActor(commit.committer.clone())),
            "deployments" => deployments_of(cx, field, self),
            "history" => self.history(cx, field).await,
            "id" => plain(self.named(Kind::Commit)),
            "message" => plain(commit.message.as_str()),
            "messageBody" => plain(commit.body()),
            "messageHeadline" => plain(commit.headline()),
            "parents" => self.page_of(cx, field, &commit.parents).await,
            "signature" => maybe(signature(commit)),
            "statusCheckRollup" => checks::rollup(cx, self),
            _ => object_field(cx, field, repository, &commit.oid),
        }
    }
}

/// A tree, a blob or a tag.
struct GitObject {
    oid: Oid,
    repository: Arc<Repository>,
    content: Content,
}

enum Content {
    Tree,
    Blob(Vec<u8>),
    /// One with a text.
    Tag(git::Tag),
}

impl Object for GitObject {
    fn kind(&self) -> &'static str {
        match self.content {
            Content::Tree => "Tree",
            Content::Blob(_) => "Blob",
            Content::Tag(_) => "Tag",
        }
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let repository = &self.repository;
        match (field.name, &self.content) {
            ("id", content) => {
                let kind = match content {
                    Content::Tree => Kind::Tree,
                    Content::Blob(_) => Kind::Blob,
                    Content::Tag(_) => Kind::Tag,
                };
                plain(named_node_id(kind, repository.id, self.oid.as_str()))
            }
            ("entries", Content::Tree) => {
                let entries = cx.app.git(repository).tree(&self.oid, false).await?;
                let entries = entries.unwrap_or_default().into_iter();
                all(entries.map(|entry| TreeEntry(entry, Arc::clone(repository))))
            }
            ("byteSize", Content::Blob(content)) => plain(content.len()),
            ("isBinary", Content::Blob(content)) => plain(is_binary(content)),
            ("isTruncated", Content::Blob(content)) => plain(content.len() > MAX_TEXT_LEN),
            ("text", Content::Blob(content)) => plain((!is_binary(content)).then(|| {
                let shown = &content[..content.len().min(MAX_TEXT_LEN)];
                String::from_utf8_lossy(shown).into_owned()
            })),
            ("message", Content::Tag(tag)) => plain(tag.message.as_str()),
            ("name", Content::Tag(tag)) => plain(tag.name.as_str()),
            ("tagger", Content::Tag(tag)) => one(GitActor(tag.tagger.clone())),
            ("target", Content::Tag(tag)) => git_object(cx, repository, &tag.target).await,
            _ => object_field(cx, field, repository, &self.oid),
        }
    }
}

/// As git guesses it.
fn is_binary(content: &[u8]) -> bool {
    content.iter().take(8000).any(|byte| *byte == 0)
}

/// Something in a folder.
struct TreeEntry(git::TreeEntry, Arc<Repository>);

impl Object for TreeEntry {
    kind!("TreeEntry");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let entry = &self.0;
        match field.name {
            // What git writes in octal digits.
            "mode" => plain(i32::from_str_radix(&entry.mode, 8).unwrap_or_default()),
            "name" => plain(entry.name()),
            // A submodule is a commit of another repository.
            "object" if entry.kind == EntryKind::Submodule => plain(Value::Null),
            "object" => git_object(cx, &self.1, &entry.oid).await,
            "oid" => plain(entry.oid.as_str()),
            "path" => plain(entry.path.as_str()),
            "repository" => one(Repo(Arc::clone(&self.1))),
            "size" => plain(entry.size.unwrap_or_default()),
            _ => plain(entry.kind.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn co_authors_are_authors_too() {
        let person = |name: &str, email: &str| Person {
            name: name.to_owned(),
            email: email.to_owned(),
            date: "2026-01-31T12:00:00Z".to_owned(),
        };
        let octo = person("Octo", "octo@example.invalid");
        let commit = git::Commit {
            oid: Oid::parse(&"a".repeat(40)).unwrap(),
            tree: Oid::parse(&"b".repeat(40)).unwrap(),
            parents: Vec::new(),
            author: octo.clone(),
            committer: octo.clone(),
            signature: None,
            message: "Fix\n\nCo-authored-by: Re Viewer <reviewer@example.invalid>\n\
                      co-authored-by: Octo <octo@example.invalid>\nCo-authored-by: no one"
                .to_owned(),
        };
        assert_eq!(
            authors(&commit),
            [octo, person("Re Viewer", "reviewer@example.invalid")]
        );
    }
}
