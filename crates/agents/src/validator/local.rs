//! The validation phase in the workspace.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use baton_engine::StepContext;
use baton_host::git::Call;
use baton_ops::validation::{self, Answer, Case, CheckStatus, Event, Limits, Options};
use baton_protocol::detection::{LanguageCommands, Purpose, Source};
use baton_protocol::phase::testing::TestingErrorType;
use baton_protocol::phase::validation::ValidationInput;
use baton_protocol::phase::{StepStatus, Verdict};
use baton_protocol::report::ReportedFailure;
use baton_review::{Finding, Kind};

use super::coverage_files::Measured;
use super::failures::Failures;
use super::validated::Summary;
use super::{accepted, coverage_files, kinds};
use crate::AgentStep;
use crate::acceptance::objection_to;
use crate::asked_for::is_asked_for;
use crate::blocking;
use crate::commits;
use crate::foreign_text::one_line;
use crate::prep;
use crate::project_command;
use crate::pull::tidy;
use crate::review_comment::ReviewComment;
use crate::step_error::StepError;
use crate::tools;
use crate::workspace::Workspace;

/// Between two attempts of a formatter or linter.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) async fn validate(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    failures: &mut Failures,
) -> Result<(Summary, Tested), StepError> {
    let started = SystemTime::now();
    let fork = workspace.fork_point(step.place).await?;
    let diff = workspace.git.diff(fork.as_str(), "HEAD", 0).await?;
    let paths = diff.iter().filter_map(|file| file.path.to_str());
    let names: Vec<String> = paths.map(str::to_owned).collect();
    workspace.renew_copy(step).await?;
    if let Err(ran) = prep::renew(step, workspace).await? {
        failures.add(kinds::BUILD, &ran.told());
        return Ok((Summary::default(), Tested::default()));
    }
    let before = untracked(workspace).await?;
    let answer = run(step, workspace, names.clone(), fork.as_str()).await?;
    if answer.interrupted || step.context.cancel.is_cancelled() {
        return Err(StepError::cancelled());
    }
    for note in answer
        .details
        .formatter
        .notes
        .iter()
        .chain(&answer.details.linter.notes)
    {
        step.context.say(note);
    }
    let missing = judge(step, &answer, failures);
    if failures.is_empty() {
        missing?;
        keep_mended(step, workspace, &names).await?;
    }
    let measured = if failures.is_empty() {
        let diff = workspace.git.diff(fork.as_str(), "HEAD", 0).await?;
        let tests = &answer.output.checks.tests;
        let command = Some(tests.command.as_str()).filter(|_| tests.status == StepStatus::Pass);
        let command = command.unwrap_or_default();
        coverage_files::measure(step, workspace, &diff, command, started).await?
    } else {
        Measured::default()
    };
    // What tests did to files of the change is no part of it.
    tidy(workspace).await?;
    remove_artifacts(workspace, &before).await?;
    let summary = summary(step, workspace, &answer, &measured);
    let failed = failed_tests(&answer);
    let attempts = answer
        .details
        .tests
        .map(|tests| tests.attempts)
        .unwrap_or_default();
    let (first, last) = (attempts.first(), attempts.last());
    let tested = Tested {
        run: first.map_or(0, |attempt| attempt.counts.run),
        passed: first.map_or(0, |attempt| attempt.counts.passed),
        cases: answer.cases,
        reported: last.map(|last| last.failures.clone()).unwrap_or_default(),
        failed,
    };
    Ok((summary, tested))
}

/// The tests that ran.
#[derive(Default)]
pub(super) struct Tested {
    pub(super) cases: Vec<Case>,
    pub(super) run: u64,
    pub(super) passed: u64,
    pub(super) reported: Vec<ReportedFailure>,
    /// What fails, for the fixer: as many as are reported, or one for all.
    pub(super) failed: Vec<String>,
}

async fn run(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    names: Vec<String>,
    base: &str,
) -> Result<Answer, StepError> {
    let place = step.place;
    let input = ValidationInput::new(workspace.path.to_string_lossy(), names);
    let environment = project_command::environment(step, &workspace.path).await?;
    let context = step.context.clone();
    let cx = tools::environment_context(step, environment).with_events(move |event| {
        if let baton_ops::Event::Validation(event) = event {
            tell(&context, event);
        }
    });
    let settings = &place.settings;
    let options = Options {
        preferred: settings.preferred.clone(),
        unchosen: settings.unchosen,
        by_sources: true,
        limits: Limits::all(settings.command_limit),
        pause: PAUSE,
        threshold: settings.threshold,
        base: Some(base.to_owned()),
        scanners: settings.scanners.clone(),
        ..Options::default()
    };
    blocking::run(&step.context.cancel, move |cancel| async move {
        validation::run(&cx.with_cancel(cancel), &input, options).await
    })
    .await
}

