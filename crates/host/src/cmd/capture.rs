use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// The middle of a long output goes to disk in pieces of this size: large
/// enough that a gigabyte is a thousand writes, small enough to hold.
const SPILL_BLOCK: usize = 1024 * 1024;

/// How much of a stream is kept, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureLimits {
    /// Bytes kept in memory from the beginning.
    pub head: usize,
    /// Bytes kept in memory from the end. Up to one mebibyte more is held.
    pub tail: usize,
    /// Bytes between the two that are kept in a temporary file; the rest of
    /// the middle is counted and dropped.
    pub spill: u64,
}

/// The head has the command's own banner and first error, the tail the summary:
/// a mebibyte in all holds both for every test runner, and two streams of many
/// parallel children still fit into little memory. Four gibibytes on disk is
/// beyond any useful log and ends a runaway child's appetite.
impl Default for CaptureLimits {
    fn default() -> Self {
        Self {
            head: 256 * 1024,
            tail: 768 * 1024,
            spill: 4 * 1024 * 1024 * 1024,
        }
    }
}

/// What a child wrote to one stream: its head and tail in memory, the middle
/// in a file that has no name and vanishes with this value.
#[derive(Debug, Default)]
pub struct Capture {
    head: Vec<u8>,
    spill: Spill,
    tail: Vec<u8>,
}

impl Capture {
    /// How many bytes the child wrote, kept or not.
    pub fn total_bytes(&self) -> u64 {
        self.head.len() as u64 + self.middle_bytes() + self.tail.len() as u64
    }

    /// The beginning. It is followed immediately by [`tail`](Self::tail) where
    /// the capture [is in memory](Self::is_in_memory).
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    pub fn is_in_memory(&self) -> bool {
        self.middle_bytes() == 0
    }

    /// Everything, where it is in memory.
    pub fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        if !self.is_in_memory() {
            None
        } else if self.tail.is_empty() {
            Some(Cow::Borrowed(&self.head))
        } else {
            Some(Cow::Owned([self.head.as_slice(), &self.tail].concat()))
        }
    }

    /// How many bytes are lost, between the end of the file and the tail.
    pub fn missing_bytes(&self) -> u64 {
        self.spill.lost
    }

    /// Why bytes are missing.
    pub fn trouble(&self) -> Option<&str> {
        self.spill.trouble.as_deref()
    }

    /// Reads all that was kept, from first to last, without loading it. It
    /// reads a file: use it on a blocking thread.
    pub fn reader(&self) -> CaptureReader<'_> {
        CaptureReader {
            capture: self,
            position: 0,
        }
    }

    /// The text for people: head and tail, and between them a line that says
    /// how much is left out. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        if let Some(bytes) = self.bytes() {
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        let mut text = String::from_utf8_lossy(without_cut_end(&self.head)).into_owned();
        let lost = match self.trouble() {
            Some(trouble) => format!("; {} of them are lost: {trouble}", self.missing_bytes()),
            None => String::new(),
        };
        let middle = self.middle_bytes();
        write!(text, "\n[… {middle} bytes left out{lost} …]\n")
            .expect("writing to a string cannot fail");
        text.push_str(&String::from_utf8_lossy(without_cut_start(&self.tail)));
        text
    }

    fn middle_bytes(&self) -> u64 {
        self.spill.written + self.spill.lost
    }
}

/// See [`Capture::reader`].
#[derive(Debug)]
pub struct CaptureReader<'a> {
    capture: &'a Capture,
    position: u64,
}

impl Read for CaptureReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Capture { head, spill, tail } = self.capture;
        let behind_head = self.position.checked_sub(head.len() as u64);
        let behind_spill = behind_head.and_then(|offset| offset.checked_sub(spill.written));
        let count = match (behind_head, behind_spill) {
            (None, _) => read_from(head, self.position, buffer),
            (Some(offset), None) => spill.read_at(offset, buffer)?,
            (_, Some(offset)) => read_from(tail, offset, buffer),
        };
        self.position += count as u64;
        Ok(count)
    }
}

fn read_from(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let offset = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
    let count = buffer.len().min(bytes.len() - offset);
    buffer[..count].copy_from_slice(&bytes[offset..offset + count]);
    count
}

/// Takes off a character whose last bytes are missing.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let last_start = (1..=3.min(bytes.len()))
        .map(|back| bytes.len() - back)
        .find(|&at| bytes[at] & 0b1100_0000 != 0b1000_0000);
    match last_start {
        Some(at)
            if str::from_utf8(&bytes[at..]).is_err_and(|error| error.error_len().is_none()) =>
        {
            &bytes[..at]
        }
        _ => bytes,
    }
}

/// Takes off the remains of a character whose first bytes are missing.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let remains = bytes
        .iter()
        .take(3)
        .take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000)
        .count();
    &bytes[remains..]
}

/// The part of the middle that is on disk, and the count of what is not.
#[derive(Debug, Default)]
struct Spill {
    file: Option<File>,
    written: u64,
    lost: u64,
    trouble: Option<String>,
}

impl Spill {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(file) = &self.file else {
            return Ok(0);
        };
        let left = usize::try_from(self.written - offset).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        match file.read_at(&mut buffer[..wanted], offset)? {
            0 if wanted > 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

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

        if self.spill.trouble.is_some() {
            self.spill.lost += excess as u64;
        } else if self.spill.written + excess as u64 > self.limits.spill {
            self.spill.lost += excess as u64;
            self.spill.trouble = Some(format!(
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
                self.spill.trouble = Some(format!(
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
    use super::*;
    use proptest::prelude::*;

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
        assert!(capture.trouble().unwrap().contains("/nonexistent"));
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

    proptest! {
        #[test]
        fn trimming_leaves_whole_characters(text in "\\PC{0,8}", from in 0usize..12, to in 0usize..12) {
            let bytes = text.as_bytes();
            let to = to.min(bytes.len());
            let from = from.min(to);
            prop_assert!(str::from_utf8(without_cut_end(&bytes[..to])).is_ok());
            prop_assert!(str::from_utf8(without_cut_start(&bytes[from..])).is_ok());
        }

        #[test]
        fn trimming_never_panics(bytes: Vec<u8>) {
            without_cut_end(&bytes);
            without_cut_start(&bytes);
        }
    }
}
