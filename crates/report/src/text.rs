//! Defines what all readers of text have in common, and dispatches each line to
//! the readers that need it.

use std::borrow::Cow;

use crate::matcher::Matcher;
use crate::session::Sessions;
use crate::tools::TOOLS;

/// A line of output: no line break, no escape sequences, no CI timestamp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1 over the whole input.
    pub(crate) number: u64,
    /// The previous line, for readers that are woken one line late.
    pub(crate) previous: &'a [u8],
}

/// A state machine over the lines of a log. It never fails: it skips what it
/// does not understand.
pub(crate) trait TextReader: Send {
    /// While awake, it receives every line.
    fn awake(&self) -> bool;

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions);

    /// The log or the CI step ends here: close everything that is open.
    fn end(&mut self, sessions: &mut Sessions);
}

/// The text that a tool prints. The lines that the reader must see even while
/// asleep should be few and distinctive, because they are searched for in every
/// line of logs that have millions.
pub(crate) struct TextFormat {
    /// The line begins with one of these, after leading whitespace. Cheap.
    pub(crate) starts: &'static [&'static str],
    /// The line contains one of these, of at least three bytes. Each slows
    /// reading down for all tools; prefer `starts`.
    pub(crate) anywhere: &'static [&'static str],
    /// The line ends with one of these. Cheap if they are few.
    pub(crate) ends: &'static [&'static str],
    pub(crate) reader: fn() -> Box<dyn TextReader>,
}

/// A set of readers, as bits.
type Readers = u128;

/// Sends lines to the readers that need them.
pub(crate) struct Dispatcher {
    readers: Vec<Box<dyn TextReader>>,
    /// By the first bytes of a line after leading whitespace, see [`bucket`].
    starts: Vec<Vec<Start>>,
    anywhere: Anywhere,
    ends: Vec<(&'static [u8], Readers)>,
    /// The last bytes of `ends`, because few lines have one of them.
    end_bytes: [bool; 256],
    /// Readers that are awake, as bits.
    awake: Readers,
    previous: Vec<u8>,
}

impl Dispatcher {
    pub(crate) fn new() -> Self {
        let mut readers = Vec::new();
        let mut starts = vec![Vec::new(); BUCKETS];
        let mut anywhere = Vec::new();
        let mut ends = Vec::new();
        for format in TOOLS.iter().filter_map(|tool| tool.text.as_ref()) {
            let bit: Readers = 1 << readers.len();
            readers.push((format.reader)());
            for text in format.starts {
                let start = Start::new(text.as_bytes(), bit);
                for bucket in buckets(text.as_bytes()) {
                    starts[bucket].push(start.clone());
                }
            }
            anywhere.extend(format.anywhere.iter().map(|text| (*text, bit)));
            ends.extend(format.ends.iter().map(|text| (text.as_bytes(), bit)));
        }
        let mut end_bytes = [false; 256];
        for (text, _) in &ends {
            end_bytes[usize::from(text[text.len() - 1])] = true;
        }
        assert!(readers.len() <= 128, "the readers fit into one bit set");
        Self {
            readers,
            starts,
            anywhere: Anywhere::new(&anywhere),
            ends,
            end_bytes,
            awake: 0,
            previous: Vec::new(),
        }
    }

    /// `bytes` is the cleaned line; it becomes text only if a reader needs it.
    pub(crate) fn line(&mut self, bytes: &[u8], number: u64, sessions: &mut Sessions) {
        let wanted = self.awake | self.woken(bytes);
        if wanted != 0 {
            self.show(bytes, number, wanted, sessions);
        }
        self.previous.clear();
        self.previous.extend_from_slice(bytes);
    }

