//! All seven agents, from a request to the end.

use std::path::{Path, PathBuf};

use baton_host::Cmd;
use baton_host::cmd::Outcome;
use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::Ending;
use tokio_util::sync::CancellationToken;

use crate::stage::Stage;

pub(crate) const REQUEST: &str = "Add a list of the notes of an owner";

/// A first try with a query that someone can break out of; a fix when that is
/// what the prompt is about.
pub(crate) const CODER: &str = r#"
if grep -q 'review of the branch' "$HOME/prompt"; then
  printf 'def notes(cursor, request):\n    owner = request.args["owner"]\n    cursor.execute("SELECT * FROM notes WHERE owner = %%s", (owner,))\n    return cursor.fetchall()\n' > notes.py
else
  printf 'def notes(cursor, request):\n    owner = request.args["owner"]\n    cursor.execute("SELECT * FROM notes WHERE owner = \x27" + owner + "\x27")\n    return cursor.fetchall()\n' > notes.py
fi
"#;

#[test]
fn a_request_becomes_a_merged_pull_request_with_a_review_round() {
    let world = World::start();
    let mut stage = Stage::new(&world, REQUEST, &[]);
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
    let documents = documents(&stage);
    assert_eq!(documents.len(), kinds.len());
    for (document, passed) in documents.iter().zip(played.state.passed()) {
        let handoff = Handoff::from_xml(&std::fs::read(document).unwrap()).unwrap();
        handoff.require_concrete().unwrap();
        assert_eq!(handoff, *passed.handoff);
    }
    check_against_schema(&stage, &documents);
    assert_eq!(stage.get("issues/1")["state"], "closed");
    assert_eq!(stage.get("pulls/2")["merged"], true);
    assert!(!stage.worktrees().exists());
}

/// The handoffs in the folder of the run, in their order.
fn documents(stage: &Stage<'_>) -> Vec<PathBuf> {
    let runs = stage.world.sandbox.state_folder().join("runs");
    let folder = runs.join(stage.run.as_ref().unwrap().as_str());
    let entries = std::fs::read_dir(folder.join("handoffs")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// By someone else's reading of the schema.
fn check_against_schema(stage: &Stage<'_>, documents: &[PathBuf]) {
    let sandbox = &stage.world.sandbox;
    let schema = sandbox.write("handoff.xsd", baton_protocol::handoff::xsd());
    let Some(xmllint) = [
        "/usr/bin/xmllint",
        "/usr/local/bin/xmllint",
        "/opt/homebrew/bin/xmllint",
    ]
    .into_iter()
    .find(|tool| Path::new(tool).is_file()) else {
        return baton_testkit::missing("xmllint");
    };
    let environment = sandbox.environment().clone().into_iter().collect();
    let cmd = Cmd::new(xmllint, sandbox.root(), &environment)
        .args(["--nonet", "--noout", "--schema"])
        .arg(schema)
        .args(documents);
    let cancel = CancellationToken::new();
    let done = stage.world.block_on(cmd.run(&cancel)).unwrap();
    let said = done.stderr.text();
    assert_eq!(done.outcome, Outcome::Exited(0), "{said}");
    assert_eq!(
        said.lines()
            .filter(|line| line.ends_with(" validates"))
            .count(),
        documents.len()
    );
}
