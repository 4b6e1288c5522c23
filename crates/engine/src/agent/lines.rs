//! Splits an agent's output into lines.

/// Splits a stream into lines. A line that is too long is dropped, since no
/// useful message of an agent is that long.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    is_too_long: bool,
}

const MAX_LINE_LEN: usize = 4 * 1024 * 1024;

impl Lines {
    pub(super) fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(&[u8])) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if self.is_too_long {
                self.is_too_long = false;
            } else if self.begun.is_empty() {
                take(line);
            } else {
                self.begun.extend_from_slice(line);
                take(&self.begun);
            }
            self.begun.clear();
        }
        if self.begun.len() + bytes.len() > MAX_LINE_LEN {
            self.is_too_long = true;
            self.begun = Vec::new();
        } else if !self.is_too_long {
            self.begun.extend_from_slice(bytes);
        }
    }

    /// A last line without a newline.
    pub(super) fn finish(self, take: impl FnOnce(&[u8])) {
        if !self.begun.is_empty() {
            take(&self.begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut all = Vec::new();
        for chunk in chunks {
            lines.push(chunk, |line| {
                all.push(String::from_utf8_lossy(line).into_owned());
            });
        }
        lines.finish(|line| all.push(String::from_utf8_lossy(line).into_owned()));
        all
    }

    #[test]
    fn lines_are_whole_wherever_the_stream_is_cut() {
        let expected = ["one", "", "two", "three"];
        assert_eq!(cut(&[b"one\n\ntwo\nthree"]), expected);
        assert_eq!(cut(&[b"o", b"ne", b"\n", b"\ntw", b"o\nthree"]), expected);
    }

    #[test]
    fn a_line_without_end_costs_no_memory() {
        let flood = vec![b'x'; MAX_LINE_LEN];
        assert_eq!(cut(&[b"a\n", &flood, &flood, b"\nb\n"]), ["a", "b"]);
    }
}