    fn show(&mut self, bytes: &[u8], number: u64, mut wanted: Readers, sessions: &mut Sessions) {
        // Nearly all text is valid, and validating is much faster than
        // repairing.
        let text = match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let line = Line {
            text: &text,
            number,
            previous: &self.previous,
        };
        while wanted != 0 {
            let index = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let reader = &mut self.readers[index];
            reader.line(line, sessions);
            let bit: Readers = 1 << index;
            if reader.awake() {
                self.awake |= bit;
            } else {
                self.awake &= !bit;
            }
        }
    }

    pub(crate) fn end(&mut self, sessions: &mut Sessions) {
        for reader in &mut self.readers {
            reader.end(sessions);
        }
        self.awake = 0;
        self.previous.clear();
    }

    /// The readers that a line wakes, as bits.
    fn woken(&self, bytes: &[u8]) -> Readers {
        let trimmed = bytes.trim_ascii_start();
        if trimmed.is_empty() {
            return 0;
        }
        let head = head(trimmed);
        let started = self.starts[bucket(head)]
            .iter()
            .filter(|start| start.begins(trimmed, head))
            .fold(0, |woken, start| woken | start.reader);
        let last = bytes.last().copied().unwrap_or_default();
        let ended = if self.end_bytes[usize::from(last)] {
            self.ends
                .iter()
                .filter(|(text, _)| bytes.ends_with(text))
                .fold(0, |woken, (_, reader)| woken | reader)
        } else {
            0
        };
        started | ended | self.anywhere.woken(bytes)
    }
}

/// One of [`TextFormat::starts`].
#[derive(Clone)]
struct Start {
    text: &'static [u8],
    /// Its first bytes, and a mask of those that count: most lines differ there,
    /// so one comparison is enough.
    head: u64,
    mask: u64,
    /// The reader's bit.
    reader: Readers,
}

impl Start {
    fn new(text: &'static [u8], reader: Readers) -> Self {
        let counted = [0xff; 8];
        Self {
            text,
            head: head(text),
            mask: head(&counted[..text.len().min(8)]),
            reader,
        }
    }

    fn begins(&self, line: &[u8], head: u64) -> bool {
        head & self.mask == self.head && line.starts_with(self.text)
    }
}

/// Twelve bits of the first two bytes: few lines share theirs with any text.
const BUCKETS: usize = 1 << 12;

fn bucket(head: u64) -> usize {
    let [first, second, ..] = head.to_le_bytes();
    (usize::from(first) << 4 ^ usize::from(second)) % BUCKETS
}

/// Those of the lines that begin with the text, which may be a single byte.
fn buckets(text: &[u8]) -> Vec<usize> {
    if text.len() > 1 {
        return vec![bucket(head(text))];
    }
    let seconds = (0..=u8::MAX).map(|second| bucket(head(&[text[0], second])));
    let mut buckets: Vec<_> = seconds.collect();
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

/// The first eight bytes, padded with zeros.
fn head(text: &[u8]) -> u64 {
    if let Some(head) = text.first_chunk() {
        return u64::from_le_bytes(*head);
    }
    let mut head = [0; 8];
    head[..text.len()].copy_from_slice(text);
    u64::from_le_bytes(head)
}

/// All of [`TextFormat::anywhere`].
struct Anywhere {
    matcher: Matcher,
    /// The bits of the readers for each of them.
    readers: Vec<Readers>,
}

impl Anywhere {
    fn new(triggers: &[(&'static str, Readers)]) -> Self {
        let mut texts: Vec<&str> = Vec::new();
        let mut readers: Vec<Readers> = Vec::new();
        for (text, reader) in triggers {
            if let Some(index) = texts.iter().position(|known| known == text) {
                readers[index] |= reader;
            } else {
                texts.push(text);
                readers.push(*reader);
            }
        }
        Self {
            matcher: Matcher::new(&texts),
            readers,
        }
    }

    fn woken(&self, line: &[u8]) -> Readers {
        let mut woken = 0;
        self.matcher
            .for_each_match(line, |index| woken |= self.readers[index]);
        woken
    }
}
