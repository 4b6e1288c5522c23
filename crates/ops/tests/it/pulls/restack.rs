//! `restack`: what moves, what is refused, and that everything can be put back.

use std::fs;

use baton_protocol::Repository;
use baton_testkit::Repo;
use baton_testkit::world::World;
use serde_json::{Value, json};

use super::stacked_prs::{Tower, assert_clean, pair};

const TOOL: &str = "restack";

fn restack(tower: &Tower<'_>, more: &Value) -> Value {
    tower.caller.ask(TOOL, &pair(1, 2, more))
}

fn refusal(tower: &Tower<'_>, more: &Value) -> String {
    tower.named(&tower.caller.error(TOOL, &pair(1, 2, more)))
}

/// Every ref of the forge and of the checkout, and where pull requests go.
fn everything(tower: &Tower<'_>) -> String {
    let client = tower.world.client("octo");
    let refs = client
        .get("/repos/octo/demo/git/matching-refs/heads")
        .expect(200)
        .json();
    let mut lines: Vec<String> = refs
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["ref"], one["object"]["sha"]))
        .collect();
    for number in 2..=3 {
        let pull = client
            .get(&format!("/repos/octo/demo/pulls/{number}"))
            .expect(200)
            .json();
        lines.push(format!(
            "#{number} {} {}",
            pull["base"]["ref"], pull["head"]["sha"]
        ));
    }
    lines.push(
        tower
            .repo
            .git(&["for-each-ref", "--format=%(refname) %(objectname)"]),
    );
    lines.push(tower.repo.git(&["status", "--porcelain"]));
    lines.join("\n")
}

/// Lets the tool work in the checkout, as for a user who is there.
fn in_the_checkout(tower: &mut Tower<'_>) {
    let server = &mut tower.caller.server;
    server.here = Some(Repository::new("octo", "demo").unwrap());
    server.workplace.folder = Some(tower.repo.path().to_owned());
}

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn a_squashed_base_leaves_a_clean_stack_and_undo_restores_every_ref() {
    let world = World::start();
    let mut tower = Tower::new(&world);
    in_the_checkout(&mut tower);
    tower.merge(1, "squash");
    tower.repo.checkout("feat/c");
    let before = everything(&tower);

    let answer = restack(&tower, &json!({}));
    for pull in answer["pull_requests"].as_array().unwrap() {
        for commit in pull["commits"].as_array().unwrap() {
            let name = commit["subject"].as_str().unwrap().replace("Add ", "new-");
            tower.name(&name, commit["new"].as_str().unwrap());
        }
    }
    insta::assert_snapshot!(tower.shown(&answer), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "status": "restacked",
      "message": "#2, #3 on main ([squash-of-1]).",
      "pull_requests": [
        {
          "pr": "octo/demo#2",
          "branch": "feat/b",
          "cut": "[a2]",
          "old_head": "[b1]",
          "new_head": "[new-b1]",
          "commits": [
            {
              "subject": "Add b1",
              "old": "[b1]",
              "new": "[new-b1]"
            }
          ]
        },
        {
          "pr": "octo/demo#3",
          "branch": "feat/c",
          "cut": "[b1]",
          "old_head": "[c2]",
          "new_head": "[new-c2]",
          "commits": [
            {
              "subject": "Add c1",
              "old": "[c1]",
              "new": "[new-c1]"
            },
            {
              "subject": "Add c2",
              "old": "[c2]",
              "new": "[new-c2]"
            }
          ]
        }
      ],
      "moves": [
        {
          "place": "base_branch",
          "name": "octo/demo#2",
          "from": "feat/a",
          "to": "main"
        },
        {
          "place": "forge",
          "name": "refs/heads/feat/b",
          "from": "[b1]",
          "to": "[new-b1]"
        },
        {
          "place": "forge",
          "name": "refs/heads/feat/c",
          "from": "[c2]",
          "to": "[new-c2]"
        },
        {
          "place": "local",
          "name": "refs/heads/feat/b",
          "from": "[b1]",
          "to": "[new-b1]"
        },
        {
          "place": "local",
          "name": "refs/heads/feat/c",
          "from": "[c2]",
          "to": "[new-c2]"
        }
      ],
      "key": "restack octo/demo#1..#2 [b1]+[c2] on [squash-of-1]",
      "undo_command": "baton pr restack 'octo/demo#1' 'octo/demo#2' --undo"
    }
    "##);
    assert_eq!(tower.repo.git(&["status", "--porcelain"]), "");
    assert_eq!(tower.repo.head(), tower.branch_head("feat/c"));
    let after = everything(&tower);
    assert_ne!(after, before);

    // The same again changes nothing.
    assert_eq!(
        restack(&tower, &json!({}))["message"],
        "This was done before."
    );
    assert_eq!(everything(&tower), after);

    let undone = restack(&tower, &json!({ "undo": true }));
    insta::assert_snapshot!(tower.shown(&undone), @r#"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "status": "undone",
      "message": "Every ref is where it was before.",
      "pull_requests": [],
      "moves": [
        {
          "place": "base_branch",
          "name": "octo/demo#2",
          "from": "main",
          "to": "feat/a"
        },
        {
          "place": "forge",
          "name": "refs/heads/feat/b",
          "from": "[new-b1]",
          "to": "[b1]"
        },
        {
          "place": "forge",
          "name": "refs/heads/feat/c",
          "from": "[new-c2]",
          "to": "[c2]"
        },
        {
          "place": "local",
          "name": "refs/heads/feat/b",
          "from": "[new-b1]",
          "to": "[b1]"
        },
        {
          "place": "local",
          "name": "refs/heads/feat/c",
          "from": "[new-c2]",
          "to": "[c2]"
        }
      ],
      "key": "restack octo/demo#1..#2 [b1]+[c2] on [squash-of-1]"
    }
    "#);
    assert_eq!(everything(&tower), before);
    insta::assert_snapshot!(refusal(&tower, &json!({ "undo": true })), @r#"
    {
      "error": "there is no restack of this pair to take back",
      "category": "logical",
      "suggestion": "Only what this tool moved from this machine can be taken back, and only once."
    }
    "#);

    // And forth again.
    restack(&tower, &json!({}));
    assert_clean(&tower);
}

#[test]
fn without_a_checkout_only_the_forge_moves() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    let before = everything(&tower);
    restack(&tower, &json!({}));
    let undone = restack(&tower, &json!({ "undo": true }));
    assert_eq!(undone["status"], "undone");
    assert_eq!(everything(&tower), before);
    restack(&tower, &json!({}));
    assert_clean(&tower);
}

