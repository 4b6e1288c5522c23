//! `baton validate`: checks a change.

mod show;

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baton_ops::Event;
use baton_ops::validation::{self, Answer, Options};
use baton_protocol::Language;
use baton_protocol::phase::validation::ValidationInput;
use baton_protocol::phase::validation_details::ValidationDetails;
use baton_protocol::phase::{MAX_RETRIES, Verdict};

use self::show::{Show, View};
use super::phase::validation::{limits, scope};
use super::test::{is_empty_pass, next_step};
use super::{sarif_logs, source_excerpt};
use crate::acceptances;
use crate::document::{self, Place};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::settings;
use crate::terminal::{self, Style, sanitize};

/// Format, lint, build, test and review what has changed
///
/// Without files, everything that differs from where the branch left the trunk
/// is the change. Six lines show how the checks go; then come the findings,
/// with the code they are about. What formatter and linter can mend they mend,
/// in the changed files only.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The changed files, relative to the project's folder
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// The project's folder
    #[arg(long, short = 'C', value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// The commit that the change began at
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,

    /// Take this language instead of looking for one
    #[arg(long)]
    language: Option<Language>,

    /// Format with this
    #[arg(long, value_name = "COMMAND")]
    format: Option<String>,

    /// Lint with this
    #[arg(long, value_name = "COMMAND")]
    lint: Option<String>,

    /// Build with this
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_build")]
    build: Option<String>,

    /// Test with this
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_tests")]
    test: Option<String>,

    /// Do not build
    #[arg(long)]
    no_build: bool,

    /// Do not test
    #[arg(long)]
    no_tests: bool,

    /// How often formatter and linter may mend and look again
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(MAX_RETRIES))]
    max_retries: u64,

    /// Time limit of one run of each tool, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,

    /// Count problems, too, that were there before the change
    #[arg(long)]
    all: bool,

    /// Print the phase's output as one JSON object
    #[arg(long)]
    json: bool,

    /// Show nothing while the checks run
    #[arg(long, short)]
    quiet: bool,

    /// Write everything that was found out to this file, as JSON
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,

    /// Leave out the review findings that this file of `baton review --write-baseline` knows
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Merge what another scanner found, out of its SARIF file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    merge_sarif: Vec<Place>,

    /// Write diagnostics and findings as SARIF to this file
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = super::test::project_folder(&args.folder)?;
    let mut options = options(session, &folder)?;
    options
        .logs
        .extend(sarif_logs::given(&args.merge_sarif, &folder)?);
    let baseline = args.baseline.as_deref();
    let baseline = baseline.map(super::review::read_baseline).transpose()?;
    let show = Arc::new(Show::new(match args.quiet {
        true => View::Nothing,
        false if std::io::stderr().is_terminal() => View::Live,
        false => View::Lines,
    }));
    let shown = Arc::clone(&show);
    let cx = session
        .context()?
        .in_project(&folder)
        .with_events(move |event| {
            if let Event::Validation(event) = event {
                shown.event(event);
            }
        });
    let answer = runtime::run(async |cancel| {
        let cx = cx.with_cancel(cancel.clone());
        let files = if args.files.is_empty() {
            let base = args.base.as_deref();
            super::review::changed_since(&folder, base, session, &cancel).await?
        } else {
            below(&args.folder, &folder, &args.files)?
        };
        let input = input(args, &folder, files);
        let accepted = acceptances::known_findings(&folder, session, &cancel).await;
        let options = Options {
            limits: limits(args.timeout),
            // People do not wait for a pause that helps machines.
            pause: Duration::ZERO,
            scope: scope(args.all),
            by_sources: true,
            base: args.base.clone(),
            baseline: baseline.as_ref(),
            accepted: Some(&accepted),
            ..options
        };
        Ok(validation::run(&cx, &input, options).await)
    })?;
    show.end();
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
        format!("{text}\n")
    } else {
        summary(&answer, &folder)
    })?;
    write_files(&answer, args.details.as_deref(), args.sarif.as_deref())?;
    Ok(super::phase::exit(answer.output.status, answer.interrupted))
}

/// Files that were named in a folder, as the project's own folder names them.
fn below(named: &Path, project: &Path, files: &[String]) -> Result<Vec<String>, CommandError> {
    let named = super::review::folder(named)?;
    let inner = named.strip_prefix(project).unwrap_or(Path::new(""));
    let moved = files
        .iter()
        .map(|file| inner.join(file).to_string_lossy().into_owned());
    Ok(moved.collect())
}

