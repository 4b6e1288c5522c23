//! Capabilities and resource limits of the program.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
    set_no_new_privs,
};

use super::{Doing as _, SetupError};
use crate::policy::{Isolation, Limits, Policy};

/// The kernel refuses a smaller one.
const MIN_PID_MAX: u32 = 301;

pub(super) fn drop_all(policy: &Policy) -> Result<(), SetupError> {
    limit(policy.limits)?;
    if policy.isolation == Isolation::Namespaces {
        drop_capabilities()?;
    }
    set_no_new_privs(true).doing("give up the right to gain rights")
}

/// Without this, a program of the user with number 0 would have all rights over
/// its namespaces.
fn drop_capabilities() -> Result<(), SetupError> {
    let doing = "give up capabilities";
    clear_ambient_capability_set().doing(doing)?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // An older kernel does not know the newest ones.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error).doing(doing),
        }
    }
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED;
    set_capabilities_secure_bits(bits).doing(doing)?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).doing(doing)
}

fn limit(limits: Limits) -> Result<(), SetupError> {
    let lower = |resource, to: u64| {
        let now = getrlimit(resource);
        let to = now.maximum.map_or(to, |most| most.min(to));
        let limit = Rlimit {
            current: Some(to),
            maximum: Some(to),
        };
        setrlimit(resource, limit)
    };
    // A memory image may hold what the program was trusted with.
    lower(Resource::Core, 0).doing("forbid core files")?;
    lower(Resource::Fsize, limits.file_size).doing("limit the size of files")
}

/// Limits how many processes there are in this namespace, for any user. Kernels
/// before 6.14 have one such limit for the whole machine and refuse; then the
/// limit for each user is what is left.
pub(super) fn limit_processes(proc: &Path, processes: u32) {
    let limit = processes.max(MIN_PID_MAX).to_string();
    if fs::write(proc.join("sys/kernel/pid_max"), limit).is_err() {
        let limit = Rlimit {
            current: Some(processes.into()),
            maximum: Some(processes.into()),
        };
        let _ = setrlimit(Resource::Nproc, limit);
    }
}
