//! `detect_merge_conflicts`: every kind that git knows, on a real forge, and
//! the printed steps run in a real shell.

use std::fs;
use std::os::unix::fs::symlink;

use baton_testkit::Repo;
use baton_testkit::world::World;
use baton_testkit::world::forge::{NewAccount, NewRepository, Role};
use serde_json::{Value, json};

use super::world::{Spent, ToolCaller};

pub(super) const TOOL: &str = "detect_merge_conflicts";

fn ask(caller: &ToolCaller<'_>, more: &Value) -> Value {
    let mut input = json!({ "pr": "octo/demo#1" });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    caller.ask(TOOL, &input)
}

/// A pull request from `topic`, and a `main` that has gone on since.
fn diverged(
    world: &World,
    before: impl FnOnce(&Repo<'_>),
    topic: impl FnOnce(&Repo<'_>),
    main: impl FnOnce(&Repo<'_>),
) -> Repo<'_> {
    let repo = world.checkout();
    before(&repo);
    repo.commit("Prepare");
    world.push(&repo, "main");
    repo.branch("topic");
    topic(&repo);
    repo.commit("Change it here");
    world.push(&repo, "topic");
    world.open_pull("Change it", "topic", "main");
    repo.checkout("main");
    main(&repo);
    repo.commit("Change it there (#7)");
    world.push(&repo, "main");
    settle(world);
    repo
}

/// A forge works out by itself, and not at once, whether it would merge.
fn settle(world: &World) {
    world.wait_for("the forge's own answer", || {
        let pull = world
            .client("octo")
            .get("/repos/octo/demo/pulls/1")
            .expect(200)
            .json();
        pull["mergeable"].as_bool()
    });
}

/// Some lines that a rename is recognised by.
pub(super) fn text(name: &str) -> String {
    let lines: Vec<String> = (1..9).map(|line| format!("{name} {line}\n")).collect();
    lines.concat()
}

/// Lets both sides do to the repository all that cannot be merged.
pub(super) fn every_kind(world: &World) -> Repo<'_> {
    let rename = |repo: &Repo<'_>, from: &str, to: &str| {
        repo.git(&["mv", from, to]);
    };
    diverged(
        world,
        |repo| {
            for name in [
                "content", "modified", "gone", "twice", "one", "two", "mode", "apart",
            ] {
                repo.write(format!("{name}.txt"), text(name));
            }
            repo.write("binary.bin", b"\0before");
            repo.write("folder/kept.txt", text("kept"));
            repo.write("folder/also.txt", text("also"));
        },
        |repo| {
            repo.write(
                "content.txt",
                text("content").replace("content 3", "ours 3"),
            );
            repo.write("modified.txt", text("modified") + "more\n");
            rename(repo, "gone.txt", "renamed.txt");
            rename(repo, "twice.txt", "twice-here.txt");
            rename(repo, "one.txt", "both.txt");
            rename(repo, "apart.txt", "apart-here.txt");
            repo.write("apart-here.txt", text("apart").replace("apart 3", "ours 3"));
            repo.write("added.txt", "added here\n");
            repo.write("binary.bin", b"\0here");
            repo.write("place", "a file\n");
            repo.write("folder/new.txt", "new here\n");
            repo.remove("mode.txt");
            symlink("content.txt", repo.path().join("mode.txt")).unwrap();
        },
        |repo| {
            repo.write(
                "content.txt",
                text("content").replace("content 3", "theirs 3"),
            );
            repo.remove("modified.txt");
            repo.remove("gone.txt");
            rename(repo, "twice.txt", "twice-there.txt");
            rename(repo, "two.txt", "both.txt");
            rename(repo, "apart.txt", "apart-there.txt");
            repo.write(
                "apart-there.txt",
                text("apart").replace("apart 3", "theirs 3"),
            );
            repo.write("added.txt", "added there\n");
            repo.write("binary.bin", b"\0there");
            repo.write("place/inside.txt", "a folder\n");
            rename(repo, "folder", "moved");
            repo.write("mode.txt", text("mode") + "more\n");
        },
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "whole answers are compared")]
fn every_kind_of_conflict_is_named() {
    let world = World::start();
    every_kind(&world);
    let caller = ToolCaller::new(&world);
    insta::assert_snapshot!(caller.shown(&ask(&caller, &json!({}))), @r##"
    {
      "pr": "octo/demo#1",
      "has_conflicts": true,
      "conflicts": [
        {
          "file_path": "added.txt",
          "conflict_type": "content",
          "base_content_preview": "added there",
          "head_content_preview": "added here",
          "suggested_resolution": "Both sides added a file of this name: put both into one, or rename one.",
          "git_conflict": "add/add",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "apart.txt",
          "conflict_type": "rename",
          "base_content_preview": "apart 1\napart 2\n<<<<<<<< bcaa2b76f975cd483834120c8e7c3636ac31a28d:apart-there.txt\ntheirs 3\n========\nours 3\n>>>>>>>> f2a8ce0406c538314c9c5e5cf58d6dea0cd0892b:apart-here.txt\napart 4\napart 5\napart 6\napart 7\napart 8",
          "head_content_preview": "apart 1\napart 2\n<<<<<<<< bcaa2b76f975cd483834120c8e7c3636ac31a28d:apart-there.txt\ntheirs 3\n========\nours 3\n>>>>>>>> f2a8ce0406c538314c9c5e5cf58d6dea0cd0892b:apart-here.txt\napart 4\napart 5\napart 6\napart 7\napart 8",
          "suggested_resolution": "Both sides renamed the file: keep one name and remove the other.",
          "git_conflict": "rename/rename",
          "ancestor_content_preview": "apart 1\napart 2\napart 3\napart 4\napart 5\napart 6\napart 7\napart 8",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "binary.bin",
          "conflict_type": "content",
          "base_content_preview": "(binary, 6 bytes)",
          "head_content_preview": "(binary, 5 bytes)",
          "suggested_resolution": "Binary files cannot be merged: take one side with `git checkout --ours` or `--theirs`.",
          "git_conflict": "binary",
          "ancestor_content_preview": "(binary, 7 bytes)",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "both.txt",
          "conflict_type": "content",
          "base_content_preview": "two 1\ntwo 2\ntwo 3\ntwo 4\ntwo 5\ntwo 6\ntwo 7\ntwo 8",
          "head_content_preview": "one 1\none 2\none 3\none 4\none 5\none 6\none 7\none 8",
          "suggested_resolution": "Both sides added a file of this name: put both into one, or rename one.",
          "git_conflict": "add/add",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "content.txt",
          "conflict_type": "content",
          "base_content_preview": "theirs 3",
          "head_content_preview": "ours 3",
          "git_conflict": "contents",
          "ancestor_content_preview": "content 3",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "mode.txt",
          "conflict_type": "mode",
          "base_content_preview": "mode 1\nmode 2\nmode 3\nmode 4\nmode 5\nmode 6\nmode 7\nmode 8\nmore",
          "head_content_preview": "content.txt",
          "suggested_resolution": "The two sides made different kinds of files of this name: rename one.",
          "git_conflict": "distinct modes",
          "ancestor_content_preview": "mode 1\nmode 2\nmode 3\nmode 4\nmode 5\nmode 6\nmode 7\nmode 8",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "modified.txt",
          "conflict_type": "delete",
          "base_content_preview": "",
          "head_content_preview": "modified 1\nmodified 2\nmodified 3\nmodified 4\nmodified 5\nmodified 6\nmodified 7\nmodified 8\nmore",
          "suggested_resolution": "One side deleted the file and the other changed it: keep it with `git add`, or let it go with `git rm`.",
          "git_conflict": "modify/delete",
          "ancestor_content_preview": "modified 1\nmodified 2\nmodified 3\nmodified 4\nmodified 5\nmodified 6\nmodified 7\nmodified 8",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "moved/new.txt",
          "conflict_type": "rename",
          "base_content_preview": "",
          "head_content_preview": "new here",
          "suggested_resolution": "The folder was renamed on one side: move the file along, or keep it where it was made.",
          "git_conflict": "directory rename suggested",
          "caused_by": []
        },
        {
          "file_path": "place",
          "conflict_type": "mode",
          "base_content_preview": "",
          "head_content_preview": "a file",
          "suggested_resolution": "The two sides made different kinds of files of this name: rename one.",
          "git_conflict": "file/directory",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "renamed.txt",
          "conflict_type": "delete",
          "base_content_preview": "",
          "head_content_preview": "gone 1\ngone 2\ngone 3\ngone 4\ngone 5\ngone 6\ngone 7\ngone 8",
          "suggested_resolution": "One side deleted the file and the other changed it: keep it with `git add`, or let it go with `git rm`.",
          "git_conflict": "rename/delete",
          "ancestor_content_preview": "gone 1\ngone 2\ngone 3\ngone 4\ngone 5\ngone 6\ngone 7\ngone 8",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        },
        {
          "file_path": "twice.txt",
          "conflict_type": "rename",
          "base_content_preview": "twice 1\ntwice 2\ntwice 3\ntwice 4\ntwice 5\ntwice 6\ntwice 7\ntwice 8",
          "head_content_preview": "twice 1\ntwice 2\ntwice 3\ntwice 4\ntwice 5\ntwice 6\ntwice 7\ntwice 8",
          "suggested_resolution": "Both sides renamed the file: keep one name and remove the other.",
          "git_conflict": "rename/rename",
          "ancestor_content_preview": "twice 1\ntwice 2\ntwice 3\ntwice 4\ntwice 5\ntwice 6\ntwice 7\ntwice 8",
          "caused_by": [
            {
              "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
              "subject": "Change it there (#7)",
              "author": "Test Author",
              "pr": 7
            }
          ]
        }
      ],
      "mergeable_state": "dirty",
      "merge_state_status": "dirty",
      "instructions": {
        "resolution_steps": [
          "gh pr checkout 1 --repo octo/demo",
          "git fetch origin main",
          "git merge --no-edit FETCH_HEAD",
          "git status --short",
          "# add/add, added.txt: edit it into what it should be, without any conflict marker",
          "# rename/rename, apart.txt: git leaves apart-here.txt and apart-there.txt, keep one without any conflict marker, delete the other",
          "# binary, binary.bin: git leaves the file of this branch, git checkout --theirs -- binary.bin takes the other",
          "# add/add, both.txt: edit it into what it should be, without any conflict marker",
          "# contents, content.txt: edit it into what it should be, without any conflict marker",
          "# distinct modes, mode.txt: git puts one of the two aside, under a name that begins with 'mode.txt~', git mv or delete it",
          "# modify/delete, modified.txt: git leaves the changed file, delete it if it should go",
          "# directory rename suggested, moved/new.txt: git puts it into the renamed folder, git mv it if it belongs elsewhere",
          "# file/directory, place: git puts one of the two aside, under a name that begins with 'place~', git mv or delete it",
          "# rename/delete, renamed.txt: git leaves the changed file, delete it if it should go",
          "# rename/rename, twice.txt: git leaves twice-here.txt and twice-there.txt, keep one without any conflict marker, delete the other",
          "! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- added.txt apart-here.txt apart-there.txt apart.txt binary.bin both.txt content.txt folder/new.txt gone.txt mode.txt 'mode.txt~bcaa2b76f975cd483834120c8e7c3636ac31a28d' modified.txt moved/new.txt place 'place~f2a8ce0406c538314c9c5e5cf58d6dea0cd0892b' renamed.txt twice-here.txt twice-there.txt twice.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul",
          "git commit --no-edit",
          "git push"
        ],
        "estimated_time": "about 43 minutes (11 files in conflict)"
      },
      "target": {
        "branch": "main",
        "commit": "bcaa2b76f975cd483834120c8e7c3636ac31a28d",
        "head": "f2a8ce0406c538314c9c5e5cf58d6dea0cd0892b"
      }
    }
    "##);
    assert_eq!(
        caller.spent(),
        Spent {
            requests: 2,
            points: 0
        }
    );
}

#[test]
fn a_submodule_can_be_in_conflict() {
    let world = World::start();
    let link = |repo: &Repo<'_>, digit: &str| {
        let entry = format!("160000,{},module", digit.repeat(40));
        repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
        fs::create_dir_all(repo.path().join("module")).unwrap();
    };
    // What is not in the working tree would be committed as removed.
    let commit = |repo: &Repo<'_>, message: &str| {
        repo.git(&["commit", "--quiet", "--message", message]);
    };
    let repo = world.checkout();
    link(&repo, "1");
    commit(&repo, "Add a module");
    world.push(&repo, "main");
    repo.branch("topic");
    link(&repo, "2");
    commit(&repo, "Move it here");
    world.push(&repo, "topic");
    world.open_pull("Move it", "topic", "main");
    repo.checkout("main");
    link(&repo, "3");
    commit(&repo, "Move it there");
    world.push(&repo, "main");
    let caller = ToolCaller::new(&world);
    let answer = ask(&caller, &json!({}));
    insta::assert_snapshot!(caller.shown(&answer["conflicts"]), @r#"
    [
      {
        "file_path": "module",
        "conflict_type": "content",
        "base_content_preview": "(commit 3333333333333333333333333333333333333333)",
        "head_content_preview": "(commit 2222222222222222222222222222222222222222)",
        "git_conflict": "submodule not initialized",
        "ancestor_content_preview": "(commit 1111111111111111111111111111111111111111)",
        "caused_by": [
          {
            "commit": "cb94a3027394172c4527586385a460f42e2a6893",
            "subject": "Move it there",
            "author": "Test Author"
          }
        ]
      }
    ]
    "#);
}

