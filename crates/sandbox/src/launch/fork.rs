//! Forks this process.
#![expect(unsafe_code, reason = "no crate offers a fork that is checked")]

use std::fs;
use std::io;

use rustix::process::Pid;

/// Which of the two processes this is.
pub(super) enum Fork {
    Parent { child: Pid },
    Child,
}

/// Splits this process in two. Fails unless it has a single thread: the child
/// would wait for ever for a lock that another one holds.
pub(super) fn fork() -> io::Result<Fork> {
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("this process has several threads"));
    }
    // SAFETY: There is no other thread, so the child finds all memory as the
    // parent has it, and no lock is held.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        id => match Pid::from_raw(id) {
            Some(child) if id > 0 => Ok(Fork::Parent { child }),
            _ => Err(io::Error::last_os_error()),
        },
    }
}
