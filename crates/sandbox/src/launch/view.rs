//! The file system as the program sees it: an empty root, and in it the mounts
//! of the policy, devices and the processes of its own namespace.
//!
//! Landlock limits what may be done with a path; this limits which paths there
//! are. Sockets, for instance, are beyond Landlock's reach, but what is not in
//! the view cannot be connected to.

mod plan;

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};
use rustix::thread::UnshareFlags;

use super::privileges;
use super::{Doing as _, SetupError, enter_namespaces};
use crate::policy::{Access, Policy};
use crate::watch::{COMMAND_LINE, ENVIRONMENT};
use plan::{Content, Plan, Step};

/// Covered while the view is built; every system has it.
const STAGE: &str = "/tmp";
/// Below the stage: the old root and the new one.
const OLD: &str = "/old";
const NEW: &str = "/new";

/// Devices without state.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

pub(super) fn build(policy: &Policy) -> Result<(), SetupError> {
    let folder = std::env::current_dir().doing("find the working directory")?;
    let plan = Plan::new(policy)?;
    enter_namespaces(UnshareFlags::NEWNS).doing("make a mount namespace")?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .doing("detach the mounts")?;
    enter_stage()?;
    let is_view = |step: &&Step| matches!(step.content, Content::View(_));
    for step in plan.steps.iter().filter(|step| !is_view(step)) {
        take(step)?;
    }
    make_devices()?;
    let processes = make_folder("/proc")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &processes, "proc", flags, None).doing("mount /proc")?;
    privileges::limit_processes(&processes, policy.limits.processes);
    make_read_only(&processes)?;
    if let Some(folder) = &plan.process {
        let folder = outside(folder);
        for name in [ENVIRONMENT, COMMAND_LINE] {
            let at = processes.join("1").join(name);
            mount_bind_recursive(folder.join(name), &at).doing("show a stand-in")?;
            make_read_only(&at)?;
        }
    }
    for step in plan.steps.iter().filter(|step| !is_view(step)) {
        if step.access == Access::Read && !matches!(step.content, Content::Link(_)) {
            make_read_only(&inside(&step.at))?;
        }
    }
    // What is read-only is so in a second view of it, too.
    for step in plan.steps.iter().filter(is_view) {
        take(step)?;
        if step.access == Access::Read {
            make_read_only(&inside(&step.at))?;
        }
    }
    enter_view()?;
    chdir(&folder).doing(format_args!("enter {}", folder.display()))
}

/// Makes an empty root with the old one below it. The old root is not covered
/// by anything there, not even where it covers the stage.
fn enter_stage() -> Result<(), SetupError> {
    let doing = "make an empty root";
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", STAGE, "tmpfs", flags, c"mode=0755").doing(doing)?;
    let old = format!("{STAGE}{OLD}");
    fs::create_dir(&old).doing(doing)?;
    fs::create_dir(format!("{STAGE}{NEW}")).doing(doing)?;
    pivot_root(STAGE, &old).doing(doing)?;
    chdir("/").doing(doing)?;
    // A folder of the same file system: each one more takes time to make and to
    // end.
    mount_bind(NEW, NEW).doing(doing)
}

/// Makes the new root the only one.
fn enter_view() -> Result<(), SetupError> {
    let doing = "enter the new root";
    chdir(NEW).doing(doing)?;
    // Stacks the old root on the new one, from where it is taken off.
    pivot_root(".", ".").doing(doing)?;
    unmount(".", UnmountFlags::DETACH).doing(doing)?;
    chdir("/").doing(doing)
}

