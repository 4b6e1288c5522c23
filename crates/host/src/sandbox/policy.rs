//! The paths that a program of a run sees.

use std::path::{Path, PathBuf};

use baton_sandbox::{Access, Isolation, Level, Mount, Network, Policy};

use super::home::PrivateHome;
use super::stand_ins::StandIns;
use super::toolchains::{
    HOME_VARIABLES, PROGRAM_VARIABLES, PROGRAMS, SECRETS, SYSTEM, SYSTEM_SECRETS,
};
use super::{Role, RunFolders, SandboxSettings};
use crate::cmd::Environment;

pub(super) struct Request<'a> {
    pub(super) settings: &'a SandboxSettings,
    pub(super) role: Role,
    pub(super) level: Level,
    pub(super) isolation: Isolation,
    pub(super) network: Network,
    pub(super) folders: &'a RunFolders<'a>,
    pub(super) environment: &'a Environment,
    pub(super) home: &'a PrivateHome,
    pub(super) layers: Vec<Mount>,
    pub(super) prepared: &'a [Mount],
    pub(super) stand_ins: &'a mut StandIns,
}

/// In the order of mounting: later mounts cover earlier ones.
pub(super) fn build(request: &mut Request<'_>) -> Policy {
    let Request {
        settings,
        role,
        folders,
        environment,
        home,
        ..
    } = request;
    let mut policy = Policy::new(request.level, request.network.clone());
    policy.isolation = request.isolation;
    policy.limits = settings.limits;
    for path in SYSTEM {
        policy.show(*path, Access::Read);
    }
    for path in SYSTEM_SECRETS {
        hide(&mut policy, Path::new(path), home);
    }
    policy.show_at(&home.temporary, "/tmp", Access::Write);
    policy.show_at(&home.temporary, "/var/tmp", Access::Write);
    let real_home = environment.get("HOME").map(PathBuf::from);
    let real_home = real_home.filter(|path| path.is_absolute() && path != Path::new("/"));
    if let Some(real) = &real_home {
        policy.show_at(&home.folder, real, Access::Write);
        let inherited = request
            .prepared
            .iter()
            .filter(|mount| is_in_home(mount, real, folders));
        policy.mounts.extend(inherited.cloned());
        policy.mounts.extend(request.layers.iter().cloned());
        for name in SECRETS {
            let mut copies = home.without_logins.iter();
            match copies.find(|(of, _)| of == name) {
                Some((_, copy)) => policy.show_at(copy, real.join(name), Access::Read),
                None => hide(&mut policy, &real.join(name), home),
            }
        }
        for name in PROGRAMS {
            policy.show(real.join(name), Access::Read);
        }
        set_variables(&mut policy, real, home);
    }
    request.stand_ins.show(&mut policy);
    for name in PROGRAM_VARIABLES {
        let named = environment.get(name).map(PathBuf::from);
        if let Some(path) = named.filter(|path| path.is_absolute()) {
            policy.show(path, Access::Read);
        }
    }
    for path in programs(environment, real_home.as_deref(), folders, &request.layers) {
        policy.show(path, Access::Read);
    }
    if let Some(program) = &settings.tool_server {
        policy.show(program, Access::Read);
    }
    for path in &settings.readable {
        policy.show(path, Access::Read);
    }
    for path in folders.borrowed {
        policy.show(path, Access::Read);
    }
    for path in &settings.writable {
        policy.show(path, Access::Write);
    }
    let access = match role {
        Role::Reader => Access::Read,
        Role::Writer | Role::Prepare | Role::Install | Role::Command => Access::Write,
    };
    policy.show(folders.worktree, access);
    for mount in request.prepared {
        if !policy.mounts.contains(mount) {
            policy.mounts.push(mount.clone());
        }
    }
    for path in folders.protected {
        policy.show(path, Access::Read);
    }
    policy
}

/// Whether it is in the home folder and not in the worktree or in the private
/// folders of the run, which may be there as well and are mounted later.
fn is_in_home(mount: &Mount, home: &Path, folders: &RunFolders<'_>) -> bool {
    let at = &mount.at;
    at.starts_with(home) && !at.starts_with(folders.worktree) && !at.starts_with(folders.private)
}

/// Shows an empty file or folder instead of one that is there.
fn hide(policy: &mut Policy, path: &Path, home: &PrivateHome) {
    if path.is_dir() {
        policy.show_at(&home.empty, path, Access::Read);
    } else if path.exists() {
        policy.show_at("/dev/null", path, Access::Read);
    }
}

