//! Starting other programs, in one place. Standard input is always closed:
//! nothing here may wait for someone to type.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

pub(crate) struct Program {
    command: Command,
}

impl Program {
    #[expect(
        clippy::disallowed_methods,
        reason = "xtask builds and checks the crate that has Cmd, so it cannot be built on it"
    )]
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        Self { command }
    }

    /// The cargo on PATH, which rustup points at the pinned toolchain.
    pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::new("cargo").args(args)
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs with the streams of `cargo xtask` and fails when the program does.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        let status = self
            .command
            .status()
            .map_err(|error| self.no_start(&error))?;
        self.accept(status)
    }

    /// Runs with its output kept, whatever the exit code.
    pub(crate) fn output(mut self) -> Result<Output, Failure> {
        self.output_or_no_start()
    }

    /// Runs quietly; what it wrote is shown only when it fails.
    pub(crate) fn run_quietly(mut self) -> Result<Output, Failure> {
        let output = self.output_or_no_start()?;
        let failed = |failure: Failure| failure.output(both_streams(&output));
        self.accept(output.status).map_err(failed)?;
        Ok(output)
    }

    /// Runs for what it prints; its errors go to those of `cargo xtask`.
    pub(crate) fn stdout(mut self) -> Result<Vec<u8>, Failure> {
        self.command.stderr(Stdio::inherit());
        let output = self.output_or_no_start()?;
        self.accept(output.status).map(|()| output.stdout)
    }

    /// Runs without output and ends the program after `limit`; true when it succeeded in time.
    pub(crate) fn succeeds_within(mut self, limit: Duration) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = self.command.spawn() else {
            return false;
        };
        wait_until(&mut child, Instant::now() + limit).is_some_and(|status| status.success())
    }

    /// Starts it with pipes for what it reads and writes; its errors go nowhere.
    pub(crate) fn converse(mut self) -> Result<Child, Failure> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        self.command.spawn().map_err(|error| self.no_start(&error))
    }

    /// Starts it without any streams.
    pub(crate) fn in_background(mut self) -> Result<Child, Failure> {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self.command.spawn().map_err(|error| self.no_start(&error))
    }

    fn output_or_no_start(&mut self) -> Result<Output, Failure> {
        self.command.output().map_err(|error| self.no_start(&error))
    }

    fn accept(&self, status: ExitStatus) -> Result<(), Failure> {
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{} ended with {status}",
            self.shown()
        )))
    }

    fn no_start(&self, error: &io::Error) -> Failure {
        let program = self.command.get_program().display();
        if error.kind() == io::ErrorKind::NotFound {
            return Failure::new(format!("`{program}` was not found")).next(format!(
                "install {program} and make sure that it is on PATH"
            ));
        }
        Failure::new(format!("could not start {}: {error}", self.shown()))
    }

    /// The command line as a person would type it, for messages only.
    fn shown(&self) -> String {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        let line = words
            .map(OsStr::to_string_lossy)
            .collect::<Vec<_>>()
            .join(" ");
        format!("`{line}`")
    }
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            // It may have ended just now; there is nothing left to do about either result.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn both_streams(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    text.concat().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_the_next_step() {
        let failure = Program::new("baton-no-such-program")
            .args(["x"])
            .run()
            .unwrap_err();
        insta::assert_snapshot!(failure, @"
        `baton-no-such-program` was not found
        next: install baton-no-such-program and make sure that it is on PATH
        ");
    }

    #[test]
    fn a_quiet_program_shows_its_output_when_it_fails() {
        let failure = Program::new("sh")
            .args(["-c", "echo out; echo err >&2; exit 3"])
            .run_quietly()
            .unwrap_err();
        insta::assert_snapshot!(failure, @"
        `sh -c echo out; echo err >&2; exit 3` ended with exit status: 3
        out
        err
        ");
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let program = Program::new("sleep").args(["600"]);
        assert!(!program.succeeds_within(Duration::from_millis(100)));
    }
}
