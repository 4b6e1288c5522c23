//! Starts a child with its pipes and process group.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio::net::unix::pipe::{Receiver, Sender};

use super::group::Group;
use super::lookup::{find_program, not_found};
use super::sandbox::{Confined, Target};
use super::{Cmd, CmdError, MARKER};

/// A child that was just started, with our ends of its pipes.
pub(super) struct Started {
    pub(super) group: Group,
    pub(super) stdin: Option<Sender>,
    pub(super) stdout: Receiver,
    /// Absent where standard error goes through the pipe of standard output.
    pub(super) stderr: Option<Receiver>,
}

/// With `talks`, the child's input is a pipe, whatever the command sets. A
/// child of a sandbox has to be `confined`.
pub(super) fn spawn(
    cmd: &Cmd,
    talks: bool,
    confined: Option<&Confined<'_>>,
) -> Result<Started, CmdError> {
    let cwd = working_directory(cmd)?;
    let program = find_program(&cmd.program, &cwd, &cmd.environment)?;
    let marker = unique_marker();
    let mut command = command(cmd, &program, &cwd, Some(&marker), confined)?;
    command.process_group(0);
    start(cmd, &mut command, marker, talks).map_err(|error| explain(cmd, &program, &cwd, error))
}

/// Starts a child that stays in our own process group, by `start`.
pub(super) fn foreground<T>(
    cmd: &Cmd,
    start: impl FnOnce(&mut Command) -> io::Result<T>,
) -> Result<T, CmdError> {
    let cwd = working_directory(cmd)?;
    let program = find_program(&cmd.program, &cwd, &cmd.environment)?;
    let mut command = command(cmd, &program, &cwd, Some(&unique_marker()), None)?;
    start(&mut command).map_err(|error| explain(cmd, &program, &cwd, error))
}

pub(super) fn working_directory(cmd: &Cmd) -> Result<PathBuf, CmdError> {
    let enter = |path: &Path| {
        let path = std::path::absolute(path)?;
        if fs::metadata(&path)?.is_dir() {
            Ok(path)
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    };
    enter(&cmd.cwd).map_err(|source| CmdError::WorkingDirectory {
        program: cmd.displayed_program(),
        path: cmd.cwd.clone(),
        source,
    })
}

pub(super) fn command(
    cmd: &Cmd,
    program: &Path,
    cwd: &Path,
    marker: Option<&str>,
    confined: Option<&Confined<'_>>,
) -> Result<Command, CmdError> {
    let args: Vec<OsString> = cmd.args.iter().map(|arg| arg.value.clone()).collect();
    let mut command = match confined {
        Some(confined) => {
            let (launcher, args) = confined.wrap(Target {
                arg0: &cmd.program,
                program,
                args,
                cwd,
                environment: &cmd.environment,
            });
            let launcher = find_program(launcher.as_os_str(), cwd, &cmd.environment)?;
            with_args(&launcher, launcher.as_os_str(), &args)
        }
        // Fails rather than runs without the sandbox.
        None if cmd.environment.sandbox().is_some() => {
            return Err(CmdError::Sandbox {
                program: cmd.displayed_program(),
                reason: "it would outlive its step or use the terminal".to_owned(),
            });
        }
        None => with_args(program, &cmd.program, &args),
    };
    // With an inherited marker in front, an outer run finds what we start.
    let outer = cmd.environment.get(MARKER).and_then(|outer| outer.to_str());
    let markers: Vec<&str> = outer
        .into_iter()
        .chain(marker)
        .chain(cmd.mark.as_deref())
        .collect();
    command
        .current_dir(cwd)
        .env_clear()
        .envs(cmd.environment.iter());
    if !markers.is_empty() {
        command.env(MARKER, markers.join(","));
    }
    Ok(command)
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the place where every child of baton starts"
)]
fn with_args(program: &Path, name: &OsStr, args: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.arg0(name).args(args);
    command
}

fn start(cmd: &Cmd, command: &mut Command, marker: String, talks: bool) -> io::Result<Started> {
    let (stdout, stdout_child) = io::pipe()?;
    let stderr = if cmd.merged {
        command.stderr(stdout_child.try_clone()?);
        None
    } else {
        let (stderr, stderr_child) = io::pipe()?;
        command.stderr(stderr_child);
        Some(stderr)
    };
    command.stdout(stdout_child);
    command.stdin(if cmd.stdin.is_some() || talks {
        Stdio::piped()
    } else {
        Stdio::null()
    });

    let mut child = command.spawn()?;
    // `command` keeps the child's ends of the pipes open, and with them our
    // ends would never see the end of the output.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let stdin = child.stdin.take();
    // From here on the group is guarded: an error below ends it.
    let group = Group::new(child, marker);
    Ok(Started {
        group,
        stdin: stdin
            .map(|pipe| Sender::from_owned_fd(OwnedFd::from(pipe)))
            .transpose()?,
        stdout: Receiver::from_owned_fd(OwnedFd::from(stdout))?,
        stderr: stderr
            .map(|pipe| Receiver::from_owned_fd(OwnedFd::from(pipe)))
            .transpose()?,
    })
}

/// Distinguishes causes that the kernel reports with one code. Program and
/// folder were there a moment ago, so these are the rarer causes.
pub(super) fn explain(cmd: &Cmd, program: &Path, cwd: &Path, source: io::Error) -> CmdError {
    match source.kind() {
        _ if !cwd.is_dir() => CmdError::WorkingDirectory {
            program: cmd.displayed_program(),
            path: cwd.to_path_buf(),
            source,
        },
        ErrorKind::NotFound => not_found(
            &cmd.program,
            format!(
                "the interpreter or loader that {} asks for does not exist; check its first line",
                program.display()
            ),
        ),
        ErrorKind::PermissionDenied => CmdError::NotPermitted {
            program: cmd.displayed_program(),
            path: program.to_path_buf(),
        },
        _ => CmdError::Spawn {
            program: cmd.displayed_program(),
            source,
        },
    }
}

/// A value that no other process's environment has by chance.
fn unique_marker() -> String {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::atomic::{AtomicU64, Ordering};

    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new().hash_one(count);
    format!("{}-{count}-{random:016x}", std::process::id())
}
