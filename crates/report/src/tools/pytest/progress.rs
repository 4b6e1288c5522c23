//! Reads what pytest prints while tests run: dots, or a line per test.

use baton_protocol::report::Counts;

use super::block::Kind;
use super::totals;
use crate::place;

/// Counts and names from the progress lines. They are only needed if there is no
/// summary: after a crash, in a truncated log, or with options that omit it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) counts: Counts,
    pub(super) failed: Vec<(Kind, String)>,
    /// The test that began and has not ended.
    pub(super) running: Option<String>,
    /// The file whose dots are being printed.
    pub(super) file: Option<String>,
}

/// The last word of a line, and the label it counts as.
const LABELS: [(&str, &str); 8] = [
    ("PASSED", "passed"),
    ("FAILED", "failed"),
    ("ERROR", "error"),
    ("SKIPPED", "skipped"),
    ("XFAIL", "xfailed"),
    ("XPASS", "xpassed"),
    ("SUBFAIL", "failed"),
    ("RERUN", "rerun"),
];

impl Progress {
    pub(super) fn line(&mut self, text: &str) {
        let body = without_percentage(text);
        if let Some(rest) = text.strip_prefix("[gw") {
            self.worker(rest);
        } else if let Some((node, rest)) = node(body) {
            match outcome(rest) {
                Some(label) => self.ended(node, label),
                None => self.running = Some(node.to_owned()),
            }
        } else if let Some(running) = self.running.take() {
            match outcome(body) {
                Some(label) => self.ended(&running, label),
                None => self.running = Some(running),
            }
        } else {
            self.dots(body);
        }
    }

    /// `0] [ 33%] PASSED tests/test_a.py::test_x`
    fn worker(&mut self, rest: &str) {
        let Some((_, rest)) = rest.split_once("%] ") else {
            return;
        };
        if let Some((word, node)) = rest.split_once(' ')
            && let Some(label) = outcome(word)
        {
            self.ended(node, label);
        }
    }

    fn ended(&mut self, node: &str, label: &'static str) {
        /// As many failures as a session keeps.
        const MAX_FAILURES: usize = 10_000;
        self.running = None;
        totals::add(1, label, &mut self.counts);
        let kind = match label {
            "failed" => Kind::Failed,
            "error" => Kind::Error,
            _ => return,
        };
        if self.failed.len() < MAX_FAILURES {
            self.failed.push((kind, node.to_owned()));
        }
    }

    /// `tests/test_a.py ..F.s` or, on continued lines or when quiet, `..F.s`.
    fn dots(&mut self, body: &str) {
        let (file, dots) = match body.rsplit_once(' ') {
            Some((file, dots)) => (Some(file.trim()), dots),
            None if is_dots(body) => (None, body),
            None => (Some(body), ""),
        };
        if !is_dots(dots) || file.is_some_and(|f| !place::looks_like_a_file(f)) {
            return;
        }
        if let Some(file) = file {
            self.file = Some(file.to_owned());
        }
        for dot in dots.chars() {
            let label = match dot {
                '.' => "passed",
                'F' | 'u' => "failed",
                'E' => "error",
                's' => "skipped",
                'x' => "xfailed",
                'X' => "xpassed",
                _ => continue,
            };
            totals::add(1, label, &mut self.counts);
        }
    }
}

/// `...F.s      [ 50%]` and nothing else, as in a quiet run.
pub(super) fn is_quiet_progress(text: &str) -> bool {
    let body = without_percentage(text);
    body.len() < text.len() && !body.is_empty() && is_dots(body)
}

fn is_dots(text: &str) -> bool {
    text.bytes().all(|b| b".FEsxXRu,-y".contains(&b))
}

/// Removes `[ 50%]`, or `[ 3/20]`, from the end.
fn without_percentage(text: &str) -> &str {
    if text.ends_with(']')
        && let Some((body, _)) = text.rsplit_once('[')
        && text
            .get(body.len() + 1..text.len() - 1)
            .is_some_and(|inner| {
                !inner.is_empty()
                    && inner
                        .bytes()
                        .all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'%' | b'/'))
            })
    {
        return body.trim_end();
    }
    text
}

/// The test at the beginning of a line, and what follows it.
fn node(body: &str) -> Option<(&str, &str)> {
    let (file, rest) = body.split_once("::")?;
    if file.contains("  ") || !place::looks_like_a_file(file) {
        return None;
    }
    // A parameter may contain spaces; the id ends at the first space outside
    // brackets, except for subtests, which have more.
    let mut depth = 0usize;
    let end = rest
        .char_indices()
        .find(|&(_, c)| {
            match c {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ' ' && depth == 0
        })
        .map_or(rest.len(), |(at, _)| at);
    let end = file.len() + 2 + end;
    Some((body.get(..end)?, body.get(end..)?.trim()))
}

/// The outcome in the last word of a test's line.
fn outcome(rest: &str) -> Option<&'static str> {
    let rest = rest.trim();
    LABELS
        .iter()
        .find(|(word, _)| {
            rest.strip_prefix(word).is_some_and(|after| {
                after.is_empty() || after.starts_with(" (") || *word == "SUBFAIL"
            }) || rest
                .strip_suffix(word)
                .is_some_and(|before| before.ends_with(") ") || before.ends_with("] "))
        })
        .map(|&(_, label)| label)
}

#[cfg(test)]
mod tests {
    use super::Progress;

    fn counted(lines: &[&str]) -> (u64, u64, u64, Progress) {
        let mut progress = Progress::default();
        for line in lines {
            progress.line(line);
        }
        let counts = progress.counts;
        (counts.passed, counts.failed, counts.skipped, progress)
    }

    #[test]
    fn dots_are_counted() {
        let (passed, failed, skipped, progress) = counted(&[
            "tests/test_a.py ..F      [ 50%]",
            "...Fs      [ 80%]",
            "F.sx      [100%]",
            "some words",
            "F is not alone",
        ]);
        assert_eq!((passed, failed, skipped), (6, 3, 3));
        assert_eq!(progress.file.as_deref(), Some("tests/test_a.py"));
    }

    #[test]
    fn lines_are_counted() {
        let (passed, failed, skipped, progress) = counted(&[
            "t/test_a.py::test_x[a - b] PASSED      [ 10%]",
            "t/test_a.py::test_y SKIPPED (not now)      [ 20%]",
            "[gw1] [ 30%] FAILED t/test_a.py::test_z",
            "t/test_a.py::test_loud some output",
            "FAILED      [ 40%]",
            "t/test_a.py::test_slow",
        ]);
        assert_eq!((passed, failed, skipped), (1, 2, 1));
        assert_eq!(progress.failed[1].1, "t/test_a.py::test_loud");
        assert_eq!(progress.running.as_deref(), Some("t/test_a.py::test_slow"));
    }
}
