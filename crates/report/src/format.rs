//! Defines what all text formats have in common, and dispatches each line to the
//! formats that need it.

use std::borrow::Cow;

use crate::formats;
use crate::matcher::Matcher;
use crate::session::Sessions;

/// A line of output: no line break, no escape sequences, no CI timestamp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1 over the whole input.
    pub(crate) number: u64,
    /// The previous line, for formats that are woken one line late.
    pub(crate) previous: &'a [u8],
}

/// A state machine over the lines of a log. It never fails: it skips what it
/// does not understand.
pub(crate) trait Format: Send {
    /// The lines that it must see even while asleep. They should be few and
    /// distinctive, because they are searched for in every line of logs that
    /// have millions.
    fn triggers(&self) -> &'static [Trigger];

    /// While awake, it receives every line.
    fn awake(&self) -> bool;

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions);

    /// The log or the CI step ends here: close everything that is open.
    fn end(&mut self, sessions: &mut Sessions);
}

/// What wakes a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    /// The line begins with this, after leading whitespace. Cheap.
    Start(&'static str),
    /// The line contains this text of at least three bytes. Each such text slows
    /// reading down for all formats; prefer `Start`.
    Anywhere(&'static str),
}

/// Sends lines to the formats that need them.
pub(crate) struct Dispatcher {
    formats: Vec<Box<dyn Format>>,
    /// By the first byte of a line after leading whitespace.
    starts: Vec<Vec<Start>>,
    anywhere: Anywhere,
    /// Formats that are awake, as bits.
    awake: u64,
    previous: Vec<u8>,
}

impl Dispatcher {
    pub(crate) fn new() -> Self {
        let formats = formats::all();
        assert!(formats.len() <= 64, "the formats fit into one bit set");
        let mut starts = vec![Vec::new(); 256];
        let mut anywhere = Vec::new();
        for (index, format) in formats.iter().enumerate() {
            let bit = 1 << index;
            for trigger in format.triggers() {
                match trigger {
                    Trigger::Start(text) => {
                        let start = Start::new(text.as_bytes(), bit);
                        starts[usize::from(text.as_bytes()[0])].push(start);
                    }
                    Trigger::Anywhere(text) => anywhere.push((*text, bit)),
                }
            }
        }
        Self {
            formats,
            starts,
            anywhere: Anywhere::new(&anywhere),
            awake: 0,
            previous: Vec::new(),
        }
    }

    /// `bytes` is the cleaned line; it becomes text only if a format needs it.
    pub(crate) fn line(&mut self, bytes: &[u8], number: u64, sessions: &mut Sessions) {
        let wanted = self.awake | self.woken(bytes);
        if wanted != 0 {
            self.show(bytes, number, wanted, sessions);
        }
        self.previous.clear();
        self.previous.extend_from_slice(bytes);
    }

    fn show(&mut self, bytes: &[u8], number: u64, mut wanted: u64, sessions: &mut Sessions) {
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
            let format = &mut self.formats[index];
            format.line(line, sessions);
            let bit = 1 << index;
            if format.awake() {
                self.awake |= bit;
            } else {
                self.awake &= !bit;
            }
        }
    }

    pub(crate) fn end(&mut self, sessions: &mut Sessions) {
        for format in &mut self.formats {
            format.end(sessions);
        }
        self.awake = 0;
        self.previous.clear();
    }

    /// The formats that a line wakes, as bits.
    fn woken(&self, bytes: &[u8]) -> u64 {
        let trimmed = bytes.trim_ascii_start();
        let Some(&first) = trimmed.first() else {
            return 0;
        };
        let head = head(trimmed);
        let started = self.starts[usize::from(first)]
            .iter()
            .filter(|start| start.begins(trimmed, head))
            .fold(0, |woken, start| woken | start.format);
        started | self.anywhere.woken(bytes)
    }
}

/// A [`Trigger::Start`].
#[derive(Clone)]
struct Start {
    text: &'static [u8],
    /// Its first bytes, and a mask of those that count: most lines differ there,
    /// so one comparison is enough.
    head: u64,
    mask: u64,
    /// The format's bit.
    format: u64,
}

impl Start {
    fn new(text: &'static [u8], format: u64) -> Self {
        let counted = [0xff; 8];
        Self {
            text,
            head: head(text),
            mask: head(&counted[..text.len().min(8)]),
            format,
        }
    }

    fn begins(&self, line: &[u8], head: u64) -> bool {
        head & self.mask == self.head && line.starts_with(self.text)
    }
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

/// The [`Trigger::Anywhere`]s.
struct Anywhere {
    matcher: Matcher,
    /// The bits of the formats for each of them.
    formats: Vec<u64>,
}

impl Anywhere {
    fn new(triggers: &[(&'static str, u64)]) -> Self {
        let mut texts: Vec<&str> = Vec::new();
        let mut formats: Vec<u64> = Vec::new();
        for (text, format) in triggers {
            if let Some(index) = texts.iter().position(|known| known == text) {
                formats[index] |= format;
            } else {
                texts.push(text);
                formats.push(*format);
            }
        }
        Self {
            matcher: Matcher::new(&texts),
            formats,
        }
    }

    fn woken(&self, line: &[u8]) -> u64 {
        let mut woken = 0;
        self.matcher
            .for_each_match(line, |index| woken |= self.formats[index]);
        woken
    }
}
