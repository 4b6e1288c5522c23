//! Runs a shell command in a sandbox.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_sandbox::{Access, Isolation, LAUNCH_VERB, Level, Network, Policy, Report};
use tempfile::TempDir;

/// A folder with what a run has, and a policy for it.
pub(crate) struct Stage {
    _folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) policy: Policy,
    pub(crate) environment: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) report: Report,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("sandbox-test-")
            .tempdir_in("/var/tmp")
            .unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["tree", "home", "tmp", "outside"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::write(root.join("outside/secret"), "secret").unwrap();
        let mut policy = Policy::new(Level::Standard, Network::None);
        for path in ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"] {
            policy.show(path, Access::Read);
        }
        policy.show_at(root.join("home"), "/home/agent", Access::Write);
        policy.show_at(root.join("tmp"), "/tmp", Access::Write);
        policy.show(root.join("tree"), Access::Write);
        policy
            .variables_without_view
            .push(("HOME".into(), root.join("home").into()));
        Self {
            _folder: folder,
            root,
            policy,
            environment: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("HOME".into(), "/home/agent".into()),
            ],
        }
    }

    pub(crate) fn files_only() -> Self {
        let mut stage = Self::new();
        stage.policy.isolation = Isolation::FilesOnly;
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        self.command_with_report(&self.report_path(), program, args)
    }

    /// Children that run side by side have a report each.
    pub(crate) fn command_with_report(
        &self,
        report: &Path,
        program: &str,
        args: &[&str],
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton-sandbox-launcher"));
        command
            .arg(LAUNCH_VERB)
            .args(self.policy.to_args())
            .arg("--report")
            .arg(report)
            .args(["--", program, program])
            .args(args)
            .current_dir(self.path("tree"))
            .env_clear()
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn report_path(&self) -> PathBuf {
        self.path("report")
    }

    pub(crate) fn shell(&self, script: &str) -> Ended {
        let output = self.command("/bin/sh", &["-c", script]).output().unwrap();
        Ended {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
            signal: output.status.signal(),
            report: Report::read(&self.report_path()),
        }
    }
}

impl Ended {
    /// What it printed, where it succeeded.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert_eq!(self.report.failure, None);
        self.stdout
    }
}

/// A process of this machine whose command line holds the text.
pub(crate) fn is_running(text: &str) -> bool {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .any(|line| {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(text)
        })
}

pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
