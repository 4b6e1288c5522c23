use super::*;

#[test]
fn those_without_rights_learn_what_they_may() {
    let world = World::start();
    let scene = Scene::new(&world);
    let shown = |login: &str| {
        let answer = ToolCaller::for_user(&world, login).ask(TOOL, &json!({ "pr": "octo/demo#1" }));
        format!("{login}\n{}", outline(&answer))
    };
    insta::assert_snapshot!(shown("guest"), @"
    guest
    ready: true (approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may not merge here.
    ");
    scene.protect(&json!({
        "required_status_checks": { "strict": true, "contexts": ["test"] },
    }));
    scene.run(&["test"]).pass();
    insta::assert_snapshot!(format!("{}\n\n{}", shown("reviewer"), shown("guest")), @"
    reviewer
    ready: false (ci_passing no_conflicts up_to_date)
    unknown unread_rules: branchProtectionRule: null; refUpdateRule: present
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied required_check: statusCheckRollup: `test` = SUCCESS

    guest
    ready: false (ci_passing no_conflicts up_to_date)
    unknown unread_rules: branchProtectionRule: null; refUpdateRule: present
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    The caller may not merge here.
    ");
    let answer = ToolCaller::for_user(&world, "guest").ask(TOOL, &json!({ "pr": "octo/demo#1" }));
    assert_eq!(answer["ready_to_merge"], false);
}

#[test]
fn conflicts_are_left_to_those_who_follow() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.repo.checkout("main");
    scene
        .repo
        .commit_file("cart.py", "total = 2\n", "Count otherwise");
    world.push(&scene.repo, "main");
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met branch_protection_satisfied)
    failing conflicts: mergeable: CONFLICTING
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    No CI reports on the head.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    let commands = commands(&scene.ask(), "conflicts");
    let (last, before) = commands.split_last().unwrap();
    for command in before {
        shell.done(command);
    }
    assert_eq!(shell.run(last).status.code(), Some(1));
    assert_eq!(shell.done("git status --short"), "AA cart.py\n");
}

#[test]
fn a_closed_one_can_be_opened_again() {
    let world = World::start();
    let scene = Scene::new(&world);
    // Whether a closed one would merge is not looked up any more.
    scene.ask();
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo/pulls/1", &json!({ "state": "closed" }))
        .expect(200);
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date branch_protection_satisfied)
    failing open: state: CLOSED
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    shell.done("gh pr view 1 --repo octo/demo --json mergeable,mergeStateStatus");
    scene.follow("open", &shell);
    assert_eq!(scene.ask()["ready_to_merge"], true);
}

#[test]
fn a_stack_is_noticed() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.repo.branch("fix/cart-more");
    scene.repo.commit_file("more.py", "", "More");
    world.push(&scene.repo, "fix/cart-more");
    assert_eq!(world.open_pull("More", "fix/cart-more", "fix/cart"), 2);
    let answer = scene.caller.ask(TOOL, &json!({ "pr": "octo/demo#2" }));
    insta::assert_snapshot!(outline(&answer), @"
    ready: true (approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. It goes into fix/cart, the branch of the open #1: merging puts it there.
    ");
}

#[test]
fn what_is_not_there_is_named() {
    let world = World::start();
    world.add_repository(NewRepository::new("octo", "empty"));
    world.add_repository(NewRepository {
        private: true,
        ..NewRepository::new("octo", "secret")
    });
    let caller = ToolCaller::for_user(&world, "guest");
    let errors = [
        "octo/demo#7",
        "octo/empty#1",
        "octo/secret#1",
        "octo/none#1",
        "nonsense",
    ];
    let errors = errors.map(|pr| caller.error(TOOL, &json!({ "pr": pr })));
    insta::assert_snapshot!(errors.join("\n"), @r#"
    {
      "error": "cannot read the merge requirements of pull request octo/demo#7: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of pull request octo/demo#7; the token may also lack the permission to see it."
    }
    {
      "error": "cannot read the merge requirements of pull request octo/empty#1: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of pull request octo/empty#1; the token may also lack the permission to see it."
    }
    {
      "error": "cannot read the merge requirements of pull request octo/secret#1: there is no repository octo/secret, or this token may not see it",
      "category": "user",
      "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
    }
    {
      "error": "cannot read the merge requirements of pull request octo/none#1: there is no repository octo/none, or this token may not see it",
      "category": "user",
      "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
    }
    {
      "error": "'nonsense' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL",
      "category": "user"
    }
    "#);
}

#[test]
fn a_fork_that_no_one_may_see_has_a_ledger_still() {
    let world = World::start();
    let scene = Scene::new(&world);
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    let url = world.git_url("guest", "guest/demo");
    world.wait_for("the fork", || {
        let asked = scene
            .repo
            .try_git(&["ls-remote", "--exit-code", &url, "main"]);
        asked.status.success().then_some(())
    });
    scene.repo.branch("from-afar");
    scene.repo.commit_file("afar.py", "", "From afar");
    scene
        .repo
        .git(&["push", "--quiet", &url, "HEAD:refs/heads/from-afar"]);
    let body = json!({ "title": "From afar", "head": "guest:from-afar", "base": "main" });
    guest.post("/repos/octo/demo/pulls", &body).expect(201);
    guest.delete("/repos/guest/demo").expect(204);
    world.require_checks("main", &["test"]);
    let answer = scene.caller.ask(TOOL, &json!({ "pr": "octo/demo#2" }));
    insta::assert_snapshot!(outline(&answer), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head. The caller may merge past the rules as an administrator.
    ");
}
