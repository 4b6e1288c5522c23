use super::*;

#[test]
fn side_by_side() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("main");
    tower.repo.branch("other");
    tower.commit("o1");
    world.push(&tower.repo, "other");
    world.open_pull("Another thing", "other", "main");
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 4)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#4",
      "is_stacked": false,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "main",
        "matches": false,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base)\n    `-- #2 feat/b \"Add feat/b\"\n        `-- #3 feat/c \"Add feat/c\"\nmain\n`-- #4 other \"Another thing\"  (dependent)"
      },
      "changes_detected": false,
      "upstream_merge_detected": false,
      "squash_merge": false,
      "rebase_strategy": {
        "recommended": "regular",
        "reason": "#4 does not stand on #1.",
        "ai_should_decide": false,
        "considerations": []
      },
      "commands": [],
      "automation": {
        "enabled": true,
        "status": "not_started"
      },
      "summary": {
        "action_required": false,
        "reason": "#4 does not stand on #1.",
        "estimated_total_time": "none",
        "risk_level": "low"
      }
    }
    "##);
}

#[test]
fn the_other_way_round() {
    let world = World::start();
    let tower = Tower::new(&world);
    let answer = tower.ask(2, 1);
    assert_eq!(answer["is_stacked"], false);
    insta::assert_snapshot!(answer["summary"]["reason"].as_str().unwrap(), @"#2 stands on #1: the two are named the other way round.");
}

#[test]
fn in_different_repositories() {
    let world = World::start();
    world.add_repository(NewRepository::new("octo", "other"));
    let tower = Tower::new(&world);
    let input = json!({ "base_pr": "octo/demo#1", "dependent_pr": "octo/other#1" });
    insta::assert_snapshot!(tower.caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo#1 and octo/other#1 are in different repositories",
      "category": "logical",
      "suggestion": "Only pull requests of one repository can stand on one another; those from forks are numbered in the repository that they go to."
    }
    "#);
    let input = json!({ "base_pr": "octo/demo#1", "dependent_pr": "octo/demo#1" });
    insta::assert_snapshot!(tower.caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo#1 cannot stand on itself",
      "category": "logical",
      "suggestion": "Name the lower pull request as base_pr and the upper one as dependent_pr."
    }
    "#);
    let input = pair(1, 9, &json!({}));
    insta::assert_snapshot!(tower.caller.error(TOOL, &input), @r#"
    {
      "error": "cannot read pull request octo/demo#9: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of pull request octo/demo#9; the token may also lack the permission to see it."
    }
    "#);
    let input = json!({ "base_pr": "octo/nothing#1", "dependent_pr": "octo/nothing#2" });
    insta::assert_snapshot!(tower.caller.error(TOOL, &input), @r#"
    {
      "error": "cannot read pull requests octo/nothing#1 and #2: there is no repository octo/nothing, or this token may not see it",
      "category": "user",
      "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
    }
    "#);
}
