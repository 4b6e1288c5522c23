//! Records a stream: the head and tail in memory, the middle on disk.

use std::io::{self, Write};
use std::path::PathBuf;

use super::capture::{Capture, CaptureLimits, Spill};

/// The middle of a long output goes to disk in pieces of this size: large
/// enough that a gigabyte is a thousand writes, small enough to hold.
const SPILL_BLOCK: usize = 1024 * 1024;

/// Takes a stream in, chunk by chunk, and becomes a [`Capture`].
#[derive(Debug)]
pub(super) struct Recorder {
    limits: CaptureLimits,
    folder: PathBuf,
    head: Vec<u8>,
    /// The tail, and up to a block more that has not gone to disk yet.
    recent: Vec<u8>,
    /// The buffer of the last block, to be used again.
    spare: Vec<u8>,
    spill: Spill,
}

impl Recorder {
    pub(super) fn new(limits: CaptureLimits, folder: PathBuf) -> Self {
        Self {
            limits,
            folder,
            head: Vec::new(),
            recent: Vec::new(),
            spare: Vec::new(),
            spill: Spill::default(),
        }
    }

    pub(super) async fn push(&mut self, chunk: &[u8]) {
        let room = self.limits.head - self.head.len();
        let (beginning, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(beginning);
        self.recent.extend_from_slice(rest);
        if self.recent.len() >= self.limits.tail + SPILL_BLOCK {
            self.spill_oldest().await;
        }
    }

    pub(super) fn finish(self) -> Capture {
        Capture {
            head: self.head,
            spill: self.spill,
            tail: self.recent,
        }
    }

    async fn spill_oldest(&mut self) {
        let excess = self.recent.len() - self.limits.tail;
        let mut tail = std::mem::take(&mut self.spare);
        tail.clear();
        tail.extend_from_slice(&self.recent[excess..]);
        let mut block = std::mem::replace(&mut self.recent, tail);
        block.truncate(excess);

        if self.spill.error.is_some() {
            self.spill.lost += excess as u64;
        } else if self.spill.written + excess as u64 > self.limits.spill {
            self.spill.lost += excess as u64;
            self.spill.error = Some(format!(
                "no more than {} bytes of the middle are kept",
                self.limits.spill
            ));
        } else {
            block = self.write(block).await;
        }
        self.spare = block;
    }

    /// Appends the block to the file, on a thread that may block. A disk that
    /// is full costs the middle of the output, not the run.
    async fn write(&mut self, block: Vec<u8>) -> Vec<u8> {
        let file = self.spill.file.take();
        let folder = self.folder.clone();
        let length = block.len() as u64;
        let written = tokio::task::spawn_blocking(move || {
            let mut file = match file.map_or_else(|| tempfile::tempfile_in(&folder), Ok) {
                Ok(file) => file,
                Err(error) => return (None, Err(error), block),
            };
            let result = file.write_all(&block);
            (Some(file), result, block)
        });
        let (file, result, block) = match written.await {
            Ok(done) => done,
            Err(stopped) => (None, Err(io::Error::other(stopped)), Vec::new()),
        };
        match result {
            Ok(()) => self.spill.written += length,
            Err(error) => {
                self.spill.lost += length;
                // Without the file, what was in it is lost as well.
                if file.is_none() {
                    self.spill.lost += std::mem::take(&mut self.spill.written);
                }
                self.spill.error = Some(format!(
                    "cannot write to a temporary file in {}: {error}",
                    self.folder.display()
                ));
            }
        }
        self.spill.file = file;
        block
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const SMALL: CaptureLimits = CaptureLimits {
        head: 1000,
        tail: 2000,
        spill: u64::MAX,
    };

    async fn record(limits: CaptureLimits, folder: &str, bytes: &[u8]) -> Capture {
        let mut recorder = Recorder::new(limits, folder.into());
        for chunk in bytes.chunks(65_536) {
            recorder.push(chunk).await;
        }
        recorder.finish()
    }

    fn read_all(capture: &Capture) -> Vec<u8> {
        let mut bytes = Vec::new();
        capture.reader().read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn pattern(length: usize) -> Vec<u8> {
        (0..length)
            .map(|at| u8::try_from(at % 251).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn a_short_output_is_in_memory() {
        let bytes = pattern(2500);
        let capture = record(SMALL, "/nonexistent", &bytes).await;
        assert!(capture.is_in_memory());
        assert_eq!(capture.head(), &bytes[..1000]);
        assert_eq!(capture.tail(), &bytes[1000..]);
        assert_eq!(capture.bytes().unwrap(), bytes.as_slice());
        assert_eq!(read_all(&capture), bytes);
    }

    #[tokio::test]
    async fn the_middle_of_a_long_output_is_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = pattern(5_000_001);
        let capture = record(SMALL, folder.path().to_str().unwrap(), &bytes).await;
        assert!(!capture.is_in_memory());
        assert_eq!(capture.bytes(), None);
        assert_eq!(capture.total_bytes(), 5_000_001);
        assert!(capture.head().len() + capture.tail().len() <= 3000 + SPILL_BLOCK + 65_536);
        assert_eq!(read_all(&capture), bytes);
        assert_eq!(
            folder.path().read_dir().unwrap().count(),
            0,
            "the file has no name"
        );
    }

    #[tokio::test]
    async fn a_disk_that_cannot_be_written_costs_the_middle_only() {
        let bytes = pattern(3_000_000);
        let capture = record(SMALL, "/nonexistent", &bytes).await;
        assert_eq!(capture.total_bytes(), 3_000_000);
        assert_eq!(capture.head(), &bytes[..1000]);
        assert!(bytes.ends_with(capture.tail()));
        let kept = (capture.head().len() + capture.tail().len()) as u64;
        assert_eq!(capture.missing_bytes(), 3_000_000 - kept);
        assert_eq!(read_all(&capture).len() as u64, kept);
        assert!(capture.error().unwrap().contains("/nonexistent"));
    }

    #[tokio::test]
    async fn the_file_is_bounded_too() {
        let limits = CaptureLimits {
            spill: 1_500_000,
            ..SMALL
        };
        let bytes = pattern(5_000_000);
        let folder = tempfile::tempdir().unwrap();
        let capture = record(limits, folder.path().to_str().unwrap(), &bytes).await;
        assert!(capture.missing_bytes() > 0);
        let kept = read_all(&capture);
        assert_eq!(kept.len() as u64, 5_000_000 - capture.missing_bytes());
        let prefix = kept.len() - capture.tail().len();
        assert_eq!(kept[..prefix], bytes[..prefix]);
    }

    #[tokio::test]
    async fn text_says_what_is_left_out_and_cuts_no_character() {
        let limits = CaptureLimits {
            head: 4,
            tail: 4,
            spill: 0,
        };
        // Three-byte characters: the head ends inside the second one.
        let bytes = "…".repeat(400_000).into_bytes();
        let mut capture = record(limits, "/nonexistent", &bytes).await;
        let length = capture.tail.len();
        capture.tail.drain(..length - 4);
        insta::assert_snapshot!(capture.text(), @r"
        …
        [… 1114104 bytes left out; 1114104 of them are lost: no more than 0 bytes of the middle are kept …]
        …
        ");
    }
}
