//! A forge that is killed while it executes a job.

use std::fs;

use baton_testkit::Sandbox;
use serde_json::Value;

use super::{ended_run, eventually};
use crate::process::ForgeProcess;

/// Begins again each time, and ends once it may.
const COMMAND: &str = "echo begun >> $OUTSIDE/begun; while [ ! -e $OUTSIDE/go ]; do sleep 0.05; done; echo end >> $OUTSIDE/ended";

/// Kills the forge once the command has begun for the `times`-th time.
fn kill_after_begin(sandbox: &Sandbox, forge: ForgeProcess, times: usize) {
    let begun = sandbox.home().join("begun");
    eventually("a begin", || {
        let lines = fs::read_to_string(&begun).unwrap_or_default();
        (lines.lines().count() == times).then_some(())
    });
    forge.kill();
}

fn push(sandbox: &Sandbox, forge: &ForgeProcess) {
    let repo = sandbox.repo("checkout");
    repo.commit_file("README.md", "", "Begin");
    let url = forge.git_url();
    repo.git(&["push", "--quiet", &url, "main"]);
}

#[test]
fn a_job_under_way_is_executed_again() {
    let sandbox = Sandbox::new();
    let forge = ForgeProcess::start(&sandbox, Some(COMMAND));
    push(&sandbox, &forge);
    kill_after_begin(&sandbox, forge, 1);
    let forge = ForgeProcess::start(&sandbox, Some(COMMAND));
    eventually("the second begin", || {
        let lines = fs::read_to_string(sandbox.home().join("begun")).unwrap();
        (lines.lines().count() == 2).then_some(())
    });
    sandbox.write("home/go", "");
    let run = ended_run(&forge.client());
    assert_eq!(run["conclusion"], "success");
    assert_eq!(run["run_attempt"], 1);
    let runs = forge.client().get("/repos/octo/demo/actions/runs");
    assert_eq!(runs.expect(200).json()["total_count"], 1);
    forge.kill();
}

#[test]
fn a_job_that_takes_the_forge_down_again_and_again_fails() {
    let sandbox = Sandbox::new();
    let forge = ForgeProcess::start(&sandbox, Some(COMMAND));
    push(&sandbox, &forge);
    kill_after_begin(&sandbox, forge, 1);
    kill_after_begin(&sandbox, ForgeProcess::start(&sandbox, Some(COMMAND)), 2);
    kill_after_begin(&sandbox, ForgeProcess::start(&sandbox, Some(COMMAND)), 3);
    let forge = ForgeProcess::start(&sandbox, Some(COMMAND));
    let client = forge.client();
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "failure");
    let annotations = client.get("/repos/octo/demo/check-runs/1/annotations");
    let annotations: Value = annotations.expect(200).json();
    insta::assert_snapshot!(annotations[0]["message"].as_str().unwrap(), @"The forge ended 3 times while it executed this job, which is not tried again.");
    // Lets the commands go that the killed forges left behind.
    sandbox.write("home/go", "");
    eventually("the end of what was left behind", || {
        let ended = fs::read_to_string(sandbox.home().join("ended")).unwrap_or_default();
        (ended.lines().count() == 3).then_some(())
    });
    forge.kill();
}
