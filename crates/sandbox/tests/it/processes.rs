//! Which processes a restricted program sees, and how its own end.

use std::time::{Duration, Instant};

use crate::program::{Stage, is_running};

#[test]
fn its_end_is_passed_on() {
    for stage in [Stage::new(), Stage::files_only()] {
        assert_eq!(stage.shell("exit 7").code, Some(7));
        let ended = stage.shell("kill -9 $$");
        assert_eq!((ended.code, ended.signal), (None, Some(9)), "{ended:?}");
        let ended = stage.shell("kill -TERM $$");
        assert_eq!((ended.code, ended.signal), (None, Some(15)), "{ended:?}");
    }
}

#[test]
fn daemons_end_with_it_and_are_named() {
    for stage in [Stage::new(), Stage::files_only()] {
        let mark = format!("31415{}", std::process::id());
        let script = format!(
            "setsid sleep {mark} & (setsid sh -c 'sleep {mark} & sleep {mark}' &) ; sh -c 'sleep {mark} &' ; sleep 0.2; echo done"
        );
        let mut command = stage.command("/bin/sh", &["-c", &script]);
        // A daemon that keeps the pipe open would make this test wait for it.
        command.stdout(std::process::Stdio::null());
        let status = command.status().unwrap();
        assert!(status.success());
        let report = baton_sandbox::Report::read(&stage.report_path());
        assert!(report.left_behind.len() >= 3, "{report:?}");
        assert!(report.left_behind.iter().any(|name| name == "sleep"));
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_running(&mark) {
            assert!(Instant::now() < deadline, "a daemon is still there");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn other_processes_are_out_of_sight() {
    let mut stage = Stage::new();
    stage
        .environment
        .push(("INNER".to_owned(), "visible".to_owned()));
    let script = "ls /proc | grep -c '^[0-9]' ; grep -q INNER /proc/self/environ && echo own; cat /proc/$PPID/environ || echo hidden";
    let output = stage.shell(script).success();
    let mut lines = output.lines();
    let count: u32 = lines.next().unwrap().parse().unwrap();
    assert!(count <= 5, "{output}");
    assert_eq!(lines.next(), Some("own"));
    assert_eq!(lines.next(), Some("hidden"), "{output}");
}

#[test]
fn its_parent_cannot_be_ended_or_traced() {
    let stage = Stage::new();
    let script =
        "kill -9 $PPID; kill -TERM $PPID; sleep 0.1; echo alive; cat /proc/$PPID/mem || echo no";
    let ended = stage.shell(script);
    assert_eq!(ended.report.signals, ["SIGTERM"]);
    assert_eq!(ended.success(), "alive\nno\n");
}

#[test]
fn it_ends_when_its_launcher_is_killed() {
    let stage = Stage::new();
    let mark = format!("27182{}", std::process::id());
    let script = format!("echo > ready; exec sleep {mark}");
    let mut child = stage.command("/bin/sh", &["-c", &script]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !stage.path("tree/ready").exists() {
        assert!(Instant::now() < deadline, "it never started");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    while is_running(&mark) {
        assert!(Instant::now() < deadline, "it is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_polite_signal_to_the_group_reaches_it() {
    use std::os::unix::process::CommandExt as _;

    let stage = Stage::new();
    let script =
        "trap 'echo tidied > tidied; exit 3' TERM; echo > ready; while :; do sleep 0.05; done";
    let mut command = stage.command("/bin/sh", &["-c", script]);
    let mut child = command.process_group(0).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !stage.path("tree/ready").exists() {
        assert!(Instant::now() < deadline, "it never started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let group = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process_group(group, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(stage.path("tree/tidied").exists());
}
