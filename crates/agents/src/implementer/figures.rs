//! What can be counted about the work.

use std::collections::BTreeSet;

use baton_host::git::{ChangeKind, FileDiff, Git};
use baton_ops::Event;
use baton_ops::testing::{self, History};
use baton_protocol::Request as _;
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::TestingInput;
use baton_review::{Off, test_cases};

use crate::AgentStep;
use crate::blocking;
use crate::foreign_text::one_line;
use crate::prep;
use crate::project_command;
use crate::step_error::StepError;
use crate::tools;
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
    pub(super) async fn collect(
        step: &AgentStep<'_>,
        workspace: &Workspace,
    ) -> Result<Self, StepError> {
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
            tests: run_tests(step, workspace).await?,
        })
    }
}

/// Runs them once; whether they have to pass is for the validator to say.
async fn run_tests(
    step: &AgentStep<'_>,
    workspace: &Workspace,
) -> Result<Option<TestRun>, StepError> {
    let place = step.place;
    if let Err(ran) = prep::renew(step, workspace).await? {
        // The validator has a word about it.
        step.context.say(&ran.told());
    }
    let input = TestingInput {
        working_directory: workspace.path.to_string_lossy().into_owned(),
        test_command: place.settings.preferred.test.clone(),
        max_retries: 0,
        timeout_seconds: place.settings.command_limit.as_secs().max(1),
        ..TestingInput::defaults()
    };
    let history = place
        .state_dir
        .clone()
        .map(|state| History::new(state, &place.checkout));
    let environment = project_command::environment(step, &workspace.path).await?;
    let context = step.context.clone();
    let cx = tools::environment_context(step, environment).with_events(move |event| match event {
        Event::Testing(testing::Event::AttemptStarted { command, .. }) => {
            context.say(&format!("$ {command}"));
        }
        _ => context.tick(),
    });
    let options = testing::Options {
        preferred: place.settings.preferred.clone(),
        history,
        by_sources: true,
        ..testing::Options::default()
    };
    let answer = blocking::run(&step.context.cancel, async move |cancel| {
        testing::run(&cx.with_cancel(cancel), &input, options).await
    });
    let answer = answer.await?;
    step.go_on()?;
    let output = answer.output;
    Ok(output.test_command.map(|command| TestRun {
        command: one_line(&command, 200),
        passed: output.status == Verdict::Pass,
        run: output.tests_run,
        succeeded: output.tests_passed,
    }))
}

/// Tests that no file of the change had before and that can run, as the test
/// ledger counts them.
async fn tests_added(git: &Git, diff: &[FileDiff]) -> Result<u64, StepError> {
    let mut tests = AddedTests::default();
    for file in diff {
        let Some(path) = file.path.to_str() else {
            continue;
        };
        if file.kind != ChangeKind::Added && is_file(&file.old_mode) {
            let old_path = match &file.kind {
                ChangeKind::Renamed { from, .. } => from.to_str().unwrap_or(path),
                _ => path,
            };
            tests.had(old_path, &git.blob(&file.old).await?);
        }
        if file.kind != ChangeKind::Deleted && is_file(&file.new_mode) {
            tests.has(path, &git.blob(&file.new).await?);
        }
    }
    Ok(tests.count())
}

#[derive(Default)]
struct AddedTests {
    before: BTreeSet<String>,
    after: Vec<String>,
}

impl AddedTests {
    fn had(&mut self, path: &str, content: &[u8]) {
        let cases = test_cases(path, content).into_iter();
        self.before.extend(cases.map(|case| case.name));
    }

    fn has(&mut self, path: &str, content: &[u8]) {
        // One that is switched off is there and never runs.
        let cases = test_cases(path, content).into_iter();
        let cases = cases.filter(|case| case.off != Off::Always);
        self.after.extend(cases.map(|case| case.name));
    }

    fn count(&self) -> u64 {
        let new = self.after.iter();
        new.filter(|name| !self.before.contains(*name)).count() as u64
    }
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

