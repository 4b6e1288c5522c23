//! Tests of child processes.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod conversing;
mod ending;
mod outcome;
mod output;
mod secrets;
mod streamed;

use baton_host::Cmd;
use baton_host::cmd::{Environment, Finished};
use baton_testkit::Sandbox;
use tokio_util::sync::CancellationToken;

fn environment(sandbox: &Sandbox) -> Environment {
    sandbox.environment().clone().into_iter().collect()
}

/// A shell command in the sandbox's root.
fn shell(sandbox: &Sandbox, command: &str) -> Cmd {
    Cmd::shell(command, sandbox.root(), &environment(sandbox))
}

async fn run(cmd: &Cmd) -> Finished {
    cmd.run(&CancellationToken::new()).await.unwrap()
}
