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
    insta::assert_snapshot!(answer, @"");
}

#[test]
fn a_bad_reference_is_told_what_to_write() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "acme/ledger"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "7", "--json"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "manage-stacked-prs", "acme/ledger#7", "--", "-8"]), @"");
}
