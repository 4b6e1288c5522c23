//! The one way baton runs a child process.
//!
//! A [`Cmd`] describes a child completely before it starts: program and
//! arguments, working directory, environment, limits. [`Cmd::run`] starts it in
//! a process group of its own, reads its output into bounded memory and ends
//! the whole group on every path: when the child is done, at a limit, when
//! cancelled, and when the future is dropped.
//!
//! An [`Environment`] carries the [`Sandbox`] that its children run in, so that
//! no caller can forget it.

mod capture;
mod detached;
mod environment;
mod error;
mod escaped;
mod group;
mod interactive;
mod lookup;
mod outcome;
mod pump;
mod quote;
mod record;
mod redact;
mod run;
mod sandbox;
mod spawn;
mod streamed;
mod survivors;
mod untrusted;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use capture::{Capture, CaptureLimits, CaptureReader};
pub use environment::Environment;
pub use error::CmdError;
pub use outcome::{Finished, Limit, Outcome, ShellVerdict};
pub use pump::{Chunk, Stream};
pub use quote::{quote, quote_program};
pub use redact::Redactor;
pub use sandbox::{DiskLimits, Incidents, Means, Sandbox};
pub use streamed::{Streamed, StreamedEnding};
pub use survivors::end_survivors;

/// No clock of the system can be set further ahead than some time limits that users write.
const MAX_LIMIT: Duration = Duration::from_hours(365 * 24);

/// Between TERM and KILL. Runners need some tens of milliseconds to write their
/// report and release their locks; a second and a half is ample for that and
/// still keeps a limit a limit: one second ends within three.
const DEFAULT_GRACE: Duration = Duration::from_millis(1500);

/// Set in every child, so that a descendant that left both the process group
/// and its parents can be found again. Nested runs append to it.
const MARKER: &str = "BATON_CHILD";

/// A child process that has not been started yet.
///
/// `Display` gives a command line that can be pasted into a POSIX shell; it and
/// `Debug` show no secrets.
#[derive(Clone)]
pub struct Cmd {
    program: OsString,
    args: Vec<Arg>,
    cwd: PathBuf,
    environment: Environment,
    redactor: Redactor,
    stdin: Option<Arc<[u8]>>,
    wall_limit: Option<Duration>,
    idle_limit: Option<Duration>,
    grace: Duration,
    merged: bool,
    capture: CaptureLimits,
    spill_folder: Option<PathBuf>,
    mark: Option<String>,
}

#[derive(Clone)]
struct Arg {
    value: OsString,
    secret: bool,
}

impl Cmd {
    /// Whether its process will run in a sandbox.
    pub fn is_sandboxed(&self) -> bool {
        self.environment.sandbox().is_some()
    }

