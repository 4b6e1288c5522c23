//! What a test run said, read from its output, its report file or a CI log.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use baton_protocol::report::TestReport;
use baton_protocol::tools::read_test_report::ReadTestReportInput;
use baton_report::Reader;

use crate::blocking::blocking;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use crate::plain_text;

pub struct ReadTestReport;

impl Operation for ReadTestReport {
    const META: Meta = Meta {
        name: "read_test_report",
        title: "Read a test report",
        about: "Read what a test run printed, a report file or a CI log",
        description: "Reads what a test run printed, the report file that it wrote (JUnit XML, \
            JSON, SARIF) or a CI log, and gives counts and failures with message, file and \
            line. Knows the test runners of JavaScript, TypeScript, Python, Go, Rust, Ruby and \
            Java, and compiler errors. Call it instead of reading a long log yourself. Runs \
            nothing.",
        input: "read_test_report.input",
        output: "report.output",
        effects: Effects::READ_ONLY,
        may_last: operation::never,
    };
    type Input = ReadTestReportInput;
    type Output = TestReport;

    async fn run(_: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let reading = blocking(move || match (input.text, input.file) {
            (Some(text), _) => Ok(baton_report::read(text.as_bytes())),
            (None, file) => from_file(&file.unwrap_or_default()),
        });
        reading.await?
    }
}

fn from_file(file: &str) -> Result<TestReport, OpError> {
    let shown = plain_text(file);
    let unreadable = |error: io::Error| {
        OpError::refused(
            format!("cannot read {shown}: {error}"),
            "Give the absolute path of a file on this machine, or its content as `text`.",
        )
    };
    // A pipe or a device might never end.
    if !Path::new(file).metadata().map_err(unreadable)?.is_file() {
        return Err(OpError::refused(
            format!("{shown} is no file"),
            "Name a file in that folder.",
        ));
    }
    let file = File::open(file).map_err(unreadable)?;
    let Reading { report, cut_at } = read(file, Format::Auto).map_err(unreadable)?;
    match cut_at {
        None => Ok(report),
        Some(limit) => Err(OpError::refused(
            format!("{shown} is longer than {limit} MiB; the rest was not read"),
            "Give the part that matters as `text`.",
        )),
    }
}

/// What a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Auto,
    /// What a program printed, or a CI log.
    Text,
    /// A report for machines: JUnit XML, or JSON.
    Document,
}

/// What was read.
pub struct Reading {
    pub report: TestReport,
    /// How many MiB were read, if there was more.
    pub cut_at: Option<u64>,
}

/// Documents are read whole; text goes by in pieces.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Logs of CI are smaller, and an endless pipe has to end somewhere.
const MAX_TEXT_BYTES: u64 = 256 << 20;

/// Reads a report, up to a limit.
pub fn read(mut source: impl Read, format: Format) -> io::Result<Reading> {
    let mut first = Vec::new();
    source.by_ref().take(1 << 16).read_to_end(&mut first)?;
    let is_document = match format {
        Format::Text => false,
        Format::Document => true,
        Format::Auto => baton_report::looks_like_a_document(&first),
    };
    let whole = first.as_slice().chain(source);
    let limit = if is_document {
        MAX_DOCUMENT_BYTES
    } else {
        MAX_TEXT_BYTES
    };
    let (report, is_cut) = if is_document {
        document(whole, limit)?
    } else {
        text(whole, limit)?
    };
    Ok(Reading {
        report,
        cut_at: is_cut.then_some(limit >> 20),
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

/// Whether anything is left after a limit that was reached.
fn is_more(source: io::Take<impl Read>) -> io::Result<bool> {
    let is_full = source.limit() == 0;
    Ok(is_full && source.into_inner().read(&mut [0])? > 0)
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
