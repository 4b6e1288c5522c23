//! A child that is meant to outlive the process that started it.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::thread;

use super::lookup::find_program;
use super::spawn::{command, explain, working_directory};
use super::{Cmd, CmdError};

impl Cmd {
    /// Starts the child in a process group of its own and leaves it alone: it
    /// reads nothing, and what it writes goes to `log`. Limits, input and
    /// capture of the command have no meaning here. Returns the child's process
    /// id.
    pub fn start_detached(&self, log: File) -> Result<u32, CmdError> {
        let cwd = working_directory(self)?;
        let program = find_program(&self.program, &cwd, &self.environment)?;
        let failed = |error| explain(self, &program, &cwd, error);
        let mut command = command(self, &program, &cwd, None, None)?;
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(failed)?)
            .stderr(log);
        let mut child = command.spawn().map_err(failed)?;
        let id = child.id();
        // Where we live longer than the child, it has to be reaped. If no
        // thread can be started for that, it stays a zombie, which does no
        // harm.
        let _ = thread::Builder::new()
            .name("detached-child".to_owned())
            .spawn(move || child.wait());
        Ok(id)
    }
}