fn tell(context: &StepContext, event: Event<'_>) {
    match event {
        Event::Started { check, command: "" } => context.say(check.name()),
        Event::Started { check, command } => {
            context.say(&format!("{}: {command}", check.name()));
        }
        Event::Autofix { check, command } => {
            context.say(&format!("{} mends: {command}", check.name()));
        }
        Event::Settled { .. } | Event::Waiting { .. } | Event::Output { .. } => context.tick(),
        Event::Finished {
            check,
            status,
            problems,
            ..
        } => {
            let name = check.name();
            context.say(&match status {
                CheckStatus::Pass => format!("{name}: passed"),
                CheckStatus::Skipped => format!("{name}: skipped"),
                CheckStatus::Fail => format!("{name}: {problems} problems"),
            });
        }
    }
}

/// Puts what fails into the list. An error is what no fix of the code can mend:
/// a tool that is not there.
fn judge(step: &AgentStep<'_>, answer: &Answer, failures: &mut Failures) -> Result<(), StepError> {
    let is_recognised = answer.details.language_reason.is_some();
    let mut missing = Vec::new();
    for tool in failed_tools(answer) {
        // Its note was reported above; no fix of the change can mend it.
        if tool.fails_before {
            continue;
        }
        if tool.is_missing {
            // Without a language, no command is known that could be missing.
            let is_known = is_recognised || !tool.command.is_empty();
            missing.extend(tool.issues.first().filter(|_| is_known).cloned());
            if !is_known {
                let name = tool.kind;
                let told = format!("no language was recognised, and no command for: {name}");
                step.context.say(&told);
            }
            continue;
        }
        for issue in tool.issues {
            failures.add(tool.kind, issue);
        }
        if tool.issues.is_empty() {
            failures.add(tool.kind, &format!("`{}` fails", tool.command));
        }
    }
    missing.extend(missing_runner(answer));
    add_findings(step, answer, failures);
    if missing.is_empty() {
        return Ok(());
    }
    missing.dedup();
    let mut missing = missing.join("; ");
    for check in ["format", "lint", "build", "test"] {
        // What a caller of the phase names so, a user configures.
        missing = missing.replace(
            &format!("`{check}_command`"),
            &format!("`commands.{check}`"),
        );
    }
    // A tool has to be installed, or another one configured; waiting does neither.
    Err(StepError::permanent(format!(
        "the change cannot be validated here: {missing}"
    )))
}

struct FailedTool<'a> {
    kind: &'static str,
    /// Empty where no one knows what to run.
    command: &'a str,
    issues: &'a [String],
    /// It is not on this machine, which is no fault of the change.
    is_missing: bool,
    /// It breaks down in the same way on the tree before the change.
    fails_before: bool,
}

/// What the test phase says where it found no runner, and what would help.
fn missing_runner(answer: &Answer) -> Option<String> {
    let errors = &answer.details.tests.as_ref()?.output.errors;
    let error = errors
        .iter()
        .find(|error| error.kind == TestingErrorType::CommandNotFound)?;
    let context = error.context.as_ref();
    let suggestion = context.and_then(|context| context.get("suggestion")?.as_str());
    let suggestion = suggestion.filter(|text| !text.is_empty());
    let suggestion = suggestion.unwrap_or("Install what it needs");
    let message = &error.message;
    Some(format!("{message}. {suggestion}, or set `commands.test`"))
}

fn failed_tools(answer: &Answer) -> Vec<FailedTool<'_>> {
    let (checks, details) = (&answer.output.checks, &answer.details);
    let (formatter, linter, build) = (&checks.formatter, &checks.linter, &checks.build);
    let mut failed = Vec::new();
    if formatter.status == Verdict::Fail {
        failed.push(FailedTool {
            kind: kinds::FORMAT,
            command: &formatter.command,
            issues: &formatter.issues,
            is_missing: formatter.command.is_empty() || details.formatter.missing,
            fails_before: details.formatter.fails_before,
        });
    }
    if linter.status == Verdict::Fail {
        failed.push(FailedTool {
            kind: kinds::LINT,
            command: &linter.command,
            issues: &linter.issues,
            is_missing: linter.command.is_empty() || details.linter.missing,
            fails_before: details.linter.fails_before,
        });
    }
    if build.status == StepStatus::Fail {
        failed.push(FailedTool {
            kind: kinds::BUILD,
            command: &build.command,
            issues: &build.errors,
            is_missing: build.command.is_empty() || details.build.missing,
            fails_before: details.build.fails_before,
        });
    }
    failed
}

/// The tests that fail, each in a line for the fixer.
fn failed_tests(answer: &Answer) -> Vec<String> {
    let tests = &answer.output.checks.tests;
    let is_failed = tests.status == StepStatus::Fail && !tests.command.is_empty();
    if !is_failed || missing_runner(answer).is_some() {
        return Vec::new();
    }
    let details = answer.details.tests.as_ref();
    let last = details.and_then(|details| details.attempts.last());
    let reported = last
        .map(|attempt| attempt.failures.as_slice())
        .unwrap_or_default();
    if reported.is_empty() {
        let tail = last
            .and_then(|attempt| attempt.output_tail.as_deref())
            .unwrap_or_default();
        let end = &tail[tail.ceil_char_boundary(tail.len().saturating_sub(600))..];
        return vec![format!("`{}` fails: {end}", tests.command)];
    }
    let in_words = |failure: &ReportedFailure| {
        let place = match (&failure.file, failure.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            (Some(file), None) => format!(" ({file})"),
            _ => String::new(),
        };
        let error = one_line(&failure.error, 300);
        format!("{}{place} – {error}", failure.name)
    };
    reported.iter().map(in_words).collect()
}

