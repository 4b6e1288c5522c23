//! Reads pytest, in all its verbosities and traceback styles, alone and with
//! xdist, pytest-sugar, subtests, reruns and timeouts.

mod block;
mod crash;
mod json_report;
mod progress;
mod rule;
mod run;
mod signs;
mod summary;
mod totals;
mod verdict;

use crate::session::{Evidence, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;
use rule::Rule;
use run::Run;

pub(super) const TOOL: Tool = Tool {
    document: Some(json_report::DOCUMENT),
    ..Tool::text::<Pytest>(
        &[
            "=====",
            SUGAR,
            CONFTEST,
            "ERROR: ",
            "Error while loading plugin",
            "INTERNALERROR>",
            "no tests ran in ",
        ],
        // Quiet runs have no header, only dots and a last line.
        &[
            " passed",
            " skipped in ",
            " deselected in ",
            "Fatal Python error: ",
        ],
    )
    .woken_by_ends(&["%]"])
};

#[derive(Default)]
struct Pytest {
    run: Option<Run>,
}

const FRAMEWORK: &str = "pytest";
const SUGAR: &str = "Test session starts (platform: ";
const CONFTEST: &str = "ImportError while loading conftest '";

impl TextReader for Pytest {
    fn awake(&self) -> bool {
        self.run.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let starts = line.text.starts_with(SUGAR)
            || matches!(
                rule::read(line.text, None),
                Some(Rule::Section("test session starts"))
            );
        if let Some(run) = &mut self.run {
            if starts && !run.in_test_output() {
                self.close(sessions);
            } else {
                match run.line(line) {
                    run::Next::Goes => return,
                    run::Next::Ended => return self.close(sessions),
                    // The line does not belong to the run.
                    run::Next::EndedBefore => self.close(sessions),
                }
            }
        }
        self.run = begin(line, starts, sessions);
        if self.run.as_ref().is_some_and(Run::has_totals) {
            self.close(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close(sessions);
    }
}

impl Pytest {
    fn close(&mut self, sessions: &mut Sessions) {
        if let Some(session) = self.run.take().and_then(Run::finish) {
            sessions.push(session);
        }
    }
}

/// The run that begins at this line, if any.
fn begin(line: Line<'_>, starts: bool, sessions: &mut Sessions) -> Option<Run> {
    let text = line.text;
    if starts {
        return Some(Run::with_header(line));
    }
    if let Some(rest) = text.strip_prefix(CONFTEST) {
        return Some(Run::for_conftest(rest.split('\'').next()?, line.number));
    }
    if is_startup_error(text) {
        let mut session = Session::new(FRAMEWORK, line.number);
        session.broke = true;
        session.evidence = Evidence::Summary;
        sessions.push(session);
        return None;
    }
    let begins = matches!(
        rule::read(text, None),
        Some(Rule::Section(
            "FAILURES" | "ERRORS" | "short test summary info"
        ))
    ) || totals::read(text).is_some()
        || progress::is_quiet_progress(text)
        || (text.starts_with(['.', 'F']) && crash::Crash::begin(text).is_some());
    begins.then(|| {
        let mut run = Run::headless(line.number);
        run.line(line);
        run
    })
}

/// pytest stopped before it had anything to run.
fn is_startup_error(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("ERROR: ") else {
        return text.starts_with("Error while loading plugin \"")
            || text.starts_with("INTERNALERROR> Traceback");
    };
    rest.starts_with("Error importing plugin \"")
        || (rest.starts_with("usage: ") && rest.contains("pytest [options]"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// The reader does not panic, whatever the order of pytest's lines.
    const LINES: &str = "(=+ (test session starts|FAILURES|ERRORS|PASSES|short test summary info|1 failed in 0\\.1s) =+\
        |_+ (t|ERROR at setup of t|ERROR collecting a\\.py) _+|_ _ _ _|-+ Captured stdout call -+|!+ KeyboardInterrupt !+\
        |(E|>) {3,7}x|a\\.py:3: (in t|ValueError|)|  File \"a\\.py\", line 3(,)? in t|    x = 1|[.FEsxX]{1,9} +\\[ 50%\\]\
        |a\\.py::t(\\[ü - b\\])? (PASSED|FAILED)|(FAILED|ERROR|SUBFAILED\\[m\\] \\(i=1\\)) a\\.py::t(\\[é)? - x|2 passed in 0\\.1s\
        |Fatal Python error: Aborted|Current thread 0x1|\\++ Timeout \\++|Results \\(1s\\):| +3 passed|― t ―|)";

    proptest! {
        #[test]
        fn shuffled_lines_never_panic(lines in prop::collection::vec(LINES, 0..40)) {
            crate::read(lines.join("\n").as_bytes());
        }
    }
}
