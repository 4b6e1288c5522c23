//! Virtual environments that are kept for later runs of the same repository:
//! copying one takes a tenth of the time of installing it again.
//!
//! Only what `prepare` installed is kept, before any agent worked, in a folder of
//! the state that no program of a run sees. An environment serves a later run only
//! if all files that say what is installed are the same, and if the installation
//! left nothing in the workspace that the copy would lack.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use baton_host::detect::parse;
use baton_host::folder::{self, MaxSize};
use baton_host::git::{self, Call, Git};
use serde_json::json;

use super::prepared::not_committed;
use crate::AgentStep;
use crate::step_error::StepError;

/// Without a lockfile, the newest versions are installed; these are not the newest
/// for long.
const MAX_AGE: Duration = Duration::from_hours(24);

const MAX_KEPT: usize = 3;

const MAX_SIZE: MaxSize = MaxSize {
    entries: 60_000,
    bytes: 1 << 30,
};

/// Larger files are libraries and data, which name no place of this machine.
const MAX_SEARCHED: u64 = 4 << 20;

const KEY: &str = "key.json";
const PLACES: &str = "places.json";

/// What an environment was installed from.
pub(super) struct Key(String);

impl Key {
    /// `None` where nothing is kept.
    pub(super) async fn find(
        step: &AgentStep<'_>,
        git: &Git,
        command: &str,
    ) -> Result<Option<Self>, StepError> {
        let place = step.place;
        if place.state_dir.is_none() || place.settings.in_place {
            return Ok(None);
        }
        let interpreter = place.environment.find_program("python3");
        let Some(interpreter) = interpreter.and_then(|path| path.canonicalize().ok()) else {
            return Ok(None);
        };
        let call = Call::read("find what says what is installed");
        let call = call.args(["ls-tree", "-r", "-z", "--full-tree", "HEAD"]);
        let reply = git.call(call).await?.success()?;
        let entries = String::from_utf8_lossy(&reply.stdout).into_owned();
        let is_static = has_static_metadata(git.cwd());
        let entries: Vec<&str> = entries
            .split('\0')
            .filter(|entry| !is_static || says_what_is_installed(entry))
            .collect();
        let key = json!({
            "interpreter": interpreter,
            "changed": modified(&interpreter),
            "command": command,
            "files": entries,
        });
        Ok(Some(Self(key.to_string())))
    }
}

/// Whether the package's own metadata can be read off its files for it. Otherwise
/// every file may decide about it.
fn has_static_metadata(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("pyproject.toml")).unwrap_or_default();
    let pyproject = parse::toml(&text).unwrap_or_default();
    let Some(project) = pyproject.get("project") else {
        return false;
    };
    project.get("dynamic").is_none() && !folder.join("setup.py").exists()
}

/// By a line of `git ls-tree`.
fn says_what_is_installed(entry: &str) -> bool {
    const ENDINGS: [&str; 7] = [".txt", ".toml", ".cfg", ".in", ".lock", ".ini", "Pipfile"];
    ENDINGS.iter().any(|ending| entry.ends_with(ending))
}

fn modified(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).ok()?.modified().ok()?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// Puts a kept environment in place. False where there is none, or where it does
/// not fit here.
pub(super) fn put_in_place(step: &AgentStep<'_>, key: &Key, venv: &Path, worktree: &Path) -> bool {
    let beside = venv.with_extension("new");
    for kept in kept(step) {
        let is_same = fs::read_to_string(kept.join(KEY)).is_ok_and(|text| text == key.0);
        if !is_same || is_old(&kept) {
            continue;
        }
        let copied = places(&kept).and_then(|places| {
            let places = places.iter().map(String::as_str);
            let there = [venv, worktree].map(|path| path.to_string_lossy().into_owned());
            let moves: Vec<(&str, &str)> = places.zip(there.iter().map(String::as_str)).collect();
            // Whole or not at all: a process may die while it is copied.
            git::remove_all(&beside)?;
            copy_moved(&kept.join("venv"), &beside, &moves)?;
            fs::rename(&beside, venv)
        });
        match copied {
            Ok(()) => return true,
            Err(error) => tracing::debug!(%error, "a kept environment does not serve"),
        }
        let _ = git::remove_all(&beside);
    }
    false
}

/// Keeps an environment, unless the installation left files in the workspace that
/// a later run would miss.
pub(super) async fn keep(
    step: &AgentStep<'_>,
    git: &Git,
    key: &Key,
    venv: &Path,
    before: &[PathBuf],
) -> Result<(), StepError> {
    let worktree = git.cwd().to_owned();
    let is_new = |entry: &PathBuf| {
        let name = entry.to_string_lossy();
        let is_metadata = name.ends_with(".egg-info") || name.ends_with("__pycache__");
        !is_metadata && !before.contains(entry) && worktree.join(entry) != venv
    };
    if not_committed(git).await?.iter().any(is_new) {
        return Ok(());
    }
    let Some(folder) = environments(step) else {
        return Ok(());
    };
    let run = step.call.run().as_str();
    let (new, place) = (folder.join(format!("new-{run}")), folder.join(run));
    let places = json!([venv.to_string_lossy(), worktree.to_string_lossy()]);
    let kept = || -> io::Result<()> {
        if !folder::fits(venv, MAX_SIZE)? {
            return Ok(());
        }
        git::remove_all(&new)?;
        folder::copy(venv, &new.join("venv"))?;
        fs::write(new.join(PLACES), places.to_string())?;
        fs::write(new.join(KEY), &key.0)?;
        git::remove_all(&place)?;
        fs::rename(&new, &place)
    };
    if let Err(error) = kept() {
        tracing::debug!(%error, "an environment is not kept");
        let _ = git::remove_all(&new);
    }
    remove_all_but_newest(step);
    Ok(())
}

