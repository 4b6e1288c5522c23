//! What can be counted about the work.

use baton_host::git::{DiffLineKind, FileDiff};
use baton_ops::question::Nobody;
use baton_ops::testing::{self, Event, FlakyPolicy, History, Preferred};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::{BuildCommand, TestingInput};

use crate::Errand;
use crate::failure::Setback;
use crate::foreign_text::one_line;
use crate::own_thread;
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
            tests_added: tests_added(&diff),
            tests: run_tests(errand, workspace).await?,
        })
    }
}

/// Runs them once; whether they have to pass is for the validator to say.
async fn run_tests(errand: &Errand<'_>, workspace: &Workspace) -> Result<Option<TestRun>, Setback> {
    let place = errand.place;
    let input = TestingInput {
        working_directory: workspace.path.to_string_lossy().into_owned(),
        language: None,
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

/// Tests that the change has more than it had before, by how they begin.
fn tests_added(diff: &[FileDiff]) -> u64 {
    let count = |wanted: DiffLineKind| -> u64 {
        let mut count = 0;
        for file in diff {
            let extension = file
                .path
                .extension()
                .and_then(|extension| extension.to_str());
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            let lines = lines.filter(|line| line.kind == wanted);
            let begins = |line: &&baton_host::git::DiffLine| {
                begins_test(extension.unwrap_or_default(), line.text.trim_start())
            };
            count += lines.filter(begins).map(|_| 1).sum::<u64>();
        }
        count
    };
    count(DiffLineKind::Added).saturating_sub(count(DiffLineKind::Removed))
}

fn begins_test(extension: &str, line: &str) -> bool {
    let signs: &[&str] = match extension {
        "rs" => &["#[test]", "#[tokio::test", "#[rstest", "#[test_case"],
        "py" => &["def test_", "async def test_"],
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
            &["it(", "it.each", "test(", "test.each"]
        }
        "go" => &["func Test", "func Fuzz"],
        "rb" => &["it \"", "it '", "def test_", "specify \"", "specify '"],
        "java" | "kt" | "groovy" | "scala" => &["@Test", "@ParameterizedTest"],
        _ => &[],
    };
    signs.iter().any(|sign| line.starts_with(sign))
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
    fn tests_are_known_by_how_they_begin() {
        assert!(begins_test("rs", "#[tokio::test(flavor = \"x\")]"));
        assert!(begins_test("ts", "it('logs in', () => {"));
        assert!(!begins_test("py", "def testing():"));
        assert!(!begins_test("md", "#[test]"));
    }

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
