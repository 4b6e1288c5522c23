//! The conflicts of a merge, one per file.

use std::path::{Path, PathBuf};

use baton_host::git::{ConflictedFile, MergeMessage, MergeMessageKind, MergeTree, Oid};
use baton_protocol::tools::detect_merge_conflicts::ConflictType;

/// One thing that git cannot decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// Where it is in the merged tree.
    pub(super) path: PathBuf,
    /// All names that the file has or had.
    pub(super) paths: Vec<PathBuf>,
    pub(super) kind: ConflictType,
    /// As in `CONFLICT (modify/delete)`.
    pub(super) git_name: String,
    /// The merged tree, whose file has markers in it.
    pub(super) tree: Oid,
    /// The versions of the common ancestor, the target and the head.
    pub(super) versions: [Option<Oid>; 3],
}

impl Conflict {
    /// Its name without what git puts behind it where a folder of that name is
    /// in the way: the id of the side that it comes from, or in a real merge
    /// the name of its branch.
    pub(super) fn shown_path(&self) -> String {
        let path = self.path.display().to_string();
        match path.rsplit_once('~') {
            Some((name, id)) if Oid::parse(id).is_some() => name.to_owned(),
            _ => path,
        }
    }

    /// Only where the kind alone says what has to be decided.
    pub(super) fn suggestion(&self) -> Option<&'static str> {
        match self.git_name.as_str() {
            "modify/delete" | "rename/delete" => Some(
                "One side deleted the file and the other changed it: keep it with `git add`, or let it go with `git rm`.",
            ),
            "rename/rename" => {
                Some("Both sides renamed the file: keep one name and remove the other.")
            }
            "rename involved in collision" => Some(
                "Two files ended up with this name: give one of them another name, or put both into one.",
            ),
            "directory rename suggested" => Some(
                "The folder was renamed on one side: move the file along, or keep it where it was made.",
            ),
            "distinct modes" | "file/directory" => {
                Some("The two sides made different kinds of files of this name: rename one.")
            }
            "add/add" => {
                Some("Both sides added a file of this name: put both into one, or rename one.")
            }
            "binary" => Some(
                "Binary files cannot be merged: take one side with `git checkout --ours` or `--theirs`.",
            ),
            "submodule" => Some("Check out the wanted commit in the submodule, then `git add` it."),
            _ => None,
        }
    }
}

