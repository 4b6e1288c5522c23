//! What earlier runs tell about tests, and what this one adds.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::git::Git;
use baton_protocol::phase::testing_details::{AttemptScope, TestAttempt};
use baton_state::State;
use baton_state::history::{Observation, Outcome};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

/// The test history of one project. Nothing is opened before it is needed: a
/// run that passes, in a project where nothing ever failed, does not pay for it.
#[derive(Clone, Debug)]
pub struct History {
    state_folder: PathBuf,
    repository: String,
}

impl History {
    /// `folder` is the project's.
    pub fn new(state_folder: PathBuf, folder: &Path) -> Self {
        Self {
            state_folder,
            repository: repository_of(folder),
        }
    }

    /// The name under which this project is remembered.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Tests that failed when they were last seen.
    pub fn last_failed(&self) -> Vec<String> {
        self.existing()
            .and_then(|state| state.last_failed(&self.repository).ok())
            .unwrap_or_default()
    }

    /// Remembers what became of the tests that are known by name. Trouble with
    /// the history never changes the answer; it is logged.
    pub(super) async fn record(
        &self,
        folder: &Path,
        environment: &Environment,
        cancel: &CancellationToken,
        attempts: &[TestAttempt],
    ) -> Option<String> {
        let failed_before = self.last_failed();
        let observations = observations(attempts, &failed_before);
        if observations.is_empty() || cancel.is_cancelled() {
            return None;
        }
        let git = Git::open(folder, environment).await.ok()?;
        let tree = git.working_tree().await.ok()?.to_string();
        let recorded = State::open(&self.state_folder).and_then(|mut state| {
            state.record(&self.repository, &tree, &observations, Timestamp::now())
        });
        if let Err(error) = recorded {
            tracing::warn!("the test history was not written: {error}");
        }
        Some(tree)
    }

    /// The state, unless it would have to be made first.
    fn existing(&self) -> Option<State> {
        if !self.state_folder.exists() {
            return None;
        }
        State::open(&self.state_folder).ok()
    }
}

/// A test is seen to fail where it is named, and to pass where a run that
/// included it came to its end without naming it.
fn observations(attempts: &[TestAttempt], failed_before: &[String]) -> Vec<Observation> {
    let mut known: Vec<&str> = failed_before.iter().map(String::as_str).collect();
    let mut observations = Vec::new();
    let mut see = |test: &str, outcome| {
        observations.push(Observation {
            test: test.to_owned(),
            outcome,
            duration: None,
        });
    };
    let mut failed_last: Vec<&str> = Vec::new();
    for attempt in attempts {
        let failed: Vec<&str> = attempt.failures.iter().map(|f| f.name.as_str()).collect();
        let came_to_its_end = attempt.exit_code.is_some() && attempt.counts.run > 0;
        let included: &[&str] = match attempt.scope {
            AttemptScope::WholeSuite => &known,
            AttemptScope::FailedTests => &failed_last,
        };
        if came_to_its_end {
            for test in included.iter().filter(|test| !failed.contains(test)) {
                see(test, Outcome::Passed);
            }
        }
        for test in &failed {
            see(test, Outcome::Failed);
            if !known.contains(test) {
                known.push(test);
            }
        }
        failed_last = failed;
    }
    observations
}

/// All worktrees of a repository share its git folder, and with it the history
/// of a project at the same place in it. Read from files: starting git would
/// cost more than the answer is worth.
fn repository_of(folder: &Path) -> String {
    let real = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let found = real
        .ancestors()
        .find_map(|top| Some((top, common_folder(top)?)));
    let (base, inner) = match found {
        Some((top, common)) => {
            let inner = real
                .strip_prefix(top)
                .unwrap_or(Path::new(""))
                .to_path_buf();
            (common, inner)
        }
        None => (real, PathBuf::new()),
    };
    base.join(inner).to_string_lossy().into_owned()
}

fn common_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let pointer = fs::read_to_string(&git).ok()?;
    let own = top.join(pointer.strip_prefix("gitdir: ")?.trim());
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(relative) => own.join(relative.trim()),
        Err(_) => own,
    };
    common.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use baton_protocol::Confidence;
    use baton_protocol::phase::testing_details::{AttemptScope, FactSource, TestAttempt};
    use baton_protocol::report::{Counts, ReportedFailure};

    use super::{Outcome, observations};

    fn attempt(number: u64, scope: AttemptScope, failed: &[&str]) -> TestAttempt {
        TestAttempt {
            number,
            scope,
            command: String::new(),
            outcome: String::new(),
            exit_code: Some(1),
            duration_ms: 1,
            timeout_seconds: 1,
            source: FactSource::Text,
            counts: Counts {
                run: 3,
                ..Counts::default()
            },
            failures: failed
                .iter()
                .map(|name| ReportedFailure {
                    name: (*name).to_owned(),
                    file: None,
                    line: None,
                    error: String::new(),
                    confidence: Confidence::High,
                })
                .collect(),
            leaked: false,
            output_tail: None,
        }
    }

    fn told(attempts: &[TestAttempt], failed_before: &[&str]) -> String {
        let before: Vec<String> = failed_before.iter().map(|&t| t.to_owned()).collect();
        let seen = observations(attempts, &before);
        let words: Vec<_> = seen
            .iter()
            .map(|o| match o.outcome {
                Outcome::Passed => format!("+{}", o.test),
                Outcome::Failed => format!("-{}", o.test),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn what_is_not_named_has_passed_if_it_was_run() {
        use AttemptScope::{FailedTests, WholeSuite};
        let runs = [
            attempt(1, WholeSuite, &["a", "b"]),
            attempt(2, FailedTests, &["b"]),
            attempt(3, FailedTests, &["b"]),
        ];
        assert_eq!(told(&runs, &[]), "-a -b +a -b -b");
        assert_eq!(told(&[attempt(1, WholeSuite, &[])], &["old"]), "+old");
        assert_eq!(told(&[attempt(1, FailedTests, &[])], &["old"]), "");
        assert_eq!(told(&[attempt(1, WholeSuite, &[])], &[]), "");
    }
}
