//! The forge executes the checks of what is pushed.

use std::fs;

use baton_testkit::Repo;
use serde_json::{Value, json};

use super::archives::download;
use super::{ended_run, eventually, job_log, jobs_outline};
use crate::world::{Client, World};

pub(super) const RUNS: &str = "/repos/octo/demo/actions/runs";

pub(super) fn world_with_command(command: &str) -> World {
    let world = World::start();
    set_command(&world, command);
    world
}

fn set_command(world: &World, command: &str) {
    let set = world
        .app()
        .set_check_command("octo", "demo", Some(command.to_owned()));
    world.run(set).unwrap();
}

pub(super) fn enable_pushed_checks(world: &World, enabled: bool) {
    let set = world.app().set_pushed_checks("octo", "demo", enabled);
    world.run(set).unwrap();
}

/// Pushes a checks file and what else there is.
pub(super) fn push_checks(repo: &Repo<'_>, checks: &str) -> String {
    repo.write(".baton/forge-checks.toml", checks);
    let sha = repo.commit("Ask for checks");
    repo.git(&["push", "--quiet", "origin", "HEAD"]);
    sha
}

pub(super) fn first_job(client: &Client, run: &Value) -> Value {
    let path = format!("{RUNS}/{}/jobs", run["id"]);
    client.get(&path).expect(200).json()["jobs"][0].clone()
}

