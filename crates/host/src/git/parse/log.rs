//! Parses `git log`.

use super::{nul_fields, oid, text};
use crate::git::Oid;

/// Twelve fields; `-z` puts NUL after the last one as well.
pub(in crate::git) const LOG_FORMAT: &str =
    "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%ad%x00%cn%x00%ce%x00%ct%x00%cd%x00%B";
/// What `%ad` and `%cd` give: the time zone alone.
pub(in crate::git) const LOG_DATES: &str = "--date=format:%z";

const FIELDS: usize = 12;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub commit: Oid,
    pub tree: Oid,
    pub parents: Vec<Oid>,
    pub author: Signature,
    pub committer: Signature,
    /// The whole message, without the line break at its end.
    pub message: String,
}

/// Who, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub email: String,
    /// Seconds since 1970.
    pub time: i64,
    /// Where they were: `+0200`.
    pub zone: String,
}

impl Signature {
    /// As git takes it in `GIT_AUTHOR_DATE`.
    pub fn date(&self) -> String {
        format!("@{} {}", self.time, self.zone)
    }
}

impl LogEntry {
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or("")
    }
}

/// Reads `git log -z` in [`LOG_FORMAT`].
pub fn log(bytes: &[u8]) -> Vec<LogEntry> {
    let fields: Vec<_> = nul_fields(bytes).collect();
    fields.chunks_exact(FIELDS).map_while(entry).collect()
}

fn entry(fields: &[&[u8]]) -> Option<LogEntry> {
    let [commit, tree, parents, rest @ ..] = fields else {
        return None;
    };
    let [name, email, time, zone, rest @ ..] = rest else {
        return None;
    };
    let author = signature(name, email, time, zone)?;
    let [name, email, time, zone, message] = rest else {
        return None;
    };
    Some(LogEntry {
        commit: oid(commit)?,
        tree: oid(tree)?,
        parents: parents
            .split(|&byte| byte == b' ')
            .filter(|parent| !parent.is_empty())
            .map(oid)
            .collect::<Option<_>>()?,
        author,
        committer: signature(name, email, time, zone)?,
        message: text(message).trim_end_matches('\n').to_owned(),
    })
}

/// Reads `Name <address> 1700000000 +0000`.
pub fn identity(line: &str) -> Option<Signature> {
    let (name, rest) = line.split_once(" <")?;
    let (email, rest) = rest.split_once("> ")?;
    let (time, zone) = rest.split_once(' ')?;
    Some(Signature {
        name: name.to_owned(),
        email: email.to_owned(),
        time: time.parse().ok()?,
        zone: zone.to_owned(),
    })
}

fn signature(name: &[u8], email: &[u8], time: &[u8], zone: &[u8]) -> Option<Signature> {
    Some(Signature {
        name: text(name),
        email: text(email),
        // A commit may be damaged so that it has no date.
        time: str::from_utf8(time).ok()?.parse().unwrap_or(0),
        zone: text(zone),
    })
}
