//! Secret keys that outlive a call, each in a file of its own that only the user
//! can read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

const BYTES: usize = 32;

pub type SecretKey = [u8; BYTES];

/// Nothing where there is no such file, or one that is not whole.
pub fn read(path: &Path) -> io::Result<Option<SecretKey>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes.try_into().ok())
}

/// Makes the key where there is none. A file that is not whole is replaced.
pub fn read_or_create(path: &Path) -> io::Result<SecretKey> {
    if let Some(key) = read(path)? {
        return Ok(key);
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Two processes may both find none. The file appears whole under its name,
    // and the one that comes second takes the one that is there.
    let mut new = tempfile::Builder::new()
        .prefix("key")
        .make_in(folder, |path| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
        })?;
    new.write_all(&random())?;
    new.as_file().sync_all()?;
    match new.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error),
    }
    read(path)?.ok_or_else(|| io::Error::other("the file with the key is not whole"))
}

/// A key that is not kept.
pub fn random() -> SecretKey {
    let mut key = [0; BYTES];
    getrandom::fill(&mut key).expect("the system has random numbers");
    key
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_made_once_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        let path = state.join("own.key");
        assert_eq!(read(&path).unwrap(), None);
        let first = read_or_create(&path).unwrap();
        assert_eq!(read_or_create(&path).unwrap(), first);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&path)), (0o700, 0o600));
        fs::write(&path, "cut off").unwrap();
        assert_eq!(read(&path).unwrap(), None);
        let second = read_or_create(&path).unwrap();
        assert_ne!(second, first);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
    }
}
