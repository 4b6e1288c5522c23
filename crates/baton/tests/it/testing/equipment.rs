//! What the frameworks need of the machine.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use baton_testkit::Sandbox;

/// Where peers are required (`BATON_REQUIRE_PEERS=1`, as in CI), a missing one
/// is a failure; elsewhere it is a loud line.
pub(crate) fn is_there(equipped: Result<(), String>) -> bool {
    let Err(missing) = equipped else {
        return true;
    };
    baton_testkit::missing(&missing);
    false
}

/// A path below the folder of the peers.
pub(crate) fn peer(path: &str) -> Result<PathBuf, String> {
    env::var_os("BATON_PEERS_DIR")
        .map(|folder| Path::new(&folder).join(path))
        .filter(|path| path.exists())
        .ok_or_else(|| path.to_owned())
}

/// The system's own programs.
pub(crate) fn tools(sandbox: &mut Sandbox, names: &[&str]) -> Result<(), String> {
    match names.iter().find(|name| !sandbox.link_tool(name)) {
        Some(name) => Err((*name).to_owned()),
        None => Ok(()),
    }
}

/// Takes a program off the sandbox's `PATH`.
pub(crate) fn without(sandbox: &Sandbox, name: &str) {
    fs::remove_file(sandbox.bin().join(name)).unwrap();
}

/// Node with npm, and the packages in the project's folder. They are linked one
/// by one, because tools write caches into `node_modules` itself.
pub(crate) fn node(sandbox: &mut Sandbox) -> Result<(), String> {
    tools(sandbox, &["node", "npm"])?;
    let packages = peer("node/node_modules")?;
    let folder = sandbox.folder("project/node_modules");
    for entry in fs::read_dir(packages).unwrap() {
        let path = entry.unwrap().path();
        symlink(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    sandbox.set("npm_config_offline", "true");
    sandbox.set("npm_config_update_notifier", "false");
    Ok(())
}

/// A folder that stays from one run of the tests to the next, for caches that
/// are slow to fill.
pub(crate) fn lasting_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}
