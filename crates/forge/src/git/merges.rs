//! Merging in the object store: no working tree, no index, no branch moves.

use std::sync::Arc;

use baton_host::git::{Call, GitError, Oid};

use super::{Commit, GitRepository, HistoryRange, NewCommit, Person};

/// GitHub does not rebase longer branches either.
const MAX_REBASED_COMMITS: usize = 100;

/// How git says that two commits have nothing in common.
const UNRELATED: &str = "unrelated histories";

/// What a change amounts to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DiffTotals {
    pub(crate) changed_files: u64,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
}

impl GitRepository {
    /// The content of a merge; absent when there are conflicts, or nothing to
    /// merge by.
    pub(crate) async fn merged_tree(
        &self,
        base: &Oid,
        head: &Oid,
    ) -> Result<Option<Oid>, GitError> {
        self.merge_trees(base, head, None).await
    }

    /// The commits of `head` that `base` has not, put on top of `base`.
    pub(crate) async fn rebased(
        &self,
        base: &Oid,
        head: &Oid,
        committer: &Person,
    ) -> Result<Option<Oid>, GitError> {
        self.rebased_onto(base, base, head, committer).await
    }

    /// The commits of `head` that `upstream` has not, put on top of `onto` one by
    /// one, with `committer` as their committer. Merges are left out, as are
    /// commits whose change is in the base already. Absent when there are
    /// conflicts.
    pub(crate) async fn rebased_onto(
        &self,
        onto: &Oid,
        upstream: &Oid,
        head: &Oid,
        committer: &Person,
    ) -> Result<Option<Oid>, GitError> {
        let Some(commits) = self.commits_to_rebase(upstream, head).await? else {
            return Ok(None);
        };
        let Some(start) = self.commit(onto).await? else {
            return Ok(None);
        };
        let (mut tip, mut tip_tree) = (onto.clone(), start.tree.clone());
        for commit in commits {
            let Some(tree) = self.replayed_tree(&commit, &tip).await? else {
                return Ok(None);
            };
            if tree == tip_tree && !self.is_empty(&commit).await? {
                continue;
            }
            let parents = [tip];
            tip = self
                .write_commit(&NewCommit {
                    tree: &tree,
                    parents: &parents,
                    author: &commit.author,
                    committer,
                    message: &commit.message,
                })
                .await?;
            tip_tree = tree;
        }
        Ok(Some(tip))
    }

