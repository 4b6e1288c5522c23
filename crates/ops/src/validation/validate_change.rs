//! The operation `validate_change`.

use std::path::Path;

use baton_protocol::phase::validation::{ValidationInput, ValidationOutput};

use super::Options;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct ValidateChange;

impl Operation for ValidateChange {
    const META: Meta = Meta {
        name: "validate_change",
        title: "Validate a change",
        about: "Format, lint, build, test and review what has changed",
        description: "Runs six checks over the files of a change on this machine: formatter, linter, \
            build, tests, code review and security review, with the project's own tools. Formatter \
            and linter mend what they can, in these files only. Only problems that the change \
            brought count. Call it before you open a pull request, with the absolute path of the \
            project and its changed files. A failing check is an answer (`status`: `fail`), not an \
            error; all six results are always there.",
        input: "validation.input",
        output: "validation.output",
        // The project's own tools and tests may do anything.
        effects: Effects::ANYTHING,
        may_last: operation::always,
    };
    type Input = ValidationInput;
    type Output = ValidationOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let folder = Path::new(&input.working_directory);
        let options = Options {
            logs: cx.provider.scanner_logs(folder)?,
            by_sources: true,
            ..cx.provider.settings(folder)?.validation(folder)
        };
        let cx = cx.clone().in_project(folder);
        let answer = super::run(&cx, &input, options).await;
        if answer.interrupted {
            return Err(OpError::Cancelled);
        }
        Ok(answer.output)
    }
}