fn input(args: &Args, folder: &Path, files: Vec<String>) -> ValidationInput {
    ValidationInput {
        language: args.language,
        format_command: args.format.clone(),
        lint_command: args.lint.clone(),
        build_command: args.build.clone(),
        test_command: args.test.clone(),
        max_retries: args.max_retries,
        skip_build: args.no_build,
        skip_tests: args.no_tests,
        ..ValidationInput::new(folder.to_string_lossy(), files)
    }
}

/// What the configuration says about validating in a folder.
pub(super) fn options(session: &Session, folder: &Path) -> Result<Options<'static>, CommandError> {
    let config = session.config_at(folder)?;
    Ok(Options {
        logs: sarif_logs::configured(&config, folder)?,
        ..settings::from_config(&config, &session.environment).validation(folder)
    })
}

pub(super) fn write_files(
    answer: &Answer,
    details: Option<&Path>,
    sarif: Option<&Path>,
) -> Result<(), CommandError> {
    if let Some(path) = details {
        let text = serde_json::to_string_pretty(&answer.details).expect("details are plain data");
        document::write(path, &format!("{text}\n"))?;
    }
    if let Some(path) = sarif {
        document::write(
            path,
            &validation::as_sarif(answer, env!("CARGO_PKG_VERSION")),
        )?;
    }
    Ok(())
}

/// The findings with their code, and one line that says how it went.
fn summary(answer: &Answer, folder: &Path) -> String {
    let (output, details) = (&answer.output, &answer.details);
    let mut text = String::new();
    let checks = &output.checks;
    let tools = [
        ("formatter", &details.formatter, &checks.formatter.issues),
        ("linter", &details.linter, &checks.linter.issues),
        ("build", &details.build, &checks.build.errors),
    ];
    for (name, tool, issues) in tools {
        source_excerpt::issues(&mut text, name, &tool.diagnostics, issues, folder);
    }
    tests(&mut text, details);
    let reviews = [
        (&details.code_review, &checks.code_review.findings),
        (
            &details.security_review,
            &checks.security_review.vulnerabilities,
        ),
    ];
    for (review, counted) in reviews {
        for finding in &review.findings {
            if counted.contains(&finding.to_string()) {
                source_excerpt::finding(&mut text, finding, folder);
            }
        }
    }
    notes(&mut text, details);
    let word = match output.status {
        Verdict::Pass => Style::Good.paint("pass"),
        Verdict::Fail => Style::Bad.paint("fail"),
    };
    let seconds = Duration::from_millis(output.execution_time_ms).as_secs_f32();
    writeln!(text, "{word} in {seconds:.1} s").expect("a string takes all text");
    text
}

fn tests(text: &mut String, details: &ValidationDetails) {
    let Some(tests) = &details.tests else {
        return;
    };
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    for test in &tests.output.failing_tests {
        line(format!(
            "{} {}",
            Style::Bad.paint("FAILED"),
            sanitize(&test.name)
        ));
        for told in sanitize(&test.error).lines().take(12) {
            line(format!("    {told}"));
        }
    }
    for error in &tests.output.errors {
        line(format!(
            "{} tests: {}",
            Style::Bad.paint("error:"),
            sanitize(&error.message)
        ));
        if let Some(next) = next_step(error) {
            line(format!(
                "  {} {}",
                Style::Hint.paint("hint:"),
                sanitize(&next)
            ));
        }
    }
}

/// What is no fault of the change, and good to know.
fn notes(text: &mut String, details: &ValidationDetails) {
    let mut told: Vec<String> = details
        .left_out
        .iter()
        .map(|file| file.message.clone())
        .collect();
    for (name, tool) in [
        ("formatter", &details.formatter),
        ("linter", &details.linter),
    ] {
        if !tool.restored.is_empty() {
            told.push(format!(
                "the {name} had rewritten files outside the change, which are as they were again: {}",
                some_of(&tool.restored)
            ));
        }
        if !tool.created.is_empty() {
            told.push(format!(
                "the {name} had made new files outside the change, which are gone again: {}",
                some_of(&tool.created)
            ));
        }
        told.extend(tool.notes.iter().cloned());
    }
    if let Some(tests) = &details.tests
        && is_empty_pass(&tests.output)
    {
        let command = tests.output.test_command.as_deref().unwrap_or_default();
        told.push(format!("`{command}` passed, but no test was seen to run"));
    }
    told.extend(details.code_review.notes.iter().cloned());
    for note in told {
        let note = sanitize(&note).replace('\n', " ");
        writeln!(text, "{} {note}", Style::Hint.paint("note:")).expect("a string takes all text");
    }
}

fn some_of(names: &[String]) -> String {
    const MAX_NAMES: usize = 5;
    let shown = names[..names.len().min(MAX_NAMES)].join(", ");
    match names.len().checked_sub(MAX_NAMES) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}
