//! What the demo plays on: a forge with an account, the sample in a repository
//! of it, and a checkout.

use std::fs;
use std::path::{Path, PathBuf};

use baton_forge::{Forge, NewAccount, NewRepository, Settings};
use baton_host::cmd::{Cmd, Environment, Outcome};
use baton_host::sandbox::SandboxSettings;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::sample;
use crate::environment::{
    BATON_AGENT, BATON_GITHUB_API_URL, BATON_STATE_DIR, GH_TOKEN, GITHUB_TOKEN, XDG_CONFIG_HOME,
};
use crate::error::CommandError;
use crate::runs::sandbox;
use crate::session::Session;
use crate::terminal::sanitize;

const OWNER: &str = "octo";
const NAME: &str = "clubhouse";
/// Where CI's jobs build, in the demo's folder.
const CI_BUILD: &str = "build-of-ci";

/// A forge that serves until it is dropped.
pub(super) struct Stage {
    pub(super) checkout: PathBuf,
    pub(super) web_url: String,
    /// What baton sees: the forge, and nothing of the user's own runs.
    pub(super) session: Session,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Stage {
    /// `flags` are configuration values as on the command line; with
    /// `is_isolated`, the user's own file does not count.
    pub(super) async fn set(
        folder: &Path,
        session: &Session,
        flags: Vec<String>,
        is_isolated: bool,
        cancel: &CancellationToken,
    ) -> Result<Self, CommandError> {
        let mut environment = environment_for(folder, session, is_isolated);
        let mut settings = Settings::new(folder.join("forge"), environment.clone());
        settings.job_environment = ci_environment(folder, &environment);
        settings.sandbox = job_sandbox(folder, &Session::with(environment.clone(), flags.clone()))?;
        let forge = Forge::start(settings).await.map_err(|error| {
            CommandError::missing("cannot start the forge")
                .because(error)
                .hint("Run `baton doctor`.")
        })?;
        let token = populate(&forge).await?;
        let root = format!("http://{}", forge.address());
        environment.set(BATON_GITHUB_API_URL, format!("{root}/api/v3"));
        environment.set(GITHUB_TOKEN, &token);
        let stop = CancellationToken::new();
        let serving = tokio::spawn(forge.serve(stop.clone()));
        let stage = Self {
            checkout: folder.join(NAME),
            web_url: format!("{root}/{OWNER}/{NAME}"),
            session: Session::with(environment, flags),
            stop,
            serving,
        };
        stage.publish_sample(&token, cancel).await?;
        Ok(stage)
    }

    async fn publish_sample(
        &self,
        token: &str,
        cancel: &CancellationToken,
    ) -> Result<(), CommandError> {
        sample::write(&self.checkout).map_err(|error| {
            CommandError::missing("cannot write the sample")
                .because(error)
                .hint("Name a folder with space left with --dir.")
        })?;
        let remote = format!("{}.git", self.web_url);
        let with_login = remote.replacen("://", &format!("://x-access-token:{token}@"), 1);
        let git = |args: &[&str]| {
            Cmd::new("git", &self.checkout, &self.session.environment).args(args.iter().copied())
        };
        for cmd in [
            git(&["init", "--quiet", "--initial-branch", "main"]),
            git(&["add", "--all"]),
            git(&[
                "commit",
                "--quiet",
                "--message",
                "Keep the members of a club",
            ]),
            git(&["remote", "add", "origin", &remote]),
            git(&["push", "--quiet"]).secret_arg(with_login).arg("main"),
            git(&["fetch", "--quiet", "origin"]),
            git(&["branch", "--quiet", "--set-upstream-to", "origin/main"]),
        ] {
            finish(&cmd, cancel).await?;
        }
        Ok(())
    }

    /// Ends the forge, and with it the checks that it runs.
    pub(super) async fn clear(self) {
        self.stop.cancel();
        // What went wrong there was logged.
        let _ = self.serving.await;
    }
}

/// What everything runs in: git with a name, builds in the demo's folder, and no
/// network.
fn environment_for(folder: &Path, session: &Session, is_isolated: bool) -> Environment {
    let mut environment = session.environment.clone();
    for name in [GH_TOKEN, BATON_AGENT] {
        environment.remove(name);
    }
    if is_isolated {
        environment.set(XDG_CONFIG_HOME, folder.join("config"));
    }
    environment.set(BATON_STATE_DIR, folder.join("state"));
    environment.set("CARGO_TARGET_DIR", folder.join("build"));
    for (name, value) in [
        ("CARGO_NET_OFFLINE", "true"),
        ("CARGO_TERM_COLOR", "never"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "baton"),
        ("GIT_AUTHOR_EMAIL", "baton@localhost"),
        ("GIT_COMMITTER_NAME", "baton"),
        ("GIT_COMMITTER_EMAIL", "baton@localhost"),
    ] {
        environment.set(name, value);
    }
    environment
}

/// What CI is given: the toolchain, offline. It builds elsewhere, as it would;
/// and nothing waits for its lock.
fn ci_environment(folder: &Path, environment: &Environment) -> Environment {
    let mut for_ci = Environment::default();
    for_ci.set("CARGO_TARGET_DIR", folder.join(CI_BUILD));
    for name in ["CARGO_NET_OFFLINE", "CARGO_TERM_COLOR", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = environment.get(name) {
            for_ci.set(name, value);
        }
    }
    // Jobs have a home of their own, and these are by default in the user's.
    let home = environment.get("HOME").map(Path::new);
    for (name, below_home) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let given = environment.get(name).map(PathBuf::from);
        if let Some(path) = given.or_else(|| Some(home?.join(below_home))) {
            for_ci.set(name, path);
        }
    }
    for_ci
}

/// The sandbox of CI's jobs, which share a folder to build in.
fn job_sandbox(folder: &Path, session: &Session) -> Result<SandboxSettings, CommandError> {
    let mut settings = sandbox::settings(&session.config()?, &session.environment)?;
    let build = folder.join(CI_BUILD);
    fs::create_dir_all(&build).map_err(|error| {
        CommandError::missing("cannot make a folder for CI's builds")
            .because(error)
            .hint("Name a folder with space left with --dir.")
    })?;
    settings.writable.push(build);
    Ok(settings)
}

/// An account with a token, and a repository to push to.
async fn populate(forge: &Forge) -> Result<String, CommandError> {
    let failed = |error: baton_forge::SetupError| {
        CommandError::missing("cannot set the forge up").because(error)
    };
    let app = forge.app();
    app.create_account(NewAccount::user(OWNER))
        .await
        .map_err(failed)?;
    app.create_repository(NewRepository::new(OWNER, NAME))
        .await
        .map_err(failed)?;
    // What is pushed in the demo is the user's own.
    app.set_pushed_checks(OWNER, NAME, true)
        .await
        .map_err(failed)?;
    app.issue_token(OWNER, &["repo", "workflow"], None)
        .await
        .map_err(failed)
}

async fn finish(cmd: &Cmd, cancel: &CancellationToken) -> Result<(), CommandError> {
    let finished = cmd.run(cancel).await.map_err(|error| {
        CommandError::missing(format!("cannot run `{cmd}`"))
            .because(error)
            .hint("Run `baton doctor`.")
    })?;
    match finished.outcome {
        Outcome::Exited(0) => Ok(()),
        Outcome::Cancelled => Err(CommandError::interrupted()),
        outcome => Err(CommandError::missing(format!("`{cmd}` {outcome}"))
            .because(sanitize(finished.stderr.text().trim()))
            .hint("Run `baton doctor`.")),
    }
}
