//! Parses the last line of a run: `2 failed, 5 passed, 1 skipped in 0.31s`.

use baton_protocol::report::Counts;

/// The contents of a run's last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) counts: Counts,
    /// The run only collected tests.
    pub(super) only_collected: bool,
}

/// Reads the whole line, or the title of the last rule.
pub(super) fn read(text: &str) -> Option<Totals> {
    let (items, time) = text.rsplit_once(" in ")?;
    if !is_time(time) {
        return None;
    }
    let mut totals = Totals::default();
    if items == "no tests ran" {
        return Some(totals);
    }
    if items.contains(" collected") {
        totals.only_collected = true;
        return items
            .starts_with(|c: char| c.is_ascii_digit() || c == 'n')
            .then_some(totals);
    }
    let mut known = false;
    for part in items.split(", ") {
        let (number, label) = part.split_once(' ')?;
        known |= add(number.parse().ok()?, label, &mut totals.counts);
    }
    known.then_some(totals)
}

/// Adds `3 passed` and the like. Returns whether the label is pytest's.
pub(super) fn add(number: u32, label: &str, counts: &mut Counts) -> bool {
    let place = match label {
        // An unexpected pass is a failure only in strict mode, and then pytest
        // counts it as failed.
        "passed" | "xpassed" => &mut counts.passed,
        "failed" => &mut counts.failed,
        "error" | "errors" => &mut counts.errors,
        "skipped" | "xfailed" => &mut counts.skipped,
        "deselected" | "rerun" | "warning" | "warnings" => return true,
        _ => return false,
    };
    *place = place.saturating_add(number.into());
    counts.run = counts
        .passed
        .saturating_add(counts.failed)
        .saturating_add(counts.errors);
    true
}

/// `0.31s`, `75.02s (0:01:15)`, and `0.31 seconds` of older versions.
fn is_time(text: &str) -> bool {
    let text = text.split_once(" (").map_or(text, |(seconds, _)| seconds);
    let Some(number) = text
        .strip_suffix(" seconds")
        .or_else(|| text.strip_suffix('s'))
    else {
        return false;
    };
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::read;

    fn counted(text: &str) -> Option<[u64; 5]> {
        read(text).map(|t| {
            let c = t.counts;
            [c.run, c.passed, c.failed, c.errors, c.skipped]
        })
    }

    #[test]
    fn totals_are_read() {
        assert_eq!(counted("3 passed in 0.02s"), Some([3, 3, 0, 0, 0]));
        assert_eq!(
            counted(
                "1 failed, 2 passed, 1 skipped, 2 xfailed, 1 xpassed, 3 warnings, 1 error, 4 subtests passed, 2 rerun in 75.10s (0:01:15)"
            ),
            Some([5, 3, 1, 1, 3])
        );
        assert_eq!(counted("1 passed in 0.12 seconds"), Some([1, 1, 0, 0, 0]));
        assert_eq!(counted("no tests ran in 0.00s"), Some([0; 5]));
        assert!(read("12 tests collected in 0.03s").is_some_and(|t| t.only_collected));
        assert_eq!(counted("we passed in 3s"), None);
        assert_eq!(counted("2 dogs in 3s"), None);
        assert_eq!(counted("2 passed in time"), None);
    }
}
