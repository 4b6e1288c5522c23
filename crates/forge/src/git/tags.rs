//! Annotated tags.

use baton_host::git::{Call, GitError, Oid};

use super::commits::parse_person;
use super::{GitRepository, Person};

/// An annotated tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) target: Oid,
    /// git's word for what it is about; nearly always `commit`.
    pub(crate) target_kind: String,
    pub(crate) tagger: Person,
    pub(crate) message: String,
}

impl GitRepository {
    pub(crate) async fn tag(&self, oid: &Oid) -> Result<Option<Tag>, GitError> {
        let call = Call::read("read a tag").args(["cat-file", "tag", oid.as_str()]);
        let reply = self.call(call).await?;
        if reply.code != 0 {
            return Ok(None);
        }
        Ok(parse_tag(&String::from_utf8_lossy(&reply.stdout)))
    }
}

fn parse_tag(content: &str) -> Option<Tag> {
    let (header, message) = content.split_once("\n\n").unwrap_or((content, ""));
    let field = |name: &str| {
        let mut lines = header.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
    };
    Some(Tag {
        name: field("tag")?.to_owned(),
        target: Oid::parse(field("object")?)?,
        target_kind: field("type")?.to_owned(),
        tagger: parse_person(field("tagger").unwrap_or_default()),
        message: message.strip_suffix('\n').unwrap_or(message).to_owned(),
    })
}
