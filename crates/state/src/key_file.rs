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
    // Several processes may find none. One makes it, and the others read it.
    let lock = fs::File::open(folder)?;
    lock.lock()?;
    if let Some(key) = read(path)? {
        return Ok(key);
    }
    let mut new = tempfile::Builder::new()
        .prefix("key")
        .make_in(folder, |path| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
        })?;
    let key = random();
    new.write_all(&key)?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(|error| error.error)?;
    Ok(key)
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

    #[test]
    fn all_who_ask_at_once_get_the_same_key() {
        for content in [None, Some("cut off")] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("own.key");
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
            let keys: Vec<SecretKey> = std::thread::scope(|scope| {
                let ask = || read_or_create(&path).unwrap();
                let asking: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
                asking.into_iter().map(|one| one.join().unwrap()).collect()
            });
            let kept = read(&path).unwrap().unwrap();
            assert!(keys.iter().all(|key| *key == kept));
        }
    }
}
