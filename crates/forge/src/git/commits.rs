//! Reading, listing and writing commits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use baton_host::git::{Call, GitError, Oid};
use jiff::Timestamp;

use super::GitRepository;
use crate::store::users::{NO_REPLY, User};

/// A commit, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) oid: Oid,
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    pub(crate) author: Person,
    pub(crate) committer: Person,
    pub(crate) signature: Option<String>,
    /// Without the line break at its end.
    pub(crate) message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) email: String,
    /// RFC 3339 in UTC.
    pub(crate) date: String,
}

impl Commit {
    /// The first line.
    pub(crate) fn headline(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// What follows the first line and the empty one after it.
    pub(crate) fn body(&self) -> &str {
        self.message
            .split_once('\n')
            .map_or("", |(_, rest)| rest.trim_start_matches('\n'))
    }
}

/// Commits never change, so one that was read need not be read again.
#[derive(Default)]
pub(crate) struct CommitCache(Mutex<HashMap<(i64, Oid), Arc<Commit>>>);

/// Some ten megabytes with messages of ordinary length.
const CACHED_COMMITS: usize = 20_000;

impl CommitCache {
    fn get(&self, key: &(i64, Oid)) -> Option<Arc<Commit>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).cloned()
    }

    fn put(&self, key: (i64, Oid), commit: Arc<Commit>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CACHED_COMMITS {
            known.clear();
        }
        known.insert(key, commit);
    }
}

impl GitRepository {
    /// One that was read before.
    pub(crate) fn known_commit(&self, oid: &Oid) -> Option<Arc<Commit>> {
        self.commits.get(&(self.id, oid.clone()))
    }

    pub(crate) async fn commit(&self, oid: &Oid) -> Result<Option<Arc<Commit>>, GitError> {
        Ok(self.commits(std::slice::from_ref(oid)).await?.pop())
    }

    /// Those of the given ids that are commits, in the same order. One call of
    /// git for all that were not read before.
    pub(crate) async fn commits(&self, oids: &[Oid]) -> Result<Vec<Arc<Commit>>, GitError> {
        let unknown: Vec<_> = oids
            .iter()
            .filter(|oid| self.commits.get(&(self.id, (*oid).clone())).is_none())
            .collect();
        let mut fresh = HashMap::new();
        if !unknown.is_empty() {
            for commit in self.read_commits(&unknown).await? {
                let commit = Arc::new(commit);
                self.commits
                    .put((self.id, commit.oid.clone()), Arc::clone(&commit));
                fresh.insert(commit.oid.clone(), commit);
            }
        }
        Ok(oids
            .iter()
            .filter_map(|oid| {
                fresh
                    .get(oid)
                    .cloned()
                    .or_else(|| self.commits.get(&(self.id, oid.clone())))
            })
            .collect())
    }

    /// Commits that are in `head` and not in `exclude`, newest first (or the
    /// other way round), as `git log` orders them.
    pub(crate) async fn history(&self, range: &HistoryRange<'_>) -> Result<Vec<Oid>, GitError> {
        let mut call = Call::read("list commits").arg("rev-list");
        if let Some(limit) = range.limit {
            call = call.arg(format!("--max-count={limit}"));
        }
        if range.skip > 0 {
            call = call.arg(format!("--skip={}", range.skip));
        }
        for (option, value) in [
            ("author", range.author),
            ("since", range.since),
            ("until", range.until),
        ] {
            if let Some(value) = value {
                call = call.arg(format!("--{option}={value}"));
            }
        }
        if range.author.is_some() {
            call = call.args(["--fixed-strings", "--regexp-ignore-case"]);
        }
        if range.oldest_first {
            call = call.args(["--topo-order", "--reverse"]);
        }
        call = call.arg(range.head.as_str());
        if let Some(exclude) = range.exclude {
            call = call.arg(format!("^{exclude}"));
        }
        call = call.arg("--");
        if let Some(path) = range.path {
            call = call.arg(format!(":(literal){path}"));
        }
        let reply = self.call(call).await?.success()?;
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        Ok(text.lines().filter_map(Oid::parse).collect())
    }

    /// How many commits [`history`](Self::history) would list without a limit.
    pub(crate) async fn count_history(&self, range: &HistoryRange<'_>) -> Result<usize, GitError> {
        let all = HistoryRange {
            limit: None,
            skip: 0,
            ..range.clone()
        };
        Ok(self.history(&all).await?.len())
    }

    async fn read_commits(&self, oids: &[&Oid]) -> Result<Vec<Commit>, GitError> {
        let mut input = String::with_capacity(oids.len() * 41);
        for oid in oids {
            input.push_str(oid.as_str());
            input.push('\n');
        }
        let call = Call::read("read commits")
            .args(["cat-file", "--batch"])
            .stdin(input.into_bytes());
        let reply = self.call(call).await?.success()?;
        Ok(parse_batch(&reply.stdout))
    }
}

