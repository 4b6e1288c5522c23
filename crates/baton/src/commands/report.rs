use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt as _;
use std::panic::resume_unwind;
use std::path::Path;

use baton_protocol::report::TestReport;
use baton_report::Reader;
use clap::ValueEnum;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::terminal::{self, Style, harmless};

/// Read what a test run printed, a report file or a CI log
///
/// Reads files, pipes and standard input: the first 256 MiB of text, or 64 MiB of a document.
/// A warning says when there was more. Exits 0 when nothing failed, 1 when
/// something did.
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

/// Documents are read whole; text goes by in pieces.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Logs of CI are smaller, and an endless pipe has to end somewhere.
const MAX_TEXT_BYTES: u64 = 256 << 20;

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let (place, format) = (args.file.clone(), args.format);
    let Reading { report, cut } = runtime::run(async |cancel| {
        let reading = tokio::task::spawn_blocking(move || read(&place, format));
        // A thread that waits for a pipe cannot be stopped, so it is not waited for.
        tokio::select! {
            read = reading => read.unwrap_or_else(|error| resume_unwind(error.into_panic())),
            () = cancel.cancelled() => Err(CommandError::interrupted()),
        }
    })?;
    if let Some(cut) = cut {
        terminal::error_line(&format!("warning: {cut}"));
    }
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

/// What was read.
pub(crate) struct Reading {
    pub(crate) report: TestReport,
    /// What was not read, if there was more.
    pub(crate) cut: Option<String>,
}

pub(crate) fn read(place: &Place, format: Format) -> Result<Reading, CommandError> {
    let unreadable = |error: io::Error| {
        CommandError::missing(format!("cannot read {place}"))
            .because(error)
            .hint("Check the path, or pass `-` to read from standard input.")
    };
    let mut source: Box<dyn Read> = match place {
        Place::StandardInput => Box::new(io::stdin().lock()),
        Place::File(path) => {
            refuse_what_is_no_file(path, place)?;
            Box::new(File::open(path).map_err(unreadable)?)
        }
    };
    let mut first = Vec::new();
    let mut start = source.by_ref().take(1 << 16);
    start.read_to_end(&mut first).map_err(unreadable)?;
    let is_document = match format {
        Format::Text => false,
        Format::Document => true,
        Format::Auto => baton_report::looks_like_a_document(&first),
    };
    let whole = first.as_slice().chain(source);
    let (report, is_cut) = if is_document {
        document(whole, MAX_DOCUMENT_BYTES)
    } else {
        text(whole, MAX_TEXT_BYTES)
    }
    .map_err(unreadable)?;
    let limit = if is_document { "64" } else { "256" };
    let cut = is_cut.then(|| format!("{place} is longer than {limit} MiB; the rest was not read"));
    Ok(Reading { report, cut })
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

fn document(source: impl Read, limit: u64) -> io::Result<(TestReport, bool)> {
    let mut bytes = Vec::new();
    let mut source = source.take(limit);
    source.read_to_end(&mut bytes)?;
    let is_cut = is_more(source)?;
    Ok((baton_report::read(&bytes), is_cut))
}

fn text(source: impl Read, limit: u64) -> io::Result<(TestReport, bool)> {
    let mut reader = Reader::new();
    let mut source = source.take(limit);
    let mut chunk = vec![0; 1 << 18];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => reader.feed(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((reader.finish(), is_more(source)?))
}

/// Whether anything is left behind a limit that was reached.
fn is_more(source: io::Take<impl Read>) -> io::Result<bool> {
    let is_full = source.limit() == 0;
    Ok(is_full && source.into_inner().read(&mut [0])? > 0)
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

#[cfg(test)]
mod tests {
    use std::io::{self, Read as _};

    use super::{document, text};

    #[test]
    fn an_endless_pipe_ends_at_the_limit() {
        let line = b"test a ... ok\n";
        let endless = line.repeat(100).leak();
        let (_, is_cut) = text((&*endless).chain(io::repeat(b'x')), 1 << 20).expect("memory reads");
        assert!(is_cut);
        let (_, is_cut) = document(io::repeat(b'<'), 1 << 20).expect("memory reads");
        assert!(is_cut);
    }

    #[test]
    fn what_fits_is_not_cut() {
        let log = b"running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let (report, is_cut) = text(log.as_slice(), log.len() as u64).expect("memory reads");
        assert_eq!((report.counts.passed, is_cut), (1, false));
    }
}
