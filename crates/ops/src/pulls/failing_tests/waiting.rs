//! One look at CI, or as many as it takes.

use std::fmt::Write as _;
use std::time::Duration;

use baton_protocol::tools::get_failing_tests::{CiStatus, GetFailingTestsInput, PollInfo};
use baton_remote::github::{GitHubError, GitHubErrorKind};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::survey::Survey;
use super::target::Target;
use crate::error::OpError;
use crate::pulls::ci_check::{CiCheck, CiState};
use crate::pulls::context::PullContext;

/// CI needs a moment to notice a push. After that many looks at nothing there
/// is nothing.
const LOOKS_AT_NOTHING: u32 = 3;
/// When to ask again, where nothing better is known.
const ASK_AGAIN: Duration = Duration::from_secs(30);

pub(super) struct Seen {
    pub(super) survey: Survey,
    /// The forge wants to be left alone for so long.
    pub(super) held_up: Option<Duration>,
    /// What was the head when the wait began, if it is another one now.
    pub(super) earlier_head: Option<String>,
}

/// Looks at CI until it has ended, or something failed where that is enough,
/// or the caller does not want to wait any longer.
pub(super) async fn look(
    cx: &PullContext,
    target: &Target,
    input: &GetFailingTestsInput,
) -> Result<Seen, OpError> {
    let mut survey = ask(cx, target, None).await?;
    let first_head = survey.head.clone();
    let mut held_up = None;
    if input.wait {
        let bail = input.bail_on_first;
        let deadline = Instant::now() + cx.call.poll.max_wait;
        let mut looks = 1;
        while !is_enough(&survey, bail, looks) {
            let next = Instant::now() + cx.call.poll.interval;
            if next > deadline {
                break;
            }
            cx.tell(&progress(&survey, cx.call.poll.interval));
            tokio::time::sleep_until(next).await;
            match ask(cx, target, Some(&survey)).await {
                Ok(later) => survey = later,
                // What is known is better than nothing.
                Err(error) => match error.kind() {
                    GitHubErrorKind::RateLimited(_) => {
                        held_up = Some(error.retry_after().unwrap_or(ASK_AGAIN));
                        break;
                    }
                    _ => return Err(error.into()),
                },
            }
            looks += 1;
        }
    }
    let earlier_head = (first_head != survey.head).then_some(first_head);
    Ok(Seen {
        survey,
        held_up,
        earlier_head,
    })
}

/// The base is asked about once; it tells as much later.
async fn ask(
    cx: &PullContext,
    target: &Target,
    earlier: Option<&Survey>,
) -> Result<Survey, GitHubError> {
    let github = &cx.github;
    Ok(match (target, earlier) {
        (Target::Pull(pull), None) => {
            let (repository, number) = (pull.repository(), pull.number());
            let found = github.pull_request_checks_and_base(repository, number);
            Survey::from_pull(found.await?, None, Timestamp::now())
        }
        (Target::Pull(pull), Some(earlier)) => {
            let found = github.pull_request_checks(pull.repository(), pull.number());
            Survey::from_pull(found.await?, earlier.base.clone(), Timestamp::now())
        }
        (Target::Commit { repository, commit }, _) => {
            Survey::from_commit(github.commit_checks(repository, commit).await?)
        }
    })
}

fn is_enough(survey: &Survey, bail: bool, looks: u32) -> bool {
    if survey.is_closed {
        return true;
    }
    // What is withheld stays so.
    if !survey.doubts.is_empty() && !survey.is_unfinished() {
        return true;
    }
    if !survey.is_reported() {
        return looks >= LOOKS_AT_NOTHING;
    }
    !survey.is_unfinished() || (bail && survey.failed().next().is_some())
}

fn progress(survey: &Survey, pause: Duration) -> String {
    format!("{}; looking again in {pause:?}", standing(survey))
}

/// How far CI is, in a few words.
fn standing(survey: &Survey) -> String {
    let total = survey.checks.len();
    let ended = survey.checks.iter().filter(|check| !check.is_unfinished());
    let ended = ended.count();
    let failed = survey.failed().count();
    let checks = if total == 1 { "check" } else { "checks" };
    let mut text = format!("{ended} of {total} {checks} ended");
    if failed > 0 {
        write!(text, ", {failed} failed").expect("a string takes all text");
    }
    text
}