#[test]
fn a_clean_merge_is_said_to_be_clean() {
    let world = World::start();
    diverged(
        &world,
        |repo| drop(repo.write("a.txt", "a\n")),
        |repo| drop(repo.write("b.txt", "b\n")),
        |repo| drop(repo.write("c.txt", "c\n")),
    );
    let caller = ToolCaller::new(&world);
    insta::assert_snapshot!(caller.shown(&ask(&caller, &json!({}))), @r#"
    {
      "pr": "octo/demo#1",
      "has_conflicts": false,
      "mergeable_state": "clean",
      "merge_state_status": "clean",
      "target": {
        "branch": "main",
        "commit": "5519057c5a72b3058e7d442ef394d348fe3cdad4",
        "head": "28bf60c8fd59460ff1e10a387ebb688b35804458"
      }
    }
    "#);
}

#[test]
fn another_branch_can_be_asked_about() {
    let world = World::start();
    let repo = diverged(
        &world,
        |repo| drop(repo.write("a.txt", "a\n")),
        |repo| drop(repo.write("a.txt", "here\n")),
        |repo| drop(repo.write("b.txt", "b\n")),
    );
    repo.branch("release");
    repo.commit_file("a.txt", "released\n", "Release");
    world.push(&repo, "release");
    let caller = ToolCaller::new(&world);
    assert_eq!(ask(&caller, &json!({}))["has_conflicts"], false);
    let answer = ask(&caller, &json!({ "target_branch": "release" }));
    insta::assert_snapshot!(caller.shown(&answer), @r##"
    {
      "pr": "octo/demo#1",
      "has_conflicts": true,
      "conflicts": [
        {
          "file_path": "a.txt",
          "conflict_type": "content",
          "base_content_preview": "released",
          "head_content_preview": "here",
          "git_conflict": "contents",
          "ancestor_content_preview": "a",
          "caused_by": [
            {
              "commit": "7a23b62257163d7d7309915cec88cf1a0f8c2eb5",
              "subject": "Release",
              "author": "Test Author"
            }
          ]
        }
      ],
      "mergeable_state": "dirty",
      "instructions": {
        "resolution_steps": [
          "gh pr checkout 1 --repo octo/demo",
          "git fetch origin release",
          "git merge --no-edit FETCH_HEAD",
          "git status --short",
          "# contents, a.txt: edit it into what it should be, without any conflict marker",
          "! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul",
          "git commit --no-edit",
          "git push"
        ],
        "estimated_time": "about 5 minutes (1 file in conflict)"
      },
      "target": {
        "branch": "release",
        "commit": "7a23b62257163d7d7309915cec88cf1a0f8c2eb5",
        "head": "59f22763b8bd3fa360e6c843973f4b69f564ac8d"
      }
    }
    "##);
    let input = json!({ "pr": "octo/demo#1", "target_branch": "$(touch pwned)" });
    insta::assert_snapshot!(caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo has no branch `$(touch pwned)`",
      "category": "logical",
      "suggestion": "Name a branch that exists in `target_branch`."
    }
    "#);
}

#[test]
fn other_pull_requests_can_be_in_the_way() {
    let world = World::start();
    let repo = diverged(
        &world,
        |repo| drop(repo.write("a.txt", "a\n")),
        |repo| drop(repo.write("a.txt", "here\n")),
        |repo| drop(repo.write("b.txt", "b\n")),
    );
    for (branch, file) in [("rival", "a.txt"), ("friend", "c.txt")] {
        repo.checkout("main");
        repo.branch(branch);
        repo.commit_file(file, format!("{branch}\n"), "Change");
        world.push(&repo, branch);
        world.open_pull(&format!("From a {branch}"), branch, "main");
    }
    // One that goes elsewhere counts as well: both may end on the same branch.
    repo.checkout("main");
    repo.branch("next");
    world.push(&repo, "next");
    repo.branch("later");
    repo.commit_file("a.txt", "later\n", "Change later");
    world.push(&repo, "later");
    world.open_pull("For later", "later", "next");
    let caller = ToolCaller::new(&world);
    let answer = ask(&caller, &json!({ "other_pull_requests": true }));
    insta::assert_snapshot!(caller.shown(&answer["other_pull_requests"]), @r#"
    [
      {
        "pr": "octo/demo#2",
        "title": "From a rival",
        "files": [
          "a.txt"
        ]
      },
      {
        "pr": "octo/demo#4",
        "title": "For later",
        "files": [
          "a.txt"
        ]
      }
    ]
    "#);
}

#[test]
fn a_fork_and_a_closed_pull_request_are_asked_about_like_others() {
    let mut world = World::start();
    world.add_account(NewAccount::user("outsider"));
    let repo = world.checkout();
    let forks = "/repos/octo/demo/forks";
    world.client("outsider").post(forks, &json!({})).expect(202);
    repo.branch("topic");
    repo.commit_file("README.md", "# Mine\n", "Change it here");
    let fork = world.git_url("outsider", "outsider/demo");
    repo.git(&["push", "--quiet", &fork, "HEAD:refs/heads/topic"]);
    let body = json!({ "title": "From outside", "head": "outsider:topic", "base": "main" });
    world
        .client("outsider")
        .post("/repos/octo/demo/pulls", &body)
        .expect(201);
    repo.checkout("main");
    repo.commit_file("README.md", "# Ours\n", "Change it there");
    world.push(&repo, "main");
    let caller = ToolCaller::new(&world);
    let answer = ask(&caller, &json!({}));
    assert_eq!(answer["has_conflicts"], true);
    insta::assert_snapshot!(caller.shown(&answer["instructions"]), @r##"
    {
      "resolution_steps": [
        "gh pr checkout 1 --repo octo/demo",
        "git fetch origin main",
        "git merge --no-edit FETCH_HEAD",
        "git status --short",
        "# contents, README.md: edit it into what it should be, without any conflict marker",
        "! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- README.md && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul",
        "git commit --no-edit",
        "git push"
      ],
      "estimated_time": "about 5 minutes (1 file in conflict)"
    }
    "##);

    world
        .client("octo")
        .patch("/repos/octo/demo/pulls/1", &json!({ "state": "closed" }))
        .expect(200);
    let answer = ask(&caller, &json!({}));
    assert_eq!(answer["has_conflicts"], true);
    insta::assert_snapshot!(answer["message"].as_str().unwrap_or("-"), @"octo/demo#1 is closed; it has to be opened again to be merged");
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let world = World::start();
    let repo = diverged(
        &world,
        |repo| drop(repo.write("a.txt", "a\n")),
        |repo| drop(repo.write("a.txt", "here\n")),
        |repo| drop(repo.write("b.txt", "b\n")),
    );
    let caller = ToolCaller::new(&world);
    let path = "/repos/octo/demo/pulls/1/merge";
    world
        .client("octo")
        .put(path, &json!({ "merge_method": "squash" }))
        .expect(200);
    let input = json!({ "pr": "octo/demo#1" });
    insta::assert_snapshot!(caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo#1 is merged already",
      "category": "logical",
      "suggestion": "There is nothing left to merge; ask about an open pull request."
    }
    "#);

    repo.git(&["checkout", "--quiet", "--orphan", "island"]);
    repo.commit_file("island.txt", "alone\n", "Begin elsewhere");
    world.push(&repo, "island");
    repo.checkout("topic");
    repo.branch("again");
    world.push(&repo, "again");
    world.open_pull("Again", "again", "main");
    let input = json!({ "pr": "octo/demo#2", "target_branch": "island" });
    insta::assert_snapshot!(caller.error(TOOL, &input), @r#"
    {
      "error": "octo/demo#2 and island have no commit in common",
      "category": "logical",
      "suggestion": "Compare it with a branch that it was made from."
    }
    "#);
}

#[test]
fn a_branch_that_was_deleted_is_still_known() {
    let world = World::start();
    diverged(
        &world,
        |repo| drop(repo.write("a.txt", "a\n")),
        |repo| drop(repo.write("a.txt", "here\n")),
        |repo| drop(repo.write("a.txt", "there\n")),
    );
    let path = "/repos/octo/demo/git/refs/heads/topic";
    world.client("octo").delete(path).expect(204);
    let caller = ToolCaller::new(&world);
    assert_eq!(ask(&caller, &json!({}))["has_conflicts"], true);
}

#[test]
fn an_empty_repository_has_no_pull_requests() {
    let world = World::start();
    world.add_repository(NewRepository::new("octo", "empty"));
    world.add_collaborator("octo/empty", "reviewer", Role::Write);
    let caller = ToolCaller::new(&world);
    let error = caller.error(TOOL, &json!({ "pr": "octo/empty#1" }));
    insta::assert_snapshot!(error, @r#"
    {
      "error": "cannot read pull request octo/empty#1: it was not found",
      "category": "user",
      "suggestion": "Check the name or number of pull request octo/empty#1; the token may also lack the permission to see it."
    }
    "#);
}
