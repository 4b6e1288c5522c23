//! Parses the lines that Minitest and its reporters print, one by one.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Failure,
    Skip,
}

fn kind(text: &str) -> Option<Kind> {
    match text {
        "Failure:" | "Error:" => Some(Kind::Failure),
        "Skipped:" => Some(Kind::Skip),
        _ => None,
    }
}

/// `  3) Failure:`
pub(super) fn numbered_header(text: &str) -> Option<Kind> {
    let (number, rest) = text.trim_start().split_once(") ")?;
    number.parse::<u64>().ok()?;
    kind(rest)
}

pub(super) fn bare_header(text: &str) -> Option<Kind> {
    kind(text)
}

/// Returns the place of `bin/rails test test/models/cart_test.rb:10`.
pub(super) fn rails_rerun(text: &str) -> Option<&str> {
    text.strip_prefix("bin/rails test ")
        .or_else(|| text.strip_prefix("rails test "))
        .or_else(|| text.strip_prefix("bin/test "))
}

pub(super) fn is_finished(text: &str) -> bool {
    let Some(rest) = text
        .strip_prefix("Finished in ")
        .or_else(|| text.strip_prefix("Finished tests in "))
    else {
        return false;
    };
    let number = rest.trim_end_matches('.').split(',').next().unwrap_or(rest);
    number
        .strip_suffix('s')
        .is_some_and(|number| number.parse::<f64>().is_ok())
}

/// Some versions of `minitest-reporters` print the class of the result object
/// instead of the test's.
pub(super) fn joined(class: &str, method: &str) -> String {
    if class.is_empty() || class == "Minitest::Result" {
        method.to_owned()
    } else {
        format!("{class}#{method}")
    }
}

/// `9 runs, 8 assertions, 4 failures, 1 errors, 1 skips`
pub(super) struct Counted {
    runs: u64,
    failures: u64,
    errors: u64,
    skips: u64,
}

impl Counted {
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(", ").map(|part| part.split_once(' '));
        let mut next = |names: &[&str]| {
            let (number, noun) = parts.next()??;
            names
                .contains(&noun)
                .then(|| number.parse::<u64>().ok())
                .flatten()
        };
        let runs = next(&["runs", "tests", "run", "test"])?;
        next(&["assertions", "assertion"])?;
        Some(Self {
            runs,
            failures: next(&["failures", "failure"])?,
            errors: next(&["errors", "error"])?,
            skips: next(&["skips", "skip"]).unwrap_or(0),
        })
    }

    pub(super) fn counts(&self) -> baton_protocol::report::Counts {
        let run = self.runs.saturating_sub(self.skips);
        baton_protocol::report::Counts {
            run,
            passed: run.saturating_sub(self.failures + self.errors),
            failed: self.failures,
            errors: self.errors,
            skipped: self.skips,
        }
    }
}

/// A verdict of `minitest-reporters`, with the name if it is a failure or a
/// skip. Its reporters differ in where they put the name.
pub(super) fn verdict_of_reporter(text: &str, suite: &str) -> Option<(Option<String>, bool)> {
    let trimmed = text.trim_start();
    let trimmed = trimmed.strip_prefix("Progress: |").unwrap_or(trimmed);
    // ` FAIL["test_total", CartTest, 0.01]`
    let bare = trimmed.trim_start_matches([' ', '=', '|']);
    for (word, skipped) in [("FAIL[\"", false), ("ERROR[\"", false), ("SKIP[\"", true)] {
        if let Some(rest) = bare.strip_prefix(word) {
            let (method, rest) = rest.split_once("\", ")?;
            let class = rest
                .split_once("@name=\"")
                .and_then(|(_, rest)| rest.split_once('"'))
                .or_else(|| rest.split_once(", "))
                .map_or("", |(class, _)| class);
            return Some((Some(joined(class.trim_matches('"'), method)), skipped));
        }
    }
    let rest = trimmed.strip_suffix("s)")?;
    let (rest, seconds) = rest.rsplit_once(" (")?;
    seconds.parse::<f64>().ok()?;
    for (word, skipped) in [("FAIL", false), ("ERROR", false), ("SKIP", true)] {
        // `FAIL CartTest#test_total (0.00s)`
        if let Some(name) = rest.strip_prefix(word)
            && name.starts_with(' ')
        {
            let (class, method) = name.trim().rsplit_once('#').unwrap_or(("", name.trim()));
            return Some((Some(joined(class, method)), skipped));
        }
        // `  test_total            FAIL (0.00s)`, with its class above.
        if let Some(name) = rest.strip_suffix(word)
            && name.ends_with(' ')
            && text.starts_with(' ')
        {
            return Some((Some(joined(suite, name.trim())), skipped));
        }
    }
    let passed = rest.ends_with(" PASS") || rest.starts_with("PASS ");
    passed.then_some((None, true))
}
