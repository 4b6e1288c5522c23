//! The operation `run_tests`.

use std::path::Path;

use baton_protocol::phase::testing::{TestingInput, TestingOutput};

use super::Options;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct RunTests;

impl Operation for RunTests {
    const META: Meta = Meta {
        name: "run_tests",
        title: "Run a project's tests",
        about: "Build a project and run its tests",
        description: "Builds a project and runs its tests on this machine: finds out language and \
            commands, runs failing tests again to tell flaky ones, and lists what fails with its \
            message and place. Call it to check a change before committing, with the absolute \
            path of the project. `test_command` and `build_command` replace what was found; set \
            `max_retries` to 0 for one quick run. A failing test is an answer (`status`: `fail`), \
            not an error.",
        input: "testing.input",
        output: "testing.output",
        // A test may do anything that the project's code can do.
        effects: Effects::ANYTHING,
        may_last: operation::always,
    };
    type Input = TestingInput;
    type Output = TestingOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let folder = Path::new(&input.working_directory);
        let options = Options {
            by_sources: true,
            ..cx.provider.settings(folder)?.testing(folder)
        };
        let cx = cx.clone().in_project(folder);
        let answer = super::run(&cx, &input, options).await;
        if answer.interrupted {
            return Err(OpError::Cancelled);
        }
        Ok(answer.output)
    }
}
