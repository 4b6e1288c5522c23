//! One job, from its first step to its conclusion.

use std::pin::pin;
use std::time::Duration;

use baton_host::cmd::{CaptureLimits, Cmd, CmdError, Environment, Finished, Outcome};
use baton_host::sandbox::{Confinement, ConfinementError, Role, RunFolders};
use baton_protocol::error_chain;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::claim::{self, Claimed};
use super::log_file::LogFile;
use super::output::Output;
use super::workspace::Workspace;
use super::{environment, report};
use crate::actions::workflows::jobs::{self, JobUpdate};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::store::check_annotations::Annotation;
use crate::store::check_state::{Conclusion, Progress};
use crate::store::workflow_steps::Step;
use crate::store::{workflow_jobs, workflow_runs};

/// The log has it all; nothing is kept twice.
const NOTHING: CaptureLimits = CaptureLimits {
    head: 0,
    tail: 0,
    spill: 0,
};

pub(super) async fn execute(app: App, claimed: Claimed, stop: CancellationToken) {
    let (run_id, job_id) = (claimed.run.id, claimed.job.id);
    let execution = Execution {
        app: &app,
        claimed,
        stop: &stop,
        steps: Vec::new(),
        annotations: Vec::new(),
    };
    let saved = match execution.play().await {
        Ok(Ending::Concluded) => Ok(()),
        Ok(Ending::Stopped) => claim::give_back(&app, run_id, job_id).await,
        Err(error) => Err(error),
    };
    match saved {
        // Its run was deleted meanwhile.
        Ok(()) | Err(ApiError::NotFound) => {}
        Err(error) => tracing::error!(?error, job_id, "the end of a job could not be saved"),
    }
}

struct Execution<'a> {
    app: &'a App,
    claimed: Claimed,
    stop: &'a CancellationToken,
    /// Those that have ended.
    steps: Vec<Step>,
    annotations: Vec<Annotation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Concluded,
    /// The forge stops: the job is to be executed again.
    Stopped,
}

/// Why a command has to end before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interruption {
    ForgeStops,
    Unwanted,
}

/// A step that is under way.
struct OpenStep {
    step: Step,
    output: Output,
    log: LogFile,
}

impl OpenStep {
    fn say(&mut self, line: &str) {
        self.log.write(self.output.say(line, Timestamp::now()));
    }

    fn fail(&mut self, message: &str) {
        self.log.write(self.output.fail(message, Timestamp::now()));
    }
}

