//! The steps that `detect_merge_conflicts` prints, run as printed: they stop
//! where something is left to do, and go through once it is done.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use baton_testkit::Repo;
use baton_testkit::world::World;
use serde_json::{Value, json};

use super::merge_conflicts::{TOOL, every_kind, text};
use super::shell::Shell;
use super::world::ToolCaller;

fn steps(caller: &ToolCaller<'_>, number: u32) -> Vec<String> {
    let answer = caller.ask(TOOL, &json!({ "pr": format!("octo/demo#{number}") }));
    let steps = &answer["instructions"]["resolution_steps"];
    serde_json::from_value(steps.clone()).unwrap()
}

/// Runs all of them, whatever fails, and gives those that do.
fn failing<'s>(shell: &Shell<'_>, steps: &'s [String]) -> Vec<&'s str> {
    let fails = |step: &&String| !shell.run(step).status.success();
    let failing = steps.iter().filter(fails);
    failing
        .map(|step| step.split(" grep ").next().unwrap())
        .collect()
}

fn pull(world: &World, number: u32) -> Value {
    let path = format!("/repos/octo/demo/pulls/{number}");
    world.client("octo").get(&path).expect(200).json()
}

fn merge(world: &World, number: u32) {
    let path = format!("/repos/octo/demo/pulls/{number}/merge");
    world.wait_for("the forge's own answer", || {
        pull(world, number)["mergeable"].as_bool()
    });
    let body = json!({ "merge_method": "merge" });
    world.client("octo").put(&path, &body).expect(200);
}

