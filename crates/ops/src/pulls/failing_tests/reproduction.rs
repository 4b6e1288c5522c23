//! Runs the commands here and says whether they fail as in CI.
//!
//! In a throw-away folder that borrows the objects of the repository: nothing
//! is registered in the user's own, and whatever happens, the folder goes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_host::cmd::{Cmd, Environment, Outcome};
use baton_host::git::Checkout;
use baton_protocol::report::TestReport;
use baton_protocol::tools::get_failing_tests::Reproduction;
use baton_protocol::{Confidence, Repository};
use baton_report::Reader;
use tempfile::TempDir;
use tokio::time::Instant;

use super::found::{Found, shape, shortened};
use super::survey::Survey;
use crate::error::OpError;
use crate::pulls::context::PullContext;
use crate::pulls::objects::NeededCommit;

/// Commands that are run for one answer.
pub(super) const MAX_RUNS: usize = 3;
/// One command; a first build may take that long.
const MAX_RUN_TIME: Duration = Duration::from_mins(10);

/// A failure to be shown here, and the words of the command that shows it.
pub(super) struct Case<'a> {
    pub(super) found: &'a Found,
    pub(super) words: &'a [String],
}

/// Runs the cases one after the other, as long as the caller is ready to
/// wait.
pub(super) async fn run(
    cx: &PullContext,
    repository: &Repository,
    survey: &Survey,
    cases: &[Case<'_>],
) -> Result<Vec<Reproduction>, OpError> {
    if survey.is_from_fork {
        let note = "not run: the pull request is from a fork, and its code is someone else's";
        return Ok(cases.iter().map(|_| not_run(note)).collect());
    }
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let deadline = Instant::now() + cx.call.poll.max_wait;
    let tree = Tree::check_out(cx, repository, survey).await?;
    let all = &cx.workplace.environment;
    let environment = all.for_untrusted(&[]).with_proxies_of(all);
    let mut done = Vec::new();
    for case in cases {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            done.push(not_run("not run: the time was used up"));
            continue;
        }
        let program = case.words.first().map_or("", String::as_str);
        cx.tell(&format!("running {program} at {}", survey.head));
        let limit = left.min(MAX_RUN_TIME);
        done.push(one(cx, &tree.folder, &environment, limit, case).await);
    }
    Ok(done)
}

/// The head commit in a folder of its own.
struct Tree {
    folder: PathBuf,
    /// Removed with everything in it when this is dropped.
    _root: TempDir,
}

impl Tree {
    async fn check_out(
        cx: &PullContext,
        repository: &Repository,
        survey: &Survey,
    ) -> Result<Self, OpError> {
        let objects = cx.objects(repository).await?;
        let head = match survey.number {
            Some(number) => NeededCommit::head_of(number, &survey.head),
            None => NeededCommit {
                commit: survey.head.clone(),
                reference: survey.head.clone(),
            },
        };
        objects.have(&[head]).await?;
        let temporary = cx.workplace.environment.temporary_folder();
        let unusable = |error: io::Error| {
            let error = format!(
                "cannot prepare a folder in {}: {error}",
                temporary.display()
            );
            let next = "Set TMPDIR to a folder that can be written, or ask without `reproduce`.";
            OpError::local(error, next)
        };
        let root = TempDir::with_prefix_in("baton-reproduce-", &temporary).map_err(unusable)?;
        let bare = root.path().join("repository.git");
        fs::create_dir(&bare).map_err(unusable)?;
        let git = objects.git.at_bare(&bare);
        git.init_bare(&bare).await?;
        let lent = objects.git.facts().await?.common_dir.join("objects");
        let alternates = bare.join("objects/info/alternates");
        fs::write(alternates, format!("{}\n", lent.display())).map_err(unusable)?;
        let folder = root.path().join("tree");
        git.add_worktree(&folder, Checkout::Detached(&survey.head))
            .await?;
        Ok(Self {
            folder,
            _root: root,
        })
    }
}