#[test]
fn a_pushed_commit_is_checked() {
    let world = world_with_command("cat README.md && git log --format=%s && echo $GITHUB_SHA $CI");
    let sha = world.checkout().head();
    let client = world.client("octo");
    // Anyone who pushed finds the checks at once.
    let checks = client.get("/repos/octo/demo/commits/main/check-runs");
    let check = checks.expect(200).json()["check_runs"][0].clone();
    assert_eq!(check["name"], "check");
    assert_eq!(check["head_sha"], json!(sha));
    assert_eq!(check["app"]["slug"], "github-actions");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "success");
    assert_eq!(run["event"], "push");
    assert_eq!(run["name"], "Checks");
    assert_eq!(run["display_title"], "Begin");
    assert_eq!(run["head_branch"], "main");
    assert_eq!(run["actor"]["login"], "octo");
    insta::assert_snapshot!(jobs_outline(&client, &run), @r"
    check: completed/success
      Set up job: completed/success
      Check out the commit: completed/success
      Run cat README.md && git log --format=%s && echo $GITHUB_SHA $CI: completed/success
      Complete job: completed/success
    ");
    let job = first_job(&client, &run);
    assert_eq!(job["labels"], json!(["self-hosted"]));
    let log = job_log(&client, &job["id"]);
    let log = log
        .replace(&sha, "SHA")
        .replace(job["runner_name"].as_str().unwrap(), "RUNNER")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION")
        .replace('\u{1b}', "ESC");
    insta::assert_snapshot!(log, @r"
    Current runner version: 'VERSION'
    Runner name: 'RUNNER'
    Complete job name: check
    HEAD is now at SHA
    ##[group]Run cat README.md && git log --format=%s && echo $GITHUB_SHA $CI
    ESC[36;1mcat README.md && git log --format=%s && echo $GITHUB_SHA $CIESC[0m
    shell: /bin/sh -c {0}
    ##[endgroup]
    # Demo
    Begin
    SHA true
    Removing the working tree
    ");
    assert_eq!(
        fs::read_dir(world.sandbox.path("forge/actions/work"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn a_file_in_the_commit_says_what_to_check() {
    let world = world_with_command("exit 9");
    enable_pushed_checks(&world, true);
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    push_checks(
        &repo,
        r#"
        name = "CI"
        [[jobs]]
        name = "test"
        command = """
        printf '<testsuites tests="1"/>' > report.xml
        echo '::error file=README.md,line=1,title=Broken::it does not work'
        echo '::add-mask::hunter2'
        echo the password is hunter2
        exit 3
        """
        junit = "report.xml"
        [[jobs]]
        name = "lint"
        command = "true"
        [[jobs]]
        name = "slow"
        command = "echo begin; sleep 600"
        timeout_seconds = 1
        "#,
    );
    let run = ended_run(&client);
    assert_eq!(run["name"], "CI");
    assert_eq!(run["path"], ".baton/forge-checks.toml");
    assert_eq!(run["conclusion"], "failure");
    insta::assert_snapshot!(jobs_outline(&client, &run), @r#"
    test: completed/failure
      Set up job: completed/success
      Check out the commit: completed/success
      Run printf '<testsuites tests="1"/>' > report.xml: completed/failure
      Keep the test report: completed/success
      Complete job: completed/success
    lint: completed/success
      Set up job: completed/success
      Check out the commit: completed/success
      Run true: completed/success
      Complete job: completed/success
    slow: completed/timed_out
      Set up job: completed/success
      Check out the commit: completed/success
      Run echo begin; sleep 600: completed/timed_out
      Complete job: completed/success
    "#);
    let test = first_job(&client, &run);
    let log = job_log(&client, &test["id"]);
    let (_, printed) = log.split_once("##[endgroup]\n").unwrap();
    insta::assert_snapshot!(printed, @r"
    ##[error]it does not work
    the password is ***
    ##[error]Process completed with exit code 3.
    Artifact junit-test has been kept
    Removing the working tree
    ");
    let path = format!("/repos/octo/demo/check-runs/{}/annotations", test["id"]);
    let annotations = client.get(&path).expect(200).json();
    let shown: Vec<_> = annotations.as_array().unwrap().iter().map(remark).collect();
    assert_eq!(
        shown,
        [
            "README.md:1 failure Broken: it does not work",
            ".github:12 failure : Process completed with exit code 3.",
        ]
    );
    let artifacts = format!("{RUNS}/{}/artifacts", run["id"]);
    let artifact = client.get(&artifacts).expect(200).json()["artifacts"][0].clone();
    assert_eq!(artifact["name"], "junit-test");
    let zip = format!("/repos/octo/demo/actions/artifacts/{}/zip", artifact["id"]);
    let files = download(&client, &zip);
    assert_eq!(files["report.xml"], "<testsuites tests=\"1\"/>");
}

fn remark(annotation: &Value) -> String {
    let text = |key: &str| annotation[key].as_str().unwrap_or_default().to_owned();
    format!(
        "{}:{} {} {}: {}",
        text("path"),
        annotation["start_line"],
        text("annotation_level"),
        text("title"),
        text("message")
    )
}

#[test]
fn a_mistake_in_the_file_is_a_failure_that_says_so() {
    let world = World::start();
    enable_pushed_checks(&world, true);
    let repo = world.checkout();
    let client = world.client("octo");
    push_checks(&repo, "[[jobs]]\nname = 'test'\n");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "startup_failure");
    let checks = client.get("/repos/octo/demo/commits/main/check-runs");
    let check = checks.expect(200).json()["check_runs"][0].clone();
    assert_eq!(check["conclusion"], "failure");
    assert_eq!(check["output"]["annotations_count"], 1);
    insta::assert_snapshot!(check["output"]["summary"].as_str().unwrap(), @r"
    TOML parse error at line 1, column 1
      |
    1 | [[jobs]]
      | ^^^^^^^^
    missing field `command`
    ");
    let rerun = format!("{RUNS}/{}/rerun", run["id"]);
    client.post(&rerun, &json!({})).expect(403);
}

#[test]
fn a_newer_commit_of_the_branch_ends_the_checks_of_the_older() {
    let world = world_with_command("if [ -e slow ]; then echo $$ > $OUTSIDE/slow; sleep 600; fi");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    repo.commit_file("slow", "", "Be slow");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let slow = world.sandbox.home().join("slow");
    eventually("the slow command", || slow.exists().then_some(()));
    repo.remove("slow");
    repo.commit("Be quick");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let run = ended_run(&client);
    assert_eq!(run["display_title"], "Be quick");
    assert_eq!(run["conclusion"], "success");
    let superseded = eventually("the end of the older run", || {
        let older = client.get(RUNS).expect(200).json()["workflow_runs"][1].clone();
        (older["status"] == "completed").then_some(older)
    });
    assert_eq!(superseded["display_title"], "Be slow");
    assert_eq!(superseded["conclusion"], "cancelled");
    let log = job_log(&client, &first_job(&client, &superseded)["id"]);
    assert!(
        log.contains("##[error]The operation was canceled.\n"),
        "{log}"
    );
    // Another branch is another matter.
    repo.git(&["push", "--quiet", "origin", "main:refs/heads/other"]);
    assert_eq!(ended_run(&client)["head_branch"], "other");
}

#[test]
fn a_run_is_cancelled_and_run_again() {
    let world =
        world_with_command("touch $OUTSIDE/begun; while [ ! -e $OUTSIDE/go ]; do sleep 0.05; done");
    world.checkout();
    let client = world.client("octo");
    let begun = world.sandbox.home().join("begun");
    eventually("the command", || begun.exists().then_some(()));
    let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
    let act = |action: &str| client.post(&format!("{RUNS}/{}/{action}", run["id"]), &json!({}));
    act("cancel").expect(202);
    assert_eq!(ended_run(&client)["conclusion"], "cancelled");
    world.sandbox.write("home/go", "");
    act("rerun").expect(201);
    let again = ended_run(&client);
    assert_eq!(again["conclusion"], "success");
    assert_eq!(again["run_attempt"], 2);
    assert_eq!(again["id"], run["id"]);
    act("cancel").expect(409);
}

#[test]
fn jobs_wait_for_a_free_worker_in_order() {
    let world = World::start_with(|settings| settings.runner.workers = 1);
    set_command(&world, "echo $GITHUB_RUN_NUMBER >> $OUTSIDE/order");
    let repo = world.checkout();
    for branch in ["a", "b", "c"] {
        repo.git(&[
            "push",
            "--quiet",
            "origin",
            &format!("main:refs/heads/{branch}"),
        ]);
    }
    let client = world.client("octo");
    ended_run(&client);
    let order = fs::read_to_string(world.sandbox.home().join("order")).unwrap();
    assert_eq!(order, "1\n2\n3\n4\n");
}

#[test]
fn a_forge_without_workers_lets_jobs_wait() {
    let world = World::start_with(|settings| settings.runner.workers = 0);
    set_command(&world, "true");
    world.checkout();
    let client = world.client("octo");
    let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
    assert_eq!(run["status"], "queued");
    let job = first_job(&client, &run);
    assert_eq!(job["runner_name"], Value::Null);
    let cancel = format!("{RUNS}/{}/cancel", run["id"]);
    client.post(&cancel, &json!({})).expect(202);
    assert_eq!(ended_run(&client)["conclusion"], "cancelled");
}

#[test]
fn commits_can_ask_not_to_be_checked() {
    let world = world_with_command("true");
    let repo = world.sandbox.repo("checkout");
    repo.commit_file("README.md", "", "Begin [skip ci]");
    let url = world.git_url("octo", "octo/demo");
    repo.git(&["push", "--quiet", &url, "main"]);
    repo.git(&["push", "--quiet", &url, "main:refs/tags/v1"]);
    let client = world.client("octo");
    assert_eq!(client.get(RUNS).expect(200).json()["total_count"], 0);
}

#[test]
fn commands_see_no_secrets_and_change_no_refs() {
    let world = World::start_with(|settings| {
        settings.environment.set("GH_TOKEN", "ghp_secret");
        settings
            .environment
            .set("DATABASE_URL", "postgres://secret");
        settings.environment.set("LC_TIME", "C");
        settings
            .job_environment
            .set("GIVEN", "by the administrator");
    });
    set_command(
        &world,
        "env | cut -d= -f1 | grep -Ev '^(GITHUB_.*|PWD|OLDPWD|SHLVL|_)$' | sort; echo $GIVEN; \
         case $HOME in $(dirname $PWD)/home) echo own home;; esac; \
         touch $HOME/x $TMPDIR/x; git update-ref refs/heads/main HEAD~0; git branch evil; git remote",
    );
    world.checkout();
    let client = world.client("octo");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "success");
    let log = job_log(&client, &first_job(&client, &run)["id"]);
    let (_, printed) = log.split_once("##[endgroup]\n").unwrap();
    insta::assert_snapshot!(printed, @"
    BATON_CHILD
    CI
    GIVEN
    HOME
    LANG
    LC_TIME
    OUTSIDE
    PATH
    RUNNER_ENVIRONMENT
    RUNNER_OS
    RUNNER_TEMP
    TMPDIR
    TZ
    by the administrator
    own home
    Removing the working tree
    ");
    let folder = world.folder();
    assert!(!folder.join("refs/heads/evil").exists());
    // Also what it left running is gone: this one would hold the log open.
    set_command(&world, "sleep 600 & echo started");
    let repo = world.sandbox.repo("other");
    repo.commit("Begin again");
    let url = world.git_url("octo", "octo/demo");
    repo.git(&["push", "--quiet", &url, "main:refs/heads/leak"]);
    let run = ended_run(&client);
    assert_eq!(run["head_branch"], "leak");
    assert_eq!(run["conclusion"], "success");
}

#[test]
fn a_log_without_end_is_cut() {
    let world = World::start_with(|settings| settings.runner.log_limit = 4096);
    set_command(
        &world,
        "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done",
    );
    world.checkout();
    let client = world.client("octo");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "success");
    let log = job_log(&client, &first_job(&client, &run)["id"]);
    assert!(log.len() < 6000);
    assert!(log.contains("##[warning]The log is too long; the rest is left out.\n"));
}

#[test]
fn a_forge_that_is_stopped_puts_its_jobs_back() {
    let world = world_with_command(
        "echo $$ >> $OUTSIDE/begun; while [ ! -e $OUTSIDE/go ]; do sleep 0.05; done",
    );
    world.checkout();
    let begun = world.sandbox.home().join("begun");
    eventually("the command", || begun.exists().then_some(()));
    let world = world.restart();
    let client = world.client("octo");
    eventually("the second begin", || {
        let lines = fs::read_to_string(&begun).unwrap();
        (lines.lines().count() == 2).then_some(())
    });
    world.sandbox.write("home/go", "");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "success");
    assert_eq!(run["run_attempt"], 1);
    // The log is that of the second time alone.
    let log = job_log(&client, &first_job(&client, &run)["id"]);
    assert_eq!(log.matches("Complete job name: check").count(), 1);
    // The first command ended with the first forge.
    let first = fs::read_to_string(&begun).unwrap();
    let first = first.lines().next().unwrap().to_owned();
    assert!(!std::path::Path::new("/proc").join(first).exists());
}
