//! The captured output of a child.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

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
/// beyond any useful log and stops a runaway child.
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
    pub(super) head: Vec<u8>,
    pub(super) spill: Spill,
    pub(super) tail: Vec<u8>,
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
    pub fn error(&self) -> Option<&str> {
        self.spill.error.as_deref()
    }

    /// Reads all that was kept, from first to last, without loading it. It
    /// reads a file: use it on a blocking thread.
    pub fn reader(&self) -> CaptureReader<'_> {
        CaptureReader {
            capture: self,
            position: 0,
        }
    }

    /// The text for people: head and tail, and between them a line with how
    /// much is left out. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        if let Some(bytes) = self.bytes() {
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        let mut text = String::from_utf8_lossy(without_cut_end(&self.head)).into_owned();
        let lost = match self.error() {
            Some(error) => format!("; {} of them are lost: {error}", self.missing_bytes()),
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
pub(super) struct Spill {
    pub(super) file: Option<File>,
    pub(super) written: u64,
    pub(super) lost: u64,
    pub(super) error: Option<String>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
