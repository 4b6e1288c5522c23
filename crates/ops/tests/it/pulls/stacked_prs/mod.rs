//! `manage_stacked_prs`: every way in which a stack can stand or lean, on a
//! real forge with real merges, and the printed commands run in a real shell.

mod base_changed;
mod base_merged;
mod commands;
mod not_stacked;

use std::cell::RefCell;
use std::collections::BTreeMap;

use baton_testkit::Repo;
use baton_testkit::world::World;
use baton_testkit::world::forge::{NewAccount, NewRepository};
use serde_json::{Value, json};

use super::shell::Shell;
use super::world::{Spent, ToolCaller};

const TOOL: &str = "manage_stacked_prs";

/// A stack of three pull requests on `main`: `feat/a` (#1, two commits),
/// `feat/b` (#2, one) and `feat/c` (#3, two).
pub(super) struct Tower<'w> {
    pub(super) world: &'w World,
    pub(super) caller: ToolCaller<'w>,
    pub(super) repo: Repo<'w>,
    /// Commits by what the tests call them.
    names: RefCell<BTreeMap<String, String>>,
}

impl<'w> Tower<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let tower = Self {
            caller: ToolCaller::new(world),
            repo: world.checkout(),
            names: RefCell::default(),
            world,
        };
        tower.name("begin", &tower.repo.head());
        for (branch, base, commits) in [
            ("feat/a", "main", &["a1", "a2"][..]),
            ("feat/b", "feat/a", &["b1"]),
            ("feat/c", "feat/b", &["c1", "c2"]),
        ] {
            tower.repo.branch(branch);
            for name in commits {
                tower.commit(name);
            }
            world.push(&tower.repo, branch);
            world.open_pull(&format!("Add {branch}"), branch, base);
        }
        tower
    }

    /// A commit that adds a file of its own name and a line to `log.txt`.
    pub(super) fn commit(&self, name: &str) -> String {
        let log = self.repo.path().join("log.txt");
        let before = std::fs::read_to_string(log).unwrap_or_default();
        self.repo.write("log.txt", format!("{before}{name}\n"));
        let id = self.repo.commit_file(
            &format!("{name}.txt"),
            format!("{name}\n"),
            &format!("Add {name}"),
        );
        self.name(name, &id);
        id
    }

    pub(super) fn name(&self, name: &str, id: &str) {
        self.names
            .borrow_mut()
            .insert(id[..7].to_owned(), name.to_owned());
    }

    pub(super) fn id(&self, name: &str) -> String {
        let names = self.names.borrow();
        let (id, _) = names.iter().find(|(_, known)| *known == name).unwrap();
        self.repo.git(&["rev-parse", id])
    }

    /// Merges a pull request as its author does on the page.
    pub(super) fn merge(&self, number: u32, method: &str) -> String {
        let path = format!("/repos/octo/demo/pulls/{number}/merge");
        let body = json!({ "merge_method": method });
        let answer = self
            .world
            .client("octo")
            .put(&path, &body)
            .expect(200)
            .json();
        let id = answer["sha"].as_str().unwrap().to_owned();
        self.name(&format!("{method}-of-{number}"), &id);
        id
    }

    pub(super) fn delete_branch(&self, branch: &str) {
        let path = format!("/repos/octo/demo/git/refs/heads/{branch}");
        self.world.client("octo").delete(&path).expect(204);
    }

    pub(super) fn branch_head(&self, branch: &str) -> String {
        let path = format!("/repos/octo/demo/git/ref/heads/{branch}");
        let answer = self.world.client("octo").get(&path).expect(200).json();
        answer["object"]["sha"].as_str().unwrap().to_owned()
    }

    fn pull(&self, number: u32) -> Value {
        let path = format!("/repos/octo/demo/pulls/{number}");
        self.world.client("octo").get(&path).expect(200).json()
    }

    pub(super) fn ask(&self, base: u32, dependent: u32) -> Value {
        self.ask_with(base, dependent, &json!({}))
    }

    fn ask_with(&self, base: u32, dependent: u32, more: &Value) -> Value {
        self.caller.ask(TOOL, &pair(base, dependent, more))
    }

    /// For a snapshot: commits by name, and no time but the fixture's.
    pub(super) fn shown(&self, output: &Value) -> String {
        let mut output = output.clone();
        if let Some(cursor) = output.get_mut("nextCursor") {
            *cursor = json!("[a cursor]");
        }
        if let Some(commits) = output
            .pointer_mut("/change_summary/commits")
            .and_then(Value::as_array_mut)
        {
            for commit in commits {
                if !commit["date"].as_str().unwrap().starts_with("2023-11-1") {
                    commit["date"] = json!("[now]");
                }
            }
        }
        self.named(&self.caller.shown(&output))
    }

    /// The same text with commits by name.
    pub(super) fn named(&self, text: &str) -> String {
        let mut names = self.names.borrow_mut();
        let mut shown = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
            let (before, from) = rest.split_at(start);
            shown += before;
            let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let end = from.find(|c| !is_hex(c)).unwrap_or(from.len()).max(1);
            let (run, after) = from.split_at(end);
            let is_id = matches!(run.len(), 7 | 40) && run.chars().any(|c| c.is_ascii_digit());
            if is_id {
                let count = names.len();
                let name = names
                    .entry(run[..7].to_owned())
                    .or_insert_with(|| format!("unnamed-{count}"));
                shown.extend(["[", name.as_str(), "]"]);
            } else {
                shown += run;
            }
            rest = after;
        }
        shown + rest
    }

    /// All commands, page by page.
    pub(super) fn commands(&self, base: u32, dependent: u32, more: &Value) -> Vec<String> {
        let mut commands = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let mut input = pair(base, dependent, more);
            if !cursor.is_null() {
                input["cursor"] = cursor;
            }
            let answer = self.caller.ask(TOOL, &input);
            let page = answer["commands"].as_array().unwrap();
            assert!(page.len() <= 5);
            commands.extend(
                page.iter()
                    .map(|one| one["command"].as_str().unwrap().to_owned()),
            );
            cursor = answer["nextCursor"].clone();
            if cursor.is_null() {
                return commands;
            }
        }
    }

    /// `subject` of each commit of `from..to` on the forge, the oldest first.
    pub(super) fn subjects(&self, from: &str, to: &str) -> Vec<String> {
        self.repo.git(&["fetch", "--quiet", "origin"]);
        let range = format!("{from}..{to}");
        let log = self.repo.git(&["log", "--reverse", "--format=%s", &range]);
        log.lines().map(str::to_owned).collect()
    }
}

