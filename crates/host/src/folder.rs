//! Folders that other programs have filled: measured and copied without following
//! links.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// How much a folder may hold.
#[derive(Clone, Copy, Debug)]
pub struct MaxSize {
    pub entries: usize,
    pub bytes: u64,
}

/// Whether a folder holds at most that much. Stops looking as soon as it does not.
pub fn fits(folder: &Path, max: MaxSize) -> io::Result<bool> {
    let mut left = max;
    fits_in(folder, &mut left)
}

fn fits_in(folder: &Path, left: &mut MaxSize) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        let size = if facts.is_file() { facts.len() } else { 0 };
        let (Some(entries), Some(bytes)) =
            (left.entries.checked_sub(1), left.bytes.checked_sub(size))
        else {
            return Ok(false);
        };
        *left = MaxSize { entries, bytes };
        if facts.is_dir() && !fits_in(&entry.path(), left)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Copies a folder with its files, rights, times and links. Sockets and devices
/// are left out. No other program may be changing it meanwhile.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, source) = (entry.file_type()?, entry.path());
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            copy_file(&source, &target)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Copies a file with the time of its last change: what was compiled of it may be
/// valid for that time only.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let facts = fs::metadata(from)?;
    let mut copy = File::create(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.set_permissions(facts.permissions())?;
    copy.set_modified(facts.modified()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_files_and_links_and_does_not_follow_them() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("inner/file"), "content").unwrap();
        symlink("/etc", from.join("outside")).unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(
            fs::read_to_string(to.join("inner/file")).unwrap(),
            "content"
        );
        assert_eq!(
            fs::read_link(to.join("outside")).unwrap(),
            Path::new("/etc")
        );
    }

    #[test]
    fn sizes_are_those_of_files_not_of_what_links_lead_to() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), [0; 100]).unwrap();
        symlink("/usr", place.path().join("link")).unwrap();
        let fits = |entries, bytes| fits(place.path(), MaxSize { entries, bytes }).unwrap();
        assert!(fits(2, 100));
        assert!(!fits(1, 100));
        assert!(!fits(2, 99));
    }
}
