//! A coding agent that is killed in the middle of its work, with the process
//! that looked after it.

use baton_testkit::world::World;
use baton_workflow::{FailureKind, Step};

use crate::stage::Stage;

const REQUEST: &str = "Add a greeting to the program";
const BRANCH: &str = "feature/issue-1-add-a-greeting-to-the-program";

/// Dies the first time, with one thing done and others half done, and does its
/// work the second time.
const MORTAL: &str = r#"
if ! test -e "$HOME/working"; then
  mkdir -p node_modules
  touch node_modules/installed
  echo 'kept = 1' > kept.py
  git add kept.py
  git commit --quiet -m 'feat: keep'
  echo 'x = ' > old.py
  echo 'def half(' > half.py
  touch "$(git rev-parse --git-dir)/index.lock"
  touch "$HOME/working"
  sleep 600
fi
echo 'print("hello")' > greet.py
"#;

fn stage(world: &World) -> Stage<'_> {
    let mut stage = Stage::new(world, REQUEST, &[("old.py", "x = 1\n")]);
    stage.without_tools();
    stage.until = Some(Step::Publish);
    stage.dies_at_work = true;
    stage.coder(MORTAL);
    stage
}

#[test]
fn what_it_committed_stays_and_what_it_had_half_done_does_not() {
    let world = World::start();
    let mut stage = stage(&world);
    let played = stage.play();
    assert!(
        played
            .results
            .iter()
            .all(|(_, result)| result.outcome.is_ok()),
        "{:?}",
        played.results
    );
    let files = stage.in_run(&["ls-tree", "-r", "--name-only", BRANCH]);
    insta::assert_snapshot!(files, @"
    README.md
    greet.py
    kept.py
    old.py
    ");
    let old = stage.in_run(&["show", &format!("{BRANCH}:old.py")]);
    assert_eq!(old, "x = 1");
    let said = played.said.join("\n");
    assert!(said.contains("a coding agent was cut off here"), "{said}");
    let prompt = stage.prompt();
    let last = prompt.trim_end().lines().next_back().unwrap();
    insta::assert_snapshot!(last, @"This was begun before, and cut off. What the earlier try has committed is here; the rest of it is gone.");
    // What was installed before is not installed again.
    let installed = "feature-issue-1-add-a-greeting-to-the-program/node_modules/installed";
    assert!(stage.worktrees().join(installed).exists());
}

#[test]
fn in_the_users_own_checkout_a_person_looks_first() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.place.settings.in_place = true;
    let played = stage.play();
    assert_eq!(played.failure().kind, FailureKind::Blocked);
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    the step `implement` has to wait for something outside: a coding agent was cut off in /sandbox/checkout, and may have left files half written; commit what is whole and take back the rest
    r: try again
    s: stop the run
    ");
    let half = world.sandbox.path("checkout/half.py");
    assert_eq!(std::fs::read_to_string(half).unwrap(), "def half(\n");
}
