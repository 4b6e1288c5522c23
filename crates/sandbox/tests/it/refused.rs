//! Refused system calls are reported.

use std::io::{self, Write};

use baton_sandbox::Level;

use crate::program::{Ended, Stage};

/// Runs a Python program that can make system calls, and knows the launcher.
fn python(stage: &Stage, script: &str) -> Ended {
    let number = libc::SYS_keyctl;
    let head = format!(
        "import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
KEYCTL, LAUNCHER = {number}, int(sys.argv[1])
"
    );
    stage.shell(&format!("python3 - $PPID <<'PY'\n{head}{script}\nPY"))
}

/// Whether something around this test listens to system calls already, such as
/// the sandbox of a run: there can be only one.
fn is_listened_to() -> bool {
    let ended = Stage::new().shell("date -s 2001-01-01");
    assert_ne!(ended.code, Some(0));
    ended.report.refused.is_empty()
}

#[test]
fn refused_calls_fail_and_are_named_once() {
    if is_listened_to() {
        // Unlike `eprintln!`, this is not captured by the test harness.
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: another sandbox answers refused calls"
        );
        return;
    }
    for stage in [Stage::new(), Stage::files_only()] {
        let script = "for _ in range(3):
    assert libc.syscall(KEYCTL, 0, 0, 0) == -1 and ctypes.get_errno() == 1
try:
    import socket
    socket.socket(40, socket.SOCK_STREAM)
    raise SystemExit(1)
except PermissionError:
    pass
print('refused')";
        let ended = python(&stage, script);
        assert_eq!(ended.report.refused, ["keyctl", "socket"], "{ended:?}");
        assert_eq!(ended.success(), "refused\n");
        let ended = stage.shell("date -s 2001-01-01");
        assert_eq!(ended.report.refused, ["clock_settime"], "{ended:?}");
    }
}

#[test]
fn many_at_once_are_all_answered() {
    let stage = Stage::new();
    let script = "import threading
def work():
    for _ in range(200):
        libc.syscall(KEYCTL, 0, 0, 0)
threads = [threading.Thread(target=work) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
print('done')";
    assert_eq!(python(&stage, script).success(), "done\n");
}

#[test]
fn taking_hold_of_the_launcher_is_named_and_of_a_child_is_not() {
    let child = "child = os.fork()
if child == 0:
    import time
    time.sleep(60)
print(libc.ptrace(16, child, 0, 0))
os.kill(child, 9)";
    let launcher = "print(libc.ptrace(16, LAUNCHER, 0, 0), libc.ptrace(0x4206, LAUNCHER, 0, 0))";
    for stage in [Stage::new(), Stage::files_only()] {
        let ended = python(&stage, child);
        assert_eq!(ended.report.refused, Vec::<String>::new(), "{ended:?}");
        assert_eq!(ended.success(), "0\n");
        let ended = python(&stage, launcher);
        if !is_listened_to() {
            assert_eq!(ended.report.refused, ["ptrace"], "{ended:?}");
        }
        assert_eq!(ended.success(), "-1 -1\n");
    }
}

#[test]
fn a_strict_sandbox_names_every_attempt_to_debug() {
    let mut stage = Stage::new();
    stage.policy.level = Level::Strict;
    let ended = python(&stage, "print(libc.ptrace(0, 0, 0, 0))");
    if !is_listened_to() {
        assert_eq!(ended.report.refused, ["ptrace"], "{ended:?}");
    }
    assert_eq!(ended.success(), "-1\n");
}

#[test]
fn a_sandbox_in_a_sandbox_works() {
    // Only the outer one can listen; the inner one refuses silently.
    let launcher = env!("CARGO_BIN_EXE_baton-sandbox-launcher");
    let mut stage = Stage::files_only();
    for path in [launcher, "/tmp", "/var/tmp"] {
        stage.policy.show(path, baton_sandbox::Access::Write);
    }
    let inner = Stage::files_only();
    let mut command = stage.command(launcher, &[baton_sandbox::LAUNCH_VERB]);
    command
        .args(inner.policy.to_args())
        .arg("--report")
        .arg(inner.report_path())
        .args([
            "--",
            "sh",
            "/bin/sh",
            "-c",
            "date -s 2001-01-01 || echo refused",
        ]);
    let output = command.output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.ends_with("refused\n"), "{output:?}");
    let report = baton_sandbox::Report::read(&inner.report_path());
    assert_eq!((report.failure, report.refused), (None, Vec::new()));
}

#[test]
fn ports_that_stay_open_are_named() {
    for stage in [Stage::new(), Stage::files_only()] {
        let script = "python3 -c 'import socket, time
server = socket.create_server((\"127.0.0.1\", 0))
open(\"port\", \"w\").write(str(server.getsockname()[1]))
time.sleep(60)' > /dev/null 2>&1 &
while ! [ -s port ]; do sleep 0.05; done; cat port";
        let ended = stage.shell(script);
        let port = ended.stdout.trim().to_owned();
        assert_eq!(
            ended.report.listening,
            [format!("127.0.0.1:{port}")],
            "{ended:?}"
        );
        // A server that has ended is not reported.
        let ended =
            stage.shell("python3 -c 'import socket; socket.create_server((\"127.0.0.1\", 0))'");
        assert_eq!(ended.report.listening, Vec::<String>::new(), "{ended:?}");
    }
}
