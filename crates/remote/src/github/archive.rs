//! Reads zip files from untrusted sources.
//!
//! Nothing is written to disk. Sizes are counted as bytes are unpacked, since an
//! archive's own headers may be wrong, and an entry whose name would lead out of
//! a folder makes the whole archive invalid.

use std::fmt;
use std::io::{Cursor, Read as _, Write};

use bytes::Bytes;
use zip::ZipArchive;
use zip::read::Config;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

use crate::http::display;

/// How much an archive may hold.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// In bytes, as it is sent.
    pub packed: u64,
    pub entries: usize,
    /// In bytes, for one file.
    pub entry: u64,
    /// In bytes, for all files that are read.
    pub total: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            // Logs shrink to a tenth or less.
            packed: 64 << 20,
            // A run has at most 256 jobs to a matrix, and a file for each step.
            entries: 10_000,
            entry: 256 << 20,
            total: 1 << 30,
        }
    }
}

/// An archive whose table of contents was read and is safe.
pub struct Archive {
    zip: ZipArchive<Cursor<Bytes>>,
    entries: Vec<Entry>,
    limits: ArchiveLimits,
    read: u64,
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    index: usize,
    path: String,
    size: u64,
}

impl Entry {
    /// Relative, with slashes, and without `..`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The size in the archive's header; the real one is known once it is read.
    pub fn stated_size(&self) -> u64 {
        self.size
    }
}

/// What is wrong with an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("it is no zip file that can be read: {reason}")]
    Unreadable { reason: String },
    #[error("it has {found} entries, more than the {limit} that are allowed")]
    TooManyEntries { found: usize, limit: usize },
    #[error("its entry '{path}' would lead out of the folder it belongs in")]
    UnsafePath { path: String },
    #[error("its entry '{path}' is a link")]
    Link { path: String },
    #[error("its entry '{path}' is encrypted")]
    Encrypted { path: String },
    #[error("its entry '{path}' has more than {limit} bytes")]
    EntryTooLarge { path: String, limit: u64 },
    #[error("its entries have more than {limit} bytes together")]
    TooLarge { limit: u64 },
    #[error("its entry '{path}' cannot be unpacked: {reason}")]
    Broken { path: String, reason: String },
    #[error("what was unpacked from '{path}' cannot be written: {reason}")]
    Output { path: String, reason: String },
}

impl Archive {
    pub fn open(bytes: Bytes, limits: ArchiveLimits) -> Result<Self, ArchiveError> {
        let unreadable = |error: ZipError| ArchiveError::Unreadable {
            reason: error.to_string(),
        };
        // Counted before the table is held in memory: an entry takes 46 bytes in
        // the file and ten times as many when it is read.
        let found = ZipIterable::try_new(Cursor::new(bytes.clone()), Config::default())
            .map_err(unreadable)?
            .len();
        if found > limits.entries {
            return Err(ArchiveError::TooManyEntries {
                found,
                limit: limits.entries,
            });
        }
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
        let entries = entries(&mut zip)?;
        Ok(Self {
            zip,
            entries,
            limits,
            read: 0,
        })
    }

    /// The files, in the archive's order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Unpacks a file into `to`, and returns its size in bytes.
    pub fn read(&mut self, entry: &Entry, to: &mut dyn Write) -> Result<u64, ArchiveError> {
        let path = || display::excerpt(&entry.path);
        let broken = |reason: String| ArchiveError::Broken {
            path: path(),
            reason,
        };
        let mut file = self
            .zip
            .by_index(entry.index)
            .map_err(|error| broken(error.to_string()))?;
        let mut buffer = vec![0; 64 << 10];
        let mut size = 0_u64;
        loop {
            let count = file
                .read(&mut buffer)
                .map_err(|error| broken(error.to_string()))?;
            if count == 0 {
                return Ok(size);
            }
            size += count as u64;
            self.read += count as u64;
            if size > self.limits.entry {
                return Err(ArchiveError::EntryTooLarge {
                    path: path(),
                    limit: self.limits.entry,
                });
            }
            if self.read > self.limits.total {
                return Err(ArchiveError::TooLarge {
                    limit: self.limits.total,
                });
            }
            to.write_all(&buffer[..count])
                .map_err(|error| ArchiveError::Output {
                    path: path(),
                    reason: error.to_string(),
                })?;
        }
    }
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive")
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

fn entries(zip: &mut ZipArchive<Cursor<Bytes>>) -> Result<Vec<Entry>, ArchiveError> {
    let mut entries = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let file = zip
            .by_index_raw(index)
            .map_err(|error| ArchiveError::Unreadable {
                reason: error.to_string(),
            })?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let excerpt = || display::excerpt(&name);
        if !is_harmless(&name) {
            return Err(ArchiveError::UnsafePath { path: excerpt() });
        }
        if file.is_symlink() {
            return Err(ArchiveError::Link { path: excerpt() });
        }
        if file.encrypted() {
            return Err(ArchiveError::Encrypted { path: excerpt() });
        }
        if !file.is_dir() {
            entries.push(Entry {
                index,
                size: file.size(),
                path: name,
            });
        }
    }
    Ok(entries)
}

/// Whether a name stays below the folder it is unpacked into, on any system.
fn is_harmless(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    let mut parts = name.strip_suffix('/').unwrap_or(name).split('/');
    !drive
        && parts.all(|part| !matches!(part, "" | "." | ".."))
        && !name.chars().any(|c| c == '\\' || c.is_control())
}
