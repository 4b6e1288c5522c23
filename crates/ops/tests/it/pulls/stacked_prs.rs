//! `manage_stacked_prs`: every way in which a stack can stand or lean, on a
//! real forge with real merges, and the printed commands run in a real shell.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Output;

use baton_testkit::world::World;
use baton_testkit::world::forge::{NewAccount, NewRepository};
use baton_testkit::{Gh, Repo};
use serde_json::{Value, json};

use super::world::{Office, Spent};

const TOOL: &str = "manage_stacked_prs";

/// A stack of three pull requests on `main`: `feat/a` (#1, two commits),
/// `feat/b` (#2, one) and `feat/c` (#3, two).
pub(super) struct Tower<'w> {
    pub(super) world: &'w World,
    pub(super) office: Office<'w>,
    pub(super) repo: Repo<'w>,
    /// Commits by what the tests call them.
    names: RefCell<BTreeMap<String, String>>,
}

impl<'w> Tower<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let tower = Self {
            office: Office::new(world),
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
            .insert(id[..10].to_owned(), name.to_owned());
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
        self.office.ask(TOOL, &pair(base, dependent, more))
    }

    /// For a snapshot: commits by name, and no time but the fixture's.
    pub(super) fn shown(&self, output: &Value) -> String {
        let mut output = output.clone();
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
        self.named(&self.office.shown(&output))
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
            let is_id = matches!(run.len(), 10 | 40) && run.chars().any(|c| c.is_ascii_digit());
            if is_id {
                let count = names.len();
                let name = names
                    .entry(run[..10].to_owned())
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
            let answer = self.office.ask(TOOL, &input);
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

/// A fresh clone, and a shell in it that has `git`, `gh` and a `baton` which
/// only notes that it was called.
pub(super) struct Shell<'w> {
    world: &'w World,
    gh: Gh<'w>,
    folder: PathBuf,
}

impl<'w> Shell<'w> {
    /// `None` where there is no `gh`.
    pub(super) fn new(world: &'w World, name: &str) -> Option<Self> {
        Self::of("octo", world, name)
    }

    fn of(login: &str, world: &'w World, name: &str) -> Option<Self> {
        let port = world.address().port();
        let gh = Gh::new(&world.sandbox, port, world.token(login))?;
        // What is addressed by the forge's own name needs the token as well.
        let header = format!("http.{}.extraHeader", world.web_url());
        let value = format!("Authorization: token {}", world.token(login));
        world.sandbox.run(
            &world.sandbox.home(),
            "git",
            &["config", "--global", &header, &value],
        );
        world.sandbox.fake("baton", "exit 0");
        let folder = world.sandbox.path(name);
        let shell = Self {
            world,
            gh,
            folder: world.sandbox.home(),
        };
        shell.succeed(&format!(
            "git clone --quiet http://github.localhost/octo/demo.git {}",
            folder.display()
        ));
        Some(Self { folder, ..shell })
    }

    pub(super) fn run(&self, command: &str) -> Output {
        let variables = self.gh.environment().iter().map(|(name, value)| {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            pair
        });
        let shell = ["sh", "-c", command].map(OsString::from);
        let args: Vec<OsString> = variables.chain(shell).collect();
        self.world.sandbox.run(&self.folder, "env", &args)
    }

    #[track_caller]
    pub(super) fn succeed(&self, command: &str) -> String {
        let output = self.run(command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// One question and one look for the forge's own stacks. A forge without them
/// may be asked once whether the repository is to be seen at all, unless the
/// other answer was faster.
#[track_caller]
fn assert_cost(spent: Spent) {
    assert_eq!(spent.points, 1);
    assert!((2..=3).contains(&spent.requests), "{spent:?}");
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
    assert_cost(tower.office.spent());
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

mod not_stacked {
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
        insta::assert_snapshot!(tower.office.error(TOOL, &input), @r#"
        {
          "error": "octo/demo#1 and octo/other#1 are in different repositories",
          "category": "logical",
          "suggestion": "Only pull requests of one repository can stand on one another; those from forks are numbered in the repository that they go to."
        }
        "#);
        let input = json!({ "base_pr": "octo/demo#1", "dependent_pr": "octo/demo#1" });
        insta::assert_snapshot!(tower.office.error(TOOL, &input), @r#"
        {
          "error": "octo/demo#1 cannot stand on itself",
          "category": "logical",
          "suggestion": "Name the lower pull request as base_pr and the upper one as dependent_pr."
        }
        "#);
        let input = pair(1, 9, &json!({}));
        insta::assert_snapshot!(tower.office.error(TOOL, &input), @r#"
        {
          "error": "cannot read pull request octo/demo#9: it was not found",
          "category": "user",
          "suggestion": "Check the name or number of pull request octo/demo#9; the token may also lack the permission to see it."
        }
        "#);
        let input = json!({ "base_pr": "octo/nothing#1", "dependent_pr": "octo/nothing#2" });
        insta::assert_snapshot!(tower.office.error(TOOL, &input), @r#"
        {
          "error": "cannot read pull requests octo/nothing#1 and #2: there is no repository octo/nothing, or this token may not see it",
          "category": "user",
          "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
        }
        "#);
    }
}

mod base_merged {
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
          "nextCursor": "AQAAAAWl1N_I9L3i4I2UD71mKKOV",
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
        assert_cost(tower.office.spent());
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
          "nextCursor": "AQAAAAWl1N_I9L3i4I2UD71mKKOV",
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
          "nextCursor": "AQAAAAWl1N_I9L3i4I2UD71mKKOV",
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
}

mod base_changed {
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
          "nextCursor": "AQAAAAWl1N_I9L3i4I2UD71mKKOV",
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
            .commit_file("log.txt", "a1\nother\n", "Write the log anew");
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
    insta::assert_snapshot!(tower.office.error(TOOL, &input), @r#"
    {
      "error": "octo/demo has no branch `nowhere`",
      "category": "logical",
      "suggestion": "Give onto_base as the name of a branch, or as the whole id of a commit."
    }
    "#);
}

/// What every stack has to be in the end: each pull request has its own
/// commits and nobody else's.
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

mod commands {
    use super::*;

    #[track_caller]
    fn run_all(tower: &Tower<'_>, shell: &Shell<'_>, more: &Value) {
        for command in tower.commands(1, 2, more) {
            shell.succeed(&command);
        }
    }

    #[test]
    fn after_a_squash_give_a_clean_stack() {
        let world = World::start();
        let tower = Tower::new(&world);
        let Some(shell) = Shell::new(&world, "by-hand") else {
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
        let Some(shell) = Shell::new(&world, "by-hand") else {
            return;
        };
        tower.merge(1, "squash");
        // The clone has a branch of its own already, some commits behind.
        shell.succeed("git switch --quiet --create feat/c origin/feat/b");
        run_all(&tower, &shell, &json!({}));
        assert_clean(&tower);
    }

    #[test]
    fn after_a_merge_and_after_a_rebase_give_the_same() {
        for method in ["merge", "rebase"] {
            let world = World::start();
            let tower = Tower::new(&world);
            let Some(shell) = Shell::new(&world, "by-hand") else {
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
        let Some(shell) = Shell::new(&world, "by-hand") else {
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
    fn stop_where_somebody_pushed_meanwhile() {
        let world = World::start();
        let tower = Tower::new(&world);
        let Some(shell) = Shell::new(&world, "by-hand") else {
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
            shell.succeed(command);
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
        let Some(shell) = Shell::new(&world, "by-hand") else {
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
            shell.succeed(&command);
        }
        assert_eq!(
            tower.subjects("origin/main", &format!("origin/{branch}")),
            ["Add x1"]
        );
        assert_eq!(shell.succeed("ls pwned 2>/dev/null || true"), "");
    }
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
          "description": "Push #4: all of them or none, and only if nobody pushed since.",
          "can_automate": true,
          "retry_on_failure": false
        }
      ],
      "nextCursor": "AQAAAAW0boe7P-cR3JjtyJqE7bYh",
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
    let Some(shell) = Shell::of("outsider", &world, "by-hand") else {
        return;
    };
    for command in tower.commands(1, 4, &json!({})) {
        shell.succeed(&command);
    }
    tower
        .repo
        .git(&["fetch", "--quiet", &fork, "+mine:refs/remotes/origin/mine"]);
    assert_eq!(tower.subjects("origin/main", "origin/mine"), ["Add x1"]);
}
