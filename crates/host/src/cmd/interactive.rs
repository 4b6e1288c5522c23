//! Runs a program on the user's terminal.

use std::process::Stdio;

use super::spawn::foreground;
use super::{Cmd, CmdError};

impl Cmd {
    /// Runs a program that a person works in, such as an editor, and returns
    /// whether it succeeded. It has our terminal and our process group, and
    /// with them the keys; limits, captures and cancellation do not apply.
    /// Blocks.
    pub fn run_on_terminal(&self) -> Result<bool, CmdError> {
        tracing::debug!(command = %self, cwd = %self.cwd.display(), "started on the terminal");
        let status = foreground(self, |command| {
            command
                .stdin(Stdio::inherit())
                .stdout(Stdio::inherit())
                .stderr(Stdio::inherit())
                .status()
        })?;
        Ok(status.success())
    }
}
