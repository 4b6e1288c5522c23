//! Reads why a JavaScript runner ended before its tests: a module that is
//! missing or cannot be parsed. Counts only where no tests ran.

use baton_protocol::Confidence;

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Failure, OpenSession, Session, Sessions};
use crate::stack::trace::{self, Own};
use crate::text::{Line, TextReader};

pub(crate) const FRAMEWORK: &str = "node";

pub(super) const TOOL: Tool = Tool::text::<NodeException>(
    &[
        "Error: Cannot find ",
        "Error [ERR_MODULE_NOT_FOUND]: ",
        "SyntaxError: ",
        "ReferenceError: ",
        "TypeError: ",
        MOCHA,
        "Uncaught exception in ",
        "TS2307 [ERROR]: ",
        "error: Uncaught ",
        "error: Module not found ",
    ],
    &[],
);

const MOCHA: &str = "Exception during run:";

#[derive(Default)]
struct NodeException {
    session: Option<Session>,
    block: Option<Block>,
}

struct Block {
    /// The error of a module, not of anything that runs.
    is_of_module: bool,
    error: Excerpt,
    lines: u32,
}

impl TextReader for NodeException {
    fn awake(&self) -> bool {
        self.block.is_some()
    }

    fn line(&mut self, line: Line<'_>, _: &mut Sessions) {
        const MAX_LINES: u32 = 60;
        let text = line.text;
        if let Some(block) = &mut self.block {
            block.lines += 1;
            if block.takes(text) && block.lines < MAX_LINES {
                block.error.push(text);
                self.session.reach(line.number);
                return;
            }
            self.close_block();
        }
        if let Some(block) = Block::open(text) {
            self.session.begin(FRAMEWORK, line.number).lines.1 = line.number;
            self.block = Some(block);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_broken(sessions);
    }
}

impl NodeException {
    fn close_block(&mut self) {
        let Some(block) = self.block.take() else {
            return;
        };
        let text = block.error.text();
        if block.is_of_module
            && let Some(session) = &mut self.session
            && let Some((file, line)) = trace::place(&text, Own::default())
            && !session.failures.iter().any(|known| known.name == file)
        {
            let failure = Failure::named(file.clone()).at(file, Some(line));
            let error = trace::error("", &text);
            session.add(failure.because(error).sure(Confidence::Medium));
        }
    }
}

impl Block {
    fn open(text: &str) -> Option<Self> {
        let bare = text.trim_start();
        let after_mocha = bare.strip_prefix(MOCHA);
        let message = after_mocha.unwrap_or(bare).trim_start();
        if text.starts_with(' ')
            && after_mocha.is_none()
            && !bare.starts_with("Uncaught exception in ")
        {
            return None;
        }
        let is_of_module = after_mocha.is_some()
            || [
                "Error: Cannot find ",
                "Error [ERR_MODULE_NOT_FOUND]: ",
                "TS2307 [ERROR]: ",
                "Uncaught exception in ",
                "error: Uncaught ",
                "error: Module not found ",
            ]
            .iter()
            .any(|known| message.starts_with(known));
        let mut error = Excerpt::default();
        error.push(message);
        Some(Self {
            is_of_module,
            error,
            lines: 0,
        })
    }

    /// Whether the line belongs to the error. Frames in Node's loader show that
    /// a module was being loaded.
    fn takes(&mut self, text: &str) -> bool {
        if text.contains("node:internal/modules/") {
            self.is_of_module = true;
        }
        text.is_empty()
            || text.starts_with([' ', '-', '\t', '}', '>', '^'])
            || text.starts_with("Require stack")
    }
}
