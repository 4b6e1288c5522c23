//! System calls that no project needs and that reach beyond the sandbox.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Doing as _, SetupError};
use crate::policy::{Isolation, Level, Network, Policy};

/// The kernel's keys, other programs' memory by number, kernel code, clocks and
/// the machine itself. Most need rights that the program does not have; this
/// also keeps it from trying its luck with bugs behind them.
const REFUSED: &[i64] = &[
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_open_by_handle_at,
    libc::SYS_setns,
    libc::SYS_quotactl,
    libc::SYS_syslog,
];

/// Reading and writing the memory of other processes: debuggers, and leak
/// checkers of some test suites, need it.
const DEBUGGING: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
];

/// Would do other calls without this filter seeing them. Programs fall back
/// where the kernel does not have it.
const MISSING: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

pub(super) fn restrict(policy: &Policy) -> Result<(), SetupError> {
    let doing = "restrict system calls";
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        if policy.level == Level::Strict {
            return Err(io::Error::from(io::ErrorKind::Unsupported)).doing(doing);
        }
        return Ok(());
    };
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    if policy.level == Level::Strict {
        refused.extend(DEBUGGING.iter().map(|&call| (call, Vec::new())));
    }
    let sockets = foreign_sockets(policy)
        .map_err(io::Error::other)
        .doing(doing)?;
    refused.insert(libc::SYS_socket, sockets);
    let missing = MISSING.iter().map(|&call| (call, Vec::new())).collect();
    for (calls, errno) in [(refused, libc::EPERM), (missing, libc::ENOSYS)] {
        apply(calls, errno.unsigned_abs(), arch)
            .map_err(io::Error::other)
            .doing(doing)?;
    }
    Ok(())
}

/// Kinds of sockets that no namespace confines: the one to the host of a virtual
/// machine. Without a network namespace, and with no network allowed, also all
/// that Landlock does not know.
fn foreign_sockets(policy: &Policy) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
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

fn apply(
    calls: BTreeMap<i64, Vec<SeccompRule>>,
    errno: u32,
    arch: TargetArch,
) -> Result<(), seccompiler::Error> {
    let filter = SeccompFilter::new(
        calls,
        SeccompAction::Allow,
        SeccompAction::Errno(errno),
        arch,
    )?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}
