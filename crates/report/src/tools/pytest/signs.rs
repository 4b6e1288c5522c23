//! Recognises lines about a run that are not part of its report.

use std::sync::LazyLock;

use crate::matcher::Matcher;

/// pytest-cov fails a run in which every test passed.
const COVERAGE: &str = "FAIL Required test coverage of ";

/// The ends of pytest-sugar's progress bar.
const BAR: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// pytest-sugar's `Results (1.45s):`
pub(super) fn is_results(text: &str) -> bool {
    text.starts_with("Results (") && text.ends_with("s):")
}

/// Whether a shell reports that a signal ended a program.
pub(super) fn is_killed(text: &str) -> bool {
    /// The shell adds its own name, a number and the command.
    const MAX_LEN: usize = 200;
    static MESSAGES: LazyLock<Matcher> = LazyLock::new(|| {
        Matcher::new(&[
            "Segmentation fault",
            "Aborted",
            "Killed",
            "Bus error",
            "Illegal instruction",
        ])
    });
    text.len() < MAX_LEN && MESSAGES.is_match(text.as_bytes())
}

/// Whether it is a progress line of pytest or pytest-sugar.
pub(super) fn is_progress(text: &str) -> bool {
    text.ends_with("%]") || text.ends_with(BAR)
}

pub(super) fn is_coverage_failure(text: &str) -> bool {
    text.starts_with(COVERAGE)
}
