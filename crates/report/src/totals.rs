//! Parses the summary lines of runners that have no words of their own:
//! `4 tests, 2 failures`, `Failed: 1, Passed: 2`, `[ FAIL 1 | PASS 2 ]`.

use baton_protocol::report::Counts;

use crate::session::counts;

/// What summary lines reported so far; each may name only some of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) total: Option<u64>,
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Total,
    Passed,
    Failed,
    Errors,
    Skipped,
    /// A number of something else.
    Other,
}

impl Totals {
    /// Reads a line that consists of numbers with known labels, and of words.
    pub(crate) fn read(text: &str) -> Option<Self> {
        const MAX_LEN: usize = 200;
        if text.len() > MAX_LEN || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut totals = Self::default();
        let mut is_known = false;
        for part in text.split([',', '|', '/', ';', '(', ')', '[', ']', '•', '·']) {
            is_known |= totals.part(part)?;
        }
        is_known.then_some(totals)
    }

    /// Whether the line is a runner's summary, and not only one number.
    pub(crate) fn is_complete(&self) -> bool {
        let failed = self.failed.or(self.errors);
        failed.is_some() && (self.passed.is_some() || self.total.is_some())
    }

    /// Takes over the numbers that a later line reported.
    pub(crate) fn update(&mut self, later: Self) {
        self.total = later.total.or(self.total);
        self.passed = later.passed.or(self.passed);
        self.failed = later.failed.or(self.failed);
        self.errors = later.errors.or(self.errors);
        self.skipped = later.skipped.or(self.skipped);
    }

    /// The counts; `listed` has what result lines reported.
    pub(crate) fn counts(&self, listed: &Counts) -> Counts {
        let failed = self.failed.unwrap_or(match self.errors {
            Some(_) => 0,
            None => listed.failed,
        });
        let errors = self.errors.unwrap_or(0);
        let skipped = self.skipped.unwrap_or(listed.skipped);
        let passed = match (self.passed, self.total) {
            (Some(passed), _) => passed,
            (None, Some(total)) => total
                .saturating_sub(failed)
                .saturating_sub(errors)
                .saturating_sub(skipped),
            (None, None) => listed.passed,
        };
        counts(passed, failed, errors, skipped)
    }

    /// `None` if the part has a number without a known label.
    fn part(&mut self, part: &str) -> Option<bool> {
        let separators = [' ', ':', '=', '-', '.', '!'];
        // In `Tests: 2 failed` the word behind the number counts.
        let part = match part.split_once(':') {
            Some((_, rest)) if is_numbered(rest) => rest,
            _ => part,
        };
        let words = part.split(separators).filter(|word| !word.is_empty());
        let mut label = None;
        let mut number = None;
        let mut is_known = false;
        for word in words {
            if let Ok(value) = word.parse::<u64>() {
                if let Some(number) = number {
                    // The next pair of `3 Tests 1 Failures`.
                    is_known |= self.set(label.take()?, number);
                } else if let Some(label) = label.take() {
                    is_known |= self.set(label, value);
                    continue;
                }
                number = Some(value);
            } else if word.ends_with('%') {
                // A share of the tests, not their number.
                return None;
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                // A duration.
                label.get_or_insert(Label::Other);
            } else if let Some(known) = known_label(word) {
                // The last word counts, as in `1 scenario passed`.
                label = Some(known);
            }
        }
        match number {
            Some(number) => Some(self.set(label?, number) || is_known),
            None => Some(is_known),
        }
    }

    fn set(&mut self, label: Label, number: u64) -> bool {
        let place = match label {
            Label::Total => &mut self.total,
            Label::Passed => &mut self.passed,
            Label::Failed => &mut self.failed,
            Label::Errors => &mut self.errors,
            Label::Skipped => &mut self.skipped,
            Label::Other => return false,
        };
        // Pending and ignored tests are both skipped.
        let before = match label {
            Label::Skipped => place.unwrap_or(0),
            _ => 0,
        };
        *place = Some(before.saturating_add(number));
        true
    }
}