/// Of this repository.
fn environments(step: &AgentStep<'_>) -> Option<PathBuf> {
    let place = step.place;
    let repository = place.repository.to_string().replace('/', "_");
    let state = place.state_dir.as_ref()?;
    Some(state.join("environments").join(repository))
}

/// Newest first.
fn kept(step: &AgentStep<'_>) -> Vec<PathBuf> {
    let folder = environments(step);
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let mut kept: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join(KEY).is_file())
        .collect();
    kept.sort_by_key(|path| std::cmp::Reverse(modified(&path.join(KEY))));
    kept
}

fn remove_all_but_newest(step: &AgentStep<'_>) {
    for (at, old) in kept(step).into_iter().enumerate() {
        if (at >= MAX_KEPT || is_old(&old))
            && let Err(error) = git::remove_all(&old)
        {
            tracing::debug!(%error, "an old environment stays");
        }
    }
}

fn is_old(kept: &Path) -> bool {
    let made = fs::metadata(kept.join(KEY)).and_then(|facts| facts.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > MAX_AGE))
}

/// Where the environment and the workspace were.
fn places(kept: &Path) -> io::Result<Vec<String>> {
    let text = fs::read(kept.join(PLACES))?;
    Ok(serde_json::from_slice(&text)?)
}

/// Copies a folder, with other names for places in its text files. An error where
/// a file that is no text names one.
fn copy_moved(from: &Path, to: &Path, moves: &[(&str, &str)]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, source) = (entry.file_type()?, entry.path());
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_moved(&source, &target, moves)?;
        } else if kind.is_symlink() {
            let leads_to = fs::read_link(&source)?;
            symlink(moved(&leads_to.to_string_lossy(), moves), &target)?;
        } else if kind.is_file() {
            copy_file(&source, &target, moves)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, moves: &[(&str, &str)]) -> io::Result<()> {
    let facts = fs::metadata(from)?;
    // Python corrects the places in what it has compiled when it loads it.
    let is_compiled = from.extension().is_some_and(|end| end == "pyc");
    if is_compiled || facts.len() > MAX_SEARCHED {
        return folder::copy_file(from, to);
    }
    let bytes = fs::read(from)?;
    let text = String::from_utf8_lossy(&bytes);
    if !moves.iter().any(|(old, _)| text.contains(old)) {
        return folder::copy_file(from, to);
    }
    if str::from_utf8(&bytes).is_err() {
        let names = format!("{} names a place", from.display());
        return Err(io::Error::other(names));
    }
    fs::write(to, moved(&text, moves))?;
    fs::set_permissions(to, facts.permissions())
}

fn moved(text: &str, moves: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (old, new) in moves {
        text = text.replace(old, new);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_renamed_in_text_and_never_in_programs() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("bin")).unwrap();
        fs::write(from.join("bin/pytest"), "#!/runs/1/venv/bin/python\n").unwrap();
        fs::write(from.join("shop.pth"), "/src/shop.baton/one/src\n").unwrap();
        fs::write(from.join("cached.pyc"), b"\xff/runs/1/venv").unwrap();
        symlink("/runs/1/venv/lib", from.join("lib64")).unwrap();
        let moves = [
            ("/runs/1/venv", "/runs/2/venv"),
            ("/src/shop.baton/one", "/src/shop.baton/two"),
        ];
        copy_moved(&from, &to, &moves).unwrap();
        let read = |name: &str| fs::read_to_string(to.join(name)).unwrap();
        assert_eq!(read("bin/pytest"), "#!/runs/2/venv/bin/python\n");
        assert_eq!(read("shop.pth"), "/src/shop.baton/two/src\n");
        assert_eq!(
            fs::read_link(to.join("lib64")).unwrap(),
            Path::new("/runs/2/venv/lib")
        );

        fs::write(from.join("library.so"), b"\xff/runs/1/venv").unwrap();
        fs::remove_dir_all(&to).unwrap();
        assert!(copy_moved(&from, &to, &moves).is_err());
    }

    #[test]
    fn other_files_decide_only_where_the_metadata_is_not_static() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert!(!has_static_metadata(folder.path()));
        write("pyproject.toml", "[project]\nname = \"shop\"\n");
        assert!(has_static_metadata(folder.path()));
        write("pyproject.toml", "[project]\ndynamic = [\"version\"]\n");
        assert!(!has_static_metadata(folder.path()));
        write("pyproject.toml", "[project]\nname = \"shop\"\n");
        write("setup.py", "");
        assert!(!has_static_metadata(folder.path()));
        assert!(says_what_is_installed(
            "100644 blob 1\trequirements/base.txt"
        ));
        assert!(!says_what_is_installed("100644 blob 1\tshop/__init__.py"));
    }
}
