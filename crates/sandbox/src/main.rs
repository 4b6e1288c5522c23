//! The launcher as a program of its own, for the tests of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = baton_sandbox::launch::run_if_called(std::env::args_os()) {
        return code;
    }
    ExitCode::from(2)
}
