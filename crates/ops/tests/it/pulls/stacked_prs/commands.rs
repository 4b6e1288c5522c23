use super::*;

#[track_caller]
fn run_all(tower: &Tower<'_>, shell: &Shell<'_>, more: &Value) {
    for command in tower.commands(1, 2, more) {
        shell.done(&command);
    }
}

#[test]
fn after_a_squash_give_a_clean_stack() {
    let world = World::start();
    let tower = Tower::new(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    run_all(&tower, &shell, &json!({}));
    assert_clean(&tower);
    // Once more: there is nothing left to do.
    let answer = tower.ask(1, 2);
    assert_eq!(
        (&answer["is_stacked"], &answer["commands"]),
        (&json!(false), &json!([]))
    );
}

#[test]
fn after_a_squash_retarget_where_the_branch_stayed() {
    let world = World::start();
    let tower = Tower::new(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    tower.merge(1, "squash");
    // The clone has a branch of its own already, some commits behind.
    shell.done("git switch --quiet --create feat/c origin/feat/b");
    run_all(&tower, &shell, &json!({}));
    assert_clean(&tower);
}

#[test]
fn after_a_merge_and_after_a_rebase_give_the_same() {
    for method in ["merge", "rebase"] {
        let world = World::start();
        let tower = Tower::new(&world);
        let Some(shell) = Shell::with_baton(&world, "octo") else {
            return;
        };
        tower.merge(1, method);
        run_all(&tower, &shell, &json!({ "auto_fix": false }));
        assert_clean(&tower);
    }
}

#[test]
fn after_a_push_by_force_leave_the_old_commits_out() {
    let world = World::start();
    let tower = Tower::new(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    tower.repo.checkout("main");
    tower
        .repo
        .commit_file("news.txt", "news\n", "Tell the news");
    world.push(&tower.repo, "main");
    tower.repo.checkout("feat/a");
    tower.repo.git(&["rebase", "--quiet", "main"]);
    world.push(&tower.repo, "feat/a");
    run_all(&tower, &shell, &json!({}));
    assert_eq!(tower.subjects("origin/feat/a", "origin/feat/b"), ["Add b1"]);
    assert_eq!(
        tower.subjects("origin/feat/b", "origin/feat/c"),
        ["Add c1", "Add c2"]
    );
}

#[test]
fn stop_where_someone_pushed_meanwhile() {
    let world = World::start();
    let tower = Tower::new(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    let commands = tower.commands(1, 2, &json!({}));
    let place = commands
        .iter()
        .position(|one| one.starts_with("git push"))
        .unwrap();
    for command in &commands[..place] {
        shell.done(command);
    }
    tower.repo.checkout("feat/c");
    tower.commit("c3");
    world.push(&tower.repo, "feat/c");
    let before = ["feat/b", "feat/c"].map(|branch| tower.branch_head(branch));
    assert!(!shell.run(&commands[place]).status.success());
    assert_eq!(
        ["feat/b", "feat/c"].map(|branch| tower.branch_head(branch)),
        before
    );
}

#[test]
fn carry_names_that_a_shell_would_read() {
    let world = World::start();
    let tower = Tower::new(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    let branch = "x;$(touch${IFS}pwned)`y'&";
    tower.repo.checkout("feat/a");
    tower.repo.branch(branch);
    tower.commit("x1");
    world.push(&tower.repo, branch);
    world.open_pull("Odd", branch, "feat/a");
    tower.merge(1, "squash");
    for command in tower.commands(1, 4, &json!({})) {
        shell.done(&command);
    }
    assert_eq!(
        tower.subjects("origin/main", &format!("origin/{branch}")),
        ["Add x1"]
    );
    assert_eq!(shell.done("ls pwned 2>/dev/null || true"), "");
}
