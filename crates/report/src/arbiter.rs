//! Decides what really happened where several formats recognised the same lines,
//! or a log holds several runs.

use baton_protocol::Confidence;
use baton_protocol::report::{Counts, ReportedFailure, TestReport, UNKNOWN_FRAMEWORK};

use crate::excerpt;
use crate::session::{Evidence, Failure, Kind, Session, counts};
use crate::tools::{annotations, node_exception, other};

/// A part of a log: a CI step, or the whole log if it has no steps.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// The job in the log that it belongs to.
    pub(crate) job: u32,
    pub(crate) name: Option<String>,
    pub(crate) failed: bool,
    pub(crate) sessions: Vec<Session>,
}

/// `expected` is the framework that is known to have run, if any.
pub(crate) fn judge(steps: Vec<Step>, expected: Option<&str>) -> TestReport {
    let failing = failing(&steps);
    let failing_step = failing.and_then(|index| steps[index].name.clone());
    let sessions: Vec<Session> = match failing {
        Some(index) => steps.into_iter().nth(index).unwrap_or_default().sessions,
        // A step that failed here was allowed to fail.
        None => steps
            .into_iter()
            .filter(|step| !step.failed)
            .flat_map(|step| step.sessions)
            .collect(),
    };
    let sessions = match expected {
        Some(framework) => without_other_frameworks(sessions, framework),
        None => sessions,
    };
    let sessions = with_points_of_tap(without_guesses(without_copies(sessions)));
    let sessions = without_nested(without_nameless(sessions));
    // A run that broke has failing tests only if it counted some.
    let tests_failed = sessions
        .iter()
        .any(|s| s.kind == Kind::Tests && s.failed() && (!s.broke || s.counts.failed > 0));
    let total = |field: fn(&Counts) -> u64| {
        let each = sessions.iter().map(|session| field(&session.counts));
        each.fold(0, u64::saturating_add)
    };
    let (passed, failed) = (total(|counts| counts.passed), total(|counts| counts.failed));
    let errors = total(|counts| counts.errors);
    let counts = Counts {
        // Not the number from a summary: a garbled one contradicts itself.
        run: passed.saturating_add(failed).saturating_add(errors),
        passed,
        failed,
        skipped: total(|counts| counts.skipped),
        errors,
    };
    TestReport {
        framework: framework(&sessions),
        counts,
        is_build_failure: !tests_failed && sessions.iter().any(Session::failed),
        failures: sessions
            .into_iter()
            .flat_map(|session| session.failures)
            .map(reported)
            .collect(),
        failing_step,
    }
}

fn reported(failure: Failure) -> ReportedFailure {
    let error = excerpt::cut(&failure.error);
    let is_nameless = failure.name.trim().is_empty();
    let name = if is_nameless {
        // A failure without a name is identified by its error or its place.
        let first_line = error.lines().map(str::trim).find(|line| !line.is_empty());
        first_line
            .or(failure.file.as_deref())
            .unwrap_or("a failure without a name")
            .to_owned()
    } else {
        failure.name
    };
    ReportedFailure {
        name,
        file: failure.file,
        line: failure.line,
        error,
        confidence: if is_nameless {
            Confidence::Low
        } else {
            failure.confidence
        },
    }
}

/// The step that failed its job.
fn failing(steps: &[Step]) -> Option<usize> {
    // Usually the last one: an earlier one was allowed to fail, or nothing would
    // have run after it.
    let last = steps.iter().rposition(|step| step.failed)?;
    let has_failed_tests = |step: &Step| {
        let failed_tests = |s: &Session| s.kind == Kind::Tests && s.failed();
        step.sessions.iter().any(failed_tests)
    };
    if has_failed_tests(&steps[last]) {
        return Some(last);
    }
    if steps[last].sessions.is_empty()
        && let Some(earlier) = steps
            .iter()
            .rposition(|step| step.failed && has_failed_tests(step))
    {
        // Tests failed, and a later step that always runs, such as one that
        // uploads the report, failed too.
        return Some(earlier);
    }
    // Tests do not run after a step that failed the job, but a linter that is
    // allowed to fail may run before them.
    let tests_ran = |step: &Step| {
        let ran = |s: &Session| s.kind == Kind::Tests && s.evidence > Evidence::Fragment;
        step.job == steps[last].job && step.sessions.iter().any(ran)
    };
    (!steps[last + 1..].iter().any(tests_ran)).then_some(last)
}

