//! What all text formats have in common, and how a line finds the formats that
//! care about it.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::formats;
use crate::session::Sessions;

/// A line of output: no line break, no escape sequences, no CI timestamp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1 over the whole input.
    pub(crate) number: u64,
    /// The line before, for formats that are woken a line too late.
    pub(crate) previous: &'a [u8],
}

/// A state machine over the lines of a log. It never fails: what it does not
/// understand, it passes over.
pub(crate) trait Format: Send {
    /// The lines that it must see even while asleep. Few and telling ones: they
    /// are looked for in every line of logs that have millions.
    fn triggers(&self) -> &'static [Trigger];

    /// While awake, it is shown every line.
    fn awake(&self) -> bool;

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions);

    /// The log, or the CI step, ends here: whatever is open must be closed.
    fn end(&mut self, sessions: &mut Sessions);
}

/// What wakes a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    /// The line begins with this, leading blanks aside. Cheap.
    Start(&'static str),
    /// The line has this somewhere. Every such text makes reading a little
    /// slower for everybody; prefer `Start`.
    Anywhere(&'static str),
}

/// Sends lines to the formats that care.
pub(crate) struct Dispatcher {
    formats: Vec<Box<dyn Format>>,
    /// By the first byte of a line, its leading blanks aside.
    starts: Vec<Vec<(&'static [u8], usize)>>,
    anywhere: AhoCorasick,
    /// The format behind each pattern of `anywhere`.
    anywhere_owner: Vec<usize>,
    /// Formats that are awake, as bits.
    awake: u64,
    previous: Vec<u8>,
}

impl Dispatcher {
    pub(crate) fn new() -> Self {
        let formats = formats::all();
        assert!(formats.len() <= 64, "the formats fit into one bit set");
        let mut starts = vec![Vec::new(); 256];
        let mut patterns: Vec<&'static str> = Vec::new();
        let mut anywhere_owner = Vec::new();
        for (index, format) in formats.iter().enumerate() {
            for trigger in format.triggers() {
                match trigger {
                    Trigger::Start(text) => {
                        let bytes = text.as_bytes();
                        starts[usize::from(bytes[0])].push((bytes, index));
                    }
                    Trigger::Anywhere(text) => {
                        patterns.push(text);
                        anywhere_owner.push(index);
                    }
                }
            }
        }
        let anywhere = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            // Every byte of every log goes through it; its tables stay small.
            .kind(Some(AhoCorasickKind::DFA))
            .build(&patterns)
            .expect("a handful of short literals is far below every limit");
        Self {
            formats,
            starts,
            anywhere,
            anywhere_owner,
            awake: 0,
            previous: Vec::new(),
        }
    }

    /// `bytes` is the cleaned line; it becomes text only if somebody wants it.
    pub(crate) fn line(&mut self, bytes: &[u8], number: u64, sessions: &mut Sessions) {
        let wanted = self.awake | self.woken(bytes);
        if wanted != 0 {
            self.show(bytes, number, wanted, sessions);
        }
        self.previous.clear();
        self.previous.extend_from_slice(bytes);
    }

    fn show(&mut self, bytes: &[u8], number: u64, mut wanted: u64, sessions: &mut Sessions) {
        let text = String::from_utf8_lossy(bytes);
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

    fn woken(&self, bytes: &[u8]) -> u64 {
        let mut woken = 0;
        let trimmed = bytes.trim_ascii_start();
        if let Some(&first) = trimmed.first() {
            for (start, index) in &self.starts[usize::from(first)] {
                if trimmed.starts_with(start) {
                    woken |= 1 << index;
                }
            }
        }
        for found in self.anywhere.find_overlapping_iter(bytes) {
            woken |= 1 << self.anywhere_owner[found.pattern().as_usize()];
        }
        woken
    }
}