    /// A program to be run in `cwd` with exactly the given environment. None of
    /// the three has a default, so none can be forgotten.
    ///
    /// A program without a slash is searched in the given environment's `PATH`;
    /// one with a slash is taken relative to `cwd`.
    pub fn new(
        program: impl Into<OsString>,
        cwd: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            environment: environment.clone(),
            redactor: Redactor::default(),
            stdin: None,
            wall_limit: None,
            idle_limit: None,
            grace: DEFAULT_GRACE,
            merged: false,
            capture: CaptureLimits::default(),
            spill_folder: None,
            mark: None,
        }
    }

    /// A command line for `sh -c`. Only for commands that the user gave or that
    /// the project's own files define: text from anywhere else is an argument
    /// of [`Cmd::new`], never part of a shell command.
    pub fn shell(
        command: impl Into<OsString>,
        cwd: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Self {
        // The path is where every Unix has it; `PATH` of a project's
        // environment may hold another `sh`.
        Self::new("/bin/sh", cwd, environment)
            .arg("-c")
            .arg(command.into())
    }

    #[must_use]
    pub fn arg(mut self, value: impl Into<OsString>) -> Self {
        self.args.push(Arg {
            value: value.into(),
            secret: false,
        });
        self
    }

    #[must_use]
    pub fn args<A: Into<OsString>>(self, values: impl IntoIterator<Item = A>) -> Self {
        values.into_iter().fold(self, Self::arg)
    }

    /// An argument that is never displayed. Other users of the machine can see
    /// arguments: prefer [`secret_env`](Self::secret_env) where there is a
    /// choice.
    #[must_use]
    pub fn secret_arg(mut self, value: impl Into<OsString>) -> Self {
        let value = value.into();
        self.redactor.add(&value);
        self.args.push(Arg {
            value,
            secret: true,
        });
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self
    }

    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.environment.remove(name);
        self
    }

    /// A variable whose value is never displayed, not even where it occurs in
    /// an argument.
    #[must_use]
    pub fn secret_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let value = value.into();
        self.redactor.add(&value);
        self.environment.set(name, value);
        self
    }

    /// What the child reads from its standard input, which is otherwise empty.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// How long the child may run.
    #[must_use]
    pub fn wall_limit(mut self, limit: Duration) -> Self {
        self.wall_limit = Some(limit.min(MAX_LIMIT));
        self
    }

    /// How long the child may be silent.
    #[must_use]
    pub fn idle_limit(mut self, limit: Duration) -> Self {
        self.idle_limit = Some(limit.min(MAX_LIMIT));
        self
    }

    /// The time between the polite signal and the final one.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sends standard output and standard error through one pipe, so that they
    /// are captured in the order in which they were written.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.merged = true;
        self
    }

    #[must_use]
    pub fn capture(mut self, limits: CaptureLimits) -> Self {
        self.capture = limits;
        self
    }

    /// Where the middle of a long output goes; by default the temporary folder
    /// of the given environment.
    #[must_use]
    pub fn spill_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spill_folder = Some(folder.into());
        self
    }

    /// A mark that the child and all its descendants carry, so that
    /// [`end_survivors`] finds them even after this process has died. A comma
    /// in it counts as an underscore.
    #[must_use]
    pub fn mark(mut self, mark: &str) -> Self {
        self.mark = Some(survivors::as_marker(mark));
        self
    }

    /// Takes this command's secrets out of text, such as its output.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Starts the child and waits until it and its group are gone.
    ///
    /// A child that fails, is killed or exceeds a limit is a [`Finished`] like
    /// any other; an error means that it could not be started.
    ///
    /// Boxed: the compiler copies the code of a bare future into every crate that awaits it.
    pub fn run<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Finished, CmdError>> {
        Box::pin(async move { run::run(self, cancel, None, &mut |_| {}).await })
    }

    /// Like [`run`](Self::run); the observer sees each chunk as it arrives. It
    /// is called on the runtime and must not block.
    pub fn run_observed<'a>(
        &'a self,
        cancel: &'a CancellationToken,
        observer: &'a mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> BoxFuture<'a, Result<Finished, CmdError>> {
        Box::pin(run::run(self, cancel, None, observer))
    }

    /// Like [`run_observed`](Self::run_observed), for a child that is talked to:
    /// it reads what comes through `input`, and the end of its input when the
    /// other side is dropped.
    pub fn converse<'a>(
        &'a self,
        cancel: &'a CancellationToken,
        input: mpsc::Receiver<Vec<u8>>,
        observer: &'a mut (dyn FnMut(Chunk<'_>) + Send),
    ) -> BoxFuture<'a, Result<Finished, CmdError>> {
        Box::pin(run::run(self, cancel, Some(input), observer))
    }

    fn displayed_program(&self) -> String {
        quote_program(self.redactor.redact_os(&self.program))
    }

    fn displayed_args(&self) -> impl Iterator<Item = String> {
        self.args.iter().map(|arg| {
            if arg.secret {
                "'***'".to_owned()
            } else {
                quote(self.redactor.redact_os(&arg.value))
            }
        })
    }
}

impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.displayed_program())?;
        self.displayed_args()
            .try_for_each(|arg| write!(f, " {arg}"))
    }
}

impl fmt::Debug for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cmd")
            .field("command", &self.to_string())
            .field("cwd", &self.cwd)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}