pub(super) fn pair(base: u32, dependent: u32, more: &Value) -> Value {
    let mut input = json!({
        "base_pr": format!("octo/demo#{base}"),
        "dependent_pr": format!("octo/demo#{dependent}"),
    });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

/// Two questions, of the pull requests and of their past, and one look for the
/// forge's own stacks. A forge without them may be asked once whether the
/// repository is to be seen at all, unless the other answer was faster.
#[track_caller]
fn assert_cost(spent: Spent) {
    assert_eq!(spent.points, 2);
    assert!((3..=4).contains(&spent.requests), "{spent:?}");
}

#[test]
fn a_stack_in_order_needs_nothing() {
    let world = World::start();
    let tower = Tower::new(&world);
    insta::assert_snapshot!(tower.shown(&tower.ask(1, 2)), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#2",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "feat/a",
        "matches": true,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base)\n    `-- #2 feat/b \"Add feat/b\"  (dependent)\n        `-- #3 feat/c \"Add feat/c\""
      },
      "changes_detected": false,
      "upstream_merge_detected": false,
      "squash_merge": false,
      "last_upstream_commit": "[a2]",
      "rebase_strategy": {
        "recommended": "regular",
        "reason": "#2 has all that it stands on.",
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
        "reason": "#2 has all that it stands on.",
        "estimated_total_time": "none",
        "risk_level": "low"
      },
      "stack": [
        {
          "pr": "octo/demo#2",
          "title": "Add feat/b",
          "branch": "feat/b",
          "head": "[b1]",
          "moves": false
        },
        {
          "pr": "octo/demo#3",
          "title": "Add feat/c",
          "branch": "feat/c",
          "head": "[c2]",
          "moves": false
        }
      ]
    }
    "##);
    assert_cost(tower.caller.spent());
}

