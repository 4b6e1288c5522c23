//! No one else on the machine can read the forge's data, wherever it lies.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use baton_forge::{App, Settings, StartError};
use baton_testkit::Sandbox;

use crate::checks::ended_run;
use crate::world::World;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Whether another user can. Only root can ask as someone else; for others
/// the rights of the folder have to do.
#[expect(
    clippy::disallowed_methods,
    reason = "a process of another user is what this is about"
)]
fn is_readable_for_others(path: &Path) -> bool {
    let mut cat = Command::new("/bin/cat");
    cat.arg(path).uid(65534).gid(65534);
    cat.stdout(Stdio::null()).stderr(Stdio::null());
    cat.status().is_ok_and(|status| status.success())
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}

#[test]
fn the_data_folder_and_all_below_is_closed_to_others() {
    let world = World::start();
    let data = world.sandbox.path("forge");
    // The sandbox is closed, too, and must not be what keeps others out.
    for folder in data.ancestors().skip(1).take(2) {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    let command = Some("echo secret".to_owned());
    world
        .run(world.app().set_check_command("octo", "demo", command))
        .unwrap();
    world.checkout();
    ended_run(&world.client("octo"));
    assert_eq!(mode(&data), 0o700);
    for name in ["forge.sqlite3", "forge.sqlite3-wal", "serving.lock"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    let files = files_below(&data);
    let is_there = |part: &str| {
        files
            .iter()
            .any(|path| path.to_string_lossy().contains(part))
    };
    assert!(is_there("/logs/") && is_there("/objects/"), "{files:?}");
    for file in files {
        assert!(!is_readable_for_others(&file), "{}", file.display());
    }
}

#[test]
fn a_folder_of_an_earlier_forge_is_closed_when_it_starts() {
    let world = World::start();
    let data = world.sandbox.path("forge");
    for (path, mode) in [(data.clone(), 0o755), (data.join("forge.sqlite3"), 0o644)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let world = world.restart();
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("forge.sqlite3")), 0o600);
    world.client("octo").get("/user").expect(200);
}

/// `--data /tmp` must not lock everybody else out of it.
#[test]
fn a_folder_with_other_things_in_it_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    let folder = sandbox.folder("shared");
    fs::write(folder.join("notes.txt"), "").unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let environment: Vec<_> = sandbox.environment().clone().into_iter().collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let open = || {
        let settings = Settings::new(&folder, environment.clone().into_iter().collect());
        runtime.block_on(App::open(settings))
    };
    let Err(StartError::Folder { source, .. }) = open() else {
        panic!("the folder is not the forge's");
    };
    insta::assert_snapshot!(source, @"others can open it (mode 755), and it holds things that are not the forge's");
    assert_eq!(mode(&folder), 0o755);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // One that is closed already may hold what it likes.
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    assert!(open().is_ok());
}
