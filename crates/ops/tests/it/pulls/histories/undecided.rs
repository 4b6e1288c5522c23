use std::thread;
use std::time::Duration;

use serde_json::json;

use super::pile::{Expected, Pile};
use baton_testkit::world::World;

/// A commit that was moved from one branch to a new one looks like one that was dropped: the new
/// pull request was opened after the push.
#[test]
fn a_commit_that_moved_to_a_new_branch_is_not_dropped() {
    let world = World::start();
    let pile = Pile::new(&world);
    pile.repo.checkout("feat/a");
    pile.commit("m1");
    world.push(&pile.repo, "feat/a");
    pile.repo.branch("feat/moved");
    pile.commit("m2");
    pile.rewrite("feat/a", &[&["reset", "--quiet", "--hard", "a2"]]);
    thread::sleep(Duration::from_millis(1100));
    pile.repo.checkout("feat/moved");
    world.push(&pile.repo, "feat/moved");
    let number = world.open_pull("Move m1 here", "feat/moved", "feat/a");
    let before = pile.branches();
    insta::assert_snapshot!(
        pile.refused(1, number, &json!({})),
        @"Which commits of #4 are its own? it begins with 3 commits of the one below (2 by id, 1 by id in what it had before); [m1] (Add m1) was below once and is there no longer. Say the last commit below them in `cut`."
    );
    assert_eq!(pile.branches(), before);

    let cut = pile.repo.git(&["rev-parse", "a2"]);
    pile.repo.checkout("feat/a");
    pile.commit("a3");
    world.push(&pile.repo, "feat/a");
    let done = pile.restack(1, number, &json!({ "cut": cut }));
    assert_eq!(done["status"], "restacked", "{done:#}");
    let expected: [Expected<'_>; 1] = [("feat/moved", "feat/a", &["m1", "m2"])];
    pile.assert_own(&expected);
}

#[test]
fn a_cut_is_checked() {
    let world = World::start();
    let pile = Pile::new(&world);
    pile.repo.checkout("feat/a");
    pile.commit("a3");
    world.push(&pile.repo, "feat/a");
    let id = |name: &str| pile.repo.git(&["rev-parse", name]);
    let mut refusals = Vec::new();
    for cut in [
        "feat/a".to_owned(),
        id("a3"),
        id("b2"),
        id("a1"),
        "0".repeat(40),
    ] {
        refusals.push(pile.refused(1, 2, &json!({ "cut": cut })));
    }
    insta::assert_snapshot!(refusals.join("\n"), @r"
    `feat/a` cannot be the cut of #2: it is no id of a commit that is here
    `[a3]` cannot be the cut of #2: it is not in its branch
    `[b2]` cannot be the cut of #2: nothing would be its own
    `[a1]` cannot be the cut of #2: [a2], which comes after it, is in #1 as well
    `0000000` cannot be the cut of #2: it is no id of a commit that is here
    ");
    let done = pile.restack(1, 2, &json!({ "cut": id("a2") }));
    assert_eq!(done["status"], "restacked", "{done:#}");
    pile.assert_own(&[("feat/b", "feat/a", &["b1", "b2"])]);
}

/// A token that may not see timelines.
mod with_a_history_that_is_unknown {
    use baton_testkit::world::Withheld;

    use super::*;
    use crate::pulls::world::ToolCaller;

    fn pile(world: &World) -> Pile<'_> {
        let mut pile = Pile::new(world);
        let withheld = [Withheld::Field("nodes.*.timelineItems")];
        pile.caller = ToolCaller::withholding(world, &withheld);
        pile
    }

    #[test]
    fn a_base_that_has_other_commits_is_a_question() {
        let world = World::start();
        let mut pile = pile(&world);
        pile.rewrite(
            "feat/a",
            &[
                &["reset", "--quiet", "--soft", "main"],
                &["commit", "--quiet", "-m", "All at once"],
            ],
        );
        let before = pile.branches();
        insta::assert_snapshot!(pile.refused(1, 2, &json!({})), @"Which commits of #2 are its own? none of the 1 commit below is in it; whether the branch below was pushed by force is not known (Resource not accessible by personal access token). Say the last commit below them in `cut`.");
        assert_eq!(pile.branches(), before);
        let cut = pile.repo.git(&["rev-parse", "a2"]);
        let above: [Expected<'_>; 2] = [
            ("feat/b", "feat/a", &["b1", "b2"]),
            ("feat/c", "feat/b", &["c1"]),
        ];
        pile.check((1, 2), &json!({ "cut": cut }), &above);
    }

    #[test]
    fn a_base_that_was_only_rebased_is_none() {
        let world = World::start();
        let mut pile = pile(&world);
        pile.repo.checkout("main");
        pile.commit("news");
        world.push(&pile.repo, "main");
        pile.rewrite("feat/a", &[&["rebase", "--quiet", "main"]]);
        let above: [Expected<'_>; 2] = [
            ("feat/b", "feat/a", &["b1", "b2"]),
            ("feat/c", "feat/b", &["c1"]),
        ];
        pile.check((1, 2), &json!({}), &above);
        let answer = pile.look(1, 2, &json!({}));
        assert_eq!(answer["summary"]["risk_level"], "low");
    }

    #[test]
    fn the_stacks_of_the_forge_are_unknown_and_no_failure() {
        let world = World::start();
        let mut pile = Pile::new(&world);
        pile.caller = ToolCaller::withholding(&world, &[Withheld::Path("/stacks")]);
        pile.merge(1, "squash");
        let answer = pile.look(1, 2, &json!({}));
        assert_eq!(answer["is_stacked"], true);
        let told = answer["rebase_strategy"]["considerations"].to_string();
        assert!(
            told.contains("Whether the forge itself has them as a stack"),
            "{told}"
        );
    }
}

/// Someone copied a commit into the upper branch before it was dropped below.
#[test]
fn a_copy_of_a_dropped_commit_is_a_question() {
    let world = World::start();
    let pile = Pile::new(&world);
    pile.rewrite(
        "feat/b",
        &[
            &["reset", "--quiet", "--hard", "a1"],
            &["cherry-pick", "a2"],
            &[
                "commit",
                "--quiet",
                "--amend",
                "--no-edit",
                "--date=2023-01-01T00:00:00Z",
            ],
            &["cherry-pick", "b1", "b2"],
        ],
    );
    pile.rewrite("feat/a", &[&["reset", "--quiet", "--hard", "a1"]]);
    let before = pile.branches();
    let refusal = pile.refused(1, 2, &json!({}));
    assert!(refusal.contains("(Add a2) was below once"), "{refusal}");
    assert_eq!(pile.branches(), before);
}