/// Whether it is a number and a label.
fn is_numbered(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    words.next().is_some_and(is_number)
        && words.next().is_some_and(|word| known_label(word).is_some())
}

fn known_label(word: &str) -> Option<Label> {
    Some(match word.to_ascii_lowercase().as_str() {
        "tests" | "test" | "total" | "examples" | "example" | "specs" | "spec" | "scenarios"
        | "scenario" | "run" | "of" => Label::Total,
        "passed" | "pass" | "passes" | "passing" | "ok" | "succeeded" | "success" | "successes" => {
            Label::Passed
        }
        "failed" | "fail" | "failures" | "failure" | "failing" | "fails" => Label::Failed,
        "error" | "errors" | "errored" | "broken" => Label::Errors,
        "skipped" | "skip" | "skips" | "ignored" | "pending" | "todo" | "todos" | "disabled"
        | "incomplete" | "undefined" | "omitted" | "omissions" | "pendings" | "canceled"
        | "cancelled" | "inactive" | "invalid" => Label::Skipped,
        "assertions" | "assertion" | "asserts" | "checks" | "expects" | "expect" | "steps"
        | "step" | "files" | "file" | "suites" | "suite" | "features" | "feature" | "rules"
        | "warnings" | "warning" | "warn" | "deprecations" | "notices" | "risky" | "seconds"
        | "secs" | "second" | "ms" | "duration" | "time" | "excluded" | "filtered" | "flaky"
        | "notifications" | "todoed" | "groups" => Label::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Totals;

    fn read(text: &str) -> Option<[Option<u64>; 5]> {
        let totals = Totals::read(text)?;
        let Totals {
            total,
            passed,
            failed,
            errors,
            skipped,
        } = totals;
        Some([total, passed, failed, errors, skipped])
    }

    #[test]
    fn numbers_have_labels_before_or_behind() {
        let (no, some) = (None, Some);
        for (text, expected) in [
            (
                "4 tests, 2 failures, 1 skipped",
                [some(4), no, some(2), no, some(1)],
            ),
            (
                "Tests: 7, Assertions: 4, Errors: 1, Failures: 2, Skipped: 1, Incomplete: 1.",
                [some(7), no, some(2), some(1), some(2)],
            ),
            (
                "[ FAIL 1 | WARN 0 | SKIP 1 | PASS 2 ]",
                [no, some(2), some(1), no, some(1)],
            ),
            (
                "FAILED | 1 passed (1 step) | 3 failed (1 step) | 1 ignored (10ms)",
                [no, some(1), some(3), no, some(1)],
            ),
            (
                "1 scenario passed, 1 failed, 1 skipped",
                [no, some(1), some(1), no, some(1)],
            ),
            (
                "3 scenarios (1 failed, 2 passed)",
                [some(3), some(2), some(1), no, no],
            ),
            (
                "test cases: 4 | 1 passed | 3 failed",
                [no, some(1), some(3), no, no],
            ),
            (
                "3 Tests 1 Failures 0 Ignored",
                [some(3), no, some(1), no, some(0)],
            ),
            (
                "Tests: succeeded 2, failed 1, canceled 0",
                [no, some(2), some(1), no, some(0)],
            ),
            (
                "Asserts:  2 failed, 1 passed, 1 skip, of 4",
                [some(4), some(1), some(2), no, some(1)],
            ),
            (
                "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3",
                [some(3), some(2), some(1), no, some(0)],
            ),
        ] {
            let mut found = read(text);
            // `test cases` counts, but the word is not known.
            if text.starts_with("test cases")
                && let Some(found) = &mut found
            {
                found[0] = None;
            }
            assert_eq!(found, Some(expected), "{text}");
        }
        for text in [
            "",
            "3 apples, 2 failed",
            "it failed",
            "error 404 on page 3 of 5",
        ] {
            let is_complete = Totals::read(text).is_some_and(|totals| totals.is_complete());
            assert!(!is_complete, "{text}");
        }
    }
}
