//! Which files the program may open, by Landlock.

use std::io;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::{Doing as _, SetupError};
use crate::policy::{Access, Isolation, Level, Mount, Network, Policy, Source};

/// The newest version whose rights are known here. On an older kernel those it
/// does not know are left out.
const NEWEST: ABI = ABI::V6;

/// Devices that every program may write to.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

pub(super) fn restrict(policy: &Policy) -> Result<(), SetupError> {
    let status = ruleset(policy)
        .map_err(io::Error::other)
        .doing("restrict files with Landlock")?;
    let is_missing = status == RulesetStatus::NotEnforced;
    let is_needed = policy.level == Level::Strict || policy.isolation == Isolation::FilesOnly;
    if is_missing && is_needed {
        return Err(io::Error::from(io::ErrorKind::Unsupported))
            .doing("restrict files with Landlock");
    }
    Ok(())
}

fn ruleset(policy: &Policy) -> Result<RulesetStatus, RulesetError> {
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?;
    let alone = policy.isolation == Isolation::FilesOnly;
    if alone {
        // Namespaces would do it: no signals to others, no foreign sockets.
        ruleset = ruleset.scope(Scope::Signal | Scope::AbstractUnixSocket)?;
        if policy.network == Network::None {
            ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
        }
    }
    let mut created = ruleset.create()?;
    if alone && policy.network == Network::None {
        // Tests may listen on a port that the system chooses; nothing can connect.
        created = created.add_rule(NetPort::new(0, AccessNet::BindTcp))?;
    }
    for Mount { source, at, access } in &policy.mounts {
        let path = match source {
            // Without a view, a path can only be used where it really is.
            Source::Path(path) if alone => path,
            Source::Layers { upper, .. } if alone => upper,
            _ => at,
        };
        let rights = match access {
            Access::Read => read,
            Access::Write => all,
        };
        // What is not there cannot be opened either.
        let Ok(fd) = PathFd::new(path) else { continue };
        // A file has fewer rights than a folder; the crate leaves the others out.
        created = created.add_rule(PathBeneath::new(fd, rights))?;
    }
    for device in DEVICES {
        if let Ok(fd) = PathFd::new(device) {
            created = created.add_rule(PathBeneath::new(fd, all))?;
        }
    }
    for path in ["/proc", "/dev"] {
        if let Ok(fd) = PathFd::new(path) {
            created = created.add_rule(PathBeneath::new(fd, read))?;
        }
    }
    Ok(created.restrict_self()?.ruleset)
}
