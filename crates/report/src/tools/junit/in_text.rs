//! Finds the XML of `JUnit` in a program's other output, for reporters that
//! write it to standard output.

use memchr::memmem;

use crate::session::Sessions;
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool::text::<JunitInText>(&["<testsuite"], &[]);

/// Larger reports inside a log are not kept.
const MAX_BYTES: usize = 4 << 20;

#[derive(Default)]
struct JunitInText {
    report: Option<Report>,
}

struct Report {
    first_line: u64,
    last_line: u64,
    text: String,
    /// Suites that are open.
    depth: usize,
}

impl TextReader for JunitInText {
    fn awake(&self) -> bool {
        self.report.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let report = self.report.get_or_insert_with(|| Report {
            first_line: line.number,
            last_line: line.number,
            text: String::new(),
            depth: 0,
        });
        report.last_line = line.number;
        report.depth += opened(line.text);
        report.depth = report.depth.saturating_sub(closed(line.text));
        report.text.push_str(line.text);
        report.text.push('\n');
        if report.depth == 0 || report.text.len() > MAX_BYTES {
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        let Some(report) = self.report.take() else {
            return;
        };
        for mut session in super::read(&report.text) {
            session.lines = (report.first_line, report.last_line);
            session.is_report = true;
            sessions.push(session);
        }
    }
}

fn opened(text: &str) -> usize {
    memmem::find_iter(text.as_bytes(), b"<testsuite")
        .filter(|at| {
            let tag = text[*at..].split('>').next().unwrap_or_default();
            !tag.ends_with('/')
        })
        .count()
}

fn closed(text: &str) -> usize {
    memmem::find_iter(text.as_bytes(), b"</testsuite").count()
}
