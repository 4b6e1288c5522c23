use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn by_squash() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "main",
        "matches": false,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base, squash-merged as [squash-of-1])\n    `-- #2 feat/b \"Add feat/b\"  (dependent, 1 commit to move)\n        `-- #3 feat/c \"Add feat/c\"  (2 commits to move)"
      },
      "changes_detected": true,
      "change_summary": {
        "new_commits_in_base": 1,
        "commits": [
          {
            "sha": "[squash-of-1]",
            "message": "Add feat/a (#1)",
            "author": "octo",
            "date": "[now]"
          }
        ],
        "files_changed": [],
        "potential_conflicts": []
      },
      "upstream_merge_detected": true,
      "squash_merge": true,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "onto",
        "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #2.",
        "regular_command": "git rebase [squash-of-1] feat/b",
        "onto_command": "git rebase --onto [squash-of-1] [a2] feat/b",
        "ai_should_decide": false,
        "considerations": [
          "#1 (2 commits) was squash-merged: the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 2 commits together.",
          "#2 has 1 commit after [a2] of its own: it contains the head [a2] below.",
          "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
          "A rebase without --onto stops at [a1] (Add a1) with conflicts in log.txt."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/heads/main refs/pull/2/head refs/pull/3/head",
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
          "command": "git rebase --onto [squash-of-1] [a2] feat/b",
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
        "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #2.",
        "estimated_total_time": "about 3 minutes and CI",
        "risk_level": "medium"
      },
      "landing": {
        "way": "squash",
        "commit": "[squash-of-1]",
        "proof": "patch_id",
        "evidence": "the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 2 commits together"
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
          "evidence": "it contains the head [a2] below"
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
    assert_cost(tower.caller.spent());
}

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn by_a_merge_commit() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "merge");
    tower.delete_branch("feat/a");
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "main",
        "matches": false,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base, merged as [merge-of-1])\n    `-- #2 feat/b \"Add feat/b\"  (dependent, 1 commit to move)\n        `-- #3 feat/c \"Add feat/c\"  (2 commits to move)"
      },
      "changes_detected": true,
      "change_summary": {
        "new_commits_in_base": 1,
        "commits": [
          {
            "sha": "[merge-of-1]",
            "message": "Merge pull request #1 from octo/feat/a",
            "author": "octo",
            "date": "[now]"
          }
        ],
        "files_changed": [],
        "potential_conflicts": []
      },
      "upstream_merge_detected": true,
      "squash_merge": false,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "regular",
        "reason": "#1 was merged into main with its own commits, so that a regular rebase replays only the 1 commit of #2.",
        "regular_command": "git rebase [merge-of-1] feat/b",
        "onto_command": "git rebase --onto [merge-of-1] [a2] feat/b",
        "ai_should_decide": true,
        "considerations": [
          "#1 (2 commits) was merged: the forge names [merge-of-1] as its merge commit, and it contains the head [a2].",
          "#2 has 1 commit after [a2] of its own: it contains the head [a2] below.",
          "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
          "A rebase without --onto gives the same commits."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/heads/main refs/pull/2/head refs/pull/3/head",
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
          "command": "git rebase [merge-of-1] feat/b",
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
        "action_required": false,
        "reason": "#1 was merged into main with its own commits, so that a regular rebase replays only the 1 commit of #2. It may also stay as it is.",
        "estimated_total_time": "about 3 minutes and CI",
        "risk_level": "medium"
      },
      "landing": {
        "way": "merge",
        "commit": "[merge-of-1]",
        "proof": "merge_commit",
        "evidence": "the forge names [merge-of-1] as its merge commit, and it contains the head [a2]"
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
          "evidence": "it contains the head [a2] below"
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
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn by_rebase() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "rebase");
    tower.delete_branch("feat/a");
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "main",
        "matches": false,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base, rebase-merged as [rebase-of-1])\n    `-- #2 feat/b \"Add feat/b\"  (dependent, 1 commit to move)\n        `-- #3 feat/c \"Add feat/c\"  (2 commits to move)"
      },
      "changes_detected": true,
      "change_summary": {
        "new_commits_in_base": 2,
        "commits": [
          {
            "sha": "[rebase-of-1]",
            "message": "Add a2",
            "author": "Test Author",
            "date": "2023-11-14T22:15:20Z"
          },
          {
            "sha": "[unnamed-7]",
            "message": "Add a1",
            "author": "Test Author",
            "date": "2023-11-14T22:14:20Z"
          }
        ],
        "files_changed": [],
        "potential_conflicts": []
      },
      "upstream_merge_detected": true,
      "squash_merge": false,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "onto",
        "reason": "#1 was rebased into main, so that its commits have other ids there. --onto replays only the 1 commit of #2.",
        "regular_command": "git rebase [rebase-of-1] feat/b",
        "onto_command": "git rebase --onto [rebase-of-1] [a2] feat/b",
        "ai_should_decide": true,
        "considerations": [
          "#1 (2 commits) was rebased: the forge names [rebase-of-1] as its merge commit, and the 2 commits up to it have the patch ids of the pull request's.",
          "#2 has 1 commit after [a2] of its own: it contains the head [a2] below.",
          "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
          "A rebase without --onto gives the same commits."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/heads/main refs/pull/2/head refs/pull/3/head",
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
          "command": "git rebase --onto [rebase-of-1] [a2] feat/b",
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
        "reason": "#1 was rebased into main, so that its commits have other ids there. --onto replays only the 1 commit of #2.",
        "estimated_total_time": "about 3 minutes and CI",
        "risk_level": "medium"
      },
      "landing": {
        "way": "rebase",
        "commit": "[rebase-of-1]",
        "proof": "patch_id",
        "evidence": "the forge names [rebase-of-1] as its merge commit, and the 2 commits up to it have the patch ids of the pull request's"
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
          "evidence": "it contains the head [a2] below"
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
fn and_its_branch_is_still_there() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    let commands = tower.commands(1, 2, &json!({})).join("\n");
    insta::assert_snapshot!(tower.named(&commands), @"
    git fetch --no-tags origin refs/heads/main refs/pull/2/head refs/pull/3/head
    { git switch feat/b || git switch --no-track --create feat/b [b1]; } && git merge --ff-only [b1]
    git rebase --onto [squash-of-1] [a2] feat/b
    { git switch feat/c || git switch --no-track --create feat/c [c2]; } && git merge --ff-only [c2]
    git rebase --onto refs/heads/feat/b [b1] feat/c
    git range-diff --no-patch [a2]..[b1] [squash-of-1]..refs/heads/feat/b
    git range-diff --no-patch [b1]..[c2] refs/heads/feat/b..refs/heads/feat/c
    gh api --silent --method PATCH repos/octo/demo/pulls/2 -f base=main
    git push --atomic --force-with-lease=refs/heads/feat/b:[b1] --force-with-lease=refs/heads/feat/c:[c2] origin refs/heads/feat/b:refs/heads/feat/b refs/heads/feat/c:refs/heads/feat/c
    baton pr get-failing-tests 'octo/demo#2' --wait --bail-on-first
    baton pr get-failing-tests 'octo/demo#3' --wait --bail-on-first
    baton pr get-failing-tests 'octo/demo#2'
    ");
}

#[test]
fn by_squash_after_it_got_commits_that_the_upper_one_lacks() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("feat/a");
    tower.commit("a3");
    world.push(&tower.repo, "feat/a");
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    let answer = tower.ask(1, 2);
    assert_eq!(answer["squash_merge"], true);
    assert_eq!(answer["last_upstream_commit"], tower.id("a2"));
    insta::assert_snapshot!(tower.shown(&answer["rebase_strategy"]), @r##"
    {
      "recommended": "onto",
      "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #2.",
      "regular_command": "git rebase [squash-of-1] feat/b",
      "onto_command": "git rebase --onto [squash-of-1] [a2] feat/b",
      "ai_should_decide": false,
      "considerations": [
        "#1 (3 commits) was squash-merged: the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 3 commits together.",
        "#2 has 1 commit after [a2] of its own: it begins with 2 commits of the one below (2 by id).",
        "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
        "A rebase without --onto stops at [a1] (Add a1) with conflicts in log.txt.",
        "#2 conflicts at [b1] (Add b1) in log.txt.",
        "#3 was not rehearsed, as what is below it has conflicts."
      ]
    }
    "##);
}

#[test]
fn by_squash_after_it_was_rewritten() {
    let world = World::start();
    let tower = Tower::new(&world);
    // The second commit is amended: another id and another patch.
    tower.repo.checkout("feat/a");
    tower.repo.write("a2.txt", "a2, better\n");
    tower.repo.git(&["add", "--all"]);
    tower
        .repo
        .git(&["commit", "--quiet", "--amend", "--no-edit"]);
    tower.name("a2-amended", &tower.repo.head());
    world.push(&tower.repo, "feat/a");
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    let answer = tower.ask(1, 2);
    assert_eq!(answer["last_upstream_commit"], tower.id("a2"));
    insta::assert_snapshot!(tower.shown(&answer["rebase_strategy"]), @r##"
    {
      "recommended": "onto",
      "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #2.",
      "regular_command": "git rebase [squash-of-1] feat/b",
      "onto_command": "git rebase --onto [squash-of-1] [a2] feat/b",
      "ai_should_decide": false,
      "considerations": [
        "#1 (2 commits) was squash-merged: the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 2 commits together.",
        "#2 has 1 commit after [a2] of its own: it begins with 2 commits of the one below (1 by id, 1 by author, date and subject).",
        "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
        "A rebase without --onto stops at [a1] (Add a1) with conflicts in log.txt."
      ]
    }
    "##);
}

#[test]
fn by_hand_as_one_commit() {
    let world = World::start();
    let tower = Tower::new(&world);
    squash_by_hand(&tower);
    let path = "/repos/octo/demo/pulls/1";
    world
        .client("octo")
        .patch(path, &json!({ "state": "closed" }))
        .expect(200);
    let answer = tower.ask(1, 2);
    insta::assert_snapshot!(tower.shown(&answer["landing"]), @r#"
    {
      "way": "squash",
      "commit": "[squash-by-hand]",
      "proof": "patch_id",
      "evidence": "[squash-by-hand] makes the same change as the 2 commits together"
    }
    "#);
    assert_eq!(answer["last_upstream_commit"], tower.id("a2"));
}

#[test]
fn by_hand_with_another_change_in_the_same_commit() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("main");
    tower.repo.git(&["merge", "--quiet", "--squash", "feat/a"]);
    tower.repo.write("more.txt", "more\n");
    let id = tower.repo.commit("Take the first step, and more");
    tower.name("squash-by-hand", &id);
    world.push(&tower.repo, "main");
    let path = "/repos/octo/demo/pulls/1";
    world
        .client("octo")
        .patch(path, &json!({ "state": "closed" }))
        .expect(200);
    let answer = tower.ask(1, 2);
    insta::assert_snapshot!(tower.shown(&answer["landing"]), @r#"
    {
      "way": "squash",
      "proof": "content",
      "evidence": "every file that it changed is there as it left it"
    }
    "#);
}

fn squash_by_hand(tower: &Tower<'_>) {
    tower.repo.checkout("main");
    tower.repo.commit_file("m1.txt", "m1\n", "Add m1");
    tower.repo.git(&["merge", "--quiet", "--squash", "feat/a"]);
    let id = tower.repo.commit("Take the first step");
    tower.name("squash-by-hand", &id);
    tower.world.push(&tower.repo, "main");
}
