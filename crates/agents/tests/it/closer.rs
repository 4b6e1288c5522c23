use baton_testkit::world::World;
use baton_workflow::{Ending, FailureKind, Step};

use crate::stage::Stage;

const WORKS: &str = "echo 'print(1)' > greet.py";

fn stage(world: &World) -> Stage<'_> {
    let mut stage = Stage::new(world, "Add a greeting to the program", &[]);
    stage.place.settings.preferred.test = Some("true".to_owned());
    stage.coder(WORKS);
    stage
}

#[test]
fn a_run_ends_with_nothing_left_but_what_was_merged() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.times = 2;
    let played = stage.play();
    assert_eq!(played.ending(), Some(&Ending::Closed));
    let xml = played.xml(&stage);
    let xml: Vec<&str> = xml
        .lines()
        .filter(|line| !line.contains("<cycle_time>"))
        .collect();
    insta::assert_snapshot!(xml.join("\n"), @"
    <workflow-complete>
      <issue_number>1</issue_number>
      <issue_url>http://forge/octo/demo/issues/1</issue_url>
      <pr_number>2</pr_number>
      <pr_url>http://forge.test/octo/demo/pull/2</pr_url>
      <status>completed</status>
      <summary>Merged: Add a greeting to the program</summary>
      <metrics>
        <review_iterations>1</review_iterations>
        <total_commits>1</total_commits>
        <tests_added>0</tests_added>
        <coverage>94%</coverage>
      </metrics>
      <actions_taken>
        <action>Closing comment posted</action>
        <action>Issue closed</action>
        <action>Branch deleted</action>
        <action>Worktree removed</action>
      </actions_taken>
    </workflow-complete>
    ");
    assert_eq!(stage.get("issues/1")["state"], "closed");
    let comments = stage.list("issues/1/comments");
    assert_eq!(comments.len(), 1);
    let body = stage.shown(comments[0]["body"].as_str().unwrap());
    let body: Vec<&str> = body
        .lines()
        .filter(|line| !line.contains("From request"))
        .collect();
    assert!(
        body[0].starts_with("Resolved by #2, merged into `main` as "),
        "{body:?}"
    );
    insta::assert_snapshot!(body[1..].join("\n"), @"
    | | |
    |---|---|
    | Reviews | 1 |
    | Commits | 1 |
    | Tests added | 0 |
    | Coverage | 94% |

    <!-- baton:RUN/008-close -->
    ");
    let branches = stage.list("branches");
    assert_eq!(branches.len(), 1);
    assert!(!stage.worktrees().exists());
    assert_eq!(
        stage.repo.git(&["branch", "--format=%(refname:short)"]),
        "main"
    );
    assert!(!stage.repo.path().join(".git/baton").exists());
}

#[test]
fn a_process_that_dies_behind_the_closing_closes_once() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.dies_after = Some(Step::Close);
    let played = stage.play();
    assert_eq!(played.ending(), Some(&Ending::Closed));
    assert_eq!(stage.list("issues/1/comments").len(), 1);
}

#[test]
fn issues_that_it_is_part_of_are_told() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.open_issue("All about greetings", "");
    let issue = stage.open_issue(
        "Add a greeting to the program",
        "As polite as can be.\n\nPart of #1\nPart of #99",
    );
    stage.goal.issue = Some(issue);
    stage.times = 2;
    let played = stage.play();
    assert_eq!(played.ending(), Some(&Ending::Closed));
    let comments = stage.list("issues/1/comments");
    assert_eq!(comments.len(), 1);
    insta::assert_snapshot!(stage.shown(comments[0]["body"].as_str().unwrap()), @"
    #2, which is part of this, is done: #3 was merged.

    <!-- baton:RUN/008-close#related-1 -->
    ");
}

#[test]
fn in_place_the_user_is_back_where_they_were() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.place.settings.in_place = true;
    let played = stage.play();
    assert_eq!(played.ending(), Some(&Ending::Closed));
    assert_eq!(
        stage.repo.git(&["branch", "--format=%(refname:short)"]),
        "main"
    );
    assert_eq!(stage.repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_merge_that_did_not_happen_is_not_believed() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.merge_is_a_lie = true;
    let played = stage.play();
    assert_eq!(played.failure().kind, FailureKind::Rejected);
    insta::assert_snapshot!(played.failure().message, @"pull request #2 is said to be merged, and it is not");
    assert_eq!(stage.get("issues/1")["state"], "open");
    assert!(stage.list("issues/1/comments").is_empty());
}

#[test]
fn a_branch_that_moved_on_after_the_merge_stays() {
    let world = World::start();
    let mut stage = stage(&world);
    stage.until = Some(Step::Close);
    stage.play();
    stage.repo.commit_file("later.txt", "", "Later");
    let branch = "feature/issue-1-add-a-greeting-to-the-program";
    world.push(&stage.repo, branch);
    stage.until = None;
    let played = stage.answer('r', None);
    assert_eq!(played.ending(), Some(&Ending::Closed));
    assert!(!played.xml(&stage).contains("Branch deleted"));
    assert_eq!(stage.list("branches").len(), 2);
    let told = played
        .said
        .iter()
        .any(|line| line.contains("pushed to after the merge"));
    assert!(told, "{:?}", played.said);
}
