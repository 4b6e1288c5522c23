//! The answer as JUnit XML, with the elements for reruns that CI systems read.

use std::io::Cursor;

use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing_details::TestingDetails;
use baton_protocol::report::ReportedFailure;
use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

/// Tests that failed in any attempt are listed by name; the others are known
/// by their number only, which the suite's attributes tell.
pub fn as_junit(details: &TestingDetails) -> String {
    let output = &details.output;
    let flaky: Vec<&str> = details.flaky.iter().map(|f| f.name.as_str()).collect();
    let last = details.attempts.last();
    let still_failing: &[ReportedFailure] = match last {
        Some(attempt) if output.status == Verdict::Fail => &attempt.failures,
        _ => &[],
    };
    let mut writer = Writer::new_with_indent(Cursor::new(Vec::new()), b' ', 2);
    let skipped = last.map_or(0, |attempt| attempt.counts.skipped);
    let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
    writer
        .create_element("testsuites")
        .write_inner_content(|writer| {
            writer
                .create_element("testsuite")
                .with_attributes([
                    ("name", output.test_command.as_deref().unwrap_or("tests")),
                    ("tests", &(output.tests_run + skipped).to_string()),
                    ("failures", &output.tests_failed.to_string()),
                    ("errors", "0"),
                    ("skipped", &skipped.to_string()),
                    ("time", &seconds(output.execution_time_ms)),
                ])
                .write_inner_content(|writer| {
                    for failure in still_failing {
                        let others = earlier(details, &failure.name, true);
                        case(writer, failure, Some(failure), "rerunFailure", &others)?;
                    }
                    for name in &flaky {
                        if still_failing.iter().any(|f| f.name == *name) {
                            continue;
                        }
                        let others = earlier(details, name, false);
                        if let Some(first) = others.first() {
                            case(writer, first, None, "flakyFailure", &others)?;
                        }
                    }
                    Ok(())
                })?;
            Ok(())
        })
        .expect("memory takes all XML");
    let bytes = writer.into_inner().into_inner();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
        String::from_utf8_lossy(&bytes)
    )
}

/// The failures of a test in all attempts, or in all but the last.
fn earlier<'a>(
    details: &'a TestingDetails,
    name: &str,
    without_last: bool,
) -> Vec<&'a ReportedFailure> {
    let count = details.attempts.len() - usize::from(without_last);
    details.attempts[..count]
        .iter()
        .flat_map(|attempt| &attempt.failures)
        .filter(|failure| failure.name == name)
        .collect()
}

fn case(
    writer: &mut Writer<Cursor<Vec<u8>>>,
    test: &ReportedFailure,
    failure: Option<&ReportedFailure>,
    rerun: &str,
    others: &[&ReportedFailure],
) -> std::io::Result<()> {
    let name = clean(&test.name);
    let file = clean(test.file.as_deref().unwrap_or_default());
    let line = test.line.map(|l| l.to_string()).unwrap_or_default();
    let mut element = writer
        .create_element("testcase")
        .with_attribute(("name", name.as_str()));
    if !file.is_empty() {
        element = element.with_attribute(("file", file.as_str()));
    }
    if !line.is_empty() {
        element = element.with_attribute(("line", line.as_str()));
    }
    element.write_inner_content(|writer| {
        if let Some(failure) = failure {
            told(writer, "failure", failure)?;
        }
        for other in others {
            told(writer, rerun, other)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn told(
    writer: &mut Writer<Cursor<Vec<u8>>>,
    element: &str,
    failure: &ReportedFailure,
) -> std::io::Result<()> {
    let error = clean(&failure.error);
    let message = error.lines().next().unwrap_or_default().to_owned();
    writer
        .create_element(element)
        .with_attributes([("message", message.as_str()), ("type", "failure")])
        .write_inner_content(|writer| {
            writer.write_event(Event::Text(BytesText::new(&error)))?;
            Ok(())
        })?;
    Ok(())
}

/// Without the characters that XML cannot carry.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => '\u{fffd}',
            c => c,
        })
        .collect()
}
