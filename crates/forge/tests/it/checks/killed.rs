//! A forge that is killed while it executes a job. The test binary starts
//! itself to be that forge.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use baton_forge::{Forge, NewAccount, NewRepository, Settings};
use baton_testkit::Sandbox;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ended_run, eventually};
use crate::world::{ALL_SCOPES, Client};

const FOLDER: &str = "BATON_FORGE_TEST_FOLDER";

/// What the forge says once it listens, followed by its address and a token.
const LISTENS: &str = "listens ";

/// Begins again each time, and ends once it may.
const COMMAND: &str = "echo begun >> $HOME/begun; while [ ! -e $HOME/go ]; do sleep 0.05; done; echo end >> $HOME/ended";

struct ForgeProcess {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl ForgeProcess {
    #[expect(clippy::disallowed_methods, reason = "the child is this very binary")]
    fn start(sandbox: &Sandbox) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "checks::killed::serves_until_killed"])
            .args(["--ignored", "--nocapture"])
            .env_clear()
            .envs(sandbox.environment())
            .env(FOLDER, sandbox.path("forge"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines
            .find_map(|line| Some(line.unwrap().split_once(LISTENS)?.1.to_owned()))
            .expect("the forge starts");
        let (address, token) = said.split_once(' ').unwrap();
        Self {
            child,
            address: address.parse().unwrap(),
            token: token.to_owned(),
        }
    }

    fn client(&self) -> Client {
        Client::new(self.address, &self.token)
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
#[ignore = "started by other tests as a process of its own"]
fn serves_until_killed() {
    #[expect(clippy::disallowed_methods, reason = "how the parent names the folder")]
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let settings = Settings::new(folder, env::vars_os().collect());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let forge = Forge::start(settings).await.unwrap();
        let app = forge.app();
        if app.create_account(NewAccount::user("octo")).await.is_ok() {
            let repository = NewRepository::new("octo", "demo");
            app.create_repository(repository).await.unwrap();
            let command = Some(COMMAND.to_owned());
            app.set_check_command("octo", "demo", command)
                .await
                .unwrap();
        }
        let token = app.issue_token("octo", ALL_SCOPES, None).await.unwrap();
        println!("{LISTENS}{} {token}", forge.address());
        forge.serve(CancellationToken::new()).await.unwrap();
    });
}

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
    let (token, address) = (&forge.token, forge.address);
    let url = format!("http://x-access-token:{token}@{address}/octo/demo.git");
    repo.git(&["push", "--quiet", &url, "main"]);
}

#[test]
fn a_job_under_way_is_executed_again() {
    let sandbox = Sandbox::new();
    let forge = ForgeProcess::start(&sandbox);
    push(&sandbox, &forge);
    kill_after_begin(&sandbox, forge, 1);
    let forge = ForgeProcess::start(&sandbox);
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
    let forge = ForgeProcess::start(&sandbox);
    push(&sandbox, &forge);
    kill_after_begin(&sandbox, forge, 1);
    kill_after_begin(&sandbox, ForgeProcess::start(&sandbox), 2);
    kill_after_begin(&sandbox, ForgeProcess::start(&sandbox), 3);
    let forge = ForgeProcess::start(&sandbox);
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