async fn one(
    cx: &PullContext,
    folder: &Path,
    environment: &Environment,
    limit: Duration,
    case: &Case<'_>,
) -> Reproduction {
    let Some((program, arguments)) = case.words.split_first() else {
        return not_run("not run: there is no command");
    };
    let cmd = Cmd::new(program, folder, environment)
        .args(arguments)
        .merged()
        .wall_limit(limit);
    let mut reader = Reader::new().keeping_tail();
    let finished = cmd
        .run_observed(&cx.call.cancel, &mut |chunk| reader.feed(chunk.bytes))
        .await;
    match finished {
        Ok(finished) => {
            let (report, tail) = reader.finish_with_tail();
            // A part of a second counts as one.
            let seconds = finished.duration.as_millis().div_ceil(1000);
            Reproduction {
                seconds: u64::try_from(seconds).unwrap_or(u64::MAX),
                ..judge(case.found, finished.outcome, &report, &tail)
            }
        }
        Err(error) => not_run(&format!("not run: {error}")),
    }
}

fn not_run(note: &str) -> Reproduction {
    Reproduction {
        ran: false,
        failed_as_reported: false,
        seconds: 0,
        note: Some(shortened(note, 300)),
    }
}

/// Whether what happened here is what was reported.
fn judge(found: &Found, outcome: Outcome, report: &TestReport, tail: &str) -> Reproduction {
    let code = match outcome {
        Outcome::Exited(code) => code,
        // As programs that start others say it.
        other => return not_run(&format!("the command {other}")),
    };
    let same = if found.is_whole_check() {
        code != 0 && shape(tail) == shape(&found.failure.error)
    } else {
        let failures = report.failures.iter();
        failures
            .filter(|failure| failure.confidence > Confidence::Low)
            .any(|failure| failure.name == found.failure.name)
    };
    let last_line = || {
        tail.lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
    };
    let note = match (same, code) {
        (true, _) => None,
        (false, 0) => Some("it passed here".to_owned()),
        (false, _) if report.failures.is_empty() && report.counts.run == 0 => {
            let said = last_line().unwrap_or("without a word");
            Some(format!(
                "no test ran here; the command exited with code {code}: {said}"
            ))
        }
        (false, _) => {
            let others: Vec<&str> = report.failures.iter().map(|f| f.name.as_str()).collect();
            let said = match others.first() {
                Some(other) => format!("`{other}` failed instead"),
                None => last_line().unwrap_or_default().to_owned(),
            };
            Some(format!("it failed here in another way: {said}"))
        }
    };
    Reproduction {
        ran: true,
        failed_as_reported: same,
        seconds: 0,
        note: note.map(|note| shortened(&note, 300)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::failing_tests::clusters::tests::found;

    fn report(text: &str) -> (TestReport, String) {
        let mut reader = Reader::new().keeping_tail();
        reader.feed(text.as_bytes());
        reader.finish_with_tail()
    }

    fn judged(code: i32, output: &str) -> (bool, String) {
        let (report, tail) = report(output);
        let found = found(0, "tests::doubles", "no");
        let judged = judge(&found, Outcome::Exited(code), &report, &tail);
        assert!(judged.ran);
        (judged.failed_as_reported, judged.note.unwrap_or_default())
    }

    fn libtest(name: &str) -> String {
        format!(
            "\nrunning 1 test\ntest {name} ... FAILED\n\nfailures:\n\n---- {name} stdout ----\n\
             thread '{name}' panicked at src/lib.rs:5:9:\nno\n\nfailures:\n    {name}\n\n\
             test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
        )
    }

    #[test]
    fn only_the_same_test_counts() {
        assert_eq!(
            judged(101, &libtest("tests::doubles")),
            (true, String::new())
        );
        let (same, note) = judged(101, &libtest("tests::halves"));
        assert!(!same);
        insta::assert_snapshot!(note, @"it failed here in another way: `tests::halves` failed instead");
        let (same, note) = judged(0, "running 0 tests\n");
        assert!(!same);
        insta::assert_snapshot!(note, @"it passed here");
        let (same, note) = judged(2, "sh: cannot open tests\n\n");
        assert!(!same);
        insta::assert_snapshot!(note, @"no test ran here; the command exited with code 2: sh: cannot open tests");
    }
}
