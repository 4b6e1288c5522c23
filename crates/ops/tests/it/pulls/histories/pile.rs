//! A stack whose commits touch a file of their own each.

use std::collections::BTreeMap;

use baton_protocol::Repository;
use baton_testkit::Repo;
use baton_testkit::world::World;
use serde_json::{Value, json};

use super::super::shell::Shell;
use super::super::stacked_prs::pair;
use super::super::world::ToolCaller;

/// `feat/a` (#1: a1, a2) on `main`, `feat/b` (#2: b1, b2) on it, `feat/c` (#3: c1) on that.
pub(super) struct Pile<'w> {
    pub(super) world: &'w World,
    pub(super) caller: ToolCaller<'w>,
    pub(super) repo: Repo<'w>,
}

/// A pull request in the end: its branch, what it stands on, and its own commits.
pub(super) type Expected<'a> = (&'a str, &'a str, &'a [&'a str]);

impl<'w> Pile<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let pile = Self {
            caller: ToolCaller::new(world),
            repo: world.checkout(),
            world,
        };
        pile.stack("feat/a", "main", &["a1", "a2"]);
        pile.stack("feat/b", "feat/a", &["b1", "b2"]);
        pile.stack("feat/c", "feat/b", &["c1"]);
        pile
    }

    pub(super) fn stack(&self, branch: &str, base: &str, commits: &[&str]) -> u32 {
        self.repo.checkout(base);
        self.repo.branch(branch);
        for name in commits {
            self.commit(name);
        }
        self.world.push(&self.repo, branch);
        self.world.open_pull(&format!("Add {branch}"), branch, base)
    }

    pub(super) fn commit(&self, name: &str) -> String {
        let id = self.repo.commit_file(
            &format!("{name}.txt"),
            format!("{name}\n"),
            &format!("Add {name}"),
        );
        self.repo.git(&["tag", "--force", name]);
        id
    }

    /// Goes on with a branch as `work` says, and pushes it, by force where that is needed.
    pub(super) fn rewrite(&self, branch: &str, work: &[&[&str]]) {
        self.repo.checkout(branch);
        for command in work {
            self.repo.git(command);
        }
        self.world.push(&self.repo, branch);
    }

    pub(super) fn merge(&self, number: u32, method: &str) {
        let path = format!("/repos/octo/demo/pulls/{number}/merge");
        let body = json!({ "merge_method": method });
        self.world.client("octo").put(&path, &body).expect(200);
    }

    pub(super) fn look(&self, base: u32, dependent: u32, more: &Value) -> Value {
        let input = pair(base, dependent, more);
        self.caller.ask("manage_stacked_prs", &input)
    }

    pub(super) fn restack(&self, base: u32, dependent: u32, more: &Value) -> Value {
        self.caller.ask("restack", &pair(base, dependent, more))
    }

    pub(super) fn refused(&self, base: u32, dependent: u32, more: &Value) -> String {
        let input = pair(base, dependent, more);
        let text = self.caller.error("restack", &input);
        let error: Value = serde_json::from_str(&text).unwrap();
        self.named(error["error"].as_str().unwrap())
    }

    /// With commits by their tags.
    pub(super) fn named(&self, text: &str) -> String {
        let tags = [
            "for-each-ref",
            "--format=%(objectname:short=7) %(refname:short)",
            "refs/tags",
        ];
        let mut text = text.to_owned();
        for line in self.repo.git(&tags).lines() {
            let (id, name) = line.split_once(' ').unwrap();
            text = text.replace(id, &format!("[{name}]"));
        }
        text
    }

    /// All commands, page by page.
    pub(super) fn commands(&self, base: u32, dependent: u32, more: &Value) -> Vec<String> {
        let mut commands = Vec::new();
        let mut more = more.clone();
        loop {
            let answer = self.look(base, dependent, &more);
            let page = answer["commands"].as_array().unwrap().iter();
            commands.extend(page.map(|one| one["command"].as_str().unwrap().to_owned()));
            if answer["nextCursor"].is_null() {
                return commands;
            }
            more["cursor"] = answer["nextCursor"].clone();
        }
    }

    /// Every branch of the forge.
    pub(super) fn branches(&self) -> BTreeMap<String, String> {
        let refs = self
            .world
            .client("octo")
            .get("/repos/octo/demo/git/matching-refs/heads")
            .expect(200)
            .json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let refs = refs.as_array().unwrap().iter();
        refs.map(|one| (text(&one["ref"]), text(&one["object"]["sha"])))
            .collect()
    }

    /// `restack`, `--undo`, and then the printed commands in a shell: both end as expected, and the
    /// undo leaves every branch as it was.
    #[track_caller]
    pub(super) fn check(&mut self, pair: (u32, u32), more: &Value, expected: &[Expected<'_>]) {
        let before = self.branches();
        let done = self.restack(pair.0, pair.1, more);
        assert_eq!(done["status"], "restacked", "{done:#}");
        self.assert_own(expected);
        let mut undo = json!({ "undo": true });
        undo["key"] = done["key"].clone();
        assert_eq!(self.restack(pair.0, pair.1, &undo)["status"], "undone");
        assert_eq!(self.branches(), before);

        let answer = self.look(pair.0, pair.1, more);
        assert_ne!(answer["summary"]["risk_level"], "high", "{answer:#}");
        let Some(shell) = Shell::with_baton(self.world, "octo") else {
            return;
        };
        for command in self.commands(pair.0, pair.1, more) {
            shell.done(&command);
        }
        self.assert_own(expected);
    }

    /// Every pull request has exactly its own commits, with the patches that they had.
    #[track_caller]
    pub(super) fn assert_own(&self, expected: &[Expected<'_>]) {
        self.repo.git(&["fetch", "--quiet", "--prune", "origin"]);
        for (branch, below, own) in expected {
            let range = format!("origin/{below}..origin/{branch}");
            let log = ["log", "--reverse", "--no-merges", "--format=%s", &range];
            let subjects = self.repo.git(&log);
            let wanted: Vec<String> = own.iter().map(|name| format!("Add {name}")).collect();
            assert_eq!(subjects, wanted.join("\n"), "{branch} on {below}");
            for (name, id) in own.iter().zip(self.ids(&range)) {
                assert_eq!(
                    self.patch_id(name),
                    self.patch_id(&id),
                    "{name} in {branch}"
                );
            }
            let changed = format!("origin/{below}...origin/{branch}");
            let changed = self.repo.git(&["diff", "--name-only", &changed]);
            let mut files: Vec<String> = own.iter().map(|name| format!("{name}.txt")).collect();
            files.sort_unstable();
            assert_eq!(changed, files.join("\n"), "{branch} on {below}");
        }
    }

    fn ids(&self, range: &str) -> Vec<String> {
        let ids = self
            .repo
            .git(&["log", "--reverse", "--no-merges", "--format=%H", range]);
        ids.lines().map(str::to_owned).collect()
    }

    fn patch_id(&self, commit: &str) -> String {
        let command = format!("git show {commit} | git patch-id --stable | cut -d' ' -f1");
        let output = self
            .world
            .sandbox
            .run(self.repo.path(), "sh", &["-c", &command]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The files of a branch on the forge.
    pub(super) fn files(&self, branch: &str) -> String {
        self.repo.git(&["fetch", "--quiet", "origin"]);
        let tip = format!("origin/{branch}");
        let names = self.repo.git(&["ls-tree", "--name-only", "-r", &tip]);
        let names = names.lines().filter(|name| *name != "README.md");
        names.collect::<Vec<_>>().join(" ")
    }

    /// Lets the tools work in the checkout, as for a user who is there.
    pub(super) fn work_in_the_checkout(&mut self) {
        let server = &mut self.caller.server;
        server.here = Some(Repository::new("octo", "demo").unwrap());
        server.workplace.folder = Some(self.repo.path().to_owned());
    }
}