#[test]
fn a_rehearsal_moves_nothing() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    let before = everything(&tower);
    let answer = restack(&tower, &json!({ "dry_run": true }));
    assert_eq!(answer["status"], "rehearsed");
    assert_eq!(answer["pull_requests"].as_array().unwrap().len(), 2);
    assert_eq!(everything(&tower), before);
}

#[test]
fn a_key_is_used_once() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    let key = json!({ "key": "run-1/restack" });
    let first = restack(&tower, &key);
    let after = everything(&tower);
    let second = restack(&tower, &key);
    assert_eq!(second["message"], "This was done before.");
    assert_eq!(first["moves"], second["moves"]);
    assert_eq!(everything(&tower), after);
    let undo = json!({ "key": "run-1/restack", "undo": true });
    assert_eq!(restack(&tower, &undo)["status"], "undone");
    assert_eq!(restack(&tower, &undo)["status"], "undone");
}

#[test]
fn a_stack_in_order_stays() {
    let world = World::start();
    let tower = Tower::new(&world);
    assert_eq!(restack(&tower, &json!({}))["status"], "nothing_to_do");
}

mod refused {
    use super::*;

    #[test]
    fn with_conflicts() {
        let world = World::start();
        let tower = Tower::new(&world);
        tower.repo.checkout("feat/a");
        tower
            .repo
            .commit_file("log.txt", "a1\nother\n", "Write the log again");
        world.push(&tower.repo, "feat/a");
        let before = everything(&tower);
        insta::assert_snapshot!(refusal(&tower, &json!({})), @r#"
        {
          "error": "octo/demo#2 has conflicts at [b1] (Add b1)",
          "category": "logical",
          "details": {
            "commit": "[b1]",
            "files": [
              "log.txt"
            ]
          },
          "suggestion": "Nothing was moved. Use the commands of manage_stacked_prs and resolve it by hand."
        }
        "#);
        assert_eq!(everything(&tower), before);
    }

    #[test]
    fn with_changes_that_are_not_committed() {
        let world = World::start();
        let mut tower = Tower::new(&world);
        in_the_checkout(&mut tower);
        tower.repo.checkout("main");
        tower.repo.commit_file("b1.txt.orig", "", "Else");
        world.push(&tower.repo, "main");
        tower.merge(1, "squash");
        tower.repo.checkout("feat/b");
        // A file that the new base has, and that is not committed here.
        fs::write(tower.repo.path().join("b1.txt.orig"), "mine\n").unwrap();
        let before = everything(&tower);
        let text = refusal(&tower, &json!({}));
        let folder = tower.repo.path().display().to_string();
        insta::assert_snapshot!(text.replace(&folder, "CHECKOUT"), @r#"
        {
          "error": "`feat/b` is checked out in CHECKOUT, where changes that are not committed would be lost",
          "category": "logical",
          "suggestion": "Commit or stash them, then call again."
        }
        "#);
        assert_eq!(everything(&tower), before);
    }

    #[test]
    fn where_someone_pushes_in_the_same_moment() {
        let world = World::start();
        let mut tower = Tower::new(&world);
        in_the_checkout(&mut tower);
        tower.merge(1, "squash");
        // A hook that runs after everything was looked at and before the push.
        // baton runs none, so that its git has to be another one.
        let other = clone(&world);
        let hook = format!(
            "test -e ../raced || {{ touch ../raced; env -u GIT_DIR -u GIT_COMMON_DIR \
             -u GIT_WORK_TREE git -C {} push --quiet origin HEAD:feat/c; }}",
            other.path().display()
        );
        tower.repo.hook("pre-push", &hook);
        let hooks = tower.repo.path().join(".git/hooks");
        let real = world.sandbox.bin().join("git").canonicalize().unwrap();
        let (hooks, real) = (hooks.display(), real.display());
        let body = format!(
            "case \"$*\" in *--atomic*) exec {real} -c core.hooksPath={hooks} \"$@\";; esac; \
             exec {real} \"$@\""
        );
        world.sandbox.fake("git", &body);
        let pulls = |tower: &Tower<'_>| tower.branch_head("feat/b");
        let before = pulls(&tower);
        insta::assert_snapshot!(refusal(&tower, &json!({})), @r#"
        {
          "error": "`refs/heads/feat/c` is not where it was: someone has moved it meanwhile",
          "category": "logical",
          "suggestion": "Nothing was moved. Look at what is new there, then call again."
        }
        "#);
        assert_eq!(pulls(&tower), before);
        let base = world
            .client("octo")
            .get("/repos/octo/demo/pulls/2")
            .expect(200)
            .json();
        assert_eq!(base["base"]["ref"], "feat/a");
        assert_eq!(tower.repo.git(&["rev-parse", "feat/b"]), before);
    }

    fn clone(world: &World) -> Repo<'_> {
        let repo = world.sandbox.repo("other");
        let url = world.git_url("reviewer", "octo/demo");
        repo.git(&["remote", "add", "origin", &url]);
        repo.git(&["fetch", "--quiet", "origin"]);
        repo.git(&["checkout", "--quiet", "-b", "feat/c", "origin/feat/c"]);
        repo.commit_file("faster.txt", "faster\n", "Be faster");
        repo
    }

    #[test]
    fn when_the_base_was_only_closed() {
        let world = World::start();
        let tower = Tower::new(&world);
        let path = "/repos/octo/demo/pulls/1";
        world
            .client("octo")
            .patch(path, &json!({ "state": "closed" }))
            .expect(200);
        insta::assert_snapshot!(refusal(&tower, &json!({})), @r##"
        {
          "error": "#1 is closed, and nothing of it is found in `main`. Are its commits to stay in #2 (regular), or to be left out (--onto)?",
          "category": "logical",
          "suggestion": "Decide it: say in `cut` which commit is the last one that is not its own, or use the commands of manage_stacked_prs."
        }
        "##);
    }

    #[test]
    fn when_it_is_no_stack() {
        let world = World::start();
        let tower = Tower::new(&world);
        let error = tower.caller.error(TOOL, &pair(2, 1, &json!({})));
        insta::assert_snapshot!(error, @r##"
        {
          "error": "#1 does not stand on #2",
          "category": "logical",
          "suggestion": "Name the lower pull request as base_pr and an open one on top of it as dependent_pr."
        }
        "##);
    }
}
