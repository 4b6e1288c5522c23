//! What can be counted about the work.

use baton_host::detect;
use baton_host::git::{ChangeKind, FileDiff, Git};
use baton_ops::question::Nobody;
use baton_ops::testing::{self, Event, FlakyPolicy, History, Preferred};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::{BuildCommand, TestingInput};
use baton_review::test_cases;

use crate::Errand;
use crate::failure::Setback;
use crate::foreign_text::one_line;
use crate::own_thread;
use crate::prep;
use crate::project_command;
use crate::workspace::Workspace;

pub(super) struct Figures {
    pub(super) files: u64,
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) tests_added: u64,
    /// Absent where there is nothing to run.
    pub(super) tests: Option<TestRun>,
}

/// A run of the project's tests on what is committed.
pub(super) struct TestRun {
    pub(super) command: String,
    pub(super) passed: bool,
    pub(super) run: u64,
    pub(super) succeeded: u64,
}

impl Figures {
    pub(super) async fn of(errand: &Errand<'_>, workspace: &Workspace) -> Result<Self, Setback> {
        let diff = workspace
            .git
            .diff(workspace.begun.as_str(), "HEAD", 0)
            .await?;
        let count = |of: fn(&FileDiff) -> usize| -> u64 {
            diff.iter()
                .map(|file| u64::try_from(of(file)).unwrap_or(u64::MAX))
                .sum()
        };
        Ok(Self {
            files: u64::try_from(diff.len()).unwrap_or(u64::MAX),
            added: count(FileDiff::additions),
            removed: count(FileDiff::deletions),
            tests_added: tests_added(&workspace.git, &diff).await?,
            tests: run_tests(errand, workspace).await?,
        })
    }
}

/// Runs them once; whether they have to pass is for the validator to say.
async fn run_tests(errand: &Errand<'_>, workspace: &Workspace) -> Result<Option<TestRun>, Setback> {
    let place = errand.place;
    if let Err(ran) = prep::renew(errand, workspace).await? {
        // The validator has a word about it.
        errand.context.say(&ran.told());
    }
    let input = TestingInput {
        working_directory: workspace.path.to_string_lossy().into_owned(),
        language: detect::guess_language(&workspace.path),
        test_command: place.settings.preferred.test.clone(),
        build_command: BuildCommand::default(),
        max_retries: 0,
        retry_backoff_ms: Vec::new(),
        run_build: None,
        timeout_seconds: place.settings.command_limit.as_secs().max(1),
    };
    let preferred = Preferred {
        test: place.settings.preferred.test.clone(),
        build: place.settings.preferred.build.clone(),
    };
    let history = place
        .state_dir
        .clone()
        .map(|state| History::new(state, &place.checkout));
    let environment = project_command::environment(errand, &workspace.path).await?;
    let context = errand.context.clone();
    let answer = own_thread::run(&errand.context.cancel, async move |cancel| {
        let surroundings = testing::Surroundings {
            environment: &environment,
            cancel: &cancel,
            preferred,
            history,
            flaky: FlakyPolicy::default(),
            only: Vec::new(),
            lists_cases: false,
            ask: &mut Nobody,
            observe: &mut |event| match event {
                Event::AttemptStarted { command, .. } => context.say(&format!("$ {command}")),
                _ => context.tick(),
            },
        };
        testing::run(&input, surroundings).await
    });
    let answer = answer.await?;
    errand.go_on()?;
    let output = answer.output;
    Ok(output.test_command.map(|command| TestRun {
        command: one_line(&command, 200),
        passed: output.status == Verdict::Pass,
        run: output.tests_run,
        succeeded: output.tests_passed,
    }))
}

/// Tests that the change has more than it had before.
async fn tests_added(git: &Git, diff: &[FileDiff]) -> Result<u64, Setback> {
    let (mut before, mut after) = (0, 0);
    for file in diff {
        let Some(path) = file.path.to_str() else {
            continue;
        };
        if file.kind != ChangeKind::Added && is_file(&file.old_mode) {
            before += test_cases(path, &git.blob(&file.old).await?).len() as u64;
        }
        if file.kind != ChangeKind::Deleted && is_file(&file.new_mode) {
            after += test_cases(path, &git.blob(&file.new).await?).len() as u64;
        }
    }
    Ok(after.saturating_sub(before))
}

/// Neither a link nor a repository.
fn is_file(mode: &str) -> bool {
    mode.starts_with("100")
}

/// Whether a file holds tests, by the habits of many languages.
pub(super) fn is_test_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let folders = [
        "test",
        "tests",
        "__tests__",
        "spec",
        "specs",
        "testdata",
        "fixtures",
        "e2e",
    ];
    let stem = name.split('.').next().unwrap_or(name);
    parts.any(|part| folders.contains(&part))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.ends_with("Test") && [".java", ".kt"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_their_names() {
        for path in [
            "tests/it.rs",
            "a/test_b.py",
            "a/b_test.go",
            "a.spec.ts",
            "src/ATest.java",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/latest.rs", "contest.py", "src/attest/a.rs", "Test.txt"] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
