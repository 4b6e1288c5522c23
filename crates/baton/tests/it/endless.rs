//! Files that are made to keep `baton review` and `baton report` busy. A deadline here only
//! catches what never ends.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::Sandbox;

use crate::command::baton;
use crate::processes;

const DEADLINE: Duration = Duration::from_mins(3);

/// The exit code, once it has ended.
fn wait(mut child: Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < DEADLINE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("it never ended");
}

#[test]
fn long_chains_and_deep_nests_are_reviewed_or_named() {
    let sandbox = Sandbox::new();
    let folder = sandbox.folder("work");
    let chain = format!(
        "package p\n\nfunc f() {{\n\tx := a{}\n}}\n",
        ".\nb".repeat(20_000)
    );
    std::fs::write(folder.join("chain.go"), chain).unwrap();
    let nest = format!(
        "{}{}",
        "function f() {\n".repeat(3_000),
        "}\n".repeat(3_000)
    );
    std::fs::write(folder.join("nest.js"), nest).unwrap();
    let pairs = format!(
        "package p\n\nfunc f() {{\n{}{}}}\n",
        "\ta, b := func() (int, int) {\n".repeat(60),
        "\t}()\n".repeat(60)
    );
    std::fs::write(folder.join("pairs.go"), pairs).unwrap();
    let answer = baton(&sandbox).run(&["review", "--json", "."]);
    assert!(matches!(answer.code, Some(0 | 1)), "{answer}");
    for name in ["chain.go", "nest.js"] {
        assert!(
            answer.stdout.contains(&format!("{name} is too involved")),
            "{answer}"
        );
    }
    let sarif = baton(&sandbox).run(&["review", "--sarif", "chain.go"]);
    assert!(
        sarif.stdout.contains("toolExecutionNotifications"),
        "{sarif}"
    );
    assert!(sarif.stdout.contains("chain.go is too involved"), "{sarif}");
}

#[test]
fn what_is_no_file_is_named() {
    let sandbox = Sandbox::new();
    let folder = sandbox.folder("work");
    std::fs::write(folder.join("a.py"), "x = 1\n").unwrap();
    let made = Command::new("mkfifo").arg(folder.join("pipe.py")).status();
    assert!(made.unwrap().success());
    let answer = baton(&sandbox).run(&["review", "a.py", "pipe.py"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(
        answer.stdout.contains("pipe.py is no regular file"),
        "{answer}"
    );
}

#[test]
fn reports_are_read_from_files_and_pipes_only() {
    let sandbox = Sandbox::new();
    for (name, told) in [("/dev/zero", "is a device"), (".", "is a folder")] {
        let answer = baton(&sandbox).run(&["report", name]);
        assert_eq!(answer.code, Some(2), "{answer}");
        assert!(answer.stderr.contains(told), "{answer}");
    }
    let log = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let answer = baton(&sandbox).reading(log).run(&["report", "-"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("1 passed"), "{answer}");
}

#[test]
fn a_report_that_waits_for_its_pipe_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let mut child = baton(&sandbox).command(&["report", "-"]).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // It reads, and so has installed its handlers, once the pipe has taken more than it holds.
    pipe.write_all(&vec![b'\n'; 1 << 18]).unwrap();
    processes::interrupt(child.id());
    assert_eq!(wait(child), Some(130));
    drop(pipe);
}

#[test]
fn a_signal_ends_a_review_whose_answer_is_not_read() {
    let sandbox = Sandbox::new();
    let folder = sandbox.folder("work");
    // The answer is longer than a pipe, so that the process waits for its reader.
    let code = "def f(request):\n    eval(request.args['a'])\n".repeat(2_000);
    std::fs::write(folder.join("a.py"), code).unwrap();
    let mut child = baton(&sandbox)
        .command(&["review", "--json", "a.py"])
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // The work is done when the first byte is there.
    stdout.read_exact(&mut [0]).unwrap();
    processes::interrupt(child.id());
    assert_eq!(wait(child), Some(130));
}
