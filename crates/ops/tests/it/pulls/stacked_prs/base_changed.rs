use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn by_new_commits() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("feat/a");
    tower.repo.commit_file("more.txt", "more\n", "Add more");
    tower.name("more", &tower.repo.head());
    world.push(&tower.repo, "feat/a");
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "feat/a",
        "matches": true,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base)\n    `-- #2 feat/b \"Add feat/b\"  (dependent, 1 commit to move)\n        `-- #3 feat/c \"Add feat/c\"  (2 commits to move)"
      },
      "changes_detected": true,
      "change_summary": {
        "new_commits_in_base": 1,
        "commits": [
          {
            "sha": "[more]",
            "message": "Add more",
            "author": "Test Author",
            "date": "2023-11-14T22:19:20Z"
          }
        ],
        "files_changed": [
          "more.txt"
        ],
        "potential_conflicts": []
      },
      "upstream_merge_detected": false,
      "squash_merge": false,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "regular",
        "reason": "What is below #2 has new commits; a rebase puts its 1 commit on them.",
        "regular_command": "git rebase [more] feat/b",
        "onto_command": "git rebase --onto [more] [a2] feat/b",
        "ai_should_decide": true,
        "considerations": [
          "#2 has 1 commit after [a2] of its own: it begins with 2 commits of the one below (2 by id).",
          "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
          "A rebase without --onto gives the same commits."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/pull/1/head refs/pull/2/head refs/pull/3/head",
          "description": "In a clone of octo/demo: get the commits of the stack.",
          "can_automate": true
        },
        {
          "step": 2,
          "type": "git",
          "command": "{ git switch feat/b || git switch --no-track --create feat/b [b1]; } && git merge --ff-only [b1]",
          "description": "Check out #2 at its head; stops if the local branch has gone another way.",
          "can_automate": true
        },
        {
          "step": 3,
          "type": "git",
          "command": "git rebase [more] feat/b",
          "description": "Put #2 on its new base: 1 commit after [a2]. Rehearsed without conflicts.",
          "can_automate": true,
          "retry_on_failure": false
        },
        {
          "step": 4,
          "type": "git",
          "command": "{ git switch feat/c || git switch --no-track --create feat/c [c2]; } && git merge --ff-only [c2]",
          "description": "Check out #3 at its head; stops if the local branch has gone another way.",
          "can_automate": true
        },
        {
          "step": 5,
          "type": "git",
          "command": "git rebase --onto refs/heads/feat/b [b1] feat/c",
          "description": "Put #3 on its new base: 2 commits after [b1]. Rehearsed without conflicts.",
          "can_automate": true,
          "retry_on_failure": false
        }
      ],
      "nextCursor": "[a cursor]",
      "automation": {
        "enabled": true,
        "status": "not_started"
      },
      "summary": {
        "action_required": true,
        "reason": "What is below #2 has new commits; a rebase puts its 1 commit on them.",
        "estimated_total_time": "about 3 minutes and CI",
        "risk_level": "medium"
      },
      "stack": [
        {
          "pr": "octo/demo#2",
          "title": "Add feat/b",
          "branch": "feat/b",
          "head": "[b1]",
          "moves": true,
          "own_commits": 1,
          "last_commit_below": "[a2]",
          "evidence": "it begins with 2 commits of the one below (2 by id)"
        },
        {
          "pr": "octo/demo#3",
          "title": "Add feat/c",
          "branch": "feat/c",
          "head": "[c2]",
          "moves": true,
          "own_commits": 2,
          "last_commit_below": "[b1]",
          "evidence": "it contains the head [b1] below"
        }
      ]
    }
    "##);
}

#[test]
fn by_a_push_by_force() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("main");
    tower
        .repo
        .commit_file("news.txt", "news\n", "Tell the news");
    world.push(&tower.repo, "main");
    tower.repo.checkout("feat/a");
    tower.repo.git(&["rebase", "--quiet", "main"]);
    world.push(&tower.repo, "feat/a");
    let answer = tower.ask(1, 2);
    assert_eq!(answer["rebase_strategy"]["recommended"], "onto");
    assert_eq!(answer["last_upstream_commit"], tower.id("a2"));
    insta::assert_snapshot!(tower.shown(&answer["rebase_strategy"]["considerations"]), @r##"
    [
      "#2 has 1 commit after [a2] of its own: it begins with 2 commits of the one below (2 by patch id).",
      "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
      "A rebase without --onto gives the same commits."
    ]
    "##);
}

