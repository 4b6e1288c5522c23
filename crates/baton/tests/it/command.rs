//! Starts the binary in a sandbox and shows what it answered.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_testkit::Sandbox;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Everything a snapshot wants to see.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit {code}")?,
            None => writeln!(f, "killed")?,
        }
        if !self.stdout.is_empty() {
            writeln!(f, "-- stdout\n{}", self.stdout.trim_end())?;
        }
        if !self.stderr.is_empty() {
            writeln!(f, "-- stderr\n{}", self.stderr.trim_end())?;
        }
        Ok(())
    }
}

/// The binary, in a folder of the sandbox.
pub(crate) struct Baton<'a> {
    sandbox: &'a Sandbox,
    folder: PathBuf,
    stdin: Vec<u8>,
}

pub(crate) fn baton(sandbox: &Sandbox) -> Baton<'_> {
    Baton {
        sandbox,
        folder: sandbox.folder("work"),
        stdin: Vec::new(),
    }
}

impl Baton<'_> {
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.folder = folder.to_path_buf();
        self
    }

    pub(crate) fn reading(mut self, stdin: impl Into<Vec<u8>>) -> Self {
        self.stdin = stdin.into();
        self
    }

    /// Paths of the sandbox are shown as `[sandbox]`.
    pub(crate) fn run(self, arguments: &[&str]) -> Answer {
        let mut child = self.command(arguments).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The binary may refuse before it has read everything.
        let _ = stdin.write_all(&self.stdin);
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let root = self.sandbox.root().to_string_lossy().into_owned();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&root, "[sandbox]");
        Answer {
            code: output.status.code(),
            stdout: shown(&output.stdout),
            stderr: shown(&output.stderr),
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.sandbox.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}