/// If the expected framework was recognised, the output of other frameworks was
/// printed by its tests.
fn without_other_frameworks(mut sessions: Vec<Session>, expected: &str) -> Vec<Session> {
    let has_run = |s: &Session| {
        s.framework == expected && s.evidence > Evidence::Fragment && s.counts.run > 0
    };
    if sessions.iter().any(has_run) {
        sessions.retain(|session| session.framework == expected);
    }
    sessions
}

/// What looks like a run of any runner counts only where no known one ran.
fn without_guesses(mut sessions: Vec<Session>) -> Vec<Session> {
    let is_guess = |s: &Session| GUESSES.contains(&s.framework);
    let is_known = |s: &Session| {
        s.kind == Kind::Tests && !is_guess(s) && (s.counts.run > 0 || !s.failures.is_empty())
    };
    let any_known = sessions.iter().any(is_known);
    let best = sessions.iter().filter(|s| is_guess(s)).map(strength).max();
    sessions.retain(|s| {
        let is_best = || !any_known && strength(s) > 0 && Some(strength(s)) == best;
        !is_guess(s) || is_best()
    });
    sessions
}

/// Readers of what several runners print.
const GUESSES: [&str; 3] = [
    other::FRAMEWORK,
    annotations::FRAMEWORK,
    node_exception::FRAMEWORK,
];

/// Which guess is the best one: a summary, then names, then an error.
fn strength(session: &Session) -> u8 {
    match session.framework {
        other::FRAMEWORK if session.evidence == Evidence::Fragment => 0,
        other::FRAMEWORK => 3,
        annotations::FRAMEWORK => 2,
        _ => 1,
    }
}

/// `prove` prints the TAP of the tests where it is asked to: their points are
/// more exact than its own numbers, which know no skipped tests.
fn with_points_of_tap(mut sessions: Vec<Session>) -> Vec<Session> {
    let all = |s: &Session| s.counts.run.saturating_add(s.counts.skipped);
    for index in 0..sessions.len() {
        if sessions[index].framework != "prove" {
            continue;
        }
        let (lines, total) = (sessions[index].lines, all(&sessions[index]));
        let is_within =
            |s: &&Session| s.framework == "tap" && s.lines.0 <= lines.1 && lines.0 <= s.lines.1;
        let within: Vec<&Session> = sessions.iter().filter(is_within).collect();
        if within.is_empty() {
            continue;
        }
        let sum = |field: fn(&Counts) -> u64| {
            let each = within.iter().map(|s| field(&s.counts));
            each.fold(0, u64::saturating_add)
        };
        let (failed, skipped) = (sum(|c| c.failed), sum(|c| c.skipped));
        let prove = &sessions[index];
        let wrong = prove.counts.failed.saturating_add(prove.counts.errors);
        if !prove.failures.is_empty() || failed == 0 {
            let passed = total.saturating_sub(wrong.saturating_add(skipped));
            sessions[index].counts =
                counts(passed, prove.counts.failed, prove.counts.errors, skipped);
            sessions.retain(|s| !is_within(&s));
            return sessions;
        }
    }
    sessions
}

/// Drops the report for machines that a runner printed besides its own text.
fn without_copies(mut sessions: Vec<Session>) -> Vec<Session> {
    let is_printed = |s: &&Session| !s.is_report && s.evidence > Evidence::Fragment;
    let printed = sessions.iter().filter(is_printed);
    let printed: Vec<_> = printed.map(|s| s.framework).collect();
    sessions.retain(|s| !s.is_report || !printed.contains(&s.framework));
    sessions
}

/// Drops a session that counts failures but has no names, if one within has all
/// of them: a runner prints a summary around messages for another program.
fn without_nameless(mut sessions: Vec<Session>) -> Vec<Session> {
    let failed = |s: &Session| s.counts.failed.saturating_add(s.counts.errors);
    let named: Vec<_> = sessions
        .iter()
        .filter(|s| !s.failures.is_empty() && s.failures.len() as u64 == failed(s))
        .map(|s| (s.lines, failed(s)))
        .collect();
    sessions.retain(|s| {
        let is_within = |(lines, count): &((u64, u64), u64)| {
            s.lines.0 <= lines.0 && lines.1 <= s.lines.1 && *count == failed(s)
        };
        !s.failures.is_empty() || failed(s) == 0 || !named.iter().any(is_within)
    });
    sessions
}

