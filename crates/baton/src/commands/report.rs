use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};

use baton_protocol::report::TestReport;
use baton_report::Reader;
use clap::ValueEnum;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal::{self, Style, harmless};

/// Read what a test run printed, a report file or a CI log
///
/// Exits 0 when nothing failed, 1 when something did.
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
pub(crate) enum Format {
    Auto,
    /// What a program printed, or a CI log
    Text,
    /// A report for machines: JUnit XML, or JSON
    Document,
}

/// Documents are read whole; text of any size goes by in pieces.
const LARGEST_DOCUMENT: usize = 64 << 20;

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let report = read(&args.file, args.format)?;
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is plain data");
        format!("{text}\n")
    } else {
        as_text(&report)
    })?;
    let failed = report.counts.failed + report.counts.errors > 0
        || !report.failures.is_empty()
        || report.is_build_failure
        || report.failing_step.is_some();
    Ok(if failed { Exit::No } else { Exit::Done })
}

pub(crate) fn read(place: &Place, format: Format) -> Result<TestReport, CommandError> {
    let unreadable = |error: io::Error| {
        CommandError::missing(format!("cannot read {place}"))
            .because(error)
            .hint("Check the path, or pass `-` to read from standard input.")
    };
    let mut source: Box<dyn Read> = match place {
        Place::StandardInput => Box::new(io::stdin().lock()),
        Place::File(path) => Box::new(File::open(path).map_err(unreadable)?),
    };
    let mut chunk = vec![0; 1 << 18];
    let first = source.read(&mut chunk).map_err(unreadable)?;
    let is_document = match format {
        Format::Text => false,
        Format::Document => true,
        Format::Auto => baton_report::looks_like_a_document(&chunk[..first]),
    };
    if is_document {
        let mut bytes = chunk[..first].to_vec();
        source
            .take(LARGEST_DOCUMENT as u64)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        return Ok(baton_report::read(&bytes));
    }
    let mut reader = Reader::new();
    reader.feed(&chunk[..first]);
    loop {
        match source.read(&mut chunk).map_err(unreadable)? {
            0 => return Ok(reader.finish()),
            count => reader.feed(&chunk[..count]),
        }
    }
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
            harmless(&failure.name).replace('\n', " "),
            Style::Dim.paint(harmless(&place))
        ));
        for told in harmless(&failure.error).lines().take(12) {
            line(format!("    {told}"));
        }
    }
    if let Some(step) = &report.failing_step {
        line(format!("failing step: {}", harmless(step)));
    }
    let counts = report.counts;
    let what = if report.is_build_failure {
        ", it does not build"
    } else {
        ""
    };
    line(format!(
        "{}: {} run, {} passed, {} failed, {} errors, {} skipped{what}",
        harmless(&report.framework),
        counts.run,
        counts.passed,
        counts.failed,
        counts.errors,
        counts.skipped
    ));
    text
}
