//! Finds descendants that left the child's process group, on Linux.
//!
//! A process that calls `setsid` is out of reach of a signal to the group. It
//! is found in two ways: by walking down from the child along the parent ids
//! that `/proc` shows, and, for a daemon whose parent is gone, by the marker
//! that every child carries in its environment and hands on to its own.
//!
//! A process id proves nothing, since ids are used again. Each find is pinned
//! by a pidfd, and only then is its start time compared with the one seen in
//! the search: from there on a signal reaches that process or none.

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{Escaped, group_has_live_member};
#[cfg(target_os = "linux")]
pub(super) use linux::{Escaped, group_has_live_member};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::os::fd::OwnedFd;
    use std::sync::Arc;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::super::MARKER;

    /// The descendants outside the group that were found so far.
    pub(in crate::cmd) struct Escaped {
        leader: i32,
        marker: Arc<str>,
        found: Vec<Held>,
    }

    /// A process that cannot be mistaken for another.
    pub(in crate::cmd) struct Held {
        identity: Identity,
        pidfd: OwnedFd,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Identity {
        pid: i32,
        started: u64,
    }

    impl Escaped {
        pub(in crate::cmd) fn new(leader: Pid, marker: String) -> Self {
            Self {
                leader: leader.as_raw_nonzero().get(),
                marker: marker.into(),
                found: Vec::new(),
            }
        }

        /// Looks for marked processes alone: their parent is gone.
        pub(in crate::cmd) fn orphans(marker: &str) -> Self {
            Self {
                // No process has this id.
                leader: 0,
                marker: marker.into(),
                found: Vec::new(),
            }
        }

        pub(in crate::cmd) fn count(&self) -> usize {
            self.found.len()
        }

        /// What is to be looked for now. The search itself reads hundreds of
        /// files and belongs on a blocking thread.
        pub(in crate::cmd) fn search(&self) -> Search {
            Search {
                leader: self.leader,
                marker: Arc::clone(&self.marker),
                known: self.found.iter().map(|held| held.identity).collect(),
            }
        }

        pub(in crate::cmd) fn add(&mut self, found: Vec<Held>) {
            self.found.extend(found);
        }

        pub(in crate::cmd) fn signal(&self, signal: Signal) {
            for held in &self.found {
                // A process that is gone needs no signal.
                let _ = pidfd_send_signal(&held.pidfd, signal);
            }
        }

        pub(in crate::cmd) fn is_any_alive(&self) -> bool {
            self.found.iter().any(|held| {
                let now = read_process(held.identity.pid);
                now.is_some_and(|now| now.started == held.identity.started && now.is_alive())
            })
        }
    }

    pub(in crate::cmd) struct Search {
        leader: i32,
        marker: Arc<str>,
        known: Vec<Identity>,
    }

    impl Search {
        /// The descendants that are alive, outside the group and not known yet.
        pub(in crate::cmd) fn run(&self) -> Vec<Held> {
            let processes = all_processes();
            let mut ours = self.descendants(&processes);
            // This process may itself be marked, by its parent.
            let own = i32::try_from(std::process::id()).unwrap_or(0);
            let marked = processes
                .keys()
                .filter(|&&pid| pid != own && self.is_marked(pid));
            ours.extend(marked);
            ours.into_iter()
                .filter_map(|pid| {
                    let process = &processes[&pid];
                    let identity = Identity {
                        pid,
                        started: process.started,
                    };
                    let is_new = !self.known.contains(&identity);
                    if is_new && process.group != self.leader && process.is_alive() {
                        hold(identity)
                    } else {
                        None
                    }
                })
                .collect()
        }

        /// Walks down from the leader and from what was found before. A process
        /// that started before its supposed parent has inherited a used id.
        fn descendants(&self, processes: &HashMap<i32, Process>) -> HashSet<i32> {
            // The leader's id is ours only while it is our child.
            let our_id = i32::try_from(std::process::id()).unwrap_or(0);
            let is_start = |pid: i32, process: &Process| {
                let started = process.started;
                self.known.contains(&Identity { pid, started })
                    || (pid == self.leader && process.parent == our_id)
            };
            let mut to_visit: Vec<i32> = processes
                .iter()
                .filter(|&(&pid, process)| is_start(pid, process))
                .map(|(&pid, _)| pid)
                .collect();
            let mut reached = HashSet::new();
            while let Some(parent) = to_visit.pop() {
                if reached.insert(parent) {
                    let born = processes[&parent].started;
                    let children = processes
                        .iter()
                        .filter(|(_, child)| child.parent == parent && child.started >= born);
                    to_visit.extend(children.map(|(&pid, _)| pid));
                }
            }
            reached
        }

        /// Whether the process inherited the marker. The environment of other
        /// users' processes cannot be read; those are not ours.
        fn is_marked(&self, pid: i32) -> bool {
            let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
                return false;
            };
            environment.split(|&byte| byte == 0).any(|variable| {
                variable
                    .strip_prefix(MARKER.as_bytes())
                    .and_then(|rest| rest.strip_prefix(b"="))
                    .is_some_and(|markers| {
                        markers
                            .split(|&byte| byte == b',')
                            .any(|marker| marker == self.marker.as_bytes())
                    })
            })
        }
    }

    /// Whether the group has a member that is more than a zombie.
    pub(in crate::cmd) fn group_has_live_member(group: Pid) -> bool {
        let group = group.as_raw_nonzero().get();
        all_processes()
            .values()
            .any(|process| process.group == group && process.is_alive())
    }

    fn hold(identity: Identity) -> Option<Held> {
        let pidfd = pidfd_open(Pid::from_raw(identity.pid)?, PidfdFlags::empty()).ok()?;
        let is_same = read_process(identity.pid)?.started == identity.started;
        is_same.then_some(Held { identity, pidfd })
    }

    /// One line of `/proc/<pid>/stat`.
    #[derive(Debug, PartialEq)]
    struct Process {
        state: u8,
        parent: i32,
        group: i32,
        started: u64,
    }

    impl Process {
        fn is_alive(&self) -> bool {
            !matches!(self.state, b'Z' | b'X')
        }
    }

    fn all_processes() -> HashMap<i32, Process> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return HashMap::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(|pid| Some((pid, read_process(pid)?)))
            .collect()
    }

    fn read_process(pid: i32) -> Option<Process> {
        parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is the program's name in parentheses, which may hold
    /// spaces and parentheses of its own: the fields are counted from its end.
    fn parse_stat(line: &[u8]) -> Option<Process> {
        let name_end = line.iter().rposition(|&byte| byte == b')')?;
        let rest = str::from_utf8(&line[name_end + 1..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Process {
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_may_hold_anything() {
            let line = b"42 (a) S 1 (x) R 7 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 99 0 0";
            assert_eq!(
                parse_stat(line),
                Some(Process {
                    state: b'R',
                    parent: 7,
                    group: 40,
                    started: 99
                })
            );
        }

        #[test]
        fn half_a_line_is_no_process() {
            assert_eq!(parse_stat(b""), None);
            assert_eq!(parse_stat(b"42 (a) S 1"), None);
            assert_eq!(parse_stat(b"42 (a)"), None);
        }

        #[test]
        fn this_process_is_among_all() {
            let own = i32::try_from(std::process::id()).unwrap();
            assert!(all_processes()[&own].is_alive());
        }
    }
}

/// Other systems have no safe way to name a process that may be gone: what left
/// the group is left alone.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use rustix::process::{Pid, Signal};

    pub(in crate::cmd) struct Escaped;

    pub(in crate::cmd) struct Search;

    pub(in crate::cmd) struct Held;

    impl Escaped {
        pub(in crate::cmd) fn new(_leader: Pid, _marker: String) -> Self {
            Self
        }

        pub(in crate::cmd) fn orphans(_marker: &str) -> Self {
            Self
        }

        pub(in crate::cmd) fn count(&self) -> usize {
            0
        }

        pub(in crate::cmd) fn search(&self) -> Search {
            Search
        }

        pub(in crate::cmd) fn add(&mut self, _found: Vec<Held>) {}

        pub(in crate::cmd) fn signal(&self, _signal: Signal) {}

        pub(in crate::cmd) fn is_any_alive(&self) -> bool {
            false
        }
    }

    impl Search {
        pub(in crate::cmd) fn run(&self) -> Vec<Held> {
            Vec::new()
        }
    }

    pub(in crate::cmd) fn group_has_live_member(_group: Pid) -> bool {
        true
    }
}
