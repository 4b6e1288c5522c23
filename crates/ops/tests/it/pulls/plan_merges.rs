//! `plan_merges`: the order that it gives is merged on a real forge.

use baton_testkit::world::World;
use serde_json::{Value, json};

use super::world::ToolCaller;

const TOOL: &str = "plan_merges";

/// Pull requests to `main`, each of which writes some files.
fn open(world: &World, pulls: &[(&str, &[&str])]) {
    let repo = world.checkout();
    for (branch, files) in pulls {
        repo.checkout("main");
        repo.branch(branch);
        for file in *files {
            repo.commit_file(file, format!("{branch}\n"), &format!("Write {file}"));
        }
        world.push(&repo, branch);
        world.open_pull(&format!("Write {branch}"), branch, "main");
    }
}

fn numbers(plan: &Value, needs: &str) -> Vec<String> {
    let order = plan["order"].as_array().unwrap().iter();
    order
        .filter(|one| one["needs"] == needs)
        .map(|one| one["pr"].as_str().unwrap().replace("octo/demo", ""))
        .collect()
}

fn merge(world: &World, number: &str) -> u16 {
    let path = format!("/repos/octo/demo/pulls/{}/merge", &number[1..]);
    let body = json!({ "merge_method": "merge" });
    world.wait_for("the forge's own answer", || {
        let path = format!("/repos/octo/demo/pulls/{}", &number[1..]);
        let pull = world.client("octo").get(&path).expect(200).json();
        pull["mergeable"].as_bool()
    });
    world.client("octo").put(&path, &body).status
}

#[test]
fn most_merge_when_the_one_in_the_way_waits() {
    let world = World::start();
    open(
        &world,
        &[
            ("wide", &["a.txt", "b.txt"]),
            ("a", &["a.txt"]),
            ("b", &["b.txt"]),
            ("c", &["c.txt"]),
        ],
    );
    let caller = ToolCaller::new(&world);
    let plan = caller.ask(TOOL, &json!({ "repository": "octo/demo" }));
    assert_eq!(numbers(&plan, "nothing"), ["#2", "#3", "#4"], "{plan:#}");
    assert_eq!(numbers(&plan, "resolve"), ["#1"]);
    let last = &plan["order"][3];
    assert_eq!(last["because_of"], json!(["octo/demo#2", "octo/demo#3"]));
    assert_eq!(last["files"], json!(["a.txt", "b.txt"]));
    let pair = |other: u32, file: &str| json!({ "one": "octo/demo#1", "other": format!("octo/demo#{other}"), "files": [file] });
    assert_eq!(
        plan["conflicts"],
        json!([pair(2, "a.txt"), pair(3, "b.txt")])
    );
    assert_eq!(
        (&plan["land_as_they_are"], &plan["need_work"]),
        (&json!(3), &json!(1))
    );

    // The forge agrees.
    for number in numbers(&plan, "nothing") {
        assert_eq!(merge(&world, &number), 200, "{number}");
    }
    assert_eq!(merge(&world, "#1"), 405);
    let plan = caller.ask(TOOL, &json!({ "repository": "octo/demo" }));
    assert_eq!(numbers(&plan, "resolve_now"), ["#1"], "{plan:#}");
}

#[test]
fn those_of_other_branches_are_not_planned() {
    let world = World::start();
    open(&world, &[("a", &["a.txt"]), ("b", &["b.txt"])]);
    let patch = json!({ "base": "a" });
    world
        .client("octo")
        .patch("/repos/octo/demo/pulls/2", &patch)
        .expect(200);
    let caller = ToolCaller::new(&world);
    let input = json!({ "repository": "octo/demo", "base": "a" });
    assert_eq!(numbers(&caller.ask(TOOL, &input), "nothing"), ["#2"]);
    let one = caller.ask(TOOL, &json!({ "repository": "octo/demo", "limit": 1 }));
    assert_eq!(numbers(&one, "nothing"), ["#1"]);
    assert_eq!(one["message"], Value::Null);
    let nowhere = json!({ "repository": "octo/demo", "base": "nowhere" });
    insta::assert_snapshot!(caller.error(TOOL, &nowhere), @r#"
    {
      "error": "octo/demo has no branch `nowhere`",
      "category": "logical",
      "suggestion": "Name a branch that exists in `base`."
    }
    "#);
}