impl Execution<'_> {
    async fn play(mut self) -> Result<Ending> {
        self.set_up().await?;
        let workspace = self.check_out().await?;
        let conclusion = match &workspace {
            None => Conclusion::Failure,
            Some(workspace) => match self.run_command(workspace).await? {
                Some(conclusion) => conclusion,
                None => return Ok(Ending::Stopped),
            },
        };
        if let Some(workspace) = &workspace {
            self.keep_report(workspace).await?;
        }
        let mut step = self.begin("Complete job").await?;
        step.say("Removing the working tree");
        drop(workspace);
        self.end(step, Conclusion::Success).await;
        self.conclude(conclusion).await?;
        Ok(Ending::Concluded)
    }

    async fn set_up(&mut self) -> Result<()> {
        let mut step = self.begin("Set up job").await?;
        let runner = self.claimed.job.runner_name.clone().unwrap_or_default();
        step.say(&format!(
            "Current runner version: '{}'",
            env!("CARGO_PKG_VERSION")
        ));
        step.say(&format!("Runner name: '{runner}'"));
        step.say(&format!("Complete job name: {}", self.claimed.job.name));
        self.end(step, Conclusion::Success).await;
        Ok(())
    }

    async fn check_out(&mut self) -> Result<Option<Workspace>> {
        let mut step = self.begin("Check out the commit").await?;
        let sha = self.claimed.run.head_sha.clone();
        step.say(&format!("HEAD is now at {sha}"));
        let made = Workspace::check_out(
            self.app,
            &self.claimed.repository,
            &sha,
            self.claimed.job.id,
        )
        .await;
        match made {
            Ok(workspace) => {
                self.end(step, Conclusion::Success).await;
                Ok(Some(workspace))
            }
            Err(error) => {
                step.fail(&error_chain(&error));
                self.end(step, Conclusion::Failure).await;
                Ok(None)
            }
        }
    }

    /// Nothing where the forge stops.
    async fn run_command(&mut self, workspace: &Workspace) -> Result<Option<Conclusion>> {
        let order = self.claimed.order.clone();
        let first_line = order.command.trim_start().lines().next();
        let title = format!("Run {}", first_line.unwrap_or_default().trim_end());
        let mut step = self.begin(&title).await?;
        step.say(&format!("##[group]{title}"));
        for line in order.command.lines() {
            step.say(&format!("\u{1b}[36;1m{line}\u{1b}[0m"));
        }
        step.say("shell: /bin/sh -c {0}");
        step.say("##[endgroup]");
        let confinement = match self.confine(workspace) {
            Ok(confinement) => confinement,
            Err(error) => {
                step.fail(&error_chain(&error));
                self.end(step, Conclusion::Failure).await;
                return Ok(Some(Conclusion::Failure));
            }
        };
        let cmd = self.cmd(workspace, confinement.environment());
        let (finished, interruption) = self.watch_command(&mut step, &cmd).await;
        for noticed in confinement.finish() {
            step.say(&format!("##[warning]The command {noticed}"));
        }
        if interruption == Some(Interruption::ForgeStops) {
            self.end(step, Conclusion::Cancelled).await;
            return Ok(None);
        }
        let (conclusion, complaint) = self.judge(finished);
        if let Some(complaint) = complaint {
            step.fail(&complaint);
        }
        self.end(step, conclusion).await;
        Ok(Some(conclusion))
    }

    async fn watch_command(
        &self,
        step: &mut OpenStep,
        cmd: &Cmd,
    ) -> (Result<Finished, CmdError>, Option<Interruption>) {
        let cancel = CancellationToken::new();
        let OpenStep { output, log, .. } = step;
        let mut observe = |chunk: baton_host::cmd::Chunk<'_>| {
            log.write(output.push(chunk.bytes, Timestamp::now()));
        };
        let mut work = pin!(cmd.run_observed(&cancel, &mut observe));
        tokio::select! {
            biased;
            finished = &mut work => (finished, None),
            why = self.interruption() => {
                cancel.cancel();
                (work.await, Some(why))
            }
        }
    }

    /// The sandbox of the job's command, which sees its own folders and the
    /// objects that its working tree borrows.
    fn confine(&self, workspace: &Workspace) -> Result<Confinement, ConfinementError> {
        let settings = self.app.settings();
        let mut sandbox = settings.sandbox.clone();
        sandbox.writable.push(workspace.temporary());
        let borrowed = [self
            .app
            .git(&self.claimed.repository)
            .path()
            .join("objects")];
        let folders = RunFolders {
            worktree: workspace.path(),
            private: workspace.folder(),
            own: workspace.folder(),
            prepared: None,
            borrowed: &borrowed,
            protected: &[],
            decoys: &[],
            caches: None,
            logins: &[],
            programs: &[],
            named: &[],
            committer: None,
        };
        let environment = environment::for_job(self.app, &self.claimed, workspace);
        // Jobs install what they need themselves.
        Confinement::start(&sandbox, Role::Prepare, &folders, &environment)
    }

    /// The one place where a command that others may have written is made into
    /// a process.
    fn cmd(&self, workspace: &Workspace, environment: &Environment) -> Cmd {
        let order = &self.claimed.order;
        Cmd::shell(&order.command, workspace.path(), environment)
            .merged()
            .capture(NOTHING)
            .wall_limit(order.time_limit)
    }

    async fn interruption(&self) -> Interruption {
        tokio::select! {
            () = self.stop.cancelled() => Interruption::ForgeStops,
            () = self.unwanted() => Interruption::Unwanted,
        }
    }

    /// Until someone wants the job to end, or it already counts as ended.
    async fn unwanted(&self) {
        let (run_id, job_id) = (self.claimed.run.id, self.claimed.job.id);
        let mut written = self.app.written();
        loop {
            let wanted = self.app.read(|conn| {
                let run = workflow_runs::by_id(conn, run_id)?;
                let job = workflow_jobs::by_id(conn, job_id)?;
                Ok(run.is_some_and(|run| !run.cancel_requested)
                    && job.is_some_and(|job| !job.progress.is_completed()))
            });
            if matches!(wanted, Ok(false)) || written.changed().await.is_err() {
                return;
            }
        }
    }

    /// The conclusion, and what there is to complain about.
    fn judge(&self, finished: Result<Finished, CmdError>) -> (Conclusion, Option<String>) {
        let outcome = match finished {
            Ok(finished) => finished.outcome,
            Err(error) => return (Conclusion::Failure, Some(error_chain(&error))),
        };
        let exited = |code: i32| format!("Process completed with exit code {code}.");
        match outcome {
            Outcome::Exited(0) => (Conclusion::Success, None),
            Outcome::Exited(code) => (Conclusion::Failure, Some(exited(code))),
            Outcome::Signalled(signal) => (Conclusion::Failure, Some(exited(128 + signal))),
            Outcome::Cancelled => {
                let complaint = "The operation was canceled.".to_owned();
                (Conclusion::Cancelled, Some(complaint))
            }
            Outcome::TimedOut { .. } => {
                let runner = self.claimed.job.runner_name.as_deref().unwrap_or_default();
                let limit = in_words(self.claimed.order.time_limit);
                let complaint = format!(
                    "The job running on runner {runner} has exceeded the maximum execution time of {limit}."
                );
                (Conclusion::TimedOut, Some(complaint))
            }
        }
    }

    /// A test report, where one is asked for: also of a command that failed.
    async fn keep_report(&mut self, workspace: &Workspace) -> Result<()> {
        let Some(path) = self.claimed.order.report_path.clone() else {
            return Ok(());
        };
        let mut step = self.begin("Keep the test report").await?;
        let kept = report::keep(self.app, &self.claimed, workspace, &path).await;
        match kept {
            Ok(artifact) => {
                step.say(&format!("Artifact {} has been kept", artifact.name));
                self.end(step, Conclusion::Success).await;
            }
            Err(error) => {
                step.say(&format!("##[warning]{}", error_chain(&error)));
                self.end(step, Conclusion::Success).await;
            }
        }
        Ok(())
    }

    /// Opens the next step, for all to see.
    async fn begin(&mut self, name: &str) -> Result<OpenStep> {
        let number = i64::try_from(self.steps.len()).unwrap_or(i64::MAX) + 1;
        let step = Step {
            number,
            name: name.to_owned(),
            progress: Progress::IN_PROGRESS,
            started_at: Some(self.app.now()),
            completed_at: None,
        };
        let mut steps = self.steps.clone();
        steps.push(step.clone());
        self.save(JobUpdate {
            steps,
            ..JobUpdate::default()
        })
        .await?;
        let files = self.app.run_files();
        let path = files.step_log(self.claimed.repository.id, self.claimed.job.id, number);
        Ok(OpenStep {
            step,
            output: Output::new(self.app.settings().runner.log_limit),
            log: LogFile::create(path),
        })
    }

    /// Closes a step; its row is saved with the next change.
    async fn end(&mut self, open: OpenStep, conclusion: Conclusion) {
        let OpenStep {
            mut step,
            mut output,
            log,
        } = open;
        log.write(output.finish(Timestamp::now()));
        log.finish().await;
        self.annotations.extend(output.into_annotations());
        step.progress = Progress::Completed(conclusion);
        step.completed_at = Some(self.app.now());
        self.steps.push(step);
    }

    async fn conclude(self, conclusion: Conclusion) -> Result<()> {
        let change = JobUpdate {
            progress: Some(Progress::Completed(conclusion)),
            steps: self.steps.clone(),
            annotations: self.annotations.clone(),
            ..JobUpdate::default()
        };
        self.save(change).await
    }

    /// A job that someone else has ended stays as it is.
    async fn save(&self, change: JobUpdate) -> Result<()> {
        let (run_id, job_id, at) = (self.claimed.run.id, self.claimed.job.id, self.app.now());
        self.app
            .write(move |tx| {
                let run = workflow_runs::by_id(tx, run_id)?.ok_or(ApiError::NotFound)?;
                let job = workflow_jobs::by_id(tx, job_id)?.ok_or(ApiError::NotFound)?;
                if !job.progress.is_completed() {
                    jobs::change(tx, &run, job_id, &change, &at)?;
                }
                Ok(())
            })
            .await
    }
}

fn in_words(limit: Duration) -> String {
    match limit.as_secs() {
        seconds if seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} seconds"),
    }
}
