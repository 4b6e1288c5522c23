//! Files such as `.env` that a project needs and no commit has. They are taken
//! over from the checkout with care: they hold secrets.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use baton_host::git::{Call, Git};

use crate::step_error::StepError;

/// A project has a handful.
const MAX_FILES: usize = 50;
/// Settings are small.
const MAX_BYTES: u64 = 256 * 1024;
/// Where other people's files lie.
const FOREIGN: &[&str] = &["node_modules", "vendor", ".venv", "venv", "target", "dist"];

/// Copies what is ignored in both places, and says what was copied. A file that
/// is there already stays as it is.
pub(super) async fn copy(checkout: &Git, workspace: &Git) -> Result<Vec<PathBuf>, StepError> {
    let mut copied = Vec::new();
    for file in ignored(checkout).await? {
        if !is_ignored(workspace, &file).await? {
            continue;
        }
        let (from, to) = (checkout.cwd().to_owned(), workspace.cwd().to_owned());
        let doing = format!("copy {}", file.display());
        let name = file.clone();
        let done = tokio::task::spawn_blocking(move || copy_one(&from, &to, &name)).await;
        let done = done.unwrap_or_else(|stopped| Err(io::Error::other(stopped)));
        if done.map_err(|error| StepError::file(doing, &error))? {
            copied.push(file);
        }
    }
    Ok(copied)
}

/// `.env` and its like in the checkout that git ignores.
async fn ignored(git: &Git) -> Result<Vec<PathBuf>, StepError> {
    let call = Call::read("find files with settings")
        .args([
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            "-z",
            "--",
        ])
        .args([":(glob).env*", ":(glob)**/.env*"]);
    let reply = git.call(call).await?.success()?;
    let names = reply.stdout.split(|&byte| byte == 0);
    let names = names.filter(|name| !name.is_empty());
    let mut files: Vec<PathBuf> = names
        .map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name)))
        .filter(|file| {
            !file
                .iter()
                .any(|part| FOREIGN.iter().any(|foreign| part == *foreign))
        })
        .collect();
    files.sort_by_key(|file| file.components().count());
    files.truncate(MAX_FILES);
    Ok(files)
}

/// What is not ignored there would be committed.
pub(super) async fn is_ignored(git: &Git, file: &Path) -> Result<bool, StepError> {
    let call = Call::read("see what is ignored")
        .args(["check-ignore", "--quiet", "--"])
        .arg(file);
    Ok(git.call(call).await?.yes_or_no()?)
}

/// `false` where there is nothing to copy, or something is there.
fn copy_one(from: &Path, to: &Path, file: &Path) -> io::Result<bool> {
    let source = from.join(file);
    let facts = fs::symlink_metadata(&source)?;
    if !facts.is_file() || facts.len() > MAX_BYTES {
        return Ok(false);
    }
    let target = to.join(file);
    let Some(folder) = target.parent() else {
        return Ok(false);
    };
    // A folder of the branch may be a link that leads elsewhere.
    let is_inside = folder
        .canonicalize()
        .is_ok_and(|real| to.canonicalize().is_ok_and(|root| real.starts_with(root)));
    if !is_inside {
        return Ok(false);
    }
    let mode = facts.permissions().mode() & 0o777;
    let created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&target);
    let mut created = match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        created => created?,
    };
    let mut text = Vec::new();
    File::open(&source)?.take(MAX_BYTES).read_to_end(&mut text)?;
    created.write_all(&text)?;
    // The mask of the process may have taken bits away.
    created.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(true)
}
