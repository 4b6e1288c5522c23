//! The secret behind page cursors. It outlives a call, so that the next page
//! can be asked for by another process.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use baton_protocol::cursor::CursorKey;

const FILE_NAME: &str = "cursor.key";
const BYTES: usize = 32;

/// The key of this state folder, made when there is none. Without a place to
/// keep it, cursors hold as long as the process.
pub(super) fn kept_in(folder: Option<&Path>) -> CursorKey {
    let kept = folder.map(read_or_make);
    let secret = match kept {
        Some(Ok(secret)) => secret,
        Some(Err(error)) => {
            tracing::debug!(%error, "the key of cursors cannot be kept");
            random()
        }
        None => random(),
    };
    CursorKey::new(secret)
}

fn read_or_make(folder: &Path) -> io::Result<[u8; BYTES]> {
    let path = folder.join(FILE_NAME);
    if let Some(secret) = read(&path)? {
        return Ok(secret);
    }
    fs::create_dir_all(folder)?;
    // Two processes may both find none. The file appears whole under its name,
    // and whoever comes second takes the one that is there.
    let mut new = tempfile::Builder::new()
        .prefix(FILE_NAME)
        .make_in(folder, |path| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
        })?;
    new.write_all(&random())?;
    new.as_file().sync_all()?;
    match new.persist_noclobber(&path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error),
    }
    read(&path)?.ok_or_else(|| io::Error::other("the file with the key is not whole"))
}

/// Nothing when there is no key. A damaged file is one too: it is removed.
fn read(path: &Path) -> io::Result<Option<[u8; BYTES]>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if let Ok(secret) = bytes.try_into() {
        Ok(Some(secret))
    } else {
        fs::remove_file(path)?;
        Ok(None)
    }
}

fn random() -> [u8; BYTES] {
    let mut secret = [0; BYTES];
    getrandom::fill(&mut secret).expect("the system has random numbers");
    secret
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_made_once_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        let first = read_or_make(&state).unwrap();
        assert_eq!(read_or_make(&state).unwrap(), first);
        let path = state.join(FILE_NAME);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(&path, "cut off").unwrap();
        let second = read_or_make(&state).unwrap();
        assert_ne!(second, first);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
    }
}
