use baton_host::git::{Call, GitError, Oid};

use super::commits::parse_person;
use super::{GitRepository, Person};

/// A tag with a text, which is an object of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnnotatedTag {
    pub(crate) oid: Oid,
    pub(crate) name: String,
    pub(crate) target: Oid,
    pub(crate) tagger: Option<Person>,
    pub(crate) message: String,
}

impl GitRepository {
    /// Absent where the object is none.
    pub(crate) async fn tag(&self, oid: &Oid) -> Result<Option<AnnotatedTag>, GitError> {
        let call = Call::read("read a tag").args(["cat-file", "tag", oid.as_str()]);
        let reply = self.call(call).await?;
        if reply.code != 0 {
            return Ok(None);
        }
        let content = String::from_utf8_lossy(&reply.stdout).into_owned();
        Ok(parse_tag(oid.clone(), &content))
    }
}

fn parse_tag(oid: Oid, content: &str) -> Option<AnnotatedTag> {
    let (header, message) = content.split_once("\n\n").unwrap_or((content, ""));
    let field = |key: &str| {
        header
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
    };
    Some(AnnotatedTag {
        oid,
        name: field("tag")?.to_owned(),
        target: Oid::parse(field("object")?)?,
        tagger: field("tagger").map(parse_person),
        message: message.strip_suffix('\n').unwrap_or(message).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_as_it_is_written() {
        let oid = Oid::parse(&"a".repeat(40)).unwrap();
        let target = "b".repeat(40);
        let content = format!(
            "object {target}\ntype commit\ntag v1\ntagger Octo <octo@example.invalid> 1700000000 +0100\n\nFirst\n"
        );
        let tag = parse_tag(oid.clone(), &content).unwrap();
        assert_eq!((tag.name.as_str(), tag.message.as_str()), ("v1", "First"));
        assert_eq!(tag.target.as_str(), target);
        assert_eq!(tag.tagger.unwrap().date, "2023-11-14T22:13:20Z");
        assert_eq!(parse_tag(oid, "object nonsense"), None);
    }
}
