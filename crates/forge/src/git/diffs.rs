//! Diffs between commits.

use std::collections::HashMap;

use baton_host::git::{Call, GitError, Oid};

use super::GitRepository;

/// Above this, GitHub leaves the patch of a file out.
const MAX_PATCH_LEN: usize = 1024 * 1024;

/// What a change does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileDiff {
    pub(crate) path: String,
    /// Of a renamed or copied file.
    pub(crate) previous_path: Option<String>,
    pub(crate) status: FileStatus,
    /// The content afterwards; of a removed file, the one before.
    pub(crate) oid: Oid,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    /// The hunks; absent for binary and very large files.
    pub(crate) patch: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileStatus {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
    /// Another kind of file, such as a link.
    Changed,
}

impl FileStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::Changed => "changed",
        }
    }
}

impl GitRepository {
    /// What changes from one commit or tree to another, by path.
    pub(crate) async fn diff(&self, from: &Oid, to: &Oid) -> Result<Vec<FileDiff>, GitError> {
        let call = Call::read("compare two commits")
            .args([
                "diff-tree",
                "-r",
                "-z",
                "-M",
                "--full-index",
                "--raw",
                "--numstat",
            ])
            .args([from.as_str(), to.as_str()]);
        let facts = self.call(call).await?.success()?;
        let mut files = parse_facts(&facts.stdout);
        let mut patches = split_patches(&self.diff_text(from, to).await?);
        for file in &mut files {
            file.patch = patches.remove(&file.path);
        }
        Ok(files)
    }

    /// The same as text, as `git diff` prints it.
    pub(crate) async fn diff_text(&self, from: &Oid, to: &Oid) -> Result<Vec<u8>, GitError> {
        let call = Call::read("compare two commits")
            .args(["-c", "core.quotePath=false"])
            .args(["diff-tree", "-r", "-M", "--no-color", "--no-ext-diff", "-p"])
            .args([from.as_str(), to.as_str()]);
        Ok(self.call(call).await?.success()?.stdout)
    }

    /// The commits of `head` that `base` has not, each as an e-mail.
    pub(crate) async fn mail_patches(&self, base: &Oid, head: &Oid) -> Result<Vec<u8>, GitError> {
        let call = Call::read("write patches")
            .args([
                "format-patch",
                "--stdout",
                "--no-color",
                "--no-ext-diff",
                "-M",
            ])
            .arg(format!("{base}..{head}"));
        Ok(self.call(call).await?.success()?.stdout)
    }

    /// One commit as an e-mail.
    pub(crate) async fn mail_patch(&self, commit: &Oid) -> Result<Vec<u8>, GitError> {
        let call = Call::read("write a patch")
            .args([
                "format-patch",
                "--stdout",
                "--no-color",
                "--no-ext-diff",
                "-M",
                "-1",
            ])
            .arg(commit.as_str());
        Ok(self.call(call).await?.success()?.stdout)
    }
}

/// The raw records, then the counts, all with NUL between the fields.
fn parse_facts(answer: &[u8]) -> Vec<FileDiff> {
    let text = String::from_utf8_lossy(answer);
    let mut fields = text.split('\0').peekable();
    let mut files = Vec::new();
    while let Some(record) = fields.next_if(|field| field.starts_with(':')) {
        files.extend(parse_raw(record, &mut fields));
    }
    let mut counts = HashMap::new();
    while let Some(record) = fields.next() {
        let mut parts = record.splitn(3, '\t');
        let (Some(added), Some(deleted), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let path = if path.is_empty() {
            // A rename: the old name and the new one follow.
            fields.next();
            fields.next().unwrap_or_default()
        } else {
            path
        };
        // Of a binary file: "-".
        let number = |text: &str| text.parse().unwrap_or(0);
        counts.insert(path.to_owned(), (number(added), number(deleted)));
    }
    for file in &mut files {
        if let Some((additions, deletions)) = counts.get(&file.path) {
            (file.additions, file.deletions) = (*additions, *deletions);
        }
    }
    files
}

/// `:100644 100644 <old> <new> M`, and the name or names.
fn parse_raw<'a>(record: &str, names: &mut impl Iterator<Item = &'a str>) -> Option<FileDiff> {
    let words: Vec<_> = record.split(' ').collect();
    let [_, _, old, new, status] = words.as_slice() else {
        return None;
    };
    let first = names.next()?.to_owned();
    let status = match status.chars().next()? {
        'A' => FileStatus::Added,
        'D' => FileStatus::Removed,
        'R' => FileStatus::Renamed,
        'C' => FileStatus::Copied,
        'T' => FileStatus::Changed,
        _ => FileStatus::Modified,
    };
    let (path, previous_path) = match status {
        FileStatus::Renamed | FileStatus::Copied => (names.next()?.to_owned(), Some(first)),
        _ => (first, None),
    };
    let oid = if status == FileStatus::Removed {
        old
    } else {
        new
    };
    Some(FileDiff {
        path,
        previous_path,
        status,
        oid: Oid::parse(oid)?,
        additions: 0,
        deletions: 0,
        patch: None,
    })
}

/// The hunks of each file, by its new name.
fn split_patches(diff: &[u8]) -> HashMap<String, String> {
    let text = String::from_utf8_lossy(diff);
    let mut patches = HashMap::new();
    for section in text.split("\ndiff --git ") {
        let Some(start) = section.find("\n@@ ") else {
            continue;
        };
        let (header, hunks) = section.split_at(start + 1);
        if let Some(path) = patched_path(header)
            && hunks.len() <= MAX_PATCH_LEN
        {
            let hunks = hunks.strip_suffix('\n').unwrap_or(hunks);
            patches.insert(path, hunks.to_owned());
        }
    }
    patches
}

/// From `+++ b/path`, or `--- a/path` for a removed file.
fn patched_path(header: &str) -> Option<String> {
    let find = |prefix: &str| {
        header
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(prefix))
    };
    let quoted = match find("+++ ")? {
        "/dev/null" => find("--- ")?,
        path => path,
    };
    let path = unquote(quoted.trim_end_matches('\t'));
    path.get(2..).map(str::to_owned)
}

/// git quotes names with control characters, quotes or backslashes in them.
fn unquote(text: &str) -> String {
    let Some(inner) = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                let octal = [Some(digit), rest.next(), rest.next()]
                    .into_iter()
                    .flatten()
                    .fold(0u8, |value, digit| {
                        value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                    });
                bytes.push(octal);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_odd_characters_are_unquoted() {
        assert_eq!(unquote("plain"), "plain");
        assert_eq!(unquote(r#""b/a\tb\"\303\251""#), "b/a\tb\"é");
    }

    #[test]
    fn a_line_that_looks_like_a_header_stays_in_its_hunk() {
        let diff = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+diff --git a/y b/y\n";
        let patches = split_patches(diff.as_bytes());
        assert_eq!(patches["x"], "@@ -1 +1,2 @@\n a\n+diff --git a/y b/y");
    }
}
