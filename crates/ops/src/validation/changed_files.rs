//! The changed files: which can be looked at, and why the others cannot.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Component, Path, PathBuf};

use baton_protocol::phase::validation_details::{LeftOutFile, LeftOutReason};

/// No source file written by hand is larger.
const MAX_BYTES: u64 = 2_000_000;

/// More than the largest repositories have.
const MAX_FILES: usize = 1_000_000;

/// The files of a change, sorted out. Nothing outside the folder is read, and
/// no link is followed.
#[derive(Clone, Debug, Default)]
pub struct ChangedFiles {
    /// Relative to the folder, in the order given, each once.
    pub(super) present: Vec<PresentFile>,
    /// Were there before; a review looks at what they held.
    pub(super) deleted: Vec<String>,
    pub(super) left_out: Vec<LeftOutFile>,
    /// How many were named at all.
    named: usize,
}

#[derive(Clone, Debug)]
pub(super) struct PresentFile {
    pub(super) path: String,
    /// Tools get it in any case; only a review needs to read it.
    pub(super) is_reviewable: bool,
}

impl ChangedFiles {
    /// `names` are relative to `folder`, as anybody may have written them.
    pub fn sort_out(folder: &Path, names: &[String]) -> Self {
        let mut files = Self {
            named: names.len(),
            ..Self::default()
        };
        let mut known = HashSet::new();
        for name in names {
            let Some(path) = within(folder, name) else {
                files.leave_out(name, LeftOutReason::Outside);
                continue;
            };
            if known.insert(path.clone()) {
                files.add(folder, path);
            }
        }
        files
    }

    /// Nothing was said to have changed.
    pub(super) fn is_empty(&self) -> bool {
        self.named == 0
    }

    /// What a tool may be given, and may rewrite.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.present.iter().map(|file| file.path.as_str())
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.paths().any(|own| own == path) || self.deleted.iter().any(|own| own == path)
    }

    /// Files that fail the phase: the caller asked for what is not theirs.
    pub(super) fn outside(&self) -> impl Iterator<Item = &LeftOutFile> {
        self.left_out
            .iter()
            .filter(|file| file.reason == LeftOutReason::Outside)
    }

    fn add(&mut self, folder: &Path, path: String) {
        match look(&folder.join(&path), folder) {
            Ok(Look::Text) => self.present.push(PresentFile {
                path,
                is_reviewable: true,
            }),
            // A tool may know what to do with it, a review does not.
            Ok(Look::Unreviewable(reason)) => {
                self.leave_out(&path, reason);
                self.present.push(PresentFile {
                    path,
                    is_reviewable: false,
                });
            }
            Ok(Look::NoFile(reason)) => self.leave_out(&path, reason),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.leave_out(&path, LeftOutReason::Deleted);
                self.deleted.push(path);
            }
            Err(_) => self.leave_out(&path, LeftOutReason::Unreadable),
        }
    }

    fn leave_out(&mut self, path: &str, reason: LeftOutReason) {
        self.left_out.push(LeftOutFile {
            path: path.to_owned(),
            reason,
            message: message(path, reason),
        });
    }
}

/// What is below a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FilesBelow {
    /// Relative to the project's folder, in order.
    pub files: Vec<String>,
    /// How many symbolic links were passed over.
    pub links: usize,
}

/// All files below a place in the folder, links not followed, and without what
/// package managers and build tools put there. `None` when the place is no
/// folder of its own: a file, a link, or somewhere else.
pub fn files_below(folder: &Path, place: &Path) -> Option<FilesBelow> {
    let place = within(folder, place.to_str()?).map_or_else(
        || is_same(folder, place).then(|| folder.to_path_buf()),
        |inner| Some(folder.join(inner)),
    )?;
    let is_folder = fs::symlink_metadata(&place).is_ok_and(|facts| facts.is_dir());
    if !is_folder || leads_through_a_link(&place, folder) {
        return None;
    }
    let mut below = FilesBelow::default();
    let mut open = vec![place];
    while let Some(path) = open.pop() {
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        if facts.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(
                entries
                    .filter(|entry| !is_made_by_tools(&entry.file_name()))
                    .map(|entry| entry.path()),
            );
        } else if facts.is_symlink() {
            below.links += 1;
        } else if facts.is_file()
            && let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str)
        {
            below.files.push(name.to_owned());
        }
        if below.files.len() >= MAX_FILES {
            break;
        }
    }
    below.files.sort();
    Some(below)
}

/// `.` and its like.
fn is_same(folder: &Path, place: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(place).is_some_and(|place| Some(place) == real(folder))
}

/// What tools and package managers put there, and no one writes.
pub(super) fn is_made_by_tools(name: &OsStr) -> bool {
    const HEAVY: [&str; 14] = [
        ".git",
        "node_modules",
        "target",
        ".venv",
        "venv",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".gradle",
        ".bundle",
        "vendor",
        "build",
        "dist",
    ];
    HEAVY.iter().any(|heavy| name == *heavy)
}

enum Look {
    Text,
    Unreviewable(LeftOutReason),
    NoFile(LeftOutReason),
}

