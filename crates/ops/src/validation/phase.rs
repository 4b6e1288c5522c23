//! The course of a call: the formatter alone, then everything that only reads,
//! side by side where the tools allow it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use baton_protocol::Language;
use baton_protocol::detection::Candidate;
use baton_protocol::phase::Verdict;
use baton_protocol::phase::validation::{ValidationInput, ValidationOutput};
use baton_protocol::phase::validation_details::ValidationDetails;
use baton_report::diagnostics::Tool;
use tokio_util::sync::CancellationToken;

use super::attempt::Bench;
use super::autofix::{First, Task};
use super::base::Base;
use super::build;
use super::changed_files::ChangedFiles;
use super::outcome::{self, Built, Mended, Tested};
use super::plan::{Choice, Plan};
use super::reviews::{self, Reviewed};
use super::scanners::Scanning;
use super::tests;
use super::tool::Invocation;
use super::{Answer, Check, CheckStatus, Event, Options, Scope};
use crate::command_line::milliseconds;
use crate::context::Context;

/// One call of the phase: what it has and who it tells.
struct Phase<'a> {
    cx: &'a Context,
    input: &'a ValidationInput,
    plan: &'a Plan,
    change: ChangedFiles,
    base: Option<Base>,
    options: &'a Options<'a>,
    /// Checks that have finished and may have to begin again; `None` when no
    /// tool is going to mend the tree any more.
    unsettled: Mutex<Option<BTreeSet<Check>>>,
}

/// What comes after the formatter.
struct Rest {
    linter: Mended,
    /// The formatter once more, after the linter had rewritten files.
    formatted_again: Option<Mended>,
    build: Built,
    tests: Tested,
    reviewed: Reviewed,
}

pub(super) async fn play(
    cx: &Context,
    input: &ValidationInput,
    plan: Plan,
    options: Options<'_>,
    started: Instant,
) -> Answer {
    let base = Base::find(
        &plan.folder,
        &cx.environment,
        &cx.cancel,
        options.base.as_deref(),
    )
    .await;
    let phase = Phase {
        cx,
        input,
        change: ChangedFiles::sort_out(&plan.folder, &input.changed_files),
        unsettled: Mutex::new(match &plan.lint {
            Choice::Run(_) => Some(BTreeSet::new()),
            Choice::Skip | Choice::NotChosen(_) | Choice::Unknown(_) => None,
        }),
        plan: &plan,
        base,
        options: &options,
    };
    let formatter = phase.format().await;
    // A future of this size does not belong on the stack.
    let rest = Box::pin(phase.rest(&formatter)).await;
    phase.answer(formatter, rest, started.elapsed())
}

