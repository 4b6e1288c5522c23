//! The real `gh`, with a local server as its only way out.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use crate::sandbox::find_tool;
use crate::{Sandbox, missing};

/// The host that `gh` speaks plain HTTP to. Its API is at `api.github.localhost`
/// and its repositories at `http://github.localhost/OWNER/NAME.git`; both names
/// are reached through a proxy, which is the forge itself or a recorder before it.
const HOST: &str = "github.localhost";

/// The port of the discard service, which nothing offers any more: what goes there fails at once.
const NOWHERE: &str = "http://127.0.0.1:9";

/// git asks it for the token that `gh` has.
const CREDENTIAL_HELPER: &str =
    "!f() { echo username=x-access-token; echo \"password=$GH_TOKEN\"; }; f";

/// The real `gh` in a sandbox: its own configuration and caches, no prompts, and
/// no way to any other server than the one on the given port.
#[derive(Debug)]
pub struct Gh<'a> {
    sandbox: &'a Sandbox,
    environment: BTreeMap<OsString, OsString>,
}

impl<'a> Gh<'a> {
    /// `None`, after a loud line, where `gh` is not installed.
    pub fn new(sandbox: &'a Sandbox, port: u16, token: &str) -> Option<Self> {
        let Some(program) = find_tool("gh") else {
            missing("gh");
            return None;
        };
        let link = sandbox.bin().join("gh");
        // Several may share a sandbox, and another test may have put a stand-in there.
        if link.symlink_metadata().is_err() {
            symlink(program, link).expect("the sandbox is writable");
        }
        let proxy = format!("http://127.0.0.1:{port}");
        let values = [
            ("GH_HOST", HOST),
            ("GH_TOKEN", token),
            ("GH_NO_UPDATE_NOTIFIER", "1"),
            ("GH_PROMPT_DISABLED", "1"),
            ("HTTP_PROXY", &proxy),
            ("HTTPS_PROXY", NOWHERE),
            // curl, and hence git, heeds only the small letters.
            ("http_proxy", &proxy),
            ("https_proxy", NOWHERE),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_CONFIG_COUNT", "1"),
            (
                "GIT_CONFIG_KEY_0",
                "credential.http://github.localhost.helper",
            ),
            ("GIT_CONFIG_VALUE_0", CREDENTIAL_HELPER),
        ];
        let mut environment: BTreeMap<OsString, OsString> = values
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        environment.insert("GH_CONFIG_DIR".into(), sandbox.folder("gh").into());
        Some(Self {
            sandbox,
            environment,
        })
    }

    /// The variables that make `gh`, and git below it, behave so. A test that
    /// runs printed `gh` commands in a shell gives them to the shell.
    pub fn environment(&self) -> &BTreeMap<OsString, OsString> {
        &self.environment
    }

    /// Runs `gh` outside any repository.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Output {
        self.run_in(&self.sandbox.home(), args)
    }

    /// Runs `gh` in a folder, whose remotes then say which repository is meant.
    pub fn run_in<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = A>,
    ) -> Output {
        self.sandbox
            .command(folder, "gh")
            .envs(&self.environment)
            .args(args)
            .output()
            .expect("gh was found a moment ago")
    }

    /// Runs a command line as a POSIX shell reads it, with `gh` and git at hand.
    pub fn shell_in(&self, folder: &Path, line: &str) -> Output {
        self.sandbox
            .command(folder, "sh")
            .envs(&self.environment)
            .args(["-c", line])
            .output()
            .expect("every sandbox has a shell")
    }

    /// Runs `gh`, which must succeed, and returns what it printed.
    pub fn text_in<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = A>,
    ) -> String {
        let args: Vec<_> = args.into_iter().collect();
        let output = self.run_in(folder, &args);
        assert!(
            output.status.success(),
            "gh {:?} failed: {}",
            args.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