#[test]
fn in_a_way_that_conflicts() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("feat/a");
    tower
        .repo
        .commit_file("log.txt", "a1\nother\n", "Write the log again");
    world.push(&tower.repo, "feat/a");
    let answer = tower.ask(1, 2);
    assert_eq!(
        answer["change_summary"]["potential_conflicts"],
        json!(["log.txt"])
    );
    assert_eq!(answer["summary"]["risk_level"], "high");
    insta::assert_snapshot!(tower.shown(&answer["rebase_strategy"]["considerations"]), @r##"
    [
      "#2 has 1 commit after [a2] of its own: it begins with 2 commits of the one below (2 by id).",
      "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
      "A rebase without --onto stops at [b1] (Add b1) with conflicts in log.txt.",
      "#2 conflicts at [b1] (Add b1) in log.txt.",
      "#3 was not rehearsed, as what is below it has conflicts."
    ]
    "##);
}

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn by_closing_it() {
    let world = World::start();
    let tower = Tower::new(&world);
    let path = "/repos/octo/demo/pulls/1";
    world
        .client("octo")
        .patch(path, &json!({ "state": "closed" }))
        .expect(200);
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "feat/a",
        "matches": true,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base, closed)\n    `-- #2 feat/b \"Add feat/b\"  (dependent, 1 commit to move)\n        `-- #3 feat/c \"Add feat/c\"  (2 commits to move)"
      },
      "changes_detected": true,
      "change_summary": {
        "new_commits_in_base": 0,
        "commits": [],
        "files_changed": [
          "a1.txt",
          "a2.txt",
          "log.txt"
        ],
        "potential_conflicts": [
          "log.txt"
        ]
      },
      "upstream_merge_detected": false,
      "squash_merge": false,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "regular",
        "reason": "#1 is closed, and nothing of it is found in `main`. Are its commits to stay in #2 (regular), or to be left out (--onto)?",
        "regular_command": "git rebase [begin] feat/b",
        "onto_command": "git rebase --onto [begin] [a2] feat/b",
        "ai_should_decide": true,
        "considerations": [
          "#2 has 1 commit after [a2] of its own: it contains the head [a2] below.",
          "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
          "A rebase without --onto goes through as well, and leaves 3 commits in the pull request.",
          "#2 conflicts at [b1] (Add b1) in log.txt.",
          "#3 was not rehearsed, as what is below it has conflicts."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/heads/main refs/pull/2/head refs/pull/3/head",
          "description": "Get the commits of the stack.",
          "can_automate": true
        },
        {
          "step": 2,
          "type": "verification",
          "command": "git log --oneline [begin]..[b1]",
          "description": "See which of these commits are to stay in #2.",
          "can_automate": true
        }
      ],
      "automation": {
        "enabled": true,
        "status": "not_started"
      },
      "summary": {
        "action_required": true,
        "reason": "#1 is closed, and nothing of it is found in `main`. Are its commits to stay in #2 (regular), or to be left out (--onto)?",
        "estimated_total_time": "about 8 minutes and CI",
        "risk_level": "high"
      },
      "stack": [
        {
          "pr": "octo/demo#2",
          "title": "Add feat/b",
          "branch": "feat/b",
          "head": "[b1]",
          "moves": true,
          "own_commits": 1,
          "last_commit_below": "[a2]",
          "evidence": "it contains the head [a2] below",
          "potential_conflicts": [
            "log.txt"
          ]
        },
        {
          "pr": "octo/demo#3",
          "title": "Add feat/c",
          "branch": "feat/c",
          "head": "[c2]",
          "moves": true,
          "own_commits": 2,
          "last_commit_below": "[b1]",
          "evidence": "it contains the head [b1] below"
        }
      ]
    }
    "##);
}
