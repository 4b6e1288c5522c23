//! System calls that no project needs and that reach beyond the sandbox.
//!
//! The kernel refuses them silently. So where it can, it asks a thread of this
//! process instead, which refuses and records them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::notify::{self, Answer, Held, Listener};
use super::{Doing as _, SetupError};
use crate::policy::{Isolation, Level, Network, Policy};

/// The kernel's keys, other programs' memory by number, kernel code, clocks and
/// the machine itself. Most need rights that the program does not have; this
/// also keeps it from exploiting bugs in them.
const REFUSED: &[(i64, &str)] = &[
    (libc::SYS_add_key, "add_key"),
    (libc::SYS_keyctl, "keyctl"),
    (libc::SYS_request_key, "request_key"),
    (libc::SYS_bpf, "bpf"),
    (libc::SYS_perf_event_open, "perf_event_open"),
    (libc::SYS_userfaultfd, "userfaultfd"),
    (libc::SYS_kexec_load, "kexec_load"),
    (libc::SYS_kexec_file_load, "kexec_file_load"),
    (libc::SYS_init_module, "init_module"),
    (libc::SYS_finit_module, "finit_module"),
    (libc::SYS_delete_module, "delete_module"),
    (libc::SYS_reboot, "reboot"),
    (libc::SYS_swapon, "swapon"),
    (libc::SYS_swapoff, "swapoff"),
    (libc::SYS_acct, "acct"),
    (libc::SYS_settimeofday, "settimeofday"),
    (libc::SYS_clock_settime, "clock_settime"),
    (libc::SYS_clock_adjtime, "clock_adjtime"),
    (libc::SYS_adjtimex, "adjtimex"),
    (libc::SYS_open_by_handle_at, "open_by_handle_at"),
    (libc::SYS_setns, "setns"),
    (libc::SYS_quotactl, "quotactl"),
    (libc::SYS_syslog, "syslog"),
];

/// Reading and writing the memory of other processes: debuggers, and leak
/// checkers of some test suites, need it.
const DEBUGGING: &[(i64, &str)] = &[
    (libc::SYS_ptrace, "ptrace"),
    (libc::SYS_process_vm_readv, "process_vm_readv"),
    (libc::SYS_process_vm_writev, "process_vm_writev"),
    (libc::SYS_kcmp, "kcmp"),
];

/// Would do other calls without this filter seeing them. Programs fall back
/// where the kernel does not have it.
const MISSING: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Requests of `ptrace` that attach to a process.
const ATTACH: [u32; 2] = [libc::PTRACE_ATTACH, libc::PTRACE_SEIZE];

/// A placeholder for the answer of a listener, which the filter compiler does
/// not know.
const PLACEHOLDER: SeccompAction = SeccompAction::Trace(0);

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The names of the calls that were refused so far.
#[derive(Clone, Default)]
pub(super) struct Refused(Arc<Mutex<BTreeSet<&'static str>>>);

impl Refused {
    fn add(&self, name: &'static str) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name);
    }

    pub(super) fn names(&self) -> BTreeSet<&'static str> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.clone()
    }
}

pub(super) fn restrict(policy: &Policy) -> Result<Refused, SetupError> {
    let doing = "restrict system calls";
    let names = Refused::default();
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        if policy.level == Level::Strict {
            return Err(io::Error::from(io::ErrorKind::Unsupported)).doing(doing);
        }
        return Ok(names);
    };
    let missing = MISSING.iter().map(|&call| (call, Vec::new())).collect();
    apply(missing, libc::ENOSYS, arch)
        .map_err(io::Error::other)
        .doing(doing)?;
    let refused = refused(policy).map_err(io::Error::other).doing(doing)?;
    let mut held = refused.clone();
    held.extend(
        at_this_process(policy)
            .map_err(io::Error::other)
            .doing(doing)?,
    );
    let asking = asking(held, arch).map_err(io::Error::other).doing(doing)?;
    match notify::install(&asking) {
        Ok(listener) => {
            let may_debug = policy.level != Level::Strict;
            answer_all(listener, may_debug, names.clone())?;
        }
        // An older kernel, or a sandbox around this one that listens itself.
        Err(_) => apply(refused, libc::EPERM, arch)
            .map_err(io::Error::other)
            .doing(doing)?,
    }
    Ok(names)
}

/// Calls that fail, whatever their target.
fn refused(policy: &Policy) -> Result<Rules, BackendError> {
    let always = |calls: &[(i64, &str)]| -> Rules {
        let numbers = calls.iter().map(|&(number, _)| number);
        numbers.map(|number| (number, Vec::new())).collect()
    };
    let mut refused = always(REFUSED);
    if policy.level == Level::Strict {
        refused.extend(always(DEBUGGING));
    }
    refused.insert(libc::SYS_socket, foreign_sockets(policy)?);
    Ok(refused)
}

/// Where debugging is allowed: attaching to a process, which is rare, and
/// reading the memory of this one. This process protects itself; these are held
/// up in order to name them.
fn at_this_process(policy: &Policy) -> Result<Rules, BackendError> {
    if policy.level == Level::Strict {
        return Ok(Rules::new());
    }
    let argument_is = |index: u8, value: u32| {
        let (len, value) = (SeccompCmpArgLen::Dword, u64::from(value));
        let condition = SeccompCondition::new(index, len, SeccompCmpOp::Eq, value)?;
        SeccompRule::new(vec![condition])
    };
    let attach = ATTACH.iter().map(|&way| argument_is(0, way));
    let own = std::process::id();
    Ok(Rules::from([
        (libc::SYS_ptrace, attach.collect::<Result<_, _>>()?),
        (libc::SYS_process_vm_readv, vec![argument_is(0, own)?]),
        (libc::SYS_process_vm_writev, vec![argument_is(0, own)?]),
    ]))
}