/// Which commits to list.
#[derive(Debug, Clone)]
pub(crate) struct HistoryRange<'a> {
    pub(crate) head: &'a Oid,
    pub(crate) exclude: Option<&'a Oid>,
    /// Only commits that touch this file or folder.
    pub(crate) path: Option<&'a str>,
    /// Name or e-mail address.
    pub(crate) author: Option<&'a str>,
    /// RFC 3339.
    pub(crate) since: Option<&'a str>,
    pub(crate) until: Option<&'a str>,
    pub(crate) oldest_first: bool,
    pub(crate) skip: usize,
    pub(crate) limit: Option<usize>,
}

impl<'a> HistoryRange<'a> {
    pub(crate) fn new(head: &'a Oid) -> Self {
        Self {
            head,
            exclude: None,
            path: None,
            author: None,
            since: None,
            until: None,
            oldest_first: false,
            skip: 0,
            limit: None,
        }
    }
}

/// The answers of `git cat-file --batch`; what is no commit is left out.
fn parse_batch(mut rest: &[u8]) -> Vec<Commit> {
    let mut commits = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = header.split(' ');
        let (oid, kind, size) = (words.next(), words.next(), words.next());
        let Some(size) = size.and_then(|text| text.parse::<usize>().ok()) else {
            continue;
        };
        let Some(content) = rest.get(..size) else {
            break;
        };
        rest = rest.get(size + 1..).unwrap_or_default();
        if kind == Some("commit")
            && let Some(oid) = oid.and_then(Oid::parse)
        {
            commits.extend(parse_commit(oid, &String::from_utf8_lossy(content)));
        }
    }
    commits
}

fn parse_commit(oid: Oid, content: &str) -> Option<Commit> {
    let (header, message) = content.split_once("\n\n").unwrap_or((content, ""));
    let mut tree = None;
    let mut parents = Vec::new();
    let mut author = None;
    let mut committer = None;
    let mut signature: Option<String> = None;
    let mut in_signature = false;
    for line in header.lines() {
        if let Some(continued) = line.strip_prefix(' ') {
            if let (true, Some(signature)) = (in_signature, &mut signature) {
                signature.push('\n');
                signature.push_str(continued);
            }
            continue;
        }
        in_signature = false;
        let (key, value) = line.split_once(' ')?;
        match key {
            "tree" => tree = Oid::parse(value),
            "parent" => parents.extend(Oid::parse(value)),
            "author" => author = Some(parse_person(value)),
            "committer" => committer = Some(parse_person(value)),
            "gpgsig" => {
                in_signature = true;
                signature = Some(value.to_owned());
            }
            _ => {}
        }
    }
    let author = author.unwrap_or_else(Person::unknown);
    Some(Commit {
        oid,
        tree: tree?,
        parents,
        committer: committer.unwrap_or_else(|| author.clone()),
        author,
        signature,
        message: message.strip_suffix('\n').unwrap_or(message).to_owned(),
    })
}

impl Person {
    /// A user who acts now. Without an address of their own they get one that
    /// leads nowhere, as GitHub gives one.
    pub(crate) fn from_user(user: &User, now: &str) -> Self {
        let email = user.email.clone();
        Self {
            name: user.name.clone().unwrap_or_else(|| user.login.clone()),
            email: email.unwrap_or_else(|| format!("{}+{}@{NO_REPLY}", user.id, user.login)),
            date: now.to_owned(),
        }
    }

    fn unknown() -> Self {
        Self {
            name: String::new(),
            email: String::new(),
            date: Timestamp::UNIX_EPOCH.to_string(),
        }
    }
}

/// `Octo Cat <octo@example.invalid> 1700000000 +0100`; people write stranger
/// things, which are taken as far as they go.
pub(super) fn parse_person(value: &str) -> Person {
    let (name, rest) = value.split_once('<').unwrap_or((value, ""));
    let (email, time) = rest.rsplit_once('>').unwrap_or((rest, ""));
    let seconds = time.split_whitespace().next();
    let date = seconds
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    Person {
        name: name.trim().to_owned(),
        email: email.trim().to_owned(),
        date: date.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_as_it_is_written() {
        let oid = Oid::parse(&"a".repeat(40)).unwrap();
        let tree = "b".repeat(40);
        let content = format!(
            "tree {tree}\nparent {}\nauthor Octo Cat <octo@example.invalid> 1700000000 +0100\n\
             committer <> 1700000060 +0000\ngpgsig -----BEGIN\n line\n -----END\n\nFix\n\nBody\n",
            "c".repeat(40)
        );
        let commit = parse_commit(oid, &content).unwrap();
        assert_eq!(commit.author.name, "Octo Cat");
        assert_eq!(commit.author.date, "2023-11-14T22:13:20Z");
        assert_eq!(commit.committer.email, "");
        assert_eq!(
            commit.signature.as_deref(),
            Some("-----BEGIN\nline\n-----END")
        );
        assert_eq!((commit.headline(), commit.body()), ("Fix", "Body"));
    }

    #[test]
    fn a_batch_answer_may_hold_anything() {
        let oid = "a".repeat(40);
        let missing = format!("{oid} missing\n{oid} blob 3\nabc\n");
        assert!(parse_batch(missing.as_bytes()).is_empty());
        assert!(parse_batch(b"x commit 99999999999\n").is_empty());
        assert!(parse_batch(b"\n\n\0").is_empty());
    }
}
