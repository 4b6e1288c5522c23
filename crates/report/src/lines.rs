//! Splits bytes into lines, truncates very long ones and removes escape
//! sequences.

use memchr::{memchr, memchr2};

/// Longer lines are truncated: no framework prints anything relevant after that
/// many bytes, and a minified bundle in a log must not fill the memory.
pub(crate) const MAX_LINE_LEN: usize = 16 << 10;

/// Collects chunks into lines.
#[derive(Default)]
pub(crate) struct LineSplitter {
    /// The unfinished line, at most [`MAX_LINE_LEN`] bytes of it.
    partial: Vec<u8>,
}

impl LineSplitter {
    /// Calls `each` for every line that ends in this chunk.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut each: impl FnMut(RawLine<'_>)) {
        let mut begin = 0;
        // Most logs have no controls, or few: one search for all lines of a
        // chunk is faster than one for each line.
        let mut control = next_control(chunk, 0);
        while let Some(length) = memchr(b'\n', &chunk[begin..]) {
            let end = begin + length;
            let has_controls = control < end;
            if has_controls {
                control = next_control(chunk, end);
            }
            let line = &chunk[begin..end];
            if self.partial.is_empty() {
                each(RawLine {
                    bytes: shortened(line),
                    has_controls,
                });
            } else {
                self.keep(line);
                each(RawLine::unknown(&self.partial));
                self.partial.clear();
            }
            begin = end + 1;
        }
        self.keep(&chunk[begin..]);
    }

    /// Passes on the last line if it has no line break.
    pub(crate) fn finish(self, each: impl FnOnce(RawLine<'_>)) {
        if !self.partial.is_empty() {
            each(RawLine::unknown(&self.partial));
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_LEN.saturating_sub(self.partial.len());
        self.partial.extend(&bytes[..bytes.len().min(room)]);
    }
}

/// A line as it was read.
#[derive(Clone, Copy)]
pub(crate) struct RawLine<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether it may contain something that [`cleaned`] removes, apart from
    /// spaces.
    pub(crate) has_controls: bool,
}

impl<'a> RawLine<'a> {
    fn unknown(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            has_controls: true,
        }
    }
}

/// The place of the next control character from `begin` on, or the end.
fn next_control(chunk: &[u8], begin: usize) -> usize {
    memchr2(0x1b, b'\r', &chunk[begin..]).map_or(chunk.len(), |at| begin + at)
}

fn shortened(line: &[u8]) -> &[u8] {
    &line[..line.len().min(MAX_LINE_LEN)]
}

/// The line as a terminal would display it: without a carriage return at its
/// end, after the last rewrite of a progress line, without escape sequences.
/// `scratch` holds the result if something was removed.
pub(crate) fn cleaned<'a>(line: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let line = line.trim_ascii_end();
    if memchr2(0x1b, b'\r', line).is_none() {
        return line;
    }
    scratch.clear();
    let mut rest = line;
    while let Some(place) = memchr2(0x1b, b'\r', rest) {
        scratch.extend(&rest[..place]);
        if rest[place] == b'\r' || is_return(&rest[place..]) {
            // A progress bar returned to the left; what follows replaces it.
            scratch.clear();
            rest = after_return(&rest[place..]);
        } else {
            rest = after_escape(&rest[place..]);
        }
    }
    scratch.extend(rest);
    scratch.trim_ascii_end()
}

/// Moves the cursor to the first column: `ESC [ 1 G`.
const FIRST_COLUMN: [&[u8]; 2] = [b"\x1b[1G", b"\x1b[G"];

fn is_return(bytes: &[u8]) -> bool {
    FIRST_COLUMN.iter().any(|known| bytes.starts_with(known))
}

fn after_return(bytes: &[u8]) -> &[u8] {
    match bytes.first() {
        Some(b'\r') => &bytes[1..],
        _ => after_escape(bytes),
    }
}

/// The bytes after the escape sequence that `bytes` begins with.
fn after_escape(bytes: &[u8]) -> &[u8] {
    match bytes.get(1) {
        // CSI: parameters and intermediates, then one final byte.
        Some(b'[') => {
            let end = bytes[2..].iter().position(|b| (0x40..=0x7e).contains(b));
            end.map_or(&[], |end| &bytes[2 + end + 1..])
        }
        // OSC, such as hyperlinks: up to BEL or ST.
        Some(b']') => {
            for (index, byte) in bytes.iter().enumerate().skip(2) {
                if *byte == 0x07 {
                    return &bytes[index + 1..];
                }
                if *byte == 0x1b && bytes.get(index + 1) == Some(&b'\\') {
                    return &bytes[index + 2..];
                }
            }
            &[]
        }
        // Character set selection takes one more byte.
        Some(b'(' | b')') => bytes.get(3..).unwrap_or_default(),
        Some(_) => &bytes[2..],
        None => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::{LineSplitter, cleaned};

    fn clean(text: &str) -> String {
        let mut scratch = Vec::new();
        String::from_utf8(cleaned(text.as_bytes(), &mut scratch).to_vec()).unwrap()
    }

    #[test]
    fn escape_sequences_are_removed() {
        assert_eq!(clean("plain  \r"), "plain");
        assert_eq!(
            clean("\u{1b}[31mred\u{1b}[0m and \u{1b}[1;38;5;9mbold\u{1b}[m"),
            "red and bold"
        );
        assert_eq!(
            clean("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!"),
            "link!"
        );
        assert_eq!(clean("10%\r20%\rdone"), "done");
        assert_eq!(clean("   a\u{1b}[77G1/3\u{1b}[1G ✗ a"), " ✗ a");
        assert_eq!(clean("\u{1b}"), "");
        assert_eq!(clean("a\u{1b}["), "a");
        assert_eq!(clean("a\u{1b}(Bb"), "ab");
    }

    #[test]
    fn chunks_join_to_lines() {
        let mut splitter = LineSplitter::default();
        let mut lines = Vec::new();
        for chunk in ["a", "b\nc", "\n", "\nd"] {
            splitter.feed(chunk.as_bytes(), |l| lines.push(l.bytes.to_vec()));
        }
        splitter.finish(|l| lines.push(l.bytes.to_vec()));
        assert_eq!(lines, [&b"ab"[..], b"c", b"", b"d"]);
    }
}
