//! Runs one git command and reads its output.

use std::ffi::OsString;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use crate::cmd::{CaptureLimits, Cmd, Finished, Outcome, Redactor, Streamed};

use super::harden::Settings;
use super::login::LoginSocket;
use super::{Git, GitError, parse};

/// Output is parsed in memory. This is a log of a hundred thousand commits; a
/// call with more output should be limited.
const MAX_OUTPUT: usize = 64 * 1024 * 1024;

/// As much of git's standard error as fits into a message.
const MAX_STDERR_LEN: usize = 4096;

/// git's message when it is not in a repository. About a remote it prints "does
/// not appear to be" one.
const OUTSIDE: &str = "fatal: not a git repository";

/// Set by hooks and by other tools for the repository *they* work in.
const FOREIGN_REPOSITORY: [&str; 13] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// These change what git prints or which files an argument means.
const FOREIGN_BEHAVIOUR: [&str; 8] = [
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_REPLACE_REF_BASE",
    "LANGUAGE",
];

/// Nothing may wait for a person: no terminal, no window, no editor, no pager.
///
/// An editor that is called anyway fails the call, rather than accept a text
/// that no one has seen. An empty `GIT_ASKPASS` also overrides `core.askPass`.
const UNATTENDED: [(&str, &str); 10] = [
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ASKPASS", ""),
    ("GIT_EDITOR", "false"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_PAGER", "cat"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C.UTF-8"),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// What a call does, which decides its limit and its environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Takes no locks, so that it does not disturb other processes.
    Read,
    Write,
    Network,
}

/// Which repository a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The one around the folder.
    Repository,
    /// One that the call makes.
    New,
    /// None at all.
    Nothing,
}

/// One call of git. The calls that baton itself makes are methods of [`Git`];
/// this is for those who need more of git's plumbing.
#[derive(Debug)]
pub struct Call {
    /// Completes "cannot …".
    doing: String,
    pub(super) reach: Reach,
    pub(super) subject: Subject,
    args: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    stdin: Option<Vec<u8>>,
}

impl Call {
    pub fn read(doing: impl Into<String>) -> Self {
        Self::new(doing, Reach::Read)
    }

    pub fn write(doing: impl Into<String>) -> Self {
        Self::new(doing, Reach::Write)
    }

    pub fn network(doing: impl Into<String>) -> Self {
        Self::new(doing, Reach::Network)
    }

    fn new(doing: impl Into<String>, reach: Reach) -> Self {
        Self {
            doing: doing.into(),
            reach,
            subject: Subject::Repository,
            args: Vec::new(),
            variables: Vec::new(),
            stdin: None,
        }
    }

    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    #[must_use]
    pub fn args<A: Into<OsString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    #[must_use]
    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(super) fn about(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    #[must_use]
    pub fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = Some(bytes);
        self
    }
}

/// What git answered. It ran to its end, with whatever exit code.
#[derive(Debug)]
pub struct Reply {
    doing: String,
    cwd: PathBuf,
    pub code: i32,
    pub stdout: Vec<u8>,
    /// Without secrets, and not longer than a message may be.
    pub stderr: String,
}

impl Reply {
    /// Turns every exit code but zero into an error.
    pub fn success(self) -> Result<Self, GitError> {
        if self.code == 0 {
            Ok(self)
        } else {
            Err(self.failed())
        }
    }

    /// For calls in which exit code 1 means "no".
    pub fn yes_or_no(self) -> Result<bool, GitError> {
        match self.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(self.failed()),
        }
    }

    pub fn failed(self) -> GitError {
        if self.stderr.contains(OUTSIDE) {
            return GitError::NotARepository { path: self.cwd };
        }
        GitError::Failed {
            doing: self.doing,
            outcome: Outcome::Exited(self.code),
            stderr: self.stderr,
        }
    }

    /// For calls that talk to a remote, given by name or URL.
    pub fn remote_failed(self, remote: &str) -> GitError {
        if self.stderr.contains(OUTSIDE) {
            return self.failed();
        }
        GitError::Remote {
            doing: self.doing,
            remote: Redactor::default().redact(remote).into_owned(),
            kind: parse::remote_error_kind(&self.stderr),
            stderr: self.stderr,
        }
    }

    /// For an answer that is not in the form this version of git documents.
    pub fn unreadable(self) -> GitError {
        let start = &self.stdout[..self.stdout.len().min(200)];
        GitError::Unreadable {
            doing: self.doing,
            answer: String::from_utf8_lossy(start).into_owned(),
        }
    }

    /// Standard output and standard error, for a hook that reports on standard output.
    pub fn all_output(&self) -> String {
        let stdout = String::from_utf8_lossy(&self.stdout);
        stderr_excerpt(&format!("{stdout}\n{}", self.stderr))
    }

    /// The answer as text, without the last line break.
    pub fn line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }
}

