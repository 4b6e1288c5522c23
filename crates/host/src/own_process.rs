//! Protects this process: removes secrets from its environment, and keeps
//! others from reading its memory.
//!
//! What a process was started with stays readable in `/proc/PID/environ` as long
//! as it lives, whatever it does to its variables. So it starts itself again
//! without the secrets, in the same process, and gets them through a pipe.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::cmd::Environment;

/// The number of the descriptor that the secrets are read from.
const DESCRIPTOR: &str = "BATON_SECRETS_FD";

/// A pipe takes this much before anyone reads, on every system.
const MAX_SECRETS: usize = 16 * 1024;

/// The environment of this process. If one of the named variables is set, the
/// program is started again without them, which does not return; the second
/// time, they are in the returned value and nowhere else.
///
/// Where that fails, the environment is as it was, and the error gives the reason.
pub fn environment_without_traces(names: &[&str]) -> (Environment, io::Result<()>) {
    let mut environment: Environment = std::env::vars_os().collect();
    if let Some(descriptor) = environment.get(DESCRIPTOR).map(OsStr::to_owned) {
        environment.remove(DESCRIPTOR);
        let received = receive(&descriptor).map(|secrets| {
            for (name, value) in secrets {
                if names.iter().any(|known| name == *known) {
                    environment.set(name, value);
                }
            }
        });
        return (environment, received);
    }
    if names.iter().all(|name| environment.get(name).is_none()) {
        return (environment, Ok(()));
    }
    let failed = start_again(&environment, names);
    (environment, Err(failed))
}

/// Lets no other process of the user look into this one's memory, and leaves no
/// core dump. Only Linux has it.
pub fn forbid_inspection() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Returns only when it fails.
fn start_again(environment: &Environment, names: &[&str]) -> io::Error {
    let is_secret = |name: &OsStr| names.iter().any(|known| name == *known);
    let (secrets, rest): (Vec<_>, Vec<_>) =
        environment.iter().partition(|(name, _)| is_secret(name));
    let (reader, program) = match (fill_pipe(&secrets), std::env::current_exe()) {
        (Ok(reader), Ok(program)) => (reader, program),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let mut args = std::env::args_os();
    #[expect(
        clippy::disallowed_methods,
        reason = "it is this process and no child of it"
    )]
    let mut command = Command::new(program);
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    command
        .args(args)
        .env_clear()
        .envs(rest)
        .env(DESCRIPTOR, reader.as_raw_fd().to_string())
        .exec()
}

/// A pipe that holds the secrets and ends after them. It outlives `exec`.
fn fill_pipe(secrets: &[(&OsStr, &OsStr)]) -> io::Result<PipeReader> {
    let mut bytes = Vec::new();
    for (name, value) in secrets {
        bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
    }
    if bytes.len() > MAX_SECRETS {
        return Err(io::Error::other("the tokens are too long for a pipe"));
    }
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(&bytes)?;
    fcntl_setfd(&reader, FdFlags::empty())?;
    Ok(reader)
}

/// Reads the pipe to its end. Its descriptor stays open, as only unsafe code
/// could close it by its number; children that inherit it find it empty.
fn receive(descriptor: &OsStr) -> io::Result<Vec<(OsString, OsString)>> {
    let number: u32 = descriptor
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| io::Error::other(format!("{DESCRIPTOR} is no descriptor")))?;
    let file = File::open(format!("/dev/fd/{number}"))?;
    // Of anything else, reading could wait for ever.
    if !std::os::unix::fs::FileTypeExt::is_fifo(&file.metadata()?.file_type()) {
        return Err(io::Error::other(format!("{DESCRIPTOR} is no pipe")));
    }
    let mut bytes = Vec::new();
    file.take(MAX_SECRETS as u64).read_to_end(&mut bytes)?;
    let entries = bytes.split(|&byte| byte == 0);
    Ok(entries
        .filter_map(|entry| {
            let at = entry.iter().position(|&byte| byte == b'=')?;
            let text = |part: &[u8]| OsString::from_vec(part.to_vec());
            Some((text(&entry[..at]), text(&entry[at + 1..])))
        })
        .collect())
}
