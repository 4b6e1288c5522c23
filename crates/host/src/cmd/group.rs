//! Signals, waits for and reaps a process group.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::escaped::{Escaped, group_has_live_member};

/// Between two looks at the child on systems without pidfd.
const EXIT_POLL: Duration = Duration::from_millis(5);

/// How far an ending reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The process group only. For what is left after the child is done: a
    /// process that made itself a daemon meanwhile was meant to stay.
    Group,
    /// Also descendants that left the group. At a limit or a cancellation the
    /// work as a whole is over.
    Everything,
}

/// A child and its process group, of which it is the leader. Dropping it ends
/// the group at once, unless it was [released](Self::release).
///
/// Process ids are used again by the kernel, so a signal may only go to an id
/// that is provably still ours. The group's id is ours while the leader is not
/// reaped (a zombie keeps its id) and after that while the group has members
/// (a group keeps its id as well). Hence the leader is reaped late, and a
/// group without its leader is looked at right before each signal.
pub(super) struct Group {
    child: Option<Child>,
    pid: Pid,
    status: Option<ExitStatus>,
    exit: ExitWatch,
    escaped: Escaped,
    released: bool,
}

impl Group {
    pub(super) fn new(child: Child, marker: String) -> Self {
        let pid = Pid::from_child(&child);
        Self {
            child: Some(child),
            pid,
            status: None,
            exit: ExitWatch::new(pid),
            escaped: Escaped::new(pid, marker),
            released: false,
        }
    }

    /// Waits until the leader is done, without reaping it where the system
    /// supports that.
    pub(super) async fn exited(&mut self) {
        match &self.exit {
            #[cfg(target_os = "linux")]
            ExitWatch::Pidfd(pidfd) if pidfd.readable().await.is_ok() => {}
            _ => {
                while !self.reap() {
                    tokio::time::sleep(EXIT_POLL).await;
                }
            }
        }
    }

    /// The status of a leader that has [exited](Self::exited).
    pub(super) fn status(&mut self) -> ExitStatus {
        self.reap();
        self.status.expect("the leader has exited")
    }

    /// Whether neither the leader, nor a process in its group, nor one that
    /// left it and was found, is still running.
    pub(super) async fn is_gone(&mut self) -> bool {
        if !self.reap() || self.escaped.is_any_alive() {
            return false;
        }
        if test_kill_process_group(self.pid).is_err() {
            return true;
        }
        // The group has members, but they may all be zombies that a sleepy
        // init has not reaped.
        let pid = self.pid;
        let live = tokio::task::spawn_blocking(move || group_has_live_member(pid)).await;
        !live.unwrap_or(true)
    }

    pub(super) async fn terminate(&mut self, ending: Ending) {
        self.find_escaped(ending).await;
        self.signal(Signal::TERM);
        // A stopped process only takes note of TERM when it continues.
        self.signal(Signal::CONT);
    }

    pub(super) async fn kill(&mut self, ending: Ending) {
        self.find_escaped(ending).await;
        self.signal(Signal::KILL);
        // A process may have forked between the search and the signal. Its
        // children are found now; each round can only meet newer ones.
        if ending == Ending::Everything {
            self.find_escaped(ending).await;
            self.signal(Signal::KILL);
        }
    }

    /// The group has been ended: nothing is left to do on drop.
    pub(super) fn release(mut self) {
        self.released = true;
    }

    async fn find_escaped(&mut self, ending: Ending) {
        if ending == Ending::Group {
            return;
        }
        let search = self.escaped.search();
        if let Ok(found) = tokio::task::spawn_blocking(move || search.run()).await {
            self.escaped.add(found);
        }
    }

    fn signal(&mut self, signal: Signal) {
        let is_ours = !self.reap() || test_kill_process_group(self.pid).is_ok();
        if is_ours {
            // A process that is gone needs no signal.
            let _ = kill_process_group(self.pid, signal);
        }
        self.escaped.signal(signal);
    }

    /// Reaps the leader if it is done, and returns whether it is.
    fn reap(&mut self) -> bool {
        if let Some(child) = &mut self.child
            && let Ok(Some(status)) = child.try_wait()
        {
            self.status = Some(status);
            self.child = None;
        }
        self.child.is_none()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.released {
            // A drop cannot wait for a grace period.
            for _ in 0..2 {
                let found = self.escaped.search().run();
                self.escaped.add(found);
                self.signal(Signal::KILL);
            }
        }
        if !self.reap()
            && let Some(mut child) = self.child.take()
        {
            // Killed, but not done: it may hang in the kernel (a dead network
            // file system). It must be reaped, but nothing should wait for it.
            std::thread::spawn(move || child.wait());
        }
    }
}

/// How the end of the leader is noticed.
enum ExitWatch {
    /// A descriptor that becomes readable when the process is done, and leaves
    /// the reaping to us.
    #[cfg(target_os = "linux")]
    Pidfd(tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>),
    Poll,
}

impl ExitWatch {
    #[cfg(target_os = "linux")]
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for descriptors that do not stay open; an owned one does"
    )]
    fn new(pid: Pid) -> Self {
        use rustix::process::{PidfdFlags, pidfd_open};
        use tokio::io::{Interest, unix::AsyncFd};

        pidfd_open(pid, PidfdFlags::empty())
            .ok()
            .and_then(|fd| AsyncFd::with_interest(fd, Interest::READABLE).ok())
            .map_or(Self::Poll, Self::Pidfd)
    }

    #[cfg(not(target_os = "linux"))]
    fn new(_pid: Pid) -> Self {
        Self::Poll
    }
}
