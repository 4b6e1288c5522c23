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

#[test]
fn errors_name_flags_where_agents_are_told_of_fields() {
    let mut sandbox = Sandbox::new();
    sandbox.set("GITHUB_TOKEN", "ghp_unused");
    let told = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["pr"].iter().chain(arguments).copied().collect();
        baton(&sandbox).run(&arguments)
    };
    insta::assert_snapshot!(told(&["list-pull-requests", "--limit", "0"]), @"
    exit 2
    -- stderr
    error: --limit must be an integer between 1 and 100, found the number 0
    ");
    let review = [
        "submit-review",
        "acme/ledger#1",
        "--verdict",
        "comment",
        "--comments",
        "here: no",
    ];
    insta::assert_snapshot!(told(&review), @r#"
    exit 2
    -- stderr
    error: --comments, 1st value: must be 'path:line: text', found "here: no"
    "#);
    insta::assert_snapshot!(told(&["get-job-log", "twelve"]), @"
    exit 2
    -- stderr
    error: `JOB` must be the id of a job, or its URL
    hint: Take the URL of a failed check: it ends with /actions/runs/NUMBER/job/NUMBER.
    ");
    insta::assert_snapshot!(told(&["restack", "acme/ledger#1", "acme/ledger#1"]), @"
    exit 2
    -- stderr
    error: acme/ledger#1 cannot stand on itself
    hint: Name the lower pull request as BASE_PR and the upper one as DEPENDENT_PR.
    ");
}
