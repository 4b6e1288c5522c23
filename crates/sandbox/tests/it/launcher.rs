//! The small launcher is used only where it belongs to the program beside it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use baton_sandbox::{FINGERPRINT, LAUNCH_VERB, LAUNCHER, choose_launcher};
use tempfile::TempDir;

use crate::program::Stage;

/// A folder with a program that contains the launcher.
struct Installed {
    folder: TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let installed = Self { folder };
        copy_launcher(&installed.path("baton"));
        installed
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// The name of the program that is chosen.
    fn chosen(&self) -> String {
        let chosen = choose_launcher(&self.path("baton"));
        chosen.file_name().unwrap().to_str().unwrap().to_owned()
    }

    fn add(&self) {
        copy_launcher(&self.path(LAUNCHER));
    }

    /// A script in the launcher's place.
    fn add_script(&self, script: &str) {
        let path = self.path(LAUNCHER);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
}

/// By another process: a file that this one has open for writing, if only in a
/// child of another thread, cannot be executed.
fn copy_launcher(to: &Path) {
    let copied = Command::new("install")
        .args(["-m", "755", env!("CARGO_BIN_EXE_baton-sandbox-launcher")])
        .arg(to)
        .status();
    assert!(copied.unwrap().success());
}

#[test]
fn the_launcher_beside_a_program_is_used_if_it_is_of_the_same_version() {
    let installed = Installed::new();
    assert_eq!(installed.chosen(), "baton");
    installed.add();
    assert_eq!(installed.chosen(), LAUNCHER);
    installed.add_script("printf 0123456789abcdef");
    assert_eq!(installed.chosen(), "baton");
    // A program that succeeds at everything is no launcher.
    installed.add_script("exit 0");
    assert_eq!(installed.chosen(), "baton");
    installed.add_script(&format!("printf {FINGERPRINT}; exit 1"));
    assert_eq!(installed.chosen(), "baton");
    fs::set_permissions(installed.path(LAUNCHER), Permissions::from_mode(0o644)).unwrap();
    assert_eq!(installed.chosen(), "baton");
}

#[test]
fn a_launcher_that_others_could_have_put_there_is_not_used() {
    let installed = Installed::new();
    installed.add();
    let path = installed.path(LAUNCHER);
    for mode in [0o775, 0o757] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(installed.chosen(), "baton", "{mode:o}");
    }
    // Where the program itself can be changed by the group, the launcher may be, too.
    fs::set_permissions(&path, Permissions::from_mode(0o775)).unwrap();
    fs::set_permissions(installed.path("baton"), Permissions::from_mode(0o775)).unwrap();
    assert_eq!(installed.chosen(), LAUNCHER);
    fs::rename(&path, installed.path("elsewhere")).unwrap();
    symlink(installed.path("elsewhere"), &path).unwrap();
    assert_eq!(installed.chosen(), "baton");
}

#[test]
fn a_launcher_refuses_the_words_of_another_version() {
    let stage = Stage::new();
    let report = stage.report_path();
    let mut args = stage.policy.to_args();
    args[1] = "0123456789abcdef".into();
    fs::write(&report, "").unwrap();
    let marker = stage.path("tree/started");
    let status = Command::new(env!("CARGO_BIN_EXE_baton-sandbox-launcher"))
        .arg(LAUNCH_VERB)
        .args(args)
        .arg("--report")
        .arg(&report)
        .args(["--", "touch", "/usr/bin/touch"])
        .arg(&marker)
        .current_dir(stage.path("tree"))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(baton_sandbox::NOT_STARTED.into()));
    assert!(!marker.exists());
    assert!(baton_sandbox::Report::is_empty(&report));
}
