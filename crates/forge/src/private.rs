//! Folders and files that only the forge's own user can open.
//!
//! The data folder is closed to everybody else, and with it all that lies
//! below, whatever git, SQLite or a check command give their files.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes the folder, or closes the one that is there. `mark` is a file by which
/// a folder of the forge is known: one with other things in it is left alone,
/// since others may need them.
pub(crate) fn folder(path: &Path, mark: &str) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)?;
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if mode & !FOLDER_MODE == 0 {
        return Ok(());
    }
    if !path.join(mark).exists() && fs::read_dir(path)?.next().is_some() {
        return Err(io::Error::other(format!(
            "others can open it (mode {mode:03o}), and it holds things that are not the forge's"
        )));
    }
    fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE))
}

/// Opens a file to write, which is made or closed to others.
pub(crate) fn file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 != FILE_MODE {
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    }
    Ok(file)
}
