//! A check of which only the end is known.

use baton_protocol::Confidence;
use baton_protocol::report::ReportedFailure;
use baton_protocol::tools::get_failing_tests::FailureSource;
use baton_remote::github::enums::CheckConclusion;
use baton_remote::github::questions::check_details::CheckStep;

use super::found::{Found, MAX_ERROR_LEN, shortened};
use crate::pulls::ci_check::{CiCheck, Why};

/// The step that failed the job.
pub(super) fn failed_step(steps: &[CheckStep]) -> Option<&CheckStep> {
    let failed = |step: &&CheckStep| {
        matches!(
            step.conclusion,
            Some(CheckConclusion::Failure | CheckConclusion::TimedOut)
        )
    };
    steps.iter().find(failed)
}

/// The check itself, where nothing in it can be named.
pub(super) fn for_check(index: usize, check: &CiCheck, text: Option<&str>) -> Found {
    let said = [check.says.as_deref(), text];
    let said = said.into_iter().flatten().map(str::trim);
    let said: Vec<&str> = said.filter(|said| !said.is_empty()).collect();
    let error = if said.is_empty() {
        fate(check.failed().unwrap_or(&Why::Failure))
    } else {
        said.join("\n\n")
    };
    Found {
        check: index,
        failure: ReportedFailure {
            name: check.name.clone(),
            file: None,
            line: None,
            error: shortened(&error, MAX_ERROR_LEN),
            confidence: Confidence::Low,
        },
        framework: String::new(),
        is_build_failure: false,
        source: FailureSource::Check,
        step: None,
    }
}

fn fate(why: &Why) -> String {
    match why {
        Why::Failure => "The check failed and says no more.".to_owned(),
        Why::TimedOut => "The check ran into its time limit.".to_owned(),
        Why::Cancelled => "The check was cancelled before it ended.".to_owned(),
        Why::ActionRequired => "The check waits for someone to act.".to_owned(),
        Why::Stale => "The check was never finished, and GitHub gave up on it.".to_owned(),
        Why::Unstartable => "The workflow could not be started.".to_owned(),
        Why::NeverReported => "The check is required, and nothing has reported it.".to_owned(),
        Why::Other(word) => format!("The check ended as `{word}`."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::ci_check::CiState;

    fn job(name: &str) -> CiCheck {
        CiCheck::new(name.to_owned(), CiState::Failed(Why::Failure))
    }

    #[test]
    fn a_check_without_words_says_how_it_ended() {
        let found = for_check(3, &job("lint"), Some(" "));
        assert_eq!(found.failure.error, "The check failed and says no more.");
        let talking = CiCheck {
            says: Some("2 findings".to_owned()),
            ..job("lint")
        };
        let found = for_check(3, &talking, Some("at length"));
        assert_eq!(found.failure.error, "2 findings\n\nat length");
    }
}
