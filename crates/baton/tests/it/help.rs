use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn the_first_thing_a_newcomer_sees() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["-h"]), @"");
}

#[test]
fn the_version_is_one_line() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).run(&["--version"]);
    assert_eq!(answer.code, Some(0));
    assert_eq!(
        answer.stdout,
        format!("baton {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_use_is_told_and_answered_with_two() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["dmeo"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["schema", "--as", "cobol"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "--jsno"]), @"");
    assert_eq!(baton(&sandbox).run(&[]).code, Some(2));
}

#[test]
fn completions_are_made_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = baton(&sandbox).run(&["completions", shell]);
        assert_eq!(answer.code, Some(0), "{shell}");
        assert!(
            answer.stdout.contains("find-unresolved-comments"),
            "{shell}"
        );
    }
}

#[test]
fn a_closed_output_is_no_error() {
    let sandbox = Sandbox::new();
    let mut child = baton(&sandbox)
        .command(&["schema", "manage_stacked_prs.output"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
