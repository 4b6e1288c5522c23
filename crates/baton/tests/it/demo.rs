use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use baton_testkit::Sandbox;

use crate::command::baton;
use crate::processes::{interrupt, is_running, wait_until_running};

/// The sandbox with the toolchain that runs these tests.
pub(crate) fn with_cargo() -> Sandbox {
    let mut sandbox = Sandbox::new();
    show_cargo(&mut sandbox);
    sandbox
}

/// Lets programs in the sandbox find the Rust toolchain of this machine.
pub(crate) fn show_cargo(sandbox: &mut Sandbox) {
    let real = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(sandbox.bin()).chain(std::env::split_paths(&real));
    sandbox.set("PATH", std::env::join_paths(folders).unwrap());
    for name in ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = std::env::var_os(name) {
            sandbox.set(name, value);
        }
    }
    // Without CARGO_HOME, cargo and rustup look below the real home.
    if std::env::var_os("RUSTUP_HOME").is_none()
        && let Some(home) = std::env::var_os("HOME")
    {
        sandbox.set("RUSTUP_HOME", std::path::Path::new(&home).join(".rustup"));
    }
}

#[test]
fn the_demo_ends_with_a_merged_pull_request_and_leaves_nothing_behind() {
    let sandbox = with_cargo();
    let answer = baton(&sandbox).run(&["demo"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    for part in [
        "critical src/members.rs:14 SQL statement built from untrusted input",
        "1 fix, ready for another review",
        "approved",
        "merged (squash)",
        "Merged, and the issue is closed.",
        "baton demo --agent claude",
    ] {
        assert!(answer.stderr.contains(part), "{part}: {answer}");
    }
    assert!(answer.stdout.starts_with("<workflow-complete>"), "{answer}");
    let checked = baton(&sandbox)
        .reading(answer.stdout.as_bytes())
        .run(&["handoff", "check", "-"]);
    assert_eq!(checked.code, Some(0), "{checked}");
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
}

#[test]
fn the_demo_wants_a_folder_of_its_own() {
    let sandbox = with_cargo();
    sandbox.write("work/here/file", "");
    insta::assert_snapshot!(baton(&sandbox).run(&["demo", "--dir", "here"]), @"
    exit 2
    -- stderr
    error: here is not empty
    hint: Name a folder that is empty or not there yet.
    ");
}

#[test]
fn the_demo_says_what_it_lacks() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["demo"]), @"
    exit 3
    -- stderr
    error: the demo's sample is a Rust project in git, and there is no cargo here
    hint: Install cargo, or add its folder to PATH.
    ");
}

/// Ctrl-C while a child runs: the child goes, the folder goes, 130 is answered.
#[test]
fn an_interrupt_ends_the_children() {
    let sandbox = Sandbox::new();
    let mark = format!("86396.{}", std::process::id());
    sandbox.fake("cargo", &format!("exec sleep {mark}"));
    let mut command = baton(&sandbox).command(&["demo"]);
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    wait_until_running(&mark);
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(130),
        "signal {:?}",
        output.status.signal()
    );
    assert!(!is_running(&mark), "the child is still there");
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
}