fn take(step: &Step) -> Result<(), SetupError> {
    let at = inside(&step.at);
    let doing = format!("show {}", step.at.display());
    if let Some(parent) = at.parent() {
        fs::create_dir_all(parent).doing(&doing)?;
    }
    match &step.content {
        Content::Link(target) => match symlink(target, &at) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error).doing(doing),
            _ => Ok(()),
        },
        Content::Folder(source) => {
            fs::create_dir_all(&at).doing(&doing)?;
            mount_bind_recursive(outside(source), &at).doing(doing)
        }
        Content::File(source) => {
            // Something may be there already, such as the file that is covered.
            if !at.exists() {
                fs::File::create(&at).doing(&doing)?;
            }
            mount_bind_recursive(outside(source), &at).doing(doing)
        }
        Content::View(path) => {
            fs::create_dir_all(&at).doing(&doing)?;
            mount_bind_recursive(inside(path), &at).doing(doing)
        }
        Content::Layers { lower, upper, work } => {
            fs::create_dir_all(&at).doing(&doing)?;
            mount_layers(&at, &layer_options(lower, upper, work)).doing(doing)
        }
    }
}

/// Without `volatile`, the end of each child waits until everything that any
/// program has written to that disk is on it, which takes longer than all other
/// mounts together. What a power failure may take are caches.
fn mount_layers(at: &Path, options: &[u8]) -> io::Result<()> {
    let mounted = [&b"volatile,"[..], b""].map(|first| [first, options].concat());
    let mut failure = io::Error::from(io::ErrorKind::Unsupported);
    for options in mounted {
        let options = std::ffi::CString::new(options)?;
        match mount(
            "overlay",
            at,
            "overlay",
            MountFlags::NODEV,
            options.as_c_str(),
        ) {
            Ok(()) => return Ok(()),
            Err(error) => failure = error.into(),
        }
        // Kernels before 5.10 do not know the option.
        if failure.kind() != io::ErrorKind::InvalidInput {
            break;
        }
    }
    Err(failure)
}

/// `:`, `,` and the backslash mean something in these options.
fn layer_options(lower: &[PathBuf], upper: &Path, work: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;

    let escaped = |path: &Path, options: &mut Vec<u8>| {
        for &byte in outside(path).as_os_str().as_bytes() {
            if matches!(byte, b':' | b',' | b'\\') {
                options.push(b'\\');
            }
            options.push(byte);
        }
    };
    let mut options = b"userxattr,lowerdir=".to_vec();
    for (index, path) in lower.iter().enumerate() {
        if index > 0 {
            options.push(b':');
        }
        escaped(path, &mut options);
    }
    for (name, path) in [("upperdir", upper), ("workdir", work)] {
        options.extend_from_slice(format!(",{name}=").as_bytes());
        escaped(path, &mut options);
    }
    options
}

fn make_devices() -> Result<(), SetupError> {
    let doing = "make /dev";
    let folder = make_folder("/dev")?;
    for name in DEVICES {
        let at = folder.join(name);
        fs::File::create(&at).doing(doing)?;
        mount_bind_recursive(format!("{OLD}/dev/{name}"), &at).doing(doing)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        symlink(target, folder.join(name)).doing(doing)?;
    }
    make_folder("/dev/shm")?;
    let terminals = make_folder("/dev/pts")?;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    mount("devpts", terminals, "devpts", flags, options).doing(doing)
}

fn make_folder(path: &str) -> Result<PathBuf, SetupError> {
    let folder = inside(Path::new(path));
    fs::create_dir_all(&folder).doing(format_args!("make {path}"))?;
    Ok(folder)
}

/// Flags that a mount had before cannot be taken away in a namespace, so they
/// have to be given again.
fn make_read_only(at: &Path) -> Result<(), SetupError> {
    let doing = format!("make {} read-only", at.display());
    let now = statvfs(at).doing(&doing)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    for (had, keep) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if now.contains(had) {
            flags |= keep;
        }
    }
    mount_remount(at, flags, c"").doing(doing)
}

fn inside(path: &Path) -> PathBuf {
    below(NEW, path)
}

fn outside(path: &Path) -> PathBuf {
    below(OLD, path)
}

fn below(root: &str, path: &Path) -> PathBuf {
    Path::new(root).join(path.strip_prefix("/").unwrap_or(path))
}