fn add_findings(step: &AgentStep<'_>, answer: &Answer, failures: &mut Failures) {
    let threshold = step.place.settings.threshold;
    let accepted = accepted::findings(step);
    let counted =
        |finding: &&Finding| finding.severity >= threshold && !is_asked_for(step, finding);
    for finding in answer.findings.iter().filter(counted) {
        let comment = ReviewComment::from_finding(finding, threshold);
        if accepted.contains(&comment.mark()) || step.is_accepted(&objection_to(finding)) {
            continue;
        }
        let kind = match finding.kind {
            Kind::Security => kinds::SECURITY,
            Kind::Quality | Kind::Tamper => kinds::CODE_REVIEW,
        };
        failures.add(
            kind,
            &format!("{}: {}", comment.path, comment.description()),
        );
    }
}

/// What formatter and linter mended is part of the change from now on. They
/// rewrite files of the change, and neither make nor delete any.
async fn keep_mended(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    changed: &[String],
) -> Result<(), StepError> {
    let git = &workspace.git;
    let call = Call::read("see what was mended").args([
        "diff",
        "--name-only",
        "--diff-filter=M",
        "-z",
        "--ignore-submodules=dirty",
        "HEAD",
    ]);
    let reply = git.call(call).await?.success()?;
    let names = reply
        .stdout
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    let paths: Vec<String> = names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .filter(|name| changed.contains(name))
        .collect();
    let subject = "style: apply formatter and linter";
    commits::commit_paths(git, &paths, subject, step.context.key()).await?;
    Ok(())
}

/// Files and folders that are neither committed nor ignored.
async fn untracked(workspace: &Workspace) -> Result<BTreeSet<String>, StepError> {
    let call = Call::read("list what is not committed")
        .args(["ls-files", "--others", "--exclude-standard"])
        .args(["--directory", "-z"]);
    let reply = workspace.git.call(call).await?.success()?;
    let names = reply.stdout.split(|byte| *byte == 0);
    let names = names.filter_map(|name| str::from_utf8(name).ok());
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

/// What the checks left behind is no part of the change, and must not become
/// part of the next commit. Whatever makes the next build quicker stays.
async fn remove_artifacts(
    workspace: &Workspace,
    before: &BTreeSet<String>,
) -> Result<(), StepError> {
    const KEPT: [&str; 5] = ["target/", "node_modules/", ".venv/", ".gradle/", "vendor/"];
    let after = untracked(workspace).await?;
    let is_kept = |name: &str| KEPT.iter().any(|kept| name.ends_with(kept));
    let new: Vec<&String> = after
        .difference(before)
        .filter(|name| !is_kept(name))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let call = Call::write("remove what the checks left behind")
        .args(["--literal-pathspecs", "clean", "--quiet", "-ffd", "--"])
        .args(new);
    Ok(workspace.git.call(call).await?.success().map(drop)?)
}

fn summary(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    answer: &Answer,
    measured: &Measured,
) -> Summary {
    let checks = &answer.output.checks;
    let said = |passed: bool| passed.then(|| "passed".to_owned());
    let counts = answer
        .details
        .tests
        .as_ref()
        .and_then(|details| details.attempts.first());
    let tests = match (checks.tests.status, counts) {
        (StepStatus::Pass, Some(attempt)) if attempt.counts.run > 0 => Some(format!(
            "passed ({}/{})",
            attempt.counts.passed, attempt.counts.run
        )),
        // A runner that finds no tests succeeds, too, and proves nothing.
        (status, _) => {
            said(status == StepStatus::Pass && is_chosen(step, workspace, &checks.tests.command))
        }
    };
    Summary {
        tests,
        coverage: measured.total.as_ref().map(ToString::to_string),
        changed_coverage: measured.changed.as_ref().map(ToString::to_string),
        // A check that ran nothing says nothing.
        lint: said(checks.linter.status == Verdict::Pass && !checks.linter.command.is_empty()),
        build: said(checks.build.status == StepStatus::Pass),
        security: (checks.security_review.status == Verdict::Pass)
            .then(|| "no vulnerabilities".to_owned()),
        ci: None,
    }
}

/// Whether the user or the project itself says that this command tests the
/// project. Then its exit code counts even if it names no tests.
fn is_chosen(step: &AgentStep<'_>, workspace: &Workspace, command: &str) -> bool {
    let project = project_command::look(step, &workspace.path);
    let is_task = |one: &LanguageCommands| {
        let test = one.validation.first(Purpose::Test);
        test.is_some_and(|test| {
            test.command == command && matches!(test.source, Source::Task { .. })
        })
    };
    step.place.settings.preferred.test.is_some() || project.languages.iter().any(is_task)
}
