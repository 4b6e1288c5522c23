//! All seven agents, from a request to the end.

use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::Ending;

use crate::stage::Stage;

/// A first try with a query that somebody can break out of; a fix when that is
/// what the prompt is about.
const CODER: &str = r#"
if grep -q 'review of the branch' "$HOME/prompt"; then
  sed -i 's/.*execute.*/    cursor.execute("SELECT * FROM notes WHERE owner = %s", (owner,))/' notes.py
else
  printf 'def notes(cursor, request):\n    owner = request.args["owner"]\n    cursor.execute("SELECT * FROM notes WHERE owner = \x27" + owner + "\x27")\n    return cursor.fetchall()\n' > notes.py
fi
"#;

#[test]
fn a_request_becomes_a_merged_pull_request_with_a_review_round() {
    let world = World::start();
    let mut stage = Stage::new(&world, "Add a list of the notes of an owner", &[]);
    stage.without_tools();
    stage.coder(CODER);
    stage.all_real = true;
    let played = stage.play();
    let question = played
        .state
        .question()
        .map(|question| question.reason.to_string());
    assert_eq!(question, None, "{:#?}", played.results.last());
    assert_eq!(played.ending(), Some(&Ending::Closed));
    let kinds: Vec<String> = played
        .state
        .passed()
        .iter()
        .map(|passed| passed.handoff.kind().to_string())
        .collect();
    insta::assert_snapshot!(kinds.join("\n"), @"
    issue-ready
    workspace-ready
    implemented
    changes-requested
    fixed
    approved
    merged
    workflow-complete
    ");
    for passed in played.state.passed() {
        passed.handoff.require_concrete().unwrap();
        let xml = passed.handoff.to_xml(passed.at);
        Handoff::from_xml(xml.as_bytes()).unwrap();
    }
    assert_eq!(stage.get("issues/1")["state"], "closed");
    assert_eq!(stage.get("pulls/2")["merged"], true);
    assert!(!stage.worktrees().exists());
}