impl Git {
    pub fn call(&self, call: Call) -> BoxFuture<'_, Result<Reply, GitError>> {
        Box::pin(async move {
            let (cmd, login) = self.cmd(&call).await?;
            let finished = cmd
                .run(&self.cancel)
                .await
                .map_err(|source| GitError::Start {
                    doing: call.doing.clone(),
                    source,
                })?;
            drop(login);
            self.reply(call, &finished)
        })
    }

    /// Starts git with its input and output to be passed on by the caller. It
    /// has no login.
    pub async fn stream(&self, call: &Call) -> Result<Streamed, GitError> {
        let (cmd, _) = Box::pin(self.cmd(call)).await?;
        cmd.start_streamed().map_err(|source| GitError::Start {
            doing: call.doing.clone(),
            source,
        })
    }

    /// The login is there as long as the second value is.
    async fn cmd(&self, call: &Call) -> Result<(Cmd, Option<LoginSocket>), GitError> {
        let mut cmd = Cmd::new("git", &self.cwd, &self.environment)
            .arg("--no-pager")
            .args(&call.args)
            .capture(CaptureLimits {
                head: MAX_OUTPUT,
                tail: 0,
                spill: 0,
            });
        for name in FOREIGN_REPOSITORY.into_iter().chain(FOREIGN_BEHAVIOUR) {
            cmd = cmd.env_remove(name);
        }
        for (name, value) in UNATTENDED {
            cmd = cmd.env(name, value);
        }
        let mut settings = Settings::default();
        cmd = self.confine(cmd, call, &mut settings).await?;
        let mut login = None;
        cmd = match call.reach {
            Reach::Read => cmd
                .env("GIT_OPTIONAL_LOCKS", "0")
                .wall_limit(self.limits.local),
            Reach::Write => cmd.wall_limit(self.limits.local),
            Reach::Network => {
                if !self.has_own_ssh_command().await? {
                    cmd = cmd.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
                }
                login = self.serve_login(&mut settings, &call.doing)?;
                cmd.wall_limit(self.limits.network)
            }
        };
        cmd = settings.given_to(cmd, &self.environment);
        for (name, value) in &call.variables {
            cmd = cmd.env(name, value);
        }
        if let Some(bytes) = &call.stdin {
            cmd = cmd.stdin(bytes.as_slice());
        }
        Ok((cmd, login))
    }

    /// Whether the user has configured how to run ssh; then that is left as it
    /// is. The variable would override the configuration, so both are looked
    /// at.
    async fn has_own_ssh_command(&self) -> Result<bool, GitError> {
        let names = ["GIT_SSH_COMMAND", "GIT_SSH"];
        if names
            .iter()
            .any(|name| self.environment.get(name).is_some())
        {
            return Ok(true);
        }
        let ask = async || {
            let call = Call::read("read the setting core.sshCommand").args([
                "config",
                "--get",
                "core.sshCommand",
            ]);
            Box::pin(self.call(call)).await?.yes_or_no()
        };
        self.has_ssh_command.get_or_try_init(ask).await.copied()
    }

    fn reply(&self, call: Call, finished: &Finished) -> Result<Reply, GitError> {
        let doing = call.doing;
        let mut stderr = stderr_excerpt(&finished.stderr.text());
        if let Some(shadow) = self.shadow.get() {
            stderr = shadow.with_real_path(&stderr);
        }
        match finished.outcome {
            Outcome::Exited(code) => {
                let Some(stdout) = finished.stdout.bytes() else {
                    return Err(GitError::TooLarge {
                        doing,
                        limit: MAX_OUTPUT,
                    });
                };
                Ok(Reply {
                    doing,
                    cwd: self.cwd.clone(),
                    code,
                    stdout: stdout.into_owned(),
                    stderr,
                })
            }
            Outcome::TimedOut { after, .. } => Err(GitError::TimedOut {
                doing,
                limit: after,
                stderr,
            }),
            Outcome::Cancelled => Err(GitError::Cancelled { doing }),
            outcome @ Outcome::Signalled(_) => Err(GitError::Failed {
                doing,
                outcome,
                stderr,
            }),
        }
    }
}

/// The last part of git's standard error, which has the reason, without
/// credentials and without the progress lines that servers overwrite.
fn stderr_excerpt(text: &str) -> String {
    let text = Redactor::default().redact(text);
    let lines: Vec<_> = text
        .lines()
        .map(|line| line.rsplit('\r').next().unwrap_or(line).trim_end())
        .filter(|line| !line.is_empty())
        .collect();
    let text = lines.join("\n");
    let mut start = text.len().saturating_sub(MAX_STDERR_LEN);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].to_owned()
}