/// Drops sessions inside a better proven one: a test printed another framework's
/// output, or a runner displays the output of the one it runs.
fn without_nested(mut sessions: Vec<Session>) -> Vec<Session> {
    let spans: Vec<_> = sessions
        .iter()
        .map(|s| (s.lines, s.evidence, s.framework))
        .collect();
    let mut index = 0;
    sessions.retain(|session| {
        let own = index;
        index += 1;
        !spans
            .iter()
            .enumerate()
            .any(|(other, (lines, evidence, framework))| {
                lines.0 <= session.lines.0
                    && session.lines.1 <= lines.1
                    && other != own
                    && *framework != session.framework
                    && (*evidence > session.evidence
                        || (*evidence == session.evidence
                            && lines.1 - lines.0 > session.lines.1 - session.lines.0))
            })
    });
    sessions
}

fn framework(sessions: &[Session]) -> String {
    // Users ask about what failed.
    let any_failed = sessions.iter().any(Session::failed);
    let mut names: Vec<&str> = Vec::new();
    for session in sessions {
        if (!any_failed || session.failed()) && !names.contains(&session.framework) {
            names.push(session.framework);
        }
    }
    if names.is_empty() {
        return UNKNOWN_FRAMEWORK.to_owned();
    }
    names.join("+")
}

#[cfg(test)]
mod tests {
    use super::{Step, judge};
    use crate::session::{Evidence, Failure, Session};

    fn step(name: &str, failed: bool, sessions: Vec<Session>) -> Step {
        Step {
            job: 1,
            name: Some(name.to_owned()),
            failed,
            sessions,
        }
    }

    fn tests(failures: &[&str]) -> Session {
        let mut session = Session::new("pytest", 1);
        session.evidence = Evidence::Complete;
        session.counts.run = 3;
        session.counts.failed = failures.len() as u64;
        session.counts.passed = 3 - session.counts.failed;
        session.failures = failures.iter().map(|name| Failure::named(*name)).collect();
        session
    }

    fn lint() -> Session {
        let mut session = Session::for_diagnostics("flake8", 1);
        session.broke = true;
        session
    }

    fn failing_step(steps: Vec<Step>) -> Option<String> {
        judge(steps, None).failing_step
    }

    #[test]
    fn the_last_failed_step_failed_the_job() {
        let steps = vec![
            step("lint", true, vec![lint()]),
            step("test", true, vec![tests(&["a"])]),
            step("upload", false, vec![]),
        ];
        assert_eq!(failing_step(steps).unwrap(), "test");
    }

    #[test]
    fn output_of_tests_is_not_a_run() {
        let mut quoted = tests(&["a"]);
        quoted.framework = "jest";
        let run = vec![step("test", false, vec![quoted, tests(&[])])];
        assert_eq!(judge(run, Some("pytest")).counts.failed, 0);
        let mut quoted = tests(&["a"]);
        quoted.framework = "jest";
        let run = vec![step("test", false, vec![quoted])];
        assert_eq!(judge(run, Some("pytest")).counts.failed, 1);
    }

    #[test]
    fn a_failed_cleanup_is_not_the_failing_step() {
        let steps = vec![
            step("test", true, vec![tests(&["a"])]),
            step("upload", true, vec![]),
        ];
        assert_eq!(failing_step(steps).unwrap(), "test");
    }

    #[test]
    fn a_step_before_tests_that_pass_was_allowed_to_fail() {
        let steps = vec![
            step("lint", true, vec![lint()]),
            step("test", false, vec![tests(&[])]),
        ];
        let report = judge(steps, None);
        assert_eq!(report.failing_step, None);
        assert_eq!(
            (report.counts.run, report.framework.as_str()),
            (3, "pytest")
        );

        let another_job = Step {
            job: 2,
            ..step("test", false, vec![tests(&[])])
        };
        let steps = vec![step("lint", true, vec![lint()]), another_job];
        assert_eq!(failing_step(steps).unwrap(), "lint");
    }
}