/// The conflicts of a merge, one per file, by path.
pub(super) fn from_merge(merge: &MergeTree) -> Vec<Conflict> {
    let mut found: Vec<Conflict> = Vec::new();
    let telling = merge
        .messages
        .iter()
        .filter(|message| message.kind.is_conflict());
    for message in telling {
        let Some(path) = place(message, &merge.conflicts) else {
            continue;
        };
        let versions = versions(&path, &message.paths, &merge.conflicts);
        let (kind, git_name) = (kind(&message.kind), git_name(message, &versions));
        match found.iter_mut().find(|known| known.path == path) {
            Some(known) => {
                // That contents differ is the least that can be said.
                if matches!(known.git_name.as_str(), "contents" | "add/add") {
                    (known.kind, known.git_name) = (kind, git_name);
                }
                known.paths.extend(message.paths.clone());
            }
            None => found.push(Conflict {
                versions,
                paths: message.paths.clone(),
                tree: merge.tree.clone(),
                path,
                kind,
                git_name,
            }),
        }
    }
    for conflict in &mut found {
        conflict.paths.sort();
        conflict.paths.dedup();
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The first of a message's names that is in conflict.
fn place(message: &MergeMessage, files: &[ConflictedFile]) -> Option<PathBuf> {
    let in_conflict = |path: &&PathBuf| files.iter().any(|file| file.path == **path);
    let place = message.paths.iter().find(in_conflict);
    place.or_else(|| message.paths.first()).cloned()
}

/// The versions under the conflict's own name, and else under the other names
/// that the file has: a rename leaves each side with its own.
fn versions(path: &Path, paths: &[PathBuf], files: &[ConflictedFile]) -> [Option<Oid>; 3] {
    [1, 2, 3].map(|stage| {
        let version = |name: &Path| {
            let file = files
                .iter()
                .find(|file| file.path == *name && file.stage == stage)?;
            Some(file.object.clone())
        };
        version(path).or_else(|| paths.iter().find_map(|name| version(name)))
    })
}

/// The kind in the contract's words.
fn kind(kind: &MergeMessageKind) -> ConflictType {
    match kind {
        MergeMessageKind::FileDirectory | MergeMessageKind::DistinctModes => ConflictType::Mode,
        MergeMessageKind::ModifyDelete | MergeMessageKind::RenameDelete => ConflictType::Delete,
        MergeMessageKind::RenameRename
        | MergeMessageKind::RenameCollides
        | MergeMessageKind::DirectoryRename => ConflictType::Rename,
        MergeMessageKind::Contents
        | MergeMessageKind::Binary
        | MergeMessageKind::Submodule
        | MergeMessageKind::Other(_)
        | MergeMessageKind::AutoMerging => ConflictType::Content,
    }
}

/// The kind in git's own words: `modify/delete` of `CONFLICT (modify/delete)`.
fn git_name(message: &MergeMessage, versions: &[Option<Oid>; 3]) -> String {
    // git's word for people; for programs it is one of contents.
    if let (MergeMessageKind::Contents, [None, Some(_), Some(_)]) = (&message.kind, versions) {
        return "add/add".to_owned();
    }
    let words = message
        .words
        .strip_prefix("CONFLICT")
        .unwrap_or(&message.words);
    let words = words.trim();
    let inner = words
        .strip_prefix('(')
        .and_then(|words| words.strip_suffix(')'));
    inner.unwrap_or(words).to_owned()
}

/// `Fix the parser (#12)` or `Merge pull request #12 from octo/fix`.
pub(super) fn pull_request_in(subject: &str) -> Option<u32> {
    let squashed = || {
        let (_, rest) = subject.trim_end().strip_suffix(')')?.rsplit_once("(#")?;
        rest.parse().ok()
    };
    let merged = || {
        let rest = subject.strip_prefix("Merge pull request #")?;
        rest.split(' ').next()?.parse().ok()
    };
    squashed().or_else(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_name_their_pull_request() {
        assert_eq!(pull_request_in("Fix (a) parser (#12)"), Some(12));
        assert_eq!(
            pull_request_in("Merge pull request #7 from octo/x"),
            Some(7)
        );
        assert_eq!(pull_request_in("Fix #12"), None);
    }

    #[test]
    fn a_file_is_listed_once_with_what_says_most() {
        let id = Oid::parse(&"a1".repeat(20)).unwrap();
        let file = |stage, path: &str| ConflictedFile {
            mode: "100644".to_owned(),
            object: id.clone(),
            stage,
            path: path.into(),
        };
        let words = |kind: &MergeMessageKind| match kind {
            MergeMessageKind::RenameDelete => "rename/delete",
            MergeMessageKind::ModifyDelete => "modify/delete",
            _ => "contents",
        };
        let message = |kind, paths: &[&str]| MergeMessage {
            paths: paths.iter().map(PathBuf::from).collect(),
            words: format!("CONFLICT ({})", words(&kind)),
            kind,
            text: String::new(),
        };
        let merge = MergeTree {
            clean: false,
            tree: id.clone(),
            conflicts: vec![file(2, "b"), file(3, "b"), file(1, "a")],
            messages: vec![
                message(MergeMessageKind::AutoMerging, &["c"]),
                message(MergeMessageKind::Contents, &["b"]),
                message(MergeMessageKind::RenameDelete, &["b", "old"]),
                message(MergeMessageKind::ModifyDelete, &["a"]),
            ],
        };
        let found = from_merge(&merge);
        let names: Vec<_> = found
            .iter()
            .map(|c| (c.path.to_str().unwrap(), c.git_name.as_str(), c.paths.len()))
            .collect();
        assert_eq!(
            names,
            [("a", "modify/delete", 1), ("b", "rename/delete", 2)]
        );
        assert!(found[1].versions[0].is_none() && found[1].versions[2].is_some());
    }
}
