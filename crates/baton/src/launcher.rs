//! The launcher of restricted programs as a small program of its own.
//!
//! `baton` contains the same code and uses that where this program is missing,
//! or was built from another version.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = baton_sandbox::launch::run_if_called(std::env::args_os()) {
        return code;
    }
    // Called by a person, who has no use for it.
    ExitCode::from(2)
}
