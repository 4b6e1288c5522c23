//! Finds the file of a program before it is started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{CmdError, Environment};

/// Finds the file that `program` names, so that "not found", "not permitted"
/// and "no such folder" are distinguished before anything is started.
///
/// A name with a slash is taken relative to `cwd`. Any other name is searched
/// in the child's `PATH`, not in ours. Relative and empty entries of `PATH`
/// are passed over: they would let a repository bring its own `git`.
pub(super) fn find_program(
    program: &OsStr,
    cwd: &Path,
    environment: &Environment,
) -> Result<PathBuf, CmdError> {
    if program.as_bytes().contains(&b'/') {
        return check(program, cwd.join(program));
    }
    let Some(path) = environment.get("PATH") else {
        return Err(not_found(program, "PATH is not set".to_owned()));
    };
    let mut refused = None;
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        match check(program, folder.join(program)) {
            Ok(file) => return Ok(file),
            Err(CmdError::NotFound { .. }) => {}
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let searched = path.to_string_lossy();
        not_found(
            program,
            format!("install it or add its folder to PATH (searched {searched})"),
        )
    }))
}

pub(super) fn not_found(program: &OsStr, hint: String) -> CmdError {
    CmdError::NotFound {
        program: program.to_string_lossy().into_owned(),
        hint,
    }
}

fn check(program: &OsStr, file: PathBuf) -> Result<PathBuf, CmdError> {
    match file.metadata() {
        Ok(found) if found.is_file() && found.permissions().mode() & 0o111 != 0 => Ok(file),
        Ok(_) => Err(CmdError::NotPermitted {
            program: program.to_string_lossy().into_owned(),
            path: file,
        }),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(CmdError::NotPermitted {
                program: program.to_string_lossy().into_owned(),
                path: file,
            })
        }
        Err(_) => Err(not_found(
            program,
            format!("{} does not exist", file.display()),
        )),
    }
}
