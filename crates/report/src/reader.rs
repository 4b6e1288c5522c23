use baton_protocol::report::TestReport;

use crate::arbiter::{self, Step};
use crate::ci::{Unwrapped, Unwrapper};
use crate::documents;
use crate::format::Dispatcher;
use crate::lines::{LineSplitter, cleaned};
use crate::session::Sessions;

/// Reads a whole document: a report file or the text of a run or CI log.
pub fn read(bytes: &[u8]) -> TestReport {
    if let Some(sessions) = documents::read(bytes) {
        return arbiter::judge(vec![Step {
            sessions,
            ..Step::default()
        }]);
    }
    let mut reader = Reader::new();
    reader.feed(bytes);
    reader.finish()
}

/// Reads text chunk by chunk, in memory that does not grow with the text.
pub struct Reader {
    splitter: LineSplitter,
    inner: Inner,
}

struct Inner {
    unwrapper: Unwrapper,
    dispatcher: Dispatcher,
    sessions: Sessions,
    steps: Vec<Step>,
    step: Step,
    number: u64,
    scratch: Vec<u8>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    pub fn new() -> Self {
        Self {
            splitter: LineSplitter::default(),
            inner: Inner {
                unwrapper: Unwrapper::default(),
                dispatcher: Dispatcher::new(),
                sessions: Sessions::default(),
                steps: Vec::new(),
                step: Step::default(),
                number: 0,
                scratch: Vec::new(),
            },
        }
    }

    pub fn feed(&mut self, chunk: &[u8]) {
        let Self { splitter, inner } = self;
        splitter.feed(chunk, |line| inner.line(line));
    }

    pub fn finish(self) -> TestReport {
        let Self {
            splitter,
            mut inner,
        } = self;
        splitter.finish(|line| inner.line(line));
        inner.close_step();
        arbiter::judge(inner.steps)
    }
}

impl Inner {
    fn line(&mut self, raw: &[u8]) {
        self.number += 1;
        match self.unwrapper.line(raw) {
            Unwrapped::Output(line) => {
                let mut scratch = std::mem::take(&mut self.scratch);
                let line = cleaned(line, &mut scratch);
                self.dispatcher.line(line, self.number, &mut self.sessions);
                self.scratch = scratch;
            }
            Unwrapped::Chatter => {}
            Unwrapped::Step(name) => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.close_step();
                self.step.name = Some(name);
            }
            Unwrapped::StepFailed => self.step.failed = true,
        }
    }

    fn close_step(&mut self) {
        self.dispatcher.end(&mut self.sessions);
        self.step.sessions = std::mem::take(&mut self.sessions).into_vec();
        self.steps.push(std::mem::take(&mut self.step));
    }
}
