use baton_testkit::world::World;
use baton_workflow::{Ending, Step};

use crate::stage::Stage;

const BRANCH: &str = "feature/issue-1-add-a-greeting-to-the-program";

fn stage<'w>(world: &'w World, script: &str) -> Stage<'w> {
    let mut stage = Stage::new(world, "Add a greeting to the program", &[]);
    stage.place.settings.preferred.test = Some("true".to_owned());
    stage.coder(script);
    stage
}

#[test]
fn work_that_was_under_way_stays_on_its_branch() {
    let world = World::start();
    let mut stage = stage(&world, "echo half > half.py; exit 1");
    stage.times = 2;
    stage.play();
    let played = stage.cancel("no longer wanted");
    insta::assert_snapshot!(format!("{:?}", played.ending().unwrap()), @r#"Cancelled { reason: "no longer wanted", left_behind: None }"#);
    assert!(!stage.worktrees().exists());
    assert_eq!(
        stage.repo.git(&["show", &format!("{BRANCH}:half.py")]),
        "half"
    );
    let comments = stage.list("issues/1/comments");
    assert_eq!(comments.len(), 1);
    insta::assert_snapshot!(stage.shown(comments[0]["body"].as_str().unwrap()), @"
    The run that worked on this was cancelled: no longer wanted. Its work so far is on the branch `feature/issue-1-add-a-greeting-to-the-program`.

    <!-- baton:RUN/005-clean-up -->
    ");
}

#[test]
fn a_run_without_work_leaves_no_branch() {
    let world = World::start();
    let mut stage = stage(&world, "");
    stage.until = Some(Step::Implement);
    stage.play();
    let played = stage.cancel("enough");
    assert!(matches!(
        played.ending(),
        Some(Ending::Cancelled {
            left_behind: None,
            ..
        })
    ));
    assert!(!stage.worktrees().exists());
    assert_eq!(
        stage.repo.git(&["branch", "--format=%(refname:short)"]),
        "main"
    );
}

#[test]
fn a_run_that_held_nothing_ends_as_well() {
    let world = World::start();
    let mut stage = stage(&world, "");
    stage.until = Some(Step::Prepare);
    stage.play();
    let played = stage.cancel("enough");
    assert!(matches!(
        played.ending(),
        Some(Ending::Cancelled {
            left_behind: None,
            ..
        })
    ));
}

#[test]
fn a_process_that_dies_while_cleaning_up_cleans_up_once() {
    let world = World::start();
    let mut stage = stage(&world, "echo half > half.py; exit 1");
    stage.play();
    stage.dies_after = Some(Step::CleanUp);
    let played = stage.cancel("enough");
    assert!(matches!(
        played.ending(),
        Some(Ending::Cancelled {
            left_behind: None,
            ..
        })
    ));
    assert_eq!(stage.list("issues/1/comments").len(), 1);
    assert_eq!(
        stage
            .repo
            .git(&["rev-list", "--count", &format!("main..{BRANCH}")]),
        "1"
    );
}