    /// How many tests a change of one file adds.
    fn added(path: &str, before: &str, after: &str) -> u64 {
        let mut tests = AddedTests::default();
        tests.had(path, before.as_bytes());
        tests.has(path, after.as_bytes());
        tests.count()
    }

    /// In each language: one test stays, one goes, two are new, one is new and
    /// switched off, and something that only looks like a test is new as well.
    #[test]
    fn only_new_tests_that_run_are_counted() {
        let python = added(
            "tests/test_a.py",
            "def test_stays():\n    assert f() == 1\n\ndef test_goes():\n    assert f() == 1\n",
            "import pytest\n\ndef test_stays():\n    assert f() == 1\n\ndef test_one():\n    assert f() == 1\n\ndef test_two():\n    assert f() == 1\n\n@pytest.mark.skip\ndef test_off():\n    assert f() == 1\n\ndef helper():\n    pass\n",
        );
        let javascript = added(
            "a.test.js",
            "test('stays', () => { expect(f()).toBe(1); });\ntest('goes', () => { expect(f()).toBe(1); });\n",
            "test('stays', () => { expect(f()).toBe(1); });\ntest('one', () => { expect(f()).toBe(1); });\nit('two', () => { expect(f()).toBe(1); });\ntest.skip('off', () => { expect(f()).toBe(1); });\nfunction tester() {}\n",
        );
        let go = added(
            "a_test.go",
            "package a\n\nimport \"testing\"\n\nfunc TestStays(t *testing.T) { if f() != 1 { t.Fatal() } }\n\nfunc TestGoes(t *testing.T) { if f() != 1 { t.Fatal() } }\n",
            "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n\nfunc TestStays(t *testing.T) { if f() != 1 { t.Fatal() } }\n\nfunc TestOne(t *testing.T) { if f() != 1 { t.Fatal() } }\n\nfunc TestTwo(t *testing.T) { if f() != 1 { t.Fatal() } }\n\nfunc TestOff(t *testing.T) {\n\tt.Skip()\n\tif f() != 1 { t.Fatal() }\n}\n\nfunc Testing() {}\n",
        );
        let rust = added(
            "tests/a.rs",
            "#[test]\nfn stays() { assert_eq!(f(), 1); }\n#[test]\nfn goes() { assert_eq!(f(), 1); }\n",
            "#[test]\nfn stays() { assert_eq!(f(), 1); }\n#[test]\nfn one() { assert_eq!(f(), 1); }\n#[test]\nfn two() { assert_eq!(f(), 1); }\n#[test]\n#[ignore]\nfn off() { assert_eq!(f(), 1); }\nfn test_nothing() {}\n",
        );
        let ruby = added(
            "spec/a_spec.rb",
            "RSpec.describe A do\n  it 'stays' do\n    expect(f).to eq(1)\n  end\n  it 'goes' do\n    expect(f).to eq(1)\n  end\nend\n",
            "RSpec.describe A do\n  it 'stays' do\n    expect(f).to eq(1)\n  end\n  it 'one' do\n    expect(f).to eq(1)\n  end\n  it 'two' do\n    expect(f).to eq(1)\n  end\n  xit 'off' do\n    expect(f).to eq(1)\n  end\n  def helper; end\nend\n",
        );
        let java = added(
            "src/test/java/ATest.java",
            "class ATest {\n  @Test void stays() { assertEquals(1, f()); }\n  @Test void goes() { assertEquals(1, f()); }\n}\n",
            "class ATest {\n  @BeforeEach void setUp() {}\n  @Test void stays() { assertEquals(1, f()); }\n  @Test void one() { assertEquals(1, f()); }\n  @Test void two() { assertEquals(1, f()); }\n  @Disabled @Test void off() { assertEquals(1, f()); }\n}\n",
        );
        assert_eq!(
            [python, javascript, go, rust, ruby, java],
            [2, 2, 2, 2, 2, 2]
        );
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
