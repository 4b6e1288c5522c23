//! `baton pr create`, as people call it where there is no terminal.

use baton_testkit::Repo;
use baton_testkit::jira::{FakeJira, TOKEN, USER};
use serde_json::Value;

use super::scene::Scene;
use crate::command::Answer;

/// A branch that names an issue, with these commits.
fn branch<'a>(scene: &'a Scene, messages: &[&str]) -> Repo<'a> {
    let repo = scene.world.checkout();
    repo.branch("feature/PROJ-123-add-a-topic");
    for (number, message) in (1..).zip(messages) {
        repo.commit_file(&format!("{number}.txt"), "x\n", message);
    }
    repo
}

fn create(scene: &Scene, repo: &Repo<'_>, more: &[&str]) -> Answer {
    let mut answer = scene.ask_in(repo, &[&["create"], more].concat());
    let address = scene.world.address().to_string();
    answer.stdout = answer.stdout.replace(&address, "[host]");
    answer
}

fn pull(scene: &Scene, number: u32) -> Value {
    let path = format!("/repos/octo/demo/pulls/{number}");
    scene.world.client("octo").get(&path).expect(200).json()
}

#[test]
fn one_commit_says_it_all() {
    let scene = Scene::new();
    let repo = branch(&scene, &["Add a topic\n\nIt was missing from the list."]);
    insta::assert_snapshot!(create(&scene, &repo, &[]), @"
    exit 0
    -- stdout
    [forge]/octo/demo/pull/1
    -- stderr
    PROJ-123 is named here; add --jira PROJ-123 to link and move it
    Add a topic
    draft: feature/PROJ-123-add-a-topic into main

      It was missing from the list.

    pushing feature/PROJ-123-add-a-topic to origin
    opening the pull request in octo/demo
    ");
    assert_eq!(pull(&scene, 1)["draft"], true);
    insta::assert_snapshot!(create(&scene, &repo, &[]), @"
    exit 1
    -- stderr
    PROJ-123 is named here; add --jira PROJ-123 to link and move it
    Add a topic
    draft: feature/PROJ-123-add-a-topic into main

      It was missing from the list.

    error: Failed to create pull request: A pull request for branch 'feature/PROJ-123-add-a-topic' already exists
      A pull request for branch 'feature/PROJ-123-add-a-topic' already exists: [forge]/octo/demo/pull/1
    ");
}

#[test]
fn several_commits_are_listed_and_a_dry_run_does_nothing() {
    let scene = Scene::new();
    let repo = branch(&scene, &["Add a form", "Check the form"]);
    insta::assert_snapshot!(create(&scene, &repo, &["--dry-run"]), @"
    exit 0
    -- stdout
    Add a topic
    draft: feature/PROJ-123-add-a-topic into main

      - Add a form
      - Check the form

    1. push feature/PROJ-123-add-a-topic to origin
    2. open feature/PROJ-123-add-a-topic in [host]/octo/demo
    -- stderr
    PROJ-123 is named here; add --jira PROJ-123 to link and move it
    ");
    let pulls = scene
        .world
        .client("octo")
        .get("/repos/octo/demo/pulls?state=all");
    assert_eq!(pulls.expect(200).json(), serde_json::json!([]));
    let request = create(
        &scene,
        &repo,
        &["--dry-run", "--json", "--ready", "--no-jira"],
    );
    insta::assert_snapshot!(request, @r#"
    exit 0
    -- stdout
    {
      "branch": "feature/PROJ-123-add-a-topic",
      "base_branch": "main",
      "title": "Add a topic",
      "description": "- Add a form\n- Check the form",
      "jira_key": null,
      "mark_ready": true,
      "draft": false,
      "working_directory": "[sandbox]/checkout"
    }
    "#);
}

#[test]
fn what_is_given_is_taken_and_the_issue_follows() {
    let mut scene = Scene::new();
    let jira = FakeJira::start(&["Code Review"]);
    scene.world.sandbox.set("JIRA_URL", jira.url());
    scene.world.sandbox.set("JIRA_USERNAME", USER);
    scene.world.sandbox.set("JIRA_API_TOKEN", TOKEN);
    let repo = branch(&scene, &["Add a topic"]);
    let given = [
        "--title",
        "Add the topic",
        "--body",
        "What it is for.",
        "--jira",
        "PROJ-123",
    ];
    insta::assert_snapshot!(create(&scene, &repo, &[&given[..], &["--dry-run"]].concat()), @"
    exit 0
    -- stdout
    Add the topic
    draft: feature/PROJ-123-add-a-topic into main
    Jira: PROJ-123

      What it is for.

    1. push feature/PROJ-123-add-a-topic to origin
    2. open feature/PROJ-123-add-a-topic in [host]/octo/demo
    3. link PROJ-123
    4. move PROJ-123 from 'In Progress' by 'Code Review'
    ");
    assert_eq!(jira.inside().moves.len(), 0);
    insta::assert_snapshot!(create(&scene, &repo, &[&given[..], &["--ready"]].concat()), @"
    exit 0
    -- stdout
    [forge]/octo/demo/pull/1
    -- stderr
    Add the topic
    pull request: feature/PROJ-123-add-a-topic into main
    Jira: PROJ-123

      What it is for.

    pushing feature/PROJ-123-add-a-topic to origin
    opening the pull request in octo/demo
    linking PROJ-123
    moving PROJ-123 by 'Code Review'
    PROJ-123 is in 'Code Review'
    ");
    assert_eq!(jira.inside().moves, ["Code Review"]);
    let pull = pull(&scene, 1);
    assert_eq!(
        (&pull["draft"], &pull["title"]),
        (&false.into(), &"Add the topic".into())
    );
}

#[test]
fn a_template_and_an_editor_have_their_say() {
    let mut scene = Scene::new();
    scene.world.sandbox.fake(
        "edit",
        "sed -i -e '1s/.*/Edited: a topic/' -e 's/WHY/because/' \"$1\"",
    );
    scene.world.sandbox.set("EDITOR", "edit");
    let repo = branch(&scene, &["Add a topic"]);
    repo.commit_file(
        ".github/pull_request_template.md",
        "## Why\n\nWHY\n",
        "Add a template",
    );
    let answer = create(
        &scene,
        &repo,
        &["--edit", "--no-jira", "--config", "pr.template=true"],
    );
    insta::assert_snapshot!(answer, @"
    exit 0
    -- stdout
    [forge]/octo/demo/pull/1
    -- stderr
    Edited: a topic
    draft: feature/PROJ-123-add-a-topic into main

      ## Why
      
      because
      
      - Add a topic
      - Add a template

    pushing feature/PROJ-123-add-a-topic to origin
    opening the pull request in octo/demo
    ");
    let body = pull(&scene, 1)["body"].as_str().unwrap().to_owned();
    assert!(body.starts_with("## Why\n\nbecause\n"), "{body}");
}

#[test]
fn what_cannot_be_done_is_said_with_the_next_step() {
    let scene = Scene::new();
    let repo = branch(&scene, &["Fix"]);
    insta::assert_snapshot!(create(&scene, &repo, &["--no-jira"]), @"
    exit 2
    -- stderr
    error: PR title must be at least 5 characters; PR description must be at least 10 characters
    hint: Give --title, --body, --base or --jira.
    ");
    insta::assert_snapshot!(create(&scene, &repo, &["--edit", "--no-jira"]), @"
    exit 3
    -- stderr
    error: there is no editor
    hint: Set EDITOR, or give --title and --body.
    ");
    repo.git(&["checkout", "--quiet", "--detach"]);
    insta::assert_snapshot!(create(&scene, &repo, &[]), @"
    exit 2
    -- stderr
    error: no branch is checked out
    hint: Make one with `git switch -c NAME`, or name one with --branch.
    ");
    insta::assert_snapshot!(scene.ask(&["create"]), @"
    exit 3
    -- stderr
    error: [sandbox]/work is not in a git repository; run `git init` there or choose another folder
    hint: Call it inside a git repository.
    ");
}

#[test]
fn json_is_the_phase_s_output() {
    let scene = Scene::new();
    let repo = branch(&scene, &["Add a topic"]);
    let answer = create(&scene, &repo, &["--json", "--no-jira"]);
    let output: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(
        (&output["status"], &output["pr_number"]),
        (&"success".into(), &1.into())
    );
}