    /// Whether [`rebased`](Self::rebased) would work. Stores no commit.
    pub(crate) async fn is_rebaseable(&self, base: &Oid, head: &Oid) -> Result<bool, GitError> {
        let Some(commits) = self.commits_to_rebase(base, head).await? else {
            return Ok(false);
        };
        // A single commit is merged in the same way.
        if commits.len() < 2 {
            return Ok(true);
        }
        let mut tip = base.clone();
        for commit in commits {
            match self.replayed_tree(&commit, &tip).await? {
                Some(tree) => tip = tree,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Points a ref of the forge's own to a commit, whatever it was before.
    pub(crate) async fn point(&self, name: &str, oid: &Oid) -> Result<(), GitError> {
        let call = Call::write("set a ref").args(["update-ref", name, oid.as_str()]);
        self.host().call(call).await?.success().map(drop)
    }

    /// Brings a commit of another repository here, with all that it needs.
    pub(crate) async fn import(&self, from: &Self, oid: &Oid) -> Result<(), GitError> {
        if from.path() == self.path() {
            return Ok(());
        }
        let call = Call::write("copy commits from a fork")
            .args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"])
            .arg("--")
            .arg(from.path())
            .arg(oid.as_str());
        self.host().call(call).await?.success().map(drop)
    }

    /// The content of the first of these files that a commit has.
    pub(crate) async fn first_file(
        &self,
        root: &Oid,
        paths: &[&str],
    ) -> Result<Option<Vec<u8>>, GitError> {
        let mut names = String::new();
        for path in paths {
            names.push_str(root.as_str());
            names.push(':');
            names.push_str(path);
            names.push('\n');
        }
        let call = Call::read("read a file")
            .args(["cat-file", "--batch"])
            .stdin(names.into_bytes());
        let reply = self.host().call(call).await?.success()?;
        Ok(first_blob(&reply.stdout))
    }

    pub(crate) async fn diff_totals(&self, from: &Oid, to: &Oid) -> Result<DiffTotals, GitError> {
        let call = Call::read("compare two commits")
            .args(["diff-tree", "-r", "-M", "--shortstat"])
            .args([from.as_str(), to.as_str()]);
        let reply = self.host().call(call).await?.success()?;
        Ok(parse_totals(&reply.line()))
    }

    /// The hunks of one file between two commits, without context lines.
    pub(crate) async fn bare_hunks(
        &self,
        from: &Oid,
        to: &Oid,
        path: &str,
    ) -> Result<String, GitError> {
        let call = Call::read("compare two versions of a file")
            .args([
                "diff-tree",
                "-r",
                "-p",
                "--no-color",
                "--no-ext-diff",
                "--unified=0",
            ])
            .args([from.as_str(), to.as_str(), "--"])
            .arg(format!(":(literal){path}"));
        let reply = self.host().call(call).await?.success()?;
        Ok(String::from_utf8_lossy(&reply.stdout).into_owned())
    }

    /// The pull requests whose heads this commit contains, by number.
    pub(crate) async fn contained_pulls(&self, commit: &Oid) -> Result<Vec<i64>, GitError> {
        let call = Call::read("find merged pull requests").args([
            "for-each-ref",
            "--format=%(refname)",
            &format!("--merged={commit}"),
            "refs/pull/*/head",
        ]);
        let reply = self.host().call(call).await?.success()?;
        Ok(pull_numbers(&reply.stdout))
    }

    /// The pull requests whose heads contain this commit, by number.
    pub(crate) async fn pulls_containing(&self, commit: &Oid) -> Result<Vec<i64>, GitError> {
        let call = Call::read("find pull requests").args([
            "for-each-ref",
            "--format=%(refname)",
            &format!("--contains={commit}"),
            "refs/pull/*/head",
        ]);
        let reply = self.host().call(call).await?.success()?;
        Ok(pull_numbers(&reply.stdout))
    }

    /// The first merge on the way from a commit to a branch that contains it;
    /// the commit itself where there is none.
    pub(crate) async fn merge_that_brought(
        &self,
        commit: &Oid,
        tip: &Oid,
    ) -> Result<Oid, GitError> {
        let call = Call::read("find the merge of a commit")
            .args(["rev-list", "--first-parent", "--ancestry-path", "--merges"])
            .args(["--reverse", tip.as_str()])
            .arg(format!("^{commit}"))
            .arg("--");
        let reply = self.host().call(call).await?.success()?;
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        let first = text.lines().find_map(Oid::parse);
        Ok(first.unwrap_or_else(|| commit.clone()))
    }

    /// Oldest first; absent when there are too many.
    async fn commits_to_rebase(
        &self,
        base: &Oid,
        head: &Oid,
    ) -> Result<Option<Vec<Arc<Commit>>>, GitError> {
        let range = HistoryRange {
            exclude: Some(base),
            oldest_first: true,
            ..HistoryRange::new(head)
        };
        let oids = self.history(&range).await?;
        let mut commits = self.commits(&oids).await?;
        commits.retain(|commit| commit.parents.len() == 1);
        Ok((commits.len() <= MAX_REBASED_COMMITS).then_some(commits))
    }

    /// The content after a commit's change was made on top of another one.
    async fn replayed_tree(&self, commit: &Commit, onto: &Oid) -> Result<Option<Oid>, GitError> {
        self.merge_trees(onto, &commit.oid, commit.parents.first())
            .await
    }

    async fn is_empty(&self, commit: &Commit) -> Result<bool, GitError> {
        let Some(parent) = commit.parents.first() else {
            return Ok(false);
        };
        let parent = self.commit(parent).await?;
        Ok(parent.is_some_and(|parent| parent.tree == commit.tree))
    }

    async fn merge_trees(
        &self,
        ours: &Oid,
        theirs: &Oid,
        merge_base: Option<&Oid>,
    ) -> Result<Option<Oid>, GitError> {
        let mut call = Call::write("try a merge").args([
            "merge-tree",
            "--write-tree",
            "--no-messages",
            "--name-only",
            "-z",
        ]);
        if let Some(base) = merge_base {
            call = call.arg(format!("--merge-base={base}"));
        }
        let call = call.args([ours.as_str(), theirs.as_str()]);
        let reply = self.host().call(call).await?;
        match reply.code {
            0 => {
                let text = String::from_utf8_lossy(&reply.stdout).into_owned();
                let tree = text.split(['\0', '\n']).next().and_then(Oid::parse);
                tree.map(Some).ok_or_else(|| reply.unreadable())
            }
            1 if !reply.stdout.is_empty() => Ok(None),
            _ if reply.stderr.contains(UNRELATED) => Ok(None),
            _ => Err(reply.failed()),
        }
    }
}

/// The answers of `git cat-file --batch`, up to the first that is a file.
fn first_blob(mut rest: &[u8]) -> Option<Vec<u8>> {
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = header.rsplit(' ');
        // `<name> missing` says no size.
        let Some(size) = words.next().and_then(|word| word.parse::<usize>().ok()) else {
            continue;
        };
        let content = rest.get(..size)?;
        if words.next() == Some("blob") {
            return Some(content.to_vec());
        }
        rest = rest.get(size + 1..)?;
    }
}

/// From `refs/pull/N/head`, one per line.
fn pull_numbers(answer: &[u8]) -> Vec<i64> {
    String::from_utf8_lossy(answer)
        .lines()
        .filter_map(|name| {
            let number = name.strip_prefix("refs/pull/")?.strip_suffix("/head")?;
            number.parse().ok()
        })
        .collect()
}

/// ` 3 files changed, 10 insertions(+), 2 deletions(-)`; nothing for no change.
fn parse_totals(line: &str) -> DiffTotals {
    let mut totals = DiffTotals::default();
    for part in line.split(',') {
        let mut words = part.split_whitespace();
        let (Some(Ok(count)), Some(what)) = (words.next().map(str::parse), words.next()) else {
            continue;
        };
        if what.starts_with("file") {
            totals.changed_files = count;
        } else if what.starts_with("insertion") {
            totals.additions = count;
        } else if what.starts_with("deletion") {
            totals.deletions = count;
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_is_taken() {
        let answer = b"a:b missing\nffff tree 3\nxyz\neeee blob 2\nhi\n";
        assert_eq!(first_blob(answer).as_deref(), Some(&b"hi"[..]));
        assert_eq!(first_blob(b"a:b missing\n"), None);
        assert_eq!(first_blob(b"eeee blob 99\nhi\n"), None);
    }

    #[test]
    fn totals_are_read_in_every_form() {
        let totals = |changed_files, additions, deletions| DiffTotals {
            changed_files,
            additions,
            deletions,
        };
        let cases = [
            ("", totals(0, 0, 0)),
            (" 1 file changed, 1 insertion(+)", totals(1, 1, 0)),
            (" 2 files changed, 3 deletions(-)", totals(2, 0, 3)),
            (
                " 10 files changed, 4 insertions(+), 1 deletion(-)",
                totals(10, 4, 1),
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(parse_totals(line), expected, "{line}");
        }
    }
}
