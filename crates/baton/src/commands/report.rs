//! `baton report`: reads the output of a test run.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt as _;
use std::panic::resume_unwind;
use std::path::Path;

use baton_ops::test_report::{self, Reading};
use baton_protocol::report::{TestReport, UNKNOWN_FRAMEWORK};
use clap::ValueEnum;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::terminal::{self, Style, sanitize};

/// Read what a test run printed, a report file or a CI log
///
/// Reads files, pipes and standard input: the first 256 MiB of text, or 64 MiB of a document.
/// A warning says when there was more. Exits 0 when nothing failed, 1 when
/// something did, 3 when nothing in it could be read as a result.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The log or report; `-` for standard input
    #[arg(default_value = "-")]
    file: Place,

    /// What it is
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Auto,
    /// What a program printed, or a CI log
    Text,
    /// A report for machines: JUnit XML, or JSON
    Document,
}

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let format = args.format;
    let place = args.file.clone();
    let Reading { report, cut_at } = runtime::run(async |cancel| {
        let reading = tokio::task::spawn_blocking(move || read(&place, format));
        // A thread that waits for a pipe cannot be stopped, so it is not waited for.
        tokio::select! {
            read = reading => read.unwrap_or_else(|error| resume_unwind(error.into_panic())),
            () = cancel.cancelled() => Err(CommandError::interrupted()),
        }
    })?;
    if let Some(limit) = cut_at {
        terminal::error_line(&format!(
            "warning: {} is longer than {limit} MiB; the rest was not read",
            args.file
        ));
    }
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is plain data");
        format!("{text}\n")
    } else {
        as_text(&report)
    })?;
    if is_empty(&report) {
        return Err(CommandError::missing(format!(
            "nothing in {} is known as the result of a test run, a compiler or a linter",
            args.file
        ))
        .hint("Pass what the test runner printed, or the report file that it wrote."));
    }
    let failed = report.counts.failed + report.counts.errors > 0
        || !report.failures.is_empty()
        || report.is_build_failure
        || report.failing_step.is_some();
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// Nothing was understood; that is no pass.
fn is_empty(report: &TestReport) -> bool {
    let counts = report.counts;
    counts.run + counts.skipped + counts.errors == 0
        && report.framework == UNKNOWN_FRAMEWORK
        && report.failures.is_empty()
        && report.failing_step.is_none()
        && !report.is_build_failure
}

fn read(place: &Place, format: Format) -> Result<Reading, CommandError> {
    let unreadable = |error: io::Error| {
        CommandError::missing(format!("cannot read {place}"))
            .because(error)
            .hint("Check the path, or pass `-` to read from standard input.")
    };
    let source: Box<dyn Read> = match place {
        Place::StandardInput => Box::new(io::stdin().lock()),
        Place::File(path) => {
            refuse_what_is_no_file(path, place)?;
            Box::new(File::open(path).map_err(unreadable)?)
        }
    };
    let format = match format {
        Format::Auto => test_report::Format::Auto,
        Format::Text => test_report::Format::Text,
        Format::Document => test_report::Format::Document,
    };
    test_report::read(source, format).map_err(unreadable)
}

/// A device may never end, and a folder has nothing to read. Pipes are cut like files.
fn refuse_what_is_no_file(path: &Path, place: &Place) -> Result<(), CommandError> {
    let Ok(metadata) = path.metadata() else {
        // Opening it says what is wrong.
        return Ok(());
    };
    let kind = metadata.file_type();
    if kind.is_file() || kind.is_fifo() {
        return Ok(());
    }
    Err(if kind.is_dir() {
        CommandError::wrong_use(format!("{place} is a folder")).hint("Name a file in that folder.")
    } else {
        CommandError::wrong_use(format!(
            "{place} is a device or a socket, which may never end"
        ))
        .hint("Name a file, or pass `-` to read from standard input.")
    })
}

fn as_text(report: &TestReport) -> String {
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    for failure in &report.failures {
        let place = match (&failure.file, failure.line) {
            (Some(file), Some(number)) => format!("  {file}:{number}"),
            (Some(file), None) => format!("  {file}"),
            _ => String::new(),
        };
        line(format!(
            "{} {}{}",
            Style::Bad.paint("FAILED"),
            sanitize(&failure.name).replace('\n', " "),
            Style::Dim.paint(sanitize(&place))
        ));
        for told in sanitize(&failure.error).lines().take(12) {
            line(format!("    {told}"));
        }
    }
    if let Some(step) = &report.failing_step {
        line(format!("failing step: {}", sanitize(step)));
    }
    let counts = report.counts;
    let what = if report.is_build_failure {
        ", it does not build"
    } else {
        ""
    };
    line(format!(
        "{}: {} run, {} passed, {} failed, {} errors, {} skipped{what}",
        sanitize(&report.framework),
        counts.run,
        counts.passed,
        counts.failed,
        counts.errors,
        counts.skipped
    ));
    text
}
