//! The output of `get_job_log`, for people.

use baton_protocol::tools::get_job_log::GetJobLogOutput;
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for GetJobLogOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.conclusion.as_deref() {
            Some("success") => (Style::Good, "success"),
            Some(other) => (Style::Bad, other),
            None => (Style::Doubtful, self.status.as_str()),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.name)
            .text(format!("  job {} of {}  ", self.job, self.repository))
            .styled(style, word);
        page.line(0, line);
        if let Some(url) = &self.html_url {
            page.address(0, url);
        }
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        if let (Some(first), Some(total)) = (self.first_line, self.total_lines) {
            page.gap();
            let range = format!("from line {first} of {total}");
            page.line(0, Line::new().styled(Style::Dim, range));
            page.code(0, &self.text, usize::MAX);
        }
    }

    /// A log is an answer, whatever the job came to.
    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}
