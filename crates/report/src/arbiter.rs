//! Several formats may have recognised something in the same lines, and a log
//! may hold several runs. Decides what really happened.

use baton_protocol::report::{Counts, ReportedFailure, TestReport};

use crate::excerpt;
use crate::session::{Kind, Session};

/// A part of a log: a CI step, or all of it where there are no steps.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) name: Option<String>,
    pub(crate) failed: bool,
    pub(crate) sessions: Vec<Session>,
}

pub(crate) fn judge(steps: Vec<Step>) -> TestReport {
    // The last step that failed is the one that failed the job: an earlier one
    // was allowed to fail, or nothing would have run after it.
    let failing = steps.iter().rposition(|step| step.failed);
    let failing_step = failing.and_then(|index| steps[index].name.clone());
    let sessions: Vec<Session> = match failing {
        Some(index) => steps.into_iter().nth(index).unwrap_or_default().sessions,
        None => steps.into_iter().flat_map(|step| step.sessions).collect(),
    };
    let sessions = without_quotations(sessions);
    let tests_failed = sessions
        .iter()
        .any(|s| s.kind == Kind::Tests && (s.counts.failed > 0 || !s.broke) && s.failed());
    let counts = sessions.iter().fold(Counts::default(), |sum, s| Counts {
        run: sum.run + s.counts.run,
        passed: sum.passed + s.counts.passed,
        failed: sum.failed + s.counts.failed,
        skipped: sum.skipped + s.counts.skipped,
        errors: sum.errors + s.counts.errors,
    });
    TestReport {
        framework: framework(&sessions),
        counts,
        is_build_failure: !tests_failed && sessions.iter().any(Session::failed),
        failures: sessions
            .into_iter()
            .flat_map(|session| session.failures)
            .map(|failure| ReportedFailure {
                name: failure.name,
                file: failure.file,
                line: failure.line,
                error: excerpt::cut(&failure.error),
                confidence: failure.confidence,
            })
            .collect(),
        failing_step,
    }
}

/// Drops sessions that lie within a better proven one: a test that printed
/// another framework's words, or a runner that shows the output of the one it
/// drives.
fn without_quotations(mut sessions: Vec<Session>) -> Vec<Session> {
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
                other != own
                    && *framework != session.framework
                    && lines.0 <= session.lines.0
                    && session.lines.1 <= lines.1
                    && (*evidence > session.evidence
                        || (*evidence == session.evidence
                            && lines.1 - lines.0 > session.lines.1 - session.lines.0))
            })
    });
    sessions
}

fn framework(sessions: &[Session]) -> String {
    // What failed is what the reader asks about.
    let any_failed = sessions.iter().any(Session::failed);
    let mut names: Vec<&str> = Vec::new();
    for session in sessions {
        if (!any_failed || session.failed()) && !names.contains(&session.framework) {
            names.push(session.framework);
        }
    }
    if names.is_empty() {
        return "unknown".to_owned();
    }
    names.join("+")
}
