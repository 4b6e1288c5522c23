//! Commands that a tool printed, run as they are by the real `gh`.

use std::ffi::OsString;
use std::path::Path;

use baton_testkit::Gh;
use baton_testkit::world::World;

/// Runs a command in a POSIX shell as a user of the forge and gives what it
/// printed. `None`, after a loud line, where `gh` is not installed.
#[track_caller]
pub(crate) fn run_in(world: &World, folder: &Path, login: &str, command: &str) -> Option<String> {
    let gh = Gh::new(&world.sandbox, world.address().port(), world.token(login))?;
    // What a browser would be shown is printed.
    let mut words = vec![OsString::from("GH_BROWSER=printf %s")];
    for (name, value) in gh.environment() {
        let mut variable = name.clone();
        variable.push("=");
        variable.push(value);
        words.push(variable);
    }
    words.extend(["sh", "-c", command].map(OsString::from));
    let output = world.sandbox.run(folder, "env", &words);
    assert!(
        output.status.success(),
        "{command}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Outside of any checkout, as `octo`.
#[track_caller]
pub(crate) fn run(world: &World, command: &str) -> Option<String> {
    run_in(world, &world.sandbox.home(), "octo", command)
}
