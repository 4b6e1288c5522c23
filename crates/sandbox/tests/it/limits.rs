//! What a restricted program cannot use up or change.

use baton_sandbox::{Level, Support};

use crate::program::Stage;

#[test]
fn a_fork_bomb_stays_small() {
    let mut stage = Stage::new();
    stage.policy.limits.processes = 400;
    // Each of them stays for as long as the others are made.
    let script = "i=0; while [ $i -lt 2000 ]; do sleep 5 & i=$((i+1)); done; echo never";
    let ended = stage.shell(script);
    assert!(!ended.stdout.contains("never"), "{:?}", ended.stdout);
    assert!(ended.stderr.contains("fork"), "{}", ended.stderr);
    assert!(ended.report.left_behind.len() < 400);
}

#[test]
fn a_file_has_a_largest_size() {
    let mut stage = Stage::new();
    stage.policy.limits.file_size = 1 << 20;
    let ended = stage.shell("head -c 3000000 /dev/zero > large");
    assert_ne!(ended.code, Some(0));
    let size = std::fs::metadata(stage.path("tree/large")).unwrap().len();
    assert_eq!(size, 1 << 20);
}

#[test]
fn the_clock_and_the_machine_are_out_of_reach() {
    let stage = Stage::new();
    for script in [
        "date -s '2001-01-01'",
        "hostname evil",
        "mount -t tmpfs none /tmp",
        "unshare -m true",
        "mknod x c 1 1",
        "chroot /usr /bin/true",
        "nsenter -t 1 -m true",
        "dmesg",
        "chown 1:1 .",
    ] {
        let ended = stage.shell(script);
        assert_ne!(ended.code, Some(0), "{script}: {ended:?}");
    }
}

#[test]
fn strict_forbids_debugging_and_standard_does_not() {
    let script =
        "python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0))'";
    let mut stage = Stage::new();
    assert_eq!(stage.shell(script).success(), "0\n");
    stage.policy.level = Level::Strict;
    assert_eq!(stage.shell(script).success(), "-1\n");
}

#[test]
fn support_is_found_by_trying() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let launcher = std::path::Path::new(env!("CARGO_BIN_EXE_baton-sandbox-launcher"));
    let support = Support::detect(launcher, folder.path()).unwrap();
    assert_eq!(support.missing, [], "this machine offers everything");
    assert!(support.layers);
    let nothing = Support::detect(std::path::Path::new("/bin/false"), folder.path()).unwrap();
    assert_eq!(nothing.isolation, None);
    assert_eq!(nothing.missing.len(), 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
