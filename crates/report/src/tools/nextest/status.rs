//! Parses nextest's own lines: a label that ends at a fixed column, and its
//! subject.

use baton_protocol::report::Counts;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) binary: String,
    pub(super) name: String,
}

/// `        FAIL [   0.013s] ( 1/14) app tests::reads`
pub(super) struct Status<'a> {
    pub(super) words: &'a str,
    pub(super) verdict: Verdict,
    binary: &'a str,
    name: &'a str,
}

pub(super) enum Verdict {
    Started,
    Passed,
    Failed,
    Skipped,
    /// Slow, about to be retried or to be terminated: not final.
    Pending,
}

impl<'a> Status<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (words, rest) = labelled(text)?;
        let (time, rest) = rest.split_once(']')?;
        let time = time.trim_start_matches(['>', ' ']);
        if !time.is_empty() && !time.strip_suffix('s')?.bytes().all(is_of_number) {
            return None;
        }
        let mut rest = rest.trim_start();
        if rest.starts_with('(') {
            rest = rest.split_once(')')?.1.trim_start();
        }
        let (binary, name) = rest.split_once(' ')?;
        Some(Self {
            words,
            verdict: Verdict::read(words)?,
            binary,
            name: name.trim(),
        })
    }

    pub(super) fn test(&self) -> Test {
        Test {
            binary: self.binary.to_owned(),
            name: self.name.to_owned(),
        }
    }

    pub(super) fn is_of(&self, test: &Test) -> bool {
        test.binary == self.binary && test.name == self.name
    }
}

impl Verdict {
    fn read(words: &str) -> Option<Self> {
        let attempt = words.strip_prefix("TRY ").and_then(|w| w.split_once(' '));
        let word = attempt.map_or(words, |(_, word)| word);
        let first = word.split([' ', '-']).next()?;
        Some(match first {
            "START" => Self::Started,
            "SKIP" => Self::Skipped,
            "SLOW" | "TERMINATING" | "KILLING" | "RETRY" | "DELAY" => Self::Pending,
            _ if matches!(word, "TIMEOUT-PASS" | "TMPASS") => Self::Passed,
            "LEAK" if word.contains("FAIL") => Self::Failed,
            "PASS" | "LEAK" | "FLAKY" => Self::Passed,
            "FAIL" | "TIMEOUT" | "TMT" | "XFAIL" | "ABORT" | "ABRT" | "SEGV" | "FLKY" | "FL+LK"
            | "LKFAIL" | "SIG" => Self::Failed,
            _ if first.starts_with("SIG") => Self::Failed,
            // Signals have short names in the lines of attempts.
            _ if attempt.is_some() && first.bytes().all(|b| b.is_ascii_uppercase()) => Self::Failed,
            _ => return None,
        })
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// A label that ends at the twelfth column, and the text after the bracket. The
/// same label further right is output of a test.
fn labelled(text: &str) -> Option<(&str, &str)> {
    const WIDTH: usize = 12;
    let (label, rest) = text.split_once(" [")?;
    let words = label.trim_start();
    let in_place = label.len() == WIDTH || (words.len() > WIDTH && words.len() == label.len());
    (in_place && words.starts_with(|c: char| c.is_ascii_uppercase())).then_some((words, rest))
}

/// `    Starting 14 tests across 4 binaries (1 test skipped)`
pub(super) fn starts(text: &str) -> bool {
    text.strip_prefix("    Starting ")
        .and_then(|rest| rest.split_once(" test"))
        .is_some_and(|(count, rest)| {
            count.bytes().all(|b| b.is_ascii_digit()) && rest.contains(" across ")
        })
}

/// `     Summary [   2.1s] 14 tests run: 4 passed (1 slow), 9 failed, 1 skipped`
pub(super) fn counts(text: &str) -> Option<Counts> {
    let (label, rest) = labelled(text)?;
    if label != "Summary" {
        return None;
    }
    let (_, results) = rest.split_once(" run: ")?;
    let mut counts = Counts::default();
    let mut depth = 0_u32;
    let outside: String = results
        .chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect();
    for result in outside.split(", ") {
        let Some((number, what)) = result.trim().split_once(' ') else {
            continue;
        };
        let Ok(number) = number.parse::<u64>() else {
            continue;
        };
        match what.trim() {
            "passed" => counts.passed = number,
            "skipped" => counts.skipped = number,
            _ => counts.failed = counts.failed.saturating_add(number),
        }
    }
    counts.run = counts.passed.saturating_add(counts.failed);
    Some(counts)
}