/// When to ask again, while anything is unfinished.
pub(super) fn poll_info(seen: &Seen, now: Timestamp) -> Option<PollInfo> {
    let survey = &seen.survey;
    if !survey.is_unfinished() && seen.held_up.is_none() {
        return None;
    }
    let pause = seen.held_up.unwrap_or(ASK_AGAIN).as_secs().max(1);
    let what = match (seen.held_up, survey.status()) {
        (Some(_), _) => "GitHub's rate limit is used up",
        (None, CiStatus::Pending) => "CI has not started",
        (None, _) => "CI is still running",
    };
    Some(PollInfo {
        message: format!("{what} ({}); check back in {pause}s", standing(survey)),
        estimated_completion: estimate(survey, now).map(|end| end.to_string()),
        retry_after_seconds: pause,
    })
}

/// When the last check will have ended, if each takes as long as it took on
/// the base branch. Nothing is said where one of them is unknown there.
fn estimate(survey: &Survey, now: Timestamp) -> Option<Timestamp> {
    let base = survey.base.as_ref()?;
    let unfinished = survey.checks.iter().filter(|check| check.is_unfinished());
    let mut last = None;
    for check in unfinished {
        let took = base.counterpart(check)?.check.took?;
        let start = begin(check, now);
        let end = start
            .checked_add(SignedDuration::try_from(took).ok()?)
            .ok()?;
        last = last.max(Some(end));
    }
    // One that is late already says nothing about when it will be done.
    last.filter(|end| *end > now)
}

fn begin(check: &CiCheck, now: Timestamp) -> Timestamp {
    match check.state {
        CiState::Running => check.started_at.unwrap_or(now),
        _ => now,
    }
}

#[cfg(test)]
mod tests {
    use baton_remote::github::Fact;

    use super::*;
    use crate::pulls::ci_check::Why;
    use crate::pulls::failing_tests::base::{Base, BaseCheck, BaseCommit};

    fn survey(states: &[CiState]) -> Survey {
        let checks = states.iter().enumerate();
        Survey {
            checks: checks
                .map(|(n, state)| CiCheck::new(format!("check {n}"), state.clone()))
                .collect(),
            ..Survey::default()
        }
    }

    fn failed() -> CiState {
        CiState::Failed(Why::Failure)
    }

    #[test]
    fn a_failure_is_enough_for_a_caller_that_wants_the_first() {
        let open = survey(&[failed(), CiState::Running]);
        assert!(is_enough(&open, true, 1));
        assert!(!is_enough(&open, false, 1));
        assert!(is_enough(&survey(&[failed(), CiState::Passed]), false, 1));
        assert!(!is_enough(
            &survey(&[CiState::Passed, CiState::Waiting]),
            true,
            9
        ));
    }

    #[test]
    fn ci_is_given_a_moment_to_begin() {
        assert!(!is_enough(&survey(&[]), true, 1));
        assert!(is_enough(&survey(&[]), true, LOOKS_AT_NOTHING));
    }

    #[test]
    fn unfinished_ci_says_when_to_ask_again() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let info = |states: &[CiState], held_up| {
            let seen = Seen {
                survey: survey(states),
                held_up,
                earlier_head: None,
            };
            poll_info(&seen, now).map_or("-".to_owned(), |info| info.message)
        };
        let limit = Some(Duration::from_mins(5));
        insta::assert_snapshot!(info(&[CiState::Waiting], None), @"CI has not started (0 of 1 check ended); check back in 30s");
        insta::assert_snapshot!(info(&[CiState::Running, failed()], None), @"CI is still running (1 of 2 checks ended, 1 failed); check back in 30s");
        insta::assert_snapshot!(info(&[CiState::Passed], None), @"-");
        insta::assert_snapshot!(info(&[CiState::Running], limit), @"GitHub's rate limit is used up (0 of 1 check ended); check back in 300s");
    }

    #[test]
    fn the_end_is_guessed_from_the_base_branch_or_not_at_all() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let mut open = survey(&[CiState::Running, CiState::Waiting]);
        open.checks[0].started_at = Some("2026-01-31T11:59:00Z".parse().unwrap());
        let past = |name: &str, seconds| BaseCheck {
            name: name.to_owned(),
            workflow: None,
            state: CiState::Passed,
            job: None,
            took: Some(Duration::from_secs(seconds)),
            says: None,
        };
        let mut base = Base {
            branch: "main".to_owned(),
            required: Fact::Known(Vec::new()),
            began_at: None,
            commits: vec![BaseCommit {
                id: "a".repeat(40),
                checks: vec![past("check 0", 90), past("check 1", 45)],
            }],
        };
        open.base = Some(base.clone());
        let end = estimate(&open, now).unwrap();
        assert_eq!(end.to_string(), "2026-01-31T12:00:45Z");
        base.commits[0].checks.pop();
        open.base = Some(base);
        assert_eq!(estimate(&open, now), None);
    }
}
