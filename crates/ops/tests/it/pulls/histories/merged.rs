use serde_json::json;

use super::pile::{Expected, Pile};
use baton_testkit::world::World;

const ABOVE: [Expected<'static>; 2] = [
    ("feat/b", "main", &["b1", "b2"]),
    ("feat/c", "feat/b", &["c1"]),
];

#[test]
fn in_each_way() {
    for method in ["squash", "rebase", "merge"] {
        let world = World::start();
        let mut pile = Pile::new(&world);
        pile.merge(1, method);
        pile.check((1, 2), &json!({}), &ABOVE);
    }
}

#[test]
fn by_a_squash_after_the_base_was_pushed_by_force() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.rewrite(
        "feat/a",
        &[
            &["reset", "--quiet", "--hard", "main"],
            &["cherry-pick", "a2"],
        ],
    );
    pile.merge(1, "squash");
    pile.check((1, 2), &json!({}), &ABOVE);
    assert_eq!(pile.files("feat/c"), "a2.txt b1.txt b2.txt c1.txt");
}

#[test]
fn and_reverted_asks_until_it_is_back() {
    for method in ["squash", "rebase", "merge"] {
        let world = World::start();
        let mut pile = Pile::new(&world);
        pile.merge(1, method);
        pile.repo.git(&["fetch", "--quiet", "origin"]);
        let revert: &[&str] = match method {
            "merge" => &["revert", "--no-edit", "-m", "1", "HEAD"],
            "rebase" => &["revert", "--no-edit", "HEAD~2..HEAD"],
            _ => &["revert", "--no-edit", "HEAD"],
        };
        pile.rewrite(
            "main",
            &[&["reset", "--quiet", "--hard", "origin/main"], revert],
        );
        let reverted = pile.repo.head();
        let before = pile.branches();
        let refusal = pile.refused(1, 2, &json!({}));
        assert!(refusal.contains("took it out again"), "{method}: {refusal}");
        assert!(refusal.contains("git revert"), "{method}: {refusal}");
        let answer = pile.look(1, 2, &json!({}));
        assert_eq!(answer["summary"]["risk_level"], "high");
        assert_eq!(pile.branches(), before);

        // Reverting the revert brings the code back, and the stack can follow.
        let again: &[&str] = match method {
            "rebase" => &["revert", "--no-edit", "HEAD~2..HEAD"],
            _ => &["revert", "--no-edit", &reverted],
        };
        pile.rewrite("main", &[again]);
        pile.check((1, 2), &json!({}), &ABOVE);
        assert_eq!(pile.files("feat/c"), "a1.txt a2.txt b1.txt b2.txt c1.txt");
    }
}

#[test]
fn and_reverted_may_be_left_out_when_someone_says_so() {
    let world = World::start();
    let mut pile = Pile::new(&world);
    pile.merge(1, "squash");
    pile.repo.git(&["fetch", "--quiet", "origin"]);
    let revert = ["revert", "--no-edit", "HEAD"];
    pile.rewrite(
        "main",
        &[&["reset", "--quiet", "--hard", "origin/main"], &revert],
    );
    let cut = pile.repo.git(&["rev-parse", "a2"]);
    pile.check((1, 2), &json!({ "cut": cut }), &ABOVE);
    assert_eq!(pile.files("feat/c"), "b1.txt b2.txt c1.txt");
}

/// A stack that follows its base by merging it.
mod kept_current_by_merges {
    use super::*;

    fn pile(world: &World) -> Pile<'_> {
        let pile = Pile::new(world);
        pile.repo.checkout("feat/a");
        pile.commit("a3");
        world.push(&pile.repo, "feat/a");
        for (branch, below) in [("feat/b", "feat/a"), ("feat/c", "feat/b")] {
            pile.rewrite(branch, &[&["merge", "--quiet", "--no-edit", below]]);
        }
        pile
    }

    /// No branch lost a commit.
    fn assert_fast_forward(pile: &Pile<'_>, before: &std::collections::BTreeMap<String, String>) {
        pile.repo.git(&["fetch", "--quiet", "origin"]);
        for (name, tip) in pile.branches() {
            if let Some(old) = before.get(&name) {
                pile.repo.git(&["merge-base", "--is-ancestor", old, &tip]);
            }
        }
    }

    #[test]
    fn follow_new_commits() {
        let world = World::start();
        let mut pile = pile(&world);
        pile.repo.checkout("feat/a");
        pile.commit("a4");
        world.push(&pile.repo, "feat/a");
        let before = pile.branches();
        let expected = [("feat/b", "feat/a", &["b1", "b2"][..]), ABOVE[1]];
        pile.check((1, 2), &json!({}), &expected);
        assert_fast_forward(&pile, &before);
        assert_eq!(
            pile.files("feat/c"),
            "a1.txt a2.txt a3.txt a4.txt b1.txt b2.txt c1.txt"
        );
    }

    #[test]
    fn follow_a_squash() {
        let world = World::start();
        let pile = pile(&world);
        pile.merge(1, "squash");
        let before = pile.branches();
        let done = pile.restack(1, 2, &json!({}));
        assert_eq!(done["status"], "restacked", "{done:#}");
        assert_eq!(done["pull_requests"][0]["merged"], true);
        assert_fast_forward(&pile, &before);
        let diff = ["diff", "--name-only", "origin/main...origin/feat/b"];
        assert_eq!(pile.repo.git(&diff), "b1.txt\nb2.txt");
        assert_eq!(
            pile.files("feat/c"),
            "a1.txt a2.txt a3.txt b1.txt b2.txt c1.txt"
        );
    }

    #[test]
    fn lose_what_the_base_dropped() {
        let world = World::start();
        let pile = pile(&world);
        pile.rewrite("feat/a", &[&["reset", "--quiet", "--hard", "a2"]]);
        let before = pile.branches();
        let done = pile.restack(1, 2, &json!({}));
        assert_eq!(done["status"], "restacked", "{done:#}");
        assert_fast_forward(&pile, &before);
        assert_eq!(pile.files("feat/c"), "a1.txt a2.txt b1.txt b2.txt c1.txt");
        let again = pile.look(1, 2, &json!({}));
        assert_eq!(again["summary"]["action_required"], false, "{again:#}");
    }
}

#[test]
fn any_stack_can_follow_by_merges_without_a_push_by_force() {
    let world = World::start();
    let pile = Pile::new(&world);
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
    let before = pile.branches();
    let done = pile.restack(1, 2, &json!({ "merge": true }));
    assert_eq!(done["status"], "restacked", "{done:#}");
    pile.repo.git(&["fetch", "--quiet", "origin"]);
    for branch in ["feat/b", "feat/c"] {
        let old = &before[&format!("refs/heads/{branch}")];
        let tip = format!("origin/{branch}");
        pile.repo.git(&["merge-base", "--is-ancestor", old, &tip]);
    }
    let diff = ["diff", "--name-only", "origin/feat/a", "origin/feat/b"];
    assert_eq!(pile.repo.git(&diff), "b1.txt\nb2.txt");
}
