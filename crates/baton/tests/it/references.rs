use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn a_bad_reference_is_told_what_to_write() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "acme/ledger"]), @"
    exit 2
    -- stderr
    error: 'acme/ledger' names no pull request, only a repository; add its number, as in 'acme/ledger#12'
    hint: A commit is named by 'owner/repo@' and its full id.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "get-failing-tests", "7", "--json"]), @r#"
    exit 2
    -- stdout
    {
      "error": "'7' is a number without a repository; run inside a checkout, or write 'owner/repo#7'",
      "category": "user",
      "suggestion": "A commit is named by 'owner/repo@' and its full id."
    }
    -- stderr
    error: '7' is a number without a repository; run inside a checkout, or write 'owner/repo#7'
    hint: A commit is named by 'owner/repo@' and its full id.
    "#);
    insta::assert_snapshot!(baton(&sandbox).run(&["pr", "manage-stacked-prs", "acme/ledger#7", "--", "-8"]), @"
    exit 2
    -- stderr
    error: '-8' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL
    ");
}
