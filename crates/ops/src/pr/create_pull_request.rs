//! The operation `create_pull_request`.

use std::path::Path;

use baton_protocol::phase::pr::{PrInput, PrOutput};

use super::{Options, Settings};
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct CreatePullRequest;

impl Operation for CreatePullRequest {
    const META: Meta = Meta {
        name: "create_pull_request",
        title: "Open a pull request",
        about: "Push a branch and open its pull request",
        description: "Pushes a branch and opens its pull request; with `jira_key`, links the Jira \
            issue and moves it to code review. Call it once the work is committed, with the \
            absolute path of the repository. Opens a draft unless `draft` is false; `mark_ready` \
            makes it ready for review. The next call with the same branches resumes an interrupted \
            one, and nothing is done twice. Once `pr_url` is set, everything in \
            `errors` is a warning; do not call it again for those.",
        input: "pr.input",
        output: "pr.output",
        // It pushes, and moves an issue.
        effects: Effects::DESTRUCTIVE,
        may_last: operation::always,
    };
    type Input = PrInput;
    type Output = PrOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let settings = cx.provider.settings(Path::new(&input.working_directory))?;
        let hookless = Settings {
            // An agent asked for it, not the user.
            hooks: false,
            ..settings.pr
        };
        let options = Options {
            state_dir: settings.state_dir,
            ..Options::new(cx, &input, hookless)
        };
        let answer = super::run(cx, &input, options).await;
        if answer.interrupted {
            return Err(OpError::Cancelled);
        }
        let output = answer.output.clone();
        answer.delivered();
        Ok(output)
    }
}
