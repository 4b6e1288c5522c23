use baton_testkit::Sandbox;

use crate::command::baton;

const FIXED: &str = "<handoff>
  <from>fixer-agent</from>
  <to>reviewer-agent</to>
  <timestamp>2026-03-01T08:00:00Z</timestamp>
  <pr_url>https://github.com/acme/ledger/pull/7</pr_url>
  <pr_number>7</pr_number>
  <issue_number>3</issue_number>
  <status>ready-for-re-review</status>
  <fixes_applied>
    <fix location=\"src/book.rs:12\">Closed the file</fix>
  </fixes_applied>
  <commits_added>1</commits_added>
</handoff>
";

#[test]
fn a_valid_handoff_is_told_in_a_line() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).reading(FIXED).run(&["handoff", "check"]);
    insta::assert_snapshot!(answer, @"
    exit 0
    -- stdout
    valid: fixer-agent → reviewer-agent: fixed, issue 3, pull request 7
    ");
}

#[test]
fn an_invalid_one_is_told_with_all_its_problems() {
    let sandbox = Sandbox::new();
    let wrong = FIXED
        .replace(">7</pr_number>", ">seven</pr_number>")
        .replace("ready-for-re-review", "reday");
    let file = sandbox.write("wrong.xml", wrong);
    let answer = baton(&sandbox).run(&["handoff", "check", file.to_str().unwrap()]);
    insta::assert_snapshot!(answer, @"
    exit 1
    -- stdout
    invalid: [sandbox]/wrong.xml is no valid handoff
    /handoff/pr_number: <pr_number> is `seven`; expected a whole number of at least 1, digits only
    /handoff/status: <status> is `reday`; expected one of `ready-for-re-review`, `success`, `failure`, `blocked`, `pending`, `skipped`
    ");
}

#[test]
fn it_survives_the_way_to_json_and_back() {
    let sandbox = Sandbox::new();
    let json = baton(&sandbox).reading(FIXED).run(&["handoff", "convert"]);
    let xml = baton(&sandbox)
        .reading(json.stdout)
        .run(&["handoff", "convert", "-"]);
    assert_eq!((xml.code, xml.stdout.as_str()), (Some(0), FIXED));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["handoff", "check", "gone.xml"]), @"
    exit 3
    -- stderr
    error: cannot read gone.xml
      No such file or directory (os error 2)
    hint: Check the path, or pass `-` to read from standard input.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["handoff", "check", "."]), @"
    exit 3
    -- stderr
    error: cannot read .
      Is a directory (os error 21)
    hint: Name a file in that folder.
    ");
}
