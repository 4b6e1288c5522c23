//! A forge in a process of its own, which can be killed. The test binary starts
//! itself to be that forge.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use baton_forge::{Forge, NewAccount, NewRepository, Settings};
use baton_testkit::Sandbox;
use tokio_util::sync::CancellationToken;

use crate::world::{ALL_SCOPES, Client};

const FOLDER: &str = "BATON_FORGE_TEST_FOLDER";
const CHECK_COMMAND: &str = "BATON_FORGE_TEST_CHECK_COMMAND";

/// What the forge says once it listens, followed by its address and a token.
const LISTENS: &str = "listens ";

/// Serves `octo/demo` from the sandbox's folder `forge`.
pub(crate) struct ForgeProcess {
    child: Child,
    address: SocketAddr,
    /// Of `octo`.
    token: String,
}

impl ForgeProcess {
    #[expect(clippy::disallowed_methods, reason = "the child is this very binary")]
    pub(crate) fn start(sandbox: &Sandbox, check_command: Option<&str>) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "process::serves_until_killed"])
            .args(["--ignored", "--nocapture"])
            .env_clear()
            .envs(sandbox.environment())
            .env(FOLDER, sandbox.path("forge"))
            .envs(check_command.map(|command| (CHECK_COMMAND, command)))
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

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address, &self.token)
    }

    pub(crate) fn git_url(&self) -> String {
        let (token, address) = (&self.token, self.address);
        format!("http://x-access-token:{token}@{address}/octo/demo.git")
    }

    /// At once, whatever it does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A test that fails leaves no forge behind.
impl Drop for ForgeProcess {
    fn drop(&mut self) {
        // Killed already, or it is now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "started by other tests as a process of its own"]
#[expect(
    clippy::disallowed_methods,
    reason = "how the parent says what it wants"
)]
fn serves_until_killed() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let check_command = env::var(CHECK_COMMAND).ok();
    let mut settings = Settings::new(folder, env::vars_os().collect());
    let home = env::var_os("HOME").unwrap();
    settings.job_environment.set("OUTSIDE", home);
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
            let set = app.set_check_command("octo", "demo", check_command);
            set.await.unwrap();
        }
        let token = app.issue_token("octo", ALL_SCOPES, None).await.unwrap();
        println!("{LISTENS}{} {token}", forge.address());
        forge.serve(CancellationToken::new()).await;
    });
}
