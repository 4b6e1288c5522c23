//! Listing and moving refs.

use std::fmt::Write as _;

use baton_host::git::{Call, GitError, Oid};

use super::GitRepository;

/// A branch, a tag, or another name in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ref {
    /// In full: `refs/heads/main`.
    pub(crate) name: String,
    pub(crate) oid: Oid,
    /// `commit`, or `tag` for an annotated one.
    pub(crate) kind: String,
    /// What an annotated tag is about; otherwise the same as `oid`.
    pub(crate) peeled: Oid,
}

impl Ref {
    pub(crate) fn deletion(&self) -> RefChange {
        RefChange {
            name: self.name.clone(),
            old: Some(self.oid.clone()),
            new: None,
        }
    }
}

/// A change of one ref: absent is "does not exist".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefChange {
    pub(crate) name: String,
    /// What it must be before; the change fails otherwise.
    pub(crate) old: Option<Oid>,
    pub(crate) new: Option<Oid>,
}

impl GitRepository {
    /// All below the given prefixes (whole parts of names), by name.
    pub(crate) async fn refs(&self, prefixes: &[&str]) -> Result<Vec<Ref>, GitError> {
        let call = Call::read("list refs")
            .args([
                "for-each-ref",
                "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)",
            ])
            .args(prefixes);
        let reply = self.call(call).await?.success()?;
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        Ok(text.lines().filter_map(parse_ref).collect())
    }

    /// By its full name. Absent also where the name is none.
    pub(crate) async fn find_ref(&self, name: &str) -> Result<Option<Ref>, GitError> {
        if !super::names::is_ref(name) {
            return Ok(None);
        }
        let found = self.refs(&[name]).await?;
        Ok(found.into_iter().find(|found| found.name == name))
    }

    /// The commit of a branch.
    pub(crate) async fn branch(&self, name: &str) -> Result<Option<Oid>, GitError> {
        let found = self.find_ref(&format!("refs/heads/{name}")).await?;
        Ok(found.map(|found| found.oid))
    }

    /// All changes or none; each only where the ref is what it is said to be.
    ///
    /// This is the bare change: [`actions::pushes`](crate::actions::pushes) is
    /// how the rest of the forge hears of it.
    pub(crate) async fn update_refs(&self, changes: &[RefChange]) -> Result<(), GitError> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut script = String::from("start\0");
        for change in changes {
            let name = &change.name;
            // Writing to a string cannot fail.
            let _ = match (&change.old, &change.new) {
                (None, Some(new)) => write!(script, "create {name}\0{new}\0"),
                (Some(old), Some(new)) => write!(script, "update {name}\0{new}\0{old}\0"),
                (Some(old), None) => write!(script, "delete {name}\0{old}\0"),
                (None, None) => Ok(()),
            };
        }
        script.push_str("commit\0");
        let call = Call::write("update refs")
            .args(["update-ref", "-z", "--stdin"])
            .stdin(script.into_bytes());
        self.call(call).await?.success().map(drop)
    }
}

fn parse_ref(line: &str) -> Option<Ref> {
    let mut fields = line.split('\0');
    let (name, oid) = (fields.next()?, Oid::parse(fields.next()?)?);
    let kind = fields.next()?.to_owned();
    let peeled = fields.next().and_then(Oid::parse);
    Some(Ref {
        name: name.to_owned(),
        peeled: peeled.unwrap_or_else(|| oid.clone()),
        oid,
        kind,
    })
}
