//! System calls that the kernel holds up until this process has answered them.
//!
//! No crate offers it, so this module needs unsafe code.
#![expect(
    unsafe_code,
    reason = "seccomp(2) and the calls of its listeners take pointers"
)]

use std::io;
use std::os::fd::{AsFd as _, FromRawFd as _, OwnedFd};
use std::ptr;

use libc::{seccomp_notif, seccomp_notif_resp, seccomp_notif_sizes, sock_filter, sock_fprog};
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

const RECEIVE: Opcode = opcode::read_write::<seccomp_notif>(b'!', 0);
const SEND: Opcode = opcode::read_write::<seccomp_notif_resp>(b'!', 1);

/// `SECCOMP_USER_NOTIF_FLAG_CONTINUE`, in the width of the answer.
const CONTINUE: u32 = 1;

/// Where the kernel reports the calls that a filter holds.
pub(super) struct Listener(OwnedFd);

/// A call that waits for its answer.
pub(super) struct Held {
    id: u64,
    /// The thread that made it.
    pub(super) caller: u32,
    pub(super) number: i64,
    pub(super) args: [u64; 6],
}

pub(super) enum Answer {
    /// It fails with `EPERM`.
    Refuse,
    /// The kernel does what it would have done without the filter. The caller
    /// may have changed its memory meanwhile, so this must not be what keeps it
    /// from anything.
    GoOn,
}

/// Applies a filter to this thread, and to all that it starts from now on. Fails
/// on kernels before 5.7, and where a filter around this one has a listener.
pub(super) fn install(filter: &[seccompiler::sock_filter]) -> io::Result<Listener> {
    if !has_known_sizes() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut filter: Vec<sock_filter> = filter
        .iter()
        .map(|one| sock_filter {
            code: one.code,
            jt: one.jt,
            jf: one.jf,
            k: one.k,
        })
        .collect();
    let len = u16::try_from(filter.len()).map_err(io::Error::other)?;
    let program = sock_fprog {
        len,
        filter: filter.as_mut_ptr(),
    };
    // With the first, signals that a program sends itself all the time do not
    // make it ask again and again. The second does nothing here, but a kernel
    // that knows it can also let a call go on.
    let wishes = [
        libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        libc::SECCOMP_FILTER_FLAG_TSYNC_ESRCH,
    ];
    let mut failure = io::Error::from(io::ErrorKind::Unsupported);
    for wish in wishes {
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | wish;
        // SAFETY: the program points to as many instructions as it says, which
        // live until the call returns; the kernel copies them.
        let made = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                ptr::from_ref(&program),
            )
        };
        match i32::try_from(made) {
            Ok(fd) if fd >= 0 => {
                // SAFETY: the kernel has just made it, for us alone.
                return Ok(Listener(unsafe { OwnedFd::from_raw_fd(fd) }));
            }
            _ => failure = io::Error::last_os_error(),
        }
    }
    Err(failure)
}

/// Whether the kernel's messages are as long as ours, so that it writes into no
/// memory but theirs.
fn has_known_sizes() -> bool {
    let mut sizes = seccomp_notif_sizes {
        seccomp_notif: 0,
        seccomp_notif_resp: 0,
        seccomp_data: 0,
    };
    // SAFETY: the kernel writes one such structure to the address.
    let asked = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_NOTIF_SIZES,
            0,
            ptr::from_mut(&mut sizes),
        )
    };
    asked == 0
        && usize::from(sizes.seccomp_notif) == size_of::<seccomp_notif>()
        && usize::from(sizes.seccomp_notif_resp) == size_of::<seccomp_notif_resp>()
}

impl Listener {
    /// Waits for the next call.
    pub(super) fn receive(&self) -> io::Result<Held> {
        loop {
            // The kernel refuses to fill in what is not zero.
            let mut held = seccomp_notif {
                id: 0,
                pid: 0,
                flags: 0,
                data: libc::seccomp_data {
                    nr: 0,
                    arch: 0,
                    instruction_pointer: 0,
                    args: [0; 6],
                },
            };
            // SAFETY: the number is that of the call, and the structure is the
            // one that it fills in, of the kernel's own size.
            let received = unsafe { ioctl(self.0.as_fd(), Updater::<RECEIVE, _>::new(&mut held)) };
            match received {
                Ok(()) => {
                    return Ok(Held {
                        id: held.id,
                        caller: held.pid,
                        number: held.data.nr.into(),
                        args: held.data.args,
                    });
                }
                // A caller that was ended while it waited.
                Err(Errno::INTR | Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Lets the caller go on. It may be gone by now, which does not matter.
    pub(super) fn answer(&self, held: &Held, answer: &Answer) {
        let mut response = seccomp_notif_resp {
            id: held.id,
            val: 0,
            error: 0,
            flags: 0,
        };
        match answer {
            Answer::Refuse => response.error = -libc::EPERM,
            Answer::GoOn => response.flags = CONTINUE,
        }
        // SAFETY: the number is that of the call, and the structure is the one
        // that it reads, of the kernel's own size.
        let _ = unsafe { ioctl(self.0.as_fd(), Updater::<SEND, _>::new(&mut response)) };
    }
}