impl Phase<'_> {
    async fn format(&self) -> Mended {
        let candidate = match &self.plan.format {
            Choice::Run(candidate) => candidate,
            other => return self.nothing_to_run(Check::Formatter, other),
        };
        let task = self.task(
            Check::Formatter,
            candidate,
            self.plan.format_fix.as_ref(),
            self.options.limits.formatter,
        );
        let mut mended = task.run().await;
        self.forgive_old(&task, &mut mended).await;
        self.finished(
            Check::Formatter,
            mended.status(),
            mended.issues.len(),
            mended.elapsed,
        );
        mended
    }

    async fn rest(&self, formatter: &Mended) -> Rest {
        let cancel = &self.cx.cancel;
        let candidate = match &self.plan.lint {
            Choice::Run(candidate) => candidate,
            other => {
                let linter = self.nothing_to_run(Check::Linter, other);
                let ((build, tests), reviewed) =
                    tokio::join!(self.build_and_test(cancel), self.review());
                return Rest {
                    linter,
                    formatted_again: None,
                    build,
                    tests,
                    reviewed,
                };
            }
        };
        if self.may_overlap(candidate) {
            Box::pin(self.overlapped(candidate, formatter)).await
        } else {
            let task = self.lint_task(candidate);
            let first = task.first().await;
            let (linter, formatted_again) = self.settle_linter(&task, first, formatter).await;
            self.settle(&[]);
            let ((build, tests), reviewed) =
                tokio::join!(self.build_and_test(cancel), self.review());
            Rest {
                linter,
                formatted_again,
                build,
                tests,
                reviewed,
            }
        }
    }

    /// Everything at once. When the linter is about to fix the tree, tools that
    /// read it meanwhile would judge what is gone: they are stopped, and begin
    /// again when it has settled.
    async fn overlapped(&self, candidate: &Candidate, formatter: &Mended) -> Rest {
        let cancel = &self.cx.cancel;
        let readers = cancel.child_token();
        let task = self.lint_task(candidate);
        let look = async {
            let first = task.first().await;
            if task.goes_on_after(&first) {
                readers.cancel();
            } else {
                self.settle(&[]);
            }
            first
        };
        let (first, beside, mut reviewed) =
            tokio::join!(look, self.build_and_test(&readers), self.review());
        let (linter, formatted_again) = self.settle_linter(&task, first, formatter).await;
        let again = is_restarted(&readers, cancel);
        let mut restarted = Vec::new();
        if again {
            restarted.extend([Check::Build, Check::Tests]);
        }
        if linter.rewrote_the_change {
            restarted.extend([Check::CodeReview, Check::SecurityReview]);
        }
        self.settle(&restarted);
        let (build, tests) = if again {
            self.build_and_test(cancel).await
        } else {
            beside
        };
        if linter.rewrote_the_change {
            reviewed = self.review().await;
        }
        Rest {
            linter,
            formatted_again,
            build,
            tests,
            reviewed,
        }
    }

    /// cargo waits for its own lock, and Maven and Gradle write the same folder.
    fn may_overlap(&self, candidate: &Candidate) -> bool {
        let is_alone = matches!(
            self.plan.language,
            Some(Language::Rust | Language::Java) | None
        );
        !is_alone && Invocation::for_candidate(candidate, &self.plan.folder).only_reads
    }

    fn lint_task<'t>(&'t self, candidate: &'t Candidate) -> Task<'t> {
        self.task(
            Check::Linter,
            candidate,
            self.plan.lint_fix.as_ref(),
            self.options.limits.linter,
        )
    }

    /// A linter that mends does not care for blank lines, so whatever it
    /// rewrote is formatted once more.
    async fn settle_linter(
        &self,
        task: &Task<'_>,
        first: First,
        formatter: &Mended,
    ) -> (Mended, Option<Mended>) {
        let mut linter = task.finish(first).await;
        let formatted_again = match &self.plan.format {
            Choice::Run(candidate) if linter.rewrote_the_change => {
                let limit = self.options.limits.formatter;
                let fix = self.plan.format_fix.as_ref();
                let task = self.task(Check::Formatter, candidate, fix, limit);
                let mut again = task.run().await;
                self.forgive_old(&task, &mut again).await;
                let problems = formatter.issues.len() + again.issues.len();
                let status = if formatter.passed {
                    again.status()
                } else {
                    CheckStatus::Fail
                };
                let elapsed = formatter.elapsed + again.elapsed;
                self.finished(Check::Formatter, status, problems, elapsed);
                Some(again)
            }
            _ => None,
        };
        self.forgive_old(task, &mut linter).await;
        self.finished(
            Check::Linter,
            linter.status(),
            linter.issues.len(),
            linter.elapsed,
        );
        (linter, formatted_again)
    }

    async fn forgive_old(&self, task: &Task<'_>, mended: &mut Mended) {
        if let (false, Some(base), Scope::NewProblems) =
            (mended.passed, &self.base, self.options.scope)
        {
            base.forgive_old(task.bench, &self.change, mended).await;
        }
    }

    /// Tests may run what the build makes, so they wait for it, unless it makes
    /// nothing.
    async fn build_and_test(&self, cancel: &CancellationToken) -> (Built, Tested) {
        let makes_nothing = match &self.plan.build {
            Choice::Run(candidate) => {
                let tool = Invocation::for_candidate(candidate, &self.plan.folder);
                tool.only_reads || tool.tool == Some(Tool::GoBuild)
            }
            Choice::Skip | Choice::NotChosen(_) | Choice::Unknown(_) => true,
        };
        if makes_nothing {
            tokio::join!(self.build(cancel), self.test(cancel))
        } else {
            let built = self.build(cancel).await;
            (built, self.test(cancel).await)
        }
    }

    async fn build(&self, cancel: &CancellationToken) -> Built {
        let built = match &self.plan.build {
            Choice::Skip | Choice::NotChosen(_) => Built::skipped(),
            Choice::Unknown(message) => Built::unknown(message),
            Choice::Run(candidate) => {
                let bench = self.bench(Check::Build, self.options.limits.build, cancel);
                let retries = self.input.max_retries.min(1);
                build::run(bench, candidate, retries, self.options.pause).await
            }
        };
        if !is_restarted(cancel, &self.cx.cancel) {
            let status = outcome::shown(built.status);
            self.finished(Check::Build, status, built.errors.len(), built.elapsed);
        }
        built
    }

    async fn test(&self, cancel: &CancellationToken) -> Tested {
        let tested = match &self.plan.test {
            Choice::Skip | Choice::NotChosen(_) => Tested::skipped(),
            Choice::Unknown(_) => Tested::unknown(),
            Choice::Run(candidate) => {
                let bench = self.bench(Check::Tests, self.options.limits.tests, cancel);
                let task = tests::Task {
                    plan: self.plan,
                    candidate,
                    max_retries: self.input.max_retries.min(1),
                    pause: self.options.pause,
                    history: self.options.history.clone(),
                    lists_cases: self.options.scope == Scope::NewProblems,
                };
                tests::run(bench, task).await
            }
        };
        if !is_restarted(cancel, &self.cx.cancel) {
            let status = outcome::shown(tested.status);
            let failing = usize::try_from(tested.failing_count).unwrap_or(usize::MAX);
            self.finished(Check::Tests, status, failing, tested.elapsed);
        }
        tested
    }

    async fn review(&self) -> Reviewed {
        for check in [Check::CodeReview, Check::SecurityReview] {
            self.cx.emit(Event::Started { check, command: "" });
        }
        let scanning = Scanning {
            scanners: &self.options.scanners,
            environment: &self.cx.environment,
            cancel: &self.cx.cancel,
            limit: self.options.limits.scanner,
        };
        let mut reviewed = reviews::run(
            &self.plan.folder,
            &self.change,
            self.base.as_ref(),
            self.options.scope,
            &self.options.reviewers,
            (scanning, self.options.logs.as_slice()),
        )
        .await;
        if let Some(baseline) = self.options.baseline {
            reviewed.leave_out_known(baseline);
        }
        if let Some(accepted) = self.options.accepted {
            reviewed.leave_out_accepted(accepted);
        }
        let threshold = self.options.threshold;
        let code = outcome::code_review(&reviewed, &self.change, threshold);
        let security = outcome::security_review(&reviewed, threshold);
        for (check, verdict, count) in [
            (Check::CodeReview, code.status, code.findings.len()),
            (
                Check::SecurityReview,
                security.status,
                security.vulnerabilities.len(),
            ),
        ] {
            let status = match verdict {
                Verdict::Pass => CheckStatus::Pass,
                Verdict::Fail => CheckStatus::Fail,
            };
            self.finished(check, status, count, reviewed.elapsed);
        }
        reviewed
    }

    fn task<'t>(
        &'t self,
        check: Check,
        command: &'t Candidate,
        fix: Option<&'t Candidate>,
        limit: Duration,
    ) -> Task<'t> {
        Task {
            bench: self.bench(check, limit, &self.cx.cancel),
            command,
            fix,
            change: &self.change,
            max_retries: self.input.max_retries,
            pause: self.options.pause,
        }
    }

    fn bench<'t>(
        &'t self,
        check: Check,
        limit: Duration,
        cancel: &'t CancellationToken,
    ) -> Bench<'t> {
        Bench {
            check,
            folder: &self.plan.folder,
            cx: self.cx,
            cancel,
            limit,
        }
    }

    /// For a formatter or linter without a command.
    fn nothing_to_run(&self, check: Check, choice: &Choice) -> Mended {
        match choice {
            Choice::Run(_) | Choice::Skip => Mended::nothing(),
            Choice::NotChosen(note) => {
                self.finished(check, CheckStatus::Pass, 0, Duration::ZERO);
                Mended::not_chosen(note)
            }
            Choice::Unknown(message) => {
                self.finished(check, CheckStatus::Fail, 1, Duration::ZERO);
                Mended::unknown(message)
            }
        }
    }

    fn finished(&self, check: Check, status: CheckStatus, problems: usize, elapsed: Duration) {
        self.cx.emit(Event::Finished {
            check,
            status,
            problems,
            elapsed,
        });
        let mut unsettled = self.lock_unsettled();
        match &mut *unsettled {
            Some(waiting) => {
                waiting.insert(check);
            }
            None => self.cx.emit(Event::Settled { check }),
        }
    }

    /// Nothing is mended from now on: what has finished stays as it is, but for
    /// what begins again.
    fn settle(&self, restarted: &[Check]) {
        let waiting = self.lock_unsettled().take().unwrap_or_default();
        for check in waiting {
            if !restarted.contains(&check) {
                self.cx.emit(Event::Settled { check });
            }
        }
    }

    fn lock_unsettled(&self) -> MutexGuard<'_, Option<BTreeSet<Check>>> {
        self.unsettled
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(self, mut formatter: Mended, rest: Rest, elapsed: Duration) -> Answer {
        if let Some(again) = rest.formatted_again {
            formatter.absorb(again);
        }
        let threshold = self.options.threshold;
        let reviews = (
            outcome::code_review(&rest.reviewed, &self.change, threshold),
            outcome::security_review(&rest.reviewed, threshold),
        );
        let checks = outcome::checks(&formatter, &rest.linter, &rest.build, &rest.tests, reviews);
        let has_failed = outcome::any_failed(&checks);
        let output = ValidationOutput {
            status: if has_failed {
                Verdict::Fail
            } else {
                Verdict::Pass
            },
            execution_time_ms: milliseconds(elapsed),
            total_retries: outcome::retries(&checks),
            critical_security_issue: outcome::critical(&checks),
            checks,
        };
        let [code_review, security_review] = rest.reviewed.details();
        Answer {
            cases: rest.tests.cases,
            details: ValidationDetails {
                version: 1,
                output: output.clone(),
                language_reason: self.plan.language_reason.clone(),
                base: self.base.map(|base| base.commit),
                left_out: self.change.left_out,
                formatter: formatter.details,
                linter: rest.linter.details,
                build: rest.build.details,
                tests: rest.tests.details,
                code_review,
                security_review,
            },
            findings: rest.reviewed.findings,
            output,
            interrupted: self.cx.cancel.is_cancelled(),
        }
    }
}

/// Stopped only to begin again; it is not reported.
fn is_restarted(readers: &CancellationToken, all: &CancellationToken) -> bool {
    readers.is_cancelled() && !all.is_cancelled()
}
