use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn a_number_is_enough_inside_a_checkout() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.git(&["remote", "add", "origin", "git@github.com:acme/ledger.git"]);
    let answer =
        baton(&sandbox)
            .within(repo.path())
            .run(&["pr", "check-merge-readiness", "7", "--json"]);
    insta::assert_snapshot!(answer, @"
    exit 2
    -- stderr
    error: unrecognized subcommand 'check-merge-readiness'

      tip: a similar subcommand exists: 'detect-merge-conflicts'

    Usage: baton pr [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn a_bad_reference_is_told_what_to_write() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "acme/ledger"]), @"
    exit 2
    -- stderr
    error: 'acme/ledger' names no pull request, only a repository; add its number, as in 'acme/ledger#12'
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "7", "--json"]), @r#"
    exit 2
    -- stdout
    {
      "error": "'7' is a number without a repository; run inside a checkout, or write 'owner/repo#7'",
      "category": "user"
    }
    -- stderr
    error: '7' is a number without a repository; run inside a checkout, or write 'owner/repo#7'
    "#);
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "manage-stacked-prs", "acme/ledger#7", "--", "-8"]), @"
    exit 2
    -- stderr
    error: unrecognized subcommand 'manage-stacked-prs'

    Usage: baton pr [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}
