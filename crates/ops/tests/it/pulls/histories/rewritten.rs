use serde_json::json;

use super::super::shell::Shell;
use super::super::world::ToolCaller;
use super::pile::{Expected, Pile};
use baton_testkit::world::World;
use baton_testkit::world::forge::NewAccount;

/// Everything above `feat/a` on it, as it was.
const ABOVE: [Expected<'static>; 2] = [
    ("feat/b", "feat/a", &["b1", "b2"]),
    ("feat/c", "feat/b", &["c1"]),
];

#[test]
fn amended_with_another_message() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.repo.checkout("feat/a");
    pile.repo.write("a2.txt", "quite another\n");
    let amend = [
        "commit",
        "--quiet",
        "--all",
        "--amend",
        "--reset-author",
        "-m",
        "Put it differently",
    ];
    pile.rewrite("feat/a", &[&amend]);
    pile.check((1, 2), &json!({}), &ABOVE);
}

#[test]
fn dropped_in_the_middle() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a2"],
        ],
    );
    pile.check((1, 2), &json!({}), &ABOVE);
    assert_eq!(pile.files("feat/c"), "a2.txt b1.txt b2.txt c1.txt");
}

#[test]
fn dropped_at_the_end() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite("feat/a", &[&["reset", "--quiet", "--hard", "a1"]]);
    let answer = pile.look(1, 2, &json!({}));
    assert_eq!(answer["stack"][0]["own_commits"], 2, "{answer:#}");
    let left_out = answer["stack"][0]["left_out"].to_string();
    assert_eq!(pile.named(&left_out), r#"["[a2] Add a2"]"#);
    pile.check((1, 2), &json!({}), &ABOVE);
    assert_eq!(pile.files("feat/c"), "a1.txt b1.txt b2.txt c1.txt");
}

#[test]
fn reordered() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a2", "a1"],
        ],
    );
    pile.check((1, 2), &json!({}), &ABOVE);
}

#[test]
fn reworded_by_another_author() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a1"],
            &[
                "commit",
                "--quiet",
                "--amend",
                "--reset-author",
                "-m",
                "First",
            ],
            &["cherry-pick", "a2"],
            &[
                "commit",
                "--quiet",
                "--amend",
                "--reset-author",
                "-m",
                "Second",
            ],
        ],
    );
    pile.check((1, 2), &json!({}), &ABOVE);
}

#[test]
fn squashed_before_its_merge() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--soft", "main"],
            &["commit", "--quiet", "-m", "All at once"],
        ],
    );
    pile.check((1, 2), &json!({}), &ABOVE);
}

#[test]
fn renamed_and_then_amended() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.repo.checkout("feat/a");
    pile.repo.branch("feat/new");
    world.push(&pile.repo, "feat/new");
    let number = world.open_pull("Add feat/new", "feat/new", "main");
    world
        .client("octo")
        .patch("/repos/octo/demo/pulls/2", &json!({ "base": "feat/new" }))
        .expect(200);
    world
        .client("octo")
        .delete("/repos/octo/demo/git/refs/heads/feat/a")
        .expect(204);
    pile.repo.write("a2.txt", "quite another\n");
    let amend = [
        "commit",
        "--quiet",
        "--all",
        "--amend",
        "--reset-author",
        "-m",
        "Put it differently",
    ];
    pile.rewrite("feat/new", &[&amend]);
    let expected = [("feat/b", "feat/new", &["b1", "b2"][..]), ABOVE[1]];
    pile.check((number, 2), &json!({}), &expected);
}

#[test]
fn below_a_pull_request_from_a_fork() {
    let mut world = World::start();
    world.add_account(NewAccount::user("outsider"));
    let mut pile = Pile::new(&world);
    pile.caller = ToolCaller::for_user(&world, "outsider");
    world
        .client("outsider")
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202);
    pile.repo.checkout("feat/a");
    pile.repo.branch("mine");
    pile.commit("x1");
    let fork = world.git_url("outsider", "outsider/demo");
    pile.repo
        .git(&["push", "--quiet", &fork, "HEAD:refs/heads/mine"]);
    let body = json!({
        "title": "From outside", "head": "outsider:mine", "base": "main", "maintainer_can_modify": true,
    });
    world
        .client("outsider")
        .post("/repos/octo/demo/pulls", &body)
        .expect(201);
    pile.repo.checkout("feat/a");
    pile.repo.write("a2.txt", "quite another\n");
    let amend = [
        "commit",
        "--quiet",
        "--all",
        "--amend",
        "--reset-author",
        "-m",
        "Put it differently",
    ];
    pile.rewrite("feat/a", &[&amend]);
    let done = pile.restack(1, 4, &json!({}));
    assert_eq!(done["status"], "restacked", "{done:#}");
    pile.repo
        .git(&["fetch", "--quiet", &fork, "+mine:refs/heads/mine-now"]);
    let range = "feat/a..mine-now";
    assert_eq!(pile.repo.git(&["log", "--format=%s", range]), "Add x1");
    assert_eq!(
        pile.restack(1, 4, &json!({ "undo": true }))["status"],
        "undone"
    );
    pile.repo
        .git(&["fetch", "--quiet", &fork, "+mine:refs/heads/mine-now"]);
    assert_eq!(
        pile.repo.git(&["rev-parse", "mine-now^{commit}"]),
        pile.repo.git(&["rev-parse", "x1"])
    );
}

#[test]
fn four_deep() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.stack("feat/d", "feat/c", &["d1", "d2"]);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a2"],
        ],
    );
    let [b, c] = ABOVE;
    pile.check(
        (1, 2),
        &json!({}),
        &[b, c, ("feat/d", "feat/c", &["d1", "d2"])],
    );
}

#[test]
fn in_a_checkout_that_saw_the_old_head() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.work_in_the_checkout();
    pile.repo.git(&["fetch", "--quiet", "origin"]);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a2"],
        ],
    );
    pile.check((1, 2), &json!({}), &ABOVE);
}

#[test]
fn commands_in_the_clone_of_a_fork_fetch_from_the_base_repository() {
    let mut world = World::start();
    world.add_account(NewAccount::user("outsider"));
    let mut pile = Pile::new(&world);
    world
        .client("outsider")
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    let fork = format!("{}/outsider/demo.git", world.web_url());
    shell.done(&format!("git remote set-url origin {fork}"));
    // The fork is behind.
    pile.repo.checkout("main");
    pile.commit("news");
    world.push(&pile.repo, "main");
    pile.rewrite("feat/a", &[&["rebase", "--quiet", "main"]]);
    pile.caller.server.workplace.folder = Some(shell.folder().to_owned());
    for command in pile.commands(1, 2, &json!({})) {
        shell.done(&command);
    }
    pile.assert_own(&ABOVE);
    let fetch = pile.commands(1, 3, &json!({}));
    assert!(
        !fetch.iter().any(|one| one.contains(" origin ")),
        "{fetch:?}"
    );
}