#[test]
fn others_may_stand_in_between() {
    let world = World::start();
    let tower = Tower::new(&world);
    let answer = tower.ask(1, 3);
    assert_eq!(answer["is_stacked"], true);
    assert_eq!(answer["stack_info"]["matches"], false);
    assert_eq!(answer["last_upstream_commit"], tower.id("b1"));
}

#[test]
fn a_dependent_that_is_done_with_needs_nothing() {
    let world = World::start();
    let tower = Tower::new(&world);
    let path = "/repos/octo/demo/pulls/2";
    world
        .client("octo")
        .patch(path, &json!({ "state": "closed" }))
        .expect(200);
    tower.delete_branch("feat/b");
    let answer = tower.ask(1, 2);
    insta::assert_snapshot!(tower.shown(&answer["summary"]), @r##"
    {
      "action_required": false,
      "reason": "#2 is closed.",
      "estimated_total_time": "none",
      "risk_level": "low"
    }
    "##);
}

#[test]
fn what_to_stand_on_can_be_said() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.repo.checkout("main");
    tower.repo.branch("release");
    tower.commit("r1");
    world.push(&tower.repo, "release");
    tower.merge(1, "squash");
    let answer = tower.ask_with(
        1,
        2,
        &json!({ "onto_base": "release", "use_onto": false, "auto_fix": false }),
    );
    insta::assert_snapshot!(tower.shown(&answer["rebase_strategy"]), @r##"
    {
      "recommended": "regular",
      "reason": "As asked for. #1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #2.",
      "regular_command": "git rebase [r1] feat/b",
      "onto_command": "git rebase --onto [r1] [a2] feat/b",
      "ai_should_decide": false,
      "considerations": [
        "#1 (2 commits) was squash-merged: the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 2 commits together.",
        "#2 has 1 commit after [a2] of its own: it contains the head [a2] below.",
        "#3 has 2 commits after [b1] of its own: it contains the head [b1] below.",
        "A rebase without --onto stops at [a1] (Add a1) with conflicts in log.txt.",
        "#2 conflicts at [b1] (Add b1) in log.txt.",
        "#3 was not rehearsed, as what is below it has conflicts."
      ]
    }
    "##);
    let input = pair(1, 2, &json!({ "onto_base": "nowhere" }));
    insta::assert_snapshot!(tower.caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo has no branch `nowhere`",
      "category": "logical",
      "suggestion": "Give onto_base as the name of a branch, or as the whole id of a commit."
    }
    "#);
}

/// What every stack has to be in the end: each pull request has its own
/// commits and no one else's.
#[track_caller]
pub(super) fn assert_clean(tower: &Tower<'_>) {
    assert_eq!(tower.subjects("origin/main", "origin/feat/b"), ["Add b1"]);
    assert_eq!(
        tower.subjects("origin/feat/b", "origin/feat/c"),
        ["Add c1", "Add c2"]
    );
    let diff = ["diff", "--name-only", "origin/main", "origin/feat/c"];
    assert_eq!(tower.repo.git(&diff), "b1.txt\nc1.txt\nc2.txt\nlog.txt");
    assert_eq!(tower.pull(2)["base"]["ref"], "main");
    assert_eq!(tower.pull(3)["base"]["ref"], "feat/b");
}

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn a_stack_from_a_fork_shows_in_its_commits() {
    let mut world = World::start();
    world.add_account(NewAccount::user("outsider"));
    let tower = Tower::new(&world);
    world
        .client("outsider")
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202);
    tower.repo.checkout("feat/a");
    tower.repo.branch("mine");
    tower.commit("x1");
    let fork = world.git_url("outsider", "outsider/demo");
    tower
        .repo
        .git(&["push", "--quiet", &fork, "HEAD:refs/heads/mine"]);
    let body = json!({
        "title": "From outside", "head": "outsider:mine", "base": "main", "maintainer_can_modify": true,
    });
    world
        .client("outsider")
        .post("/repos/octo/demo/pulls", &body)
        .expect(201);
    tower.merge(1, "squash");
    tower.delete_branch("feat/a");
    let answer = tower.ask(1, 4);
    insta::assert_snapshot!(tower.shown(&answer), @r##"
    {
      "base_pr": "octo/demo#1",
      "dependent_pr": "octo/demo#4",
      "is_stacked": true,
      "stack_info": {
        "base_branch": "feat/a",
        "dependent_base": "main",
        "matches": false,
        "visualization": "main\n`-- #1 feat/a \"Add feat/a\"  (base, squash-merged as [squash-of-1])\n    `-- #4 mine \"From outside\"  (dependent, 1 commit to move, from outsider/demo)"
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
        "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #4.",
        "regular_command": "git rebase [squash-of-1] pr-4",
        "onto_command": "git rebase --onto [squash-of-1] [a2] pr-4",
        "ai_should_decide": false,
        "considerations": [
          "#1 (2 commits) was squash-merged: the forge names [squash-of-1] as its merge commit, which has one parent and makes the same change as the 2 commits together.",
          "#4 has 1 commit after [a2] of its own: it contains the head [a2] below.",
          "A rebase without --onto stops at [a1] (Add a1) with conflicts in log.txt."
        ]
      },
      "commands": [
        {
          "step": 1,
          "type": "git",
          "command": "git fetch --no-tags origin refs/heads/main refs/pull/4/head",
          "description": "In a clone of octo/demo: get the commits of the stack.",
          "can_automate": true
        },
        {
          "step": 2,
          "type": "git",
          "command": "{ git switch pr-4 || git switch --no-track --create pr-4 [x1]; } && git merge --ff-only [x1]",
          "description": "Check out #4 at its head; stops if the local branch has gone another way.",
          "can_automate": true
        },
        {
          "step": 3,
          "type": "git",
          "command": "git rebase --onto [squash-of-1] [a2] pr-4",
          "description": "Put #4 on its new base: 1 commit after [a2]. Rehearsed without conflicts.",
          "can_automate": true,
          "retry_on_failure": false
        },
        {
          "step": 4,
          "type": "verification",
          "command": "git range-diff --no-patch [a2]..[x1] [squash-of-1]..refs/heads/pr-4",
          "description": "Compare #4 before and after: every line has `=`, or the commit changed.",
          "can_automate": true
        },
        {
          "step": 5,
          "type": "git",
          "command": "git push --atomic --force-with-lease=refs/heads/mine:[x1] http://forge/outsider/demo.git refs/heads/pr-4:refs/heads/mine",
          "description": "Push #4: all of them or none, and only if no one pushed since.",
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
        "reason": "#1 was squash-merged into main. --onto leaves its 2 commits out and replays only the 1 commit of #4.",
        "estimated_total_time": "about 2 minutes and CI",
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
          "pr": "octo/demo#4",
          "title": "From outside",
          "branch": "mine",
          "head": "[x1]",
          "moves": true,
          "own_commits": 1,
          "last_commit_below": "[a2]",
          "evidence": "it contains the head [a2] below"
        }
      ]
    }
    "##);
    let Some(shell) = Shell::with_baton(&world, "outsider") else {
        return;
    };
    for command in tower.commands(1, 4, &json!({})) {
        shell.done(&command);
    }
    tower
        .repo
        .git(&["fetch", "--quiet", &fork, "+mine:refs/remotes/origin/mine"]);
    assert_eq!(tower.subjects("origin/main", "origin/mine"), ["Add x1"]);
}