/// A filter that lets a listener decide.
fn asking(calls: Rules, arch: TargetArch) -> Result<BpfProgram, BackendError> {
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, PLACEHOLDER, arch)?;
    let mut program: BpfProgram = filter.try_into()?;
    for instruction in &mut program {
        if is_return(instruction) && instruction.k == libc::SECCOMP_RET_TRACE {
            instruction.k = libc::SECCOMP_RET_USER_NOTIF;
        }
    }
    Ok(program)
}

fn is_return(instruction: &seccompiler::sock_filter) -> bool {
    u32::from(instruction.code) == libc::BPF_RET | libc::BPF_K
}

/// Answers calls as long as this process lives. The thread has the same filter:
/// it must make none of these calls itself, or it would wait for its own answer.
fn answer_all(listener: Listener, may_debug: bool, names: Refused) -> Result<(), SetupError> {
    let answer = move || {
        // When this ends, the kernel fails the calls by itself.
        while let Ok(held) = listener.receive() {
            if may_debug && held.number == libc::SYS_ptrace && !is_aimed_here(&held) {
                listener.answer(&held, &Answer::GoOn);
                continue;
            }
            // Before the caller goes on, and may end.
            names.add(name_of(held.number));
            listener.answer(&held, &Answer::Refuse);
        }
    };
    thread::Builder::new()
        .spawn(answer)
        .map(drop)
        .doing("start a thread")
}

fn name_of(number: i64) -> &'static str {
    let mut known = REFUSED.iter().chain(DEBUGGING);
    let found = known.find(|(known, _)| *known == number);
    found.map_or("socket", |(_, name)| *name)
}

/// Whether `ptrace` was to attach to a thread of this process.
fn is_aimed_here(held: &Held) -> bool {
    // The kernel looks at these bits alone.
    let target = held.args[1] & u64::from(u32::MAX);
    let is_own = Path::new(&format!("/proc/self/task/{target}")).exists();
    is_own && is_in_this_namespace(held.caller)
}

/// A program may make a process namespace of its own, in which our number is
/// that of another process.
fn is_in_this_namespace(thread: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    numbers.is_none_or(|numbers| numbers.split_whitespace().count() <= 1)
}

/// Kinds of sockets that no namespace confines: the one to the host of a virtual
/// machine. Without a network namespace, and with no network allowed, also all
/// that Landlock does not know.
fn foreign_sockets(policy: &Policy) -> Result<Vec<SeccompRule>, BackendError> {
    let family_is = |family: i32| {
        let family = u64::from(family.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family)
    };
    let mut rules = vec![SeccompRule::new(vec![family_is(libc::AF_VSOCK)?])?];
    if policy.isolation == Isolation::FilesOnly && policy.network != Network::All {
        let kind_is = |kind: i32| {
            let kind = u64::from(kind.unsigned_abs());
            // The upper bits are flags.
            SeccompCondition::new(
                1,
                SeccompCmpArgLen::Dword,
                SeccompCmpOp::MaskedEq(0xf),
                kind,
            )
        };
        for family in [libc::AF_INET, libc::AF_INET6] {
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
                rules.push(SeccompRule::new(vec![family_is(family)?, kind_is(kind)?])?);
            }
        }
    }
    Ok(rules)
}

fn apply(calls: Rules, errno: i32, arch: TargetArch) -> Result<(), seccompiler::Error> {
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, arch)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns(program: &BpfProgram) -> BTreeSet<u32> {
        let returns = program.iter().filter(|one| is_return(one));
        returns.map(|one| one.k).collect()
    }

    #[test]
    fn a_filter_asks_where_its_placeholder_was() {
        let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
        for level in [Level::Standard, Level::Strict] {
            let policy = Policy::new(level, Network::None);
            let mut calls = refused(&policy).unwrap();
            calls.extend(at_this_process(&policy).unwrap());
            let filter =
                SeccompFilter::new(calls.clone(), SeccompAction::Allow, PLACEHOLDER, arch).unwrap();
            let before: BpfProgram = filter.try_into().unwrap();
            let after = asking(calls, arch).unwrap();
            let kept = [libc::SECCOMP_RET_ALLOW, libc::SECCOMP_RET_KILL_PROCESS];
            let with = |other| BTreeSet::from([kept[0], kept[1], other]);
            assert_eq!(returns(&before), with(libc::SECCOMP_RET_TRACE));
            assert_eq!(returns(&after), with(libc::SECCOMP_RET_USER_NOTIF));
            let changed = before.iter().zip(&after).filter(|(old, new)| old != new);
            for (old, new) in changed {
                assert!(is_return(old), "{old:?}");
                assert_eq!((old.code, old.jt, old.jf), (new.code, new.jt, new.jf));
            }
        }
    }

    #[test]
    fn every_refused_call_has_its_name() {
        assert_eq!(name_of(libc::SYS_ptrace), "ptrace");
        assert_eq!(name_of(libc::SYS_clock_settime), "clock_settime");
        assert_eq!(name_of(libc::SYS_socket), "socket");
    }
}