/// The folders of the search path, each with what is installed beside it.
fn programs(
    environment: &Environment,
    home: Option<&Path>,
    folders: &RunFolders<'_>,
    layers: &[Mount],
) -> Vec<PathBuf> {
    let path = environment.get("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let is_own = folder.starts_with(folders.worktree) || folder.starts_with(folders.private);
        let is_in_cache = layers.iter().any(|layer| folder.starts_with(&layer.at));
        if !is_own && !is_in_cache && folder != Path::new("/tmp") {
            let inner: Vec<&Path> = home.into_iter().chain([folders.worktree]).collect();
            found.push(installation(&folder, home, &inner));
        }
    }
    for program in folders.programs {
        found.extend(program.parent().map(Path::to_path_buf));
        found.extend(program.canonicalize().ok().map(|real| package(&real)));
    }
    found
}

/// What belongs to a folder of programs: `bin` beside `lib`, but not a folder
/// with other content as well, such as a home folder or projects.
fn installation(folder: &Path, home: Option<&Path>, inner: &[&Path]) -> PathBuf {
    let is_programs = ["bin", "sbin"].iter().any(|name| folder.ends_with(name));
    let Some(parent) = folder.parent().filter(|_| is_programs) else {
        return folder.to_owned();
    };
    let has = |name: &str| parent.join(name).exists();
    let is_in_home = home.is_some_and(|home| folder.starts_with(home));
    let has_mark = [
        "pyvenv.cfg",
        "conda-meta",
        "lib/node_modules",
        "lib/rustlib",
    ]
    .iter()
    .any(|mark| has(mark));
    let is_installation = has_mark || (has("lib") && !is_in_home);
    let holds_more = parent.parent().is_none() || inner.iter().any(|path| path.starts_with(parent));
    if is_installation && !holds_more {
        parent.to_owned()
    } else {
        folder.to_owned()
    }
}

/// The folder that a program's file needs: all packages of a `node_modules`, an
/// environment of Python, or the folder of the file.
fn package(program: &Path) -> PathBuf {
    let modules = program
        .ancestors()
        .filter(|folder| folder.ends_with("node_modules"))
        .last();
    let environment = program
        .ancestors()
        .find(|folder| folder.join("pyvenv.cfg").exists());
    let beside = program.parent().unwrap_or(program);
    modules.or(environment).unwrap_or(beside).to_owned()
}

/// For systems on which folders cannot be mounted under another name.
fn set_variables(policy: &mut Policy, real: &Path, home: &PrivateHome) {
    let variables = &mut policy.variables_without_view;
    variables.push(("HOME".into(), home.folder.clone().into()));
    variables.push(("TMPDIR".into(), home.temporary.clone().into()));
    for (name, folder) in HOME_VARIABLES {
        let folder = real.join(folder);
        if folder.is_dir() {
            variables.push(((*name).into(), folder.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_bring_what_is_installed_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        for path in [
            "venv/bin",
            "tools/bin",
            "x/node_modules/a/node_modules/b/bin",
        ] {
            std::fs::create_dir_all(home.join(path)).unwrap();
        }
        std::fs::write(home.join("venv/pyvenv.cfg"), "").unwrap();
        let found = |path: &str| installation(&home.join(path), Some(home), &[home]);
        assert_eq!(found("venv/bin"), home.join("venv"));
        assert_eq!(found("tools/bin"), home.join("tools/bin"));
        for (folder, expected) in [("/usr/bin", "/usr"), ("/bin", "/bin")] {
            let found = installation(Path::new(folder), Some(home), &[home]);
            assert_eq!(found, Path::new(expected));
        }
        // A folder of programs beside the home folder does not bring it along.
        std::fs::create_dir(home.join("lib")).unwrap();
        let inner = home.join("home");
        let found = installation(&home.join("bin"), Some(&inner), &[&inner]);
        assert_eq!(found, home.join("bin"));
        assert_eq!(
            package(&home.join("x/node_modules/a/node_modules/b/bin/tool")),
            home.join("x/node_modules")
        );
        assert_eq!(package(&home.join("venv/bin/tool")), home.join("venv"));
        assert_eq!(
            package(&home.join("tools/bin/tool")),
            home.join("tools/bin")
        );
    }
}