/// A clean relative path, if the name is one below the folder.
fn within(folder: &Path, name: &str) -> Option<String> {
    if name.contains('\0') {
        return None;
    }
    let path = Path::new(name);
    let relative = if path.is_absolute() {
        path.strip_prefix(folder).ok()?
    } else {
        path
    };
    let mut clean = PathBuf::new();
    for component in relative.components() {
        match component {
            Component::Normal(part) => clean.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !clean.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let clean = clean.to_str()?;
    (!clean.is_empty()).then(|| clean.to_owned())
}

fn look(path: &Path, folder: &Path) -> io::Result<Look> {
    let facts = fs::symlink_metadata(path)?;
    let kind = facts.file_type();
    if kind.is_symlink() || leads_through_a_link(path, folder) {
        return Ok(Look::NoFile(LeftOutReason::SymbolicLink));
    }
    if kind.is_dir() {
        let is_submodule = path.join(".git").exists();
        return Ok(Look::NoFile(if is_submodule {
            LeftOutReason::Submodule
        } else {
            LeftOutReason::Folder
        }));
    }
    if !kind.is_file() || kind.is_fifo() || kind.is_socket() {
        return Ok(Look::NoFile(LeftOutReason::Special));
    }
    if facts.len() > MAX_BYTES {
        return Ok(Look::Unreviewable(LeftOutReason::TooLarge));
    }
    let bytes = read(path)?;
    if bytes.contains(&0) {
        return Ok(Look::Unreviewable(LeftOutReason::Binary));
    }
    if std::str::from_utf8(&bytes).is_err() {
        return Ok(Look::Unreviewable(LeftOutReason::NotUtf8));
    }
    Ok(Look::Text)
}

/// A folder on the way may be a link to somewhere else.
fn leads_through_a_link(path: &Path, folder: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .take_while(|ancestor| *ancestor != folder)
        .any(Path::is_symlink)
}

/// At most as much as a source file has; it may have grown since it was
/// looked at.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn message(path: &str, reason: LeftOutReason) -> String {
    match reason {
        LeftOutReason::Outside => {
            format!("{path} is outside the working directory and was not read; name files below it")
        }
        LeftOutReason::Deleted => format!("{path} is not there (deleted?), so no tool is given it"),
        LeftOutReason::Folder => format!("{path} is a folder; name the files in it"),
        LeftOutReason::Submodule => {
            format!("{path} is a submodule; validate it in its own working directory")
        }
        LeftOutReason::SymbolicLink => {
            format!("{path} is or lies behind a symbolic link, which is not followed")
        }
        LeftOutReason::Special => format!("{path} is no regular file"),
        LeftOutReason::Binary => format!("{path} is binary and was not reviewed"),
        LeftOutReason::NotUtf8 => format!("{path} is not UTF-8 and was not reviewed"),
        LeftOutReason::TooLarge => {
            format!("{path} is larger than 2 MB and was not reviewed")
        }
        LeftOutReason::Minified => format!("{path} is minified and was not reviewed"),
        LeftOutReason::Unreadable => format!("{path} cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clean_paths_below_the_folder_are_taken() {
        let folder = Path::new("/checkout/project");
        let clean = |name: &str| within(folder, name);
        assert_eq!(clean("src/a.py").as_deref(), Some("src/a.py"));
        assert_eq!(clean("./src//a.py").as_deref(), Some("src/a.py"));
        assert_eq!(clean("src/../a.py").as_deref(), Some("a.py"));
        assert_eq!(clean("/checkout/project/a.py").as_deref(), Some("a.py"));
        assert_eq!(clean("../project/a.py"), None);
        assert_eq!(clean("src/../../etc/passwd"), None);
        assert_eq!(clean("/etc/passwd"), None);
        assert_eq!(clean("/checkout/project-two/a.py"), None);
        assert_eq!(clean("."), None);
        assert_eq!(clean("a\0b"), None);
    }

    #[test]
    fn each_odd_file_has_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("a.py"), "x = 1\n").unwrap();
        fs::write(root.join("logo.png"), b"\x89PNG\0\0").unwrap();
        fs::write(root.join("latin.py"), b"# caf\xe9\n").unwrap();
        fs::write(root.join("bundle.js"), vec![b'x'; 5 << 20]).unwrap();
        fs::create_dir_all(root.join("lib/.git")).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("link.py")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
        let names = [
            "a.py",
            "./a.py",
            "logo.png",
            "latin.py",
            "bundle.js",
            "lib",
            "src",
            "link.py",
            "etc/passwd",
            "gone.py",
            "../x.py",
        ];
        let names = names.map(str::to_owned);
        let files = ChangedFiles::sort_out(root, &names);
        let told: Vec<&str> = files.left_out.iter().map(|f| f.message.as_str()).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        logo.png is binary and was not reviewed
        latin.py is not UTF-8 and was not reviewed
        bundle.js is larger than 2 MB and was not reviewed
        lib is a submodule; validate it in its own working directory
        src is a folder; name the files in it
        link.py is or lies behind a symbolic link, which is not followed
        etc/passwd is or lies behind a symbolic link, which is not followed
        gone.py is not there (deleted?), so no tool is given it
        ../x.py is outside the working directory and was not read; name files below it
        ");
        let given: Vec<&str> = files.paths().collect();
        assert_eq!(given, ["a.py", "logo.png", "latin.py", "bundle.js"]);
        assert_eq!(files.deleted, ["gone.py"]);
    }
}
