use std::path::Path;
use std::sync::Arc;

use baton_protocol::report::TestReport;
use baton_protocol::tools::read_test_report::ReadTestReportInput;
use baton_serve::mcp::{Failure, Hints, Offer, Outcome};

use super::{in_a_thread, invalid, never_lasts, refused, to_json};
use crate::commands::report;
use crate::document::Place;
use crate::terminal::harmless;

pub(super) fn offer() -> Offer {
    Offer {
        name: "read_test_report",
        title: "Read a test report",
        description: "Reads what a test run printed, the report file that it wrote (JUnit XML, \
            JSON, SARIF) or a CI log, and gives counts and failures with message, file and \
            line. Knows the test runners of JavaScript, TypeScript, Python, Go, Rust, Ruby and \
            Java, and compiler errors. Call it instead of reading a long log yourself. Runs \
            nothing.",
        input: Offer::entry("read_test_report.input"),
        output: Offer::entry("report.output"),
        hints: Hints::READ_ONLY,
        may_last: never_lasts,
        durable: None,
        run: Arc::new(|call| Box::pin(in_a_thread(move || read(&call.input)))),
    }
}

fn read(input: &serde_json::Value) -> Outcome {
    let input = ReadTestReportInput::read(input).map_err(|problems| invalid(&problems))?;
    let report = match (input.text, input.file) {
        (Some(text), _) => baton_report::read(text.as_bytes()),
        (None, Some(file)) => from_file(&file)?,
        (None, None) => unreachable!("one of them is there, or the input is refused"),
    };
    Ok(to_json(&report))
}

fn from_file(file: &str) -> Result<TestReport, Failure> {
    let shown = harmless(file);
    // A pipe or a device might never end.
    let is_file = Path::new(file)
        .metadata()
        .map_err(|error| {
            refused(
                format!("cannot read {shown}: {error}"),
                "Give the absolute path of a file on this machine, or its content as `text`.",
            )
        })?
        .is_file();
    if !is_file {
        return Err(refused(
            format!("{shown} is no file"),
            "Name a file in that folder.",
        ));
    }
    let place = Place::File(file.into());
    let reading =
        report::read(&place, report::Format::Auto).map_err(|error| super::failed(&error))?;
    match reading.cut {
        None => Ok(reading.report),
        Some(cut) => Err(refused(cut, "Give the part that matters as `text`.")),
    }
}
