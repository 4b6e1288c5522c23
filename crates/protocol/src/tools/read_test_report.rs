//! What a test run said, read from its output, its report file or a CI log.

use crate::request::{optional, request, text as string};

request! {
    /// Either the text itself or the file that has it.
    pub struct ReadTestReportInput, unknown keys Refused {
        /// What the test run printed, or the content of its report file. Give either this or `file`.
        text: Option<String> = optional(string()),
        /// A file on this machine: a log, JUnit XML or a JSON report.
        file: Option<String> = optional(string()),
    }
    rule text, "give either 'text' or 'file'", text.as_ref().is_some_and(Option::is_some) != file.as_ref().is_some_and(Option::is_some);
}
