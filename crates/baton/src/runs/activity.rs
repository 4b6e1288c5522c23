//! What steps say while they work. The journal does not keep it; a file in the
//! run's folder does, to be read later or from another process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

const NAME: &str = "activity.log";

/// Some hours of a talkative agent. Its own log has everything.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Appends to the file of a run. A file that cannot be written costs the log,
/// not the run.
pub(crate) struct ActivityLog {
    file: Option<File>,
    left: u64,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) at: Timestamp,
    /// Of the step: `003-implement`.
    pub(crate) key: String,
    /// Foreign text.
    pub(crate) text: String,
}

impl ActivityLog {
    pub(crate) fn open(folder: &Path) -> Self {
        let opened = std::fs::create_dir_all(folder).and_then(|()| {
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(folder.join(NAME))
        });
        let length = opened.as_ref().ok().and_then(|file| file.metadata().ok());
        Self {
            left: MAX_BYTES.saturating_sub(length.map_or(0, |facts| facts.len())),
            file: opened.ok(),
        }
    }

    pub(crate) fn say(&mut self, said: &Said) {
        let text = said.text.replace(['\n', '\r'], " ");
        let line = format!("{} {} {text}\n", said.at, said.key);
        let length = line.len() as u64;
        let Some(file) = self.file.as_mut().filter(|_| length <= self.left) else {
            return;
        };
        self.left -= length;
        if file.write_all(line.as_bytes()).is_err() {
            self.file = None;
        }
    }
}

/// Reads on where it has stopped before.
pub(crate) struct ActivityReader {
    path: PathBuf,
    position: u64,
}

impl ActivityReader {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(NAME),
            position: 0,
        }
    }

    /// What was said since the last time, as far as it is written to the end.
    pub(crate) fn read(&mut self) -> Vec<Said> {
        self.read_on().unwrap_or_default()
    }

    fn read_on(&mut self) -> io::Result<Vec<Said>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.position))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = end.map_or(0, |end| end + 1);
        self.position += whole as u64;
        let text = String::from_utf8_lossy(&bytes[..whole]);
        Ok(text.lines().filter_map(parse).collect())
    }
}

fn parse(line: &str) -> Option<Said> {
    let (at, rest) = line.split_once(' ')?;
    let (key, text) = rest.split_once(' ')?;
    Some(Said {
        at: at.parse().ok()?,
        key: key.to_owned(),
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read_again_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = ActivityLog::open(folder.path());
        let mut reader = ActivityReader::new(folder.path());
        let said = |text: &str| Said {
            at: Timestamp::UNIX_EPOCH,
            key: "003-implement".to_owned(),
            text: text.to_owned(),
        };
        log.say(&said("editing src/lib.rs"));
        assert_eq!(reader.read(), [said("editing src/lib.rs")]);
        assert_eq!(reader.read(), []);
        log.say(&said("two\nlines"));
        assert_eq!(reader.read(), [said("two lines")]);
    }
}
