//! How each kind of peer gets into its folder. The package managers are taken
//! as the machine has them, with whatever registries they are set up for.

use std::fs;
use std::path::Path;

use super::folder::Peer;
use crate::failure::Failure;
use crate::program::Program;

/// `peer.pin` is a `package.json`.
pub(super) fn npm_package(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    write(&folder.join("package.json"), peer.pin)?;
    Program::new("npm")
        .args([
            "install",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
        ])
        .args(["--loglevel", "error"])
        .current_dir(folder)
        .run_quietly()
        .map(drop)
}

/// The packages of a lock file, which belongs to `package`.
pub(super) fn npm_lock(lock: &str, package: &str, folder: &Path) -> Result<(), Failure> {
    write(&folder.join("package.json"), package)?;
    write(&folder.join("package-lock.json"), lock)?;
    Program::new("npm")
        // `npm ci` would refuse a lock that does not know the optional packages
        // of every platform; this one keeps to the lock all the same.
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(["--loglevel", "error"])
        .current_dir(folder)
        .run_quietly()
        .map(drop)
}

/// `peer.pin` is a `requirements.txt`.
pub(super) fn python_environment(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    Program::new("python3")
        .args(["-m", "venv"])
        .args([folder])
        .run_quietly()
        .map_err(|failure| {
            failure.next("on Debian and Ubuntu, venv is the package python3-venv")
        })?;
    let requirements = folder.join("requirements.txt");
    write(&requirements, peer.pin)?;
    Program::new(folder.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .args([requirements])
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .run_quietly()?;
    let home = folder.with_file_name(peer.name);
    point_scripts(&folder.join("bin"), folder, &home)
}

/// pip writes the interpreter's path into the first line of each script, and
/// the folder is renamed afterwards.
fn point_scripts(scripts: &Path, from: &Path, to: &Path) -> Result<(), Failure> {
    let old = format!("#!{}/", from.display());
    let new = format!("#!{}/", to.display());
    let doing = || format!("point the scripts in {} to {new}", scripts.display());
    for entry in fs::read_dir(scripts).map_err(Failure::could_not(doing()))? {
        let path = entry.map_err(Failure::could_not(doing()))?.path();
        // Programs are no text, and folders are neither.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if let Some(rest) = text.strip_prefix(&old) {
            write(&path, &format!("{new}{rest}"))?;
        }
    }
    Ok(())
}

/// `peer.pin` is a version; the tool is built here, which takes a minute.
pub(super) fn cargo_tool(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    let build = folder.with_extension("build");
    // Without optimisation and debug info, cargo-deny builds in a third of the
    // time, and both tools run for seconds at most.
    Program::cargo([
        "install",
        "--locked",
        "--debug",
        "--version",
        peer.pin,
        peer.name,
        "--root",
    ])
    .args([folder, Path::new("--target-dir"), &build])
    .env("CARGO_PROFILE_DEV_DEBUG", "0")
    .env("CARGO_INCREMENTAL", "0")
    .current_dir(folder)
    .run_quietly()?;
    // Kept until now so that an interrupted build goes on where it was.
    fs::remove_dir_all(&build).map_err(Failure::could_not(format_args!(
        "remove {}",
        build.display()
    )))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(Failure::could_not(format_args!("write {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_follow_their_interpreter() {
        let scripts = tempfile::tempdir().unwrap();
        let file = |name: &str| scripts.path().join(name);
        fs::write(file("tool"), "#!/p/.x.partial/bin/python3\nimport x\n").unwrap();
        fs::write(file("other"), "#!/bin/sh\n").unwrap();
        fs::write(file("program"), b"\x7fELF\xff").unwrap();
        point_scripts(
            scripts.path(),
            Path::new("/p/.x.partial"),
            Path::new("/p/x"),
        )
        .unwrap();
        let read = |name: &str| fs::read(file(name)).unwrap();
        assert_eq!(read("tool"), b"#!/p/x/bin/python3\nimport x\n");
        assert_eq!(read("other"), b"#!/bin/sh\n");
        assert_eq!(read("program"), b"\x7fELF\xff");
    }
}
