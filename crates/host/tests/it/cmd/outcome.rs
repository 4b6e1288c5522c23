//! How children start, fail and end.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use baton_host::Cmd;
use baton_host::cmd::{CmdError, Outcome, ShellVerdict};
use baton_testkit::Sandbox;
use tokio_util::sync::CancellationToken;

use super::{environment, run, shell};

#[tokio::test]
async fn a_child_that_fails_is_data() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(&sandbox, "echo out; echo err >&2; exit 3")).await;
    assert_eq!(finished.outcome, Outcome::Exited(3));
    assert!(!finished.success());
    assert!(!finished.leaked);
    assert_eq!(finished.stdout.text(), "out\n");
    assert_eq!(finished.stderr.text(), "err\n");
}

#[tokio::test]
async fn a_child_that_is_killed_is_data() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(&sandbox, "kill -9 $$")).await;
    assert_eq!(finished.outcome, Outcome::Signalled(9));
}

#[tokio::test]
async fn a_shell_says_by_its_code_that_a_command_is_missing() {
    let sandbox = Sandbox::new();
    let verdict = async |command| run(&shell(&sandbox, command)).await.outcome.shell_verdict();
    sandbox.write("plain.txt", "no program");
    assert_eq!(
        verdict("no-such-command").await,
        Some(ShellVerdict::NotFound)
    );
    assert_eq!(
        verdict("./plain.txt").await,
        Some(ShellVerdict::NotExecutable)
    );
    assert_eq!(
        verdict("sh -c 'kill -9 $$'; exit $?").await,
        Some(ShellVerdict::Signalled(9))
    );
    assert_eq!(verdict("exit 1").await, None);
}

async fn error_of(sandbox: &Sandbox, cmd: Cmd) -> (CmdError, String) {
    let error = cmd.run(&CancellationToken::new()).await.unwrap_err();
    let root = sandbox.root();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    let text = text.replace(root.to_str().unwrap(), "[root]");
    (error, text)
}

#[tokio::test]
async fn a_missing_program_says_where_it_was_searched() {
    let sandbox = Sandbox::new();
    let cmd = Cmd::new("no-such-program", sandbox.root(), &environment(&sandbox));
    let (error, text) = error_of(&sandbox, cmd).await;
    assert!(matches!(error, CmdError::NotFound { .. }));
    insta::assert_snapshot!(text, @"cannot find the program `no-such-program`: install it or add its folder to PATH (searched [root]/bin)");
}

#[tokio::test]
async fn without_a_path_nothing_is_found_by_name() {
    let sandbox = Sandbox::new();
    let cmd = Cmd::new("git", sandbox.root(), &environment(&sandbox)).env_remove("PATH");
    let (_, text) = error_of(&sandbox, cmd).await;
    insta::assert_snapshot!(text, @"cannot find the program `git`: PATH is not set");
}

#[tokio::test]
async fn a_program_of_the_working_folder_is_not_taken_for_one_of_the_path() {
    let sandbox = Sandbox::new();
    let tool = sandbox.write("git", "#!/bin/sh\necho hijacked\n");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let cmd = Cmd::new("git", sandbox.root(), &environment(&sandbox)).env("PATH", ":.");
    let (error, _) = error_of(&sandbox, cmd).await;
    assert!(matches!(error, CmdError::NotFound { .. }));
}

#[tokio::test]
async fn a_file_that_is_no_program_is_not_permitted() {
    let sandbox = Sandbox::new();
    sandbox.write("bin/notes", "plain text");
    let cmd = Cmd::new("notes", sandbox.root(), &environment(&sandbox));
    let (error, text) = error_of(&sandbox, cmd).await;
    assert!(matches!(error, CmdError::NotPermitted { .. }));
    insta::assert_snapshot!(text, @"not permitted to run `notes` ([root]/bin/notes): make the file executable, or check the permissions of its folders");
}

#[tokio::test]
async fn a_missing_folder_is_not_a_missing_program() {
    let sandbox = Sandbox::new();
    let cmd = Cmd::new("true", sandbox.path("nowhere"), &environment(&sandbox));
    let (error, text) = error_of(&sandbox, cmd).await;
    assert!(matches!(error, CmdError::WorkingDirectory { .. }));
    insta::assert_snapshot!(text, @"cannot run `true` in [root]/nowhere: the working directory is missing or not a folder that can be entered: No such file or directory (os error 2)");
}

#[tokio::test]
async fn a_missing_interpreter_is_named() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("bin/tool", "#!/no/such/interpreter\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let cmd = Cmd::new("tool", sandbox.root(), &environment(&sandbox));
    let (error, text) = error_of(&sandbox, cmd).await;
    assert!(matches!(error, CmdError::NotFound { .. }));
    insta::assert_snapshot!(text, @"cannot find the program `tool`: the interpreter or loader that [root]/bin/tool asks for does not exist; check its first line");
}

#[tokio::test]
async fn a_relative_program_belongs_to_the_working_folder() {
    let sandbox = Sandbox::new();
    sandbox.fake("tool", "echo ran as $0 in $PWD");
    let cmd = Cmd::new("../bin/tool", sandbox.home(), &environment(&sandbox));
    let finished = run(&cmd).await;
    assert_eq!(finished.outcome, Outcome::Exited(0));
    assert!(finished.stdout.text().ends_with("/home\n"));
}

#[tokio::test]
async fn a_child_has_exactly_the_environment_it_was_given() {
    let sandbox = Sandbox::new();
    let base = [("KEPT", "1"), ("REMOVED", "2"), ("REPLACED", "3")]
        .into_iter()
        .collect();
    let cmd = Cmd::new("/usr/bin/env", sandbox.root(), &base)
        .env_remove("REMOVED")
        .env("REPLACED", "new\nline")
        .env("ADDED", "");
    let text = run(&cmd).await.stdout.text();
    let (marker, rest): (Vec<_>, Vec<_>) = text
        .lines()
        .partition(|line| line.starts_with("BATON_CHILD="));
    assert_eq!(marker.len(), 1);
    assert_eq!(rest, ["ADDED=", "KEPT=1", "REPLACED=new", "line"]);
}

#[tokio::test]
async fn a_nested_run_keeps_the_outer_marker() {
    let sandbox = Sandbox::new();
    let cmd = shell(&sandbox, "echo $BATON_CHILD").env("BATON_CHILD", "outer");
    assert!(run(&cmd).await.stdout.text().starts_with("outer,"));
}

#[tokio::test]
async fn standard_input_is_empty_unless_given() {
    let sandbox = Sandbox::new();
    let cat = Cmd::new("cat", sandbox.root(), &environment(&sandbox));
    assert_eq!(run(&cat).await.stdout.total_bytes(), 0);

    let bytes = vec![b'x'; 3_000_000];
    let finished = run(&cat.stdin(bytes)).await;
    assert_eq!(finished.stdout.total_bytes(), 3_000_000);
}

#[tokio::test]
async fn a_child_need_not_read_its_input() {
    let sandbox = Sandbox::new();
    let cmd = Cmd::new("true", sandbox.root(), &environment(&sandbox));
    let finished = run(&cmd.stdin(vec![b'x'; 3_000_000])).await;
    assert_eq!(finished.outcome, Outcome::Exited(0));
}

#[tokio::test]
async fn a_run_can_move_to_another_thread() {
    let sandbox = Sandbox::new();
    let cmd = shell(&sandbox, "exit 4");
    let task = tokio::spawn(async move { cmd.run(&CancellationToken::new()).await });
    assert_eq!(task.await.unwrap().unwrap().outcome, Outcome::Exited(4));
}