#[test]
fn the_steps_stop_while_anything_is_marked_and_go_through_afterwards() {
    let world = World::start();
    every_kind(&world);
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    let caller = ToolCaller::new(&world);
    let steps = steps(&caller, 1);
    let before = pull(&world, 1)["head"]["sha"].clone();
    let failed = failing(&shell, &steps);
    assert_eq!(
        failed,
        [
            "git merge --no-edit FETCH_HEAD",
            "! git --literal-pathspecs",
            "git commit --no-edit"
        ]
    );
    assert_eq!(pull(&world, 1)["head"]["sha"], before);
    assert_eq!(shell.done("git rev-parse HEAD").trim(), before);

    let place = |name: &str| shell.folder().join(name);
    for name in ["added.txt", "both.txt", "content.txt"] {
        fs::write(place(name), "resolved\n").unwrap();
    }
    // The two names of a file that was renamed twice still have markers.
    let guard = steps.iter().position(|step| step.starts_with('!')).unwrap();
    let output = shell.run(&steps[guard]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    let files: Vec<&str> = said.lines().filter_map(|l| l.split(':').next()).collect();
    let (here, there) = ("apart-here.txt", "apart-there.txt");
    assert_eq!(files, [here, here, there, there]);

    fs::write(place(here), "resolved\n").unwrap();
    fs::remove_file(place(there)).unwrap();
    shell.done("git rm --quiet modified.txt");
    assert_eq!(failing(&shell, &steps[guard..]), Vec::<&str>::new());
    let committed = shell.done("git grep -lE '^(<|>){7,}' HEAD || true");
    assert_eq!(committed, "");
    let names = shell.done("git ls-tree -r --name-only HEAD");
    let names: Vec<&str> = names.lines().collect();
    assert!(names.contains(&here) && !names.contains(&there));
    assert!(!names.contains(&"modified.txt"));
    merge(&world, 1);
    assert_eq!(pull(&world, 1)["merged"], true);
}

/// A way to disagree: what was there, what each side makes of it, and what
/// a person decides.
struct Disagreement {
    name: &'static str,
    before: fn(&Repo<'_>),
    here: fn(&Repo<'_>),
    there: fn(&Repo<'_>),
    decide: fn(&Path),
}

const EACH_KIND: [Disagreement; 11] = [
    Disagreement {
        name: "contents",
        before: |repo| drop(repo.write("a b.txt", text("a"))),
        here: |repo| drop(repo.write("a b.txt", text("a").replace("a 3", "here"))),
        there: |repo| drop(repo.write("a b.txt", text("a").replace("a 3", "there"))),
        decide: |folder| fs::write(folder.join("a b.txt"), "both\n").unwrap(),
    },
    Disagreement {
        name: "add-add",
        before: |_| {},
        here: |repo| drop(repo.write("a.txt", "here\n")),
        there: |repo| drop(repo.write("a.txt", "there\n")),
        decide: |folder| fs::write(folder.join("a.txt"), "both\n").unwrap(),
    },
    Disagreement {
        name: "rename-1-to-2",
        before: |repo| drop(repo.write("ren.txt", text("a"))),
        here: |repo| drop(repo.git(&["mv", "ren.txt", "ren-a.txt"])),
        there: |repo| drop(repo.git(&["mv", "ren.txt", "ren-b.txt"])),
        decide: |folder| fs::remove_file(folder.join("ren-b.txt")).unwrap(),
    },
    Disagreement {
        name: "rename-2-to-1",
        before: |repo| {
            repo.write("one.txt", text("one"));
            repo.write("two.txt", text("two"));
        },
        here: |repo| drop(repo.git(&["mv", "one.txt", "both.txt"])),
        there: |repo| drop(repo.git(&["mv", "two.txt", "both.txt"])),
        decide: |folder| fs::write(folder.join("both.txt"), "both\n").unwrap(),
    },
    Disagreement {
        name: "rename-delete",
        before: |repo| drop(repo.write("a.txt", text("a"))),
        here: |repo| drop(repo.git(&["mv", "a.txt", "b.txt"])),
        there: |repo| repo.remove("a.txt"),
        decide: |folder| fs::remove_file(folder.join("b.txt")).unwrap(),
    },
    Disagreement {
        name: "modify-delete",
        before: |repo| drop(repo.write("a.txt", text("a"))),
        here: |repo| repo.remove("a.txt"),
        there: |repo| drop(repo.write("a.txt", text("a") + "more\n")),
        decide: |folder| fs::remove_file(folder.join("a.txt")).unwrap(),
    },
    Disagreement {
        name: "file-directory",
        before: |_| {},
        here: |repo| drop(repo.write("place", "a file\n")),
        there: |repo| drop(repo.write("place/inside.txt", "a folder\n")),
        decide: |folder| fs::remove_file(folder.join("place~HEAD")).unwrap(),
    },
    Disagreement {
        name: "modes",
        before: |repo| drop(repo.write("a.txt", text("a"))),
        here: |repo| {
            repo.remove("a.txt");
            symlink("README.md", repo.path().join("a.txt")).unwrap();
        },
        there: |repo| drop(repo.write("a.txt", text("a") + "more\n")),
        decide: |folder| fs::remove_file(folder.join("a.txt")).unwrap(),
    },
    Disagreement {
        name: "binary",
        before: |repo| drop(repo.write("a.bin", b"\0before")),
        here: |repo| drop(repo.write("a.bin", b"\0here")),
        there: |repo| drop(repo.write("a.bin", b"\0there")),
        decide: |folder| fs::write(folder.join("a.bin"), b"\0both").unwrap(),
    },
    Disagreement {
        name: "folder",
        before: |repo| {
            repo.write("folder/a.txt", text("a"));
            repo.write("folder/b.txt", text("b"));
        },
        here: |repo| drop(repo.write("folder/new.txt", "new\n")),
        there: |repo| drop(repo.git(&["mv", "folder", "moved"])),
        decide: |_| {},
    },
    Disagreement {
        name: "submodule",
        before: |repo| link(repo, "1"),
        here: |repo| link(repo, "2"),
        there: |repo| link(repo, "3"),
        decide: |_| {},
    },
];

/// A submodule without a checkout.
fn link(repo: &Repo<'_>, digit: &str) {
    let entry = format!("160000,{},module", digit.repeat(40));
    repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    fs::create_dir_all(repo.path().join("module")).unwrap();
}

impl Disagreement {
    /// Opens a pull request with it, between branches of its own.
    fn open(&self, world: &World, repo: &Repo<'_>) -> u32 {
        let (here, there) = (
            format!("here-{}", self.name),
            format!("there-{}", self.name),
        );
        let commit = |change: fn(&Repo<'_>), branch: &str| {
            change(repo);
            // What is not in the working tree would be committed as removed.
            if self.name != "submodule" {
                repo.git(&["add", "--all"]);
            }
            let message = format!("Change {branch}");
            repo.git(&["commit", "--quiet", "--allow-empty", "--message", &message]);
        };
        repo.checkout("main");
        repo.branch(&there);
        commit(self.before, "it before");
        repo.branch(&here);
        commit(self.here, &here);
        world.push(repo, &here);
        repo.checkout(&there);
        commit(self.there, &there);
        world.push(repo, &there);
        world.open_pull(self.name, &here, &there)
    }
}

#[test]
fn the_steps_of_each_kind_go_through_once_it_is_decided() {
    let world = World::start();
    let repo = world.checkout();
    let pulls = EACH_KIND.map(|kind| (kind.open(&world, &repo), kind));
    let Some(shell) = Shell::with_baton(&world, "octo") else {
        return;
    };
    let caller = ToolCaller::new(&world);
    let mut told = String::new();
    for (number, kind) in pulls {
        let steps = steps(&caller, number);
        let decision = steps.iter().position(|step| step.starts_with('#')).unwrap();
        let (merging, rest) = steps.split_at(decision);
        assert_eq!(failing(&shell, merging), ["git merge --no-edit FETCH_HEAD"]);
        (kind.decide)(shell.folder());
        if kind.name == "submodule" {
            let (_, command) = rest[0].rsplit_once(" or ").unwrap();
            shell.done(command);
        }
        assert_eq!(failing(&shell, rest), Vec::<&str>::new(), "{}", kind.name);
        assert_eq!(shell.done("git status --short"), "", "{}", kind.name);
        let answer = caller.ask(TOOL, &json!({ "pr": format!("octo/demo#{number}") }));
        assert_eq!(answer["has_conflicts"], false, "{}", kind.name);
        merge(&world, number);
        told.push_str(&rest[..2].join("\n"));
        told.push_str("\n\n");
    }
    insta::assert_snapshot!(told, @"
    # contents, 'a b.txt': edit it into what it should be, without any conflict marker
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- 'a b.txt' && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # add/add, a.txt: edit it into what it should be, without any conflict marker
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # rename/rename, ren.txt: git leaves ren-a.txt and ren-b.txt, keep one without any conflict marker, delete the other
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- ren-a.txt ren-b.txt ren.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # add/add, both.txt: edit it into what it should be, without any conflict marker
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- both.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # rename/delete, b.txt: git leaves the changed file, delete it if it should go
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.txt b.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # modify/delete, a.txt: git leaves the changed file, delete it if it should go
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # file/directory, place: git puts one of the two aside, under a name that begins with 'place~', git mv or delete it
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- place 'place~81be9d62944d63bdc8768071315d6981c771ae6d' && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # distinct modes, a.txt: git puts one of the two aside, under a name that begins with 'a.txt~', git mv or delete it
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.txt 'a.txt~47821025e88871a070ab758f998e09cfa9d3df6e' && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # binary, a.bin: git leaves the file of this branch, git checkout --theirs -- a.bin takes the other
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- a.bin && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # directory rename suggested, moved/new.txt: git puts it into the renamed folder, git mv it if it belongs elsewhere
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- folder/new.txt moved/new.txt && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul

    # submodule not initialized, module: check out the wanted commit in it, or record one with git update-index --cacheinfo 160000,2222222222222222222222222222222222222222,module or git update-index --cacheinfo 160000,3333333333333333333333333333333333333333,module
    ! git --literal-pathspecs grep -nE '^(<{7,}|>{7,}|[|]{7,}) ' -- module && git diff-files --name-only --diff-filter=U -z | git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul
    ");
}
