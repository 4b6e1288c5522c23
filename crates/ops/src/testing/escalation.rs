//! The question that is asked when the retries are used up.

use std::fmt::Write as _;

use super::phase::Phase;
use crate::question::{Choice, Question};

pub(super) enum Decision {
    Retry,
    /// Go on in spite of the failures.
    GoOn,
    Abort,
    Unanswered,
}

pub(super) async fn decide(phase: &Phase<'_>) -> Decision {
    let names: Vec<String> = phase
        .suite
        .failures()
        .iter()
        .map(|failure| failure.name.clone())
        .collect();
    let question = question(
        phase.retry_count,
        phase.suite.failed(),
        &names,
        phase.input.max_retries,
    );
    match phase.cx.ask(&question).await {
        Some('A') => Decision::Retry,
        Some('B') => Decision::GoOn,
        Some('C') => Decision::Abort,
        Some(_) | None => Decision::Unanswered,
    }
}

fn question(retry_count: u64, failed_count: u64, names: &[String], max_retries: u64) -> Question {
    /// A wall of names is not read by anybody.
    const MAX_NAMES: usize = 50;
    let mut list = String::new();
    for name in names.iter().take(MAX_NAMES) {
        writeln!(list, "{name}").expect("a string takes all text");
    }
    if names.len() > MAX_NAMES {
        writeln!(list, "… and {} more", names.len() - MAX_NAMES).expect("a string takes all text");
    }
    let again = match max_retries {
        // A person who asks for a retry gets one, also where none was configured.
        0 => "Retry once".to_owned(),
        times => format!("Retry again (will attempt {times} more times)"),
    };
    let options = [
        ('A', again),
        (
            'B',
            "Skip tests and continue workflow (NOT RECOMMENDED - may merge broken code)".to_owned(),
        ),
        ('C', "Abort workflow and fix tests manually".to_owned()),
    ];
    let failed = match retry_count {
        0 => "Tests failed".to_owned(),
        count => format!("Tests failed after {count} retry attempts"),
    };
    let failing = match failed_count {
        0 => "The test command failed without naming a failing test.\n".to_owned(),
        count => format!("Failing tests ({count}):\n{list}"),
    };
    let mut text = format!("{failed}. What would you like to do?\n\n{failing}\nOptions:\n");
    for (key, label) in &options {
        writeln!(text, "{key}) {label}").expect("a string takes all text");
    }
    text.push_str("\nYour choice (A/B/C):");
    Question {
        text,
        options: options
            .into_iter()
            .map(|(key, label)| Choice { key, label })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn the_question_has_the_words_of_the_contract() {
        let names = ["calc.adds".to_owned(), "calc.divides".to_owned()];
        insta::assert_snapshot!(question(3, 2, &names, 3).text, @"
        Tests failed after 3 retry attempts. What would you like to do?

        Failing tests (2):
        calc.adds
        calc.divides

        Options:
        A) Retry again (will attempt 3 more times)
        B) Skip tests and continue workflow (NOT RECOMMENDED - may merge broken code)
        C) Abort workflow and fix tests manually

        Your choice (A/B/C):
        ");
    }

    #[test]
    fn nothing_is_counted_that_is_not_there() {
        insta::assert_snapshot!(question(0, 0, &[], 0).text, @"
        Tests failed. What would you like to do?

        The test command failed without naming a failing test.

        Options:
        A) Retry once
        B) Skip tests and continue workflow (NOT RECOMMENDED - may merge broken code)
        C) Abort workflow and fix tests manually

        Your choice (A/B/C):
        ");
    }
}
