//! A whole run in a process of its own, the example `dying_driver`. The forge
//! lives in the test's process, whatever becomes of the driver.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_agents::AgentSteps;
use baton_engine::{Engine, Options};
use baton_host::Cmd;
use baton_host::cmd::{Environment, Finished};
use baton_remote::http;
use baton_testkit::world::World;
use baton_workflow::State;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ground::{Ground, Here};
use crate::stage::{Stage, ground};
use crate::{tending, whole_run};

/// Where a driver dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    Event(u64),
    Step(u64),
    Request(u64),
    /// Behind that call of git that changes something.
    Git(u64),
    /// In the middle of that turn of the coding agent, which lives on.
    Turn(u64),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = match self {
            Self::Event(number) => ("event", number),
            Self::Step(number) => ("step", number),
            Self::Request(number) => ("request", number),
            Self::Git(number) => ("git", number),
            Self::Turn(number) => ("turn", number),
        };
        write!(f, "{word} {number}")
    }
}

/// A run takes some seconds of work. On a machine that is busy with something
/// more important, these have been minutes; only what hangs takes so long.
const PATIENCE: Duration = Duration::from_mins(20);

/// One world, in which a run is driven by processes that come and go.
pub(crate) struct Theatre {
    pub(crate) world: World,
    ground: Ground,
    play: Play,
}

/// What is played.
#[derive(Clone, Copy)]
pub(crate) enum Play {
    /// A request that becomes a merged pull request.
    WholeRun,
    /// A pull request that is brought forward.
    Tending,
}

impl Play {
    fn request(self) -> &'static str {
        match self {
            Self::WholeRun => whole_run::REQUEST,
            Self::Tending => "tend 1",
        }
    }

    fn coder(self) -> &'static str {
        match self {
            Self::WholeRun => whole_run::CODER,
            Self::Tending => tending::CODER,
        }
    }

    /// The number of the pull request.
    fn number(self) -> u32 {
        match self {
            Self::WholeRun => 2,
            Self::Tending => 1,
        }
    }

    /// Where the work is in the end.
    fn branch(self) -> &'static str {
        match self {
            Self::WholeRun => "main",
            Self::Tending => tending::BRANCH,
        }
    }
}

/// Dies with the driver in the middle of its work, if this turn is the fatal
/// one, and leaves half of it.
const MORTAL: &str = r#"
echo turn >> "$HOME/turns"
if test "$(wc -l < "$HOME/turns")" = "$(cat "$HOME/fatal-turn" 2> /dev/null)"; then
  echo $$ > "$HOME/survivor"
  echo 'def half(' > notes.py
  echo 'def half(' > half.py
  kill -9 $PPID
  sleep 600
fi
"#;

/// git that ends its caller after it did its work.
const MORTAL_GIT: &str = r#"#!/bin/sh
GIT "$@"
code=$?
for word in "$@"; do
  case "$word" in
    add|branch|commit|merge|push|reset|switch|update-ref|worktree)
      echo "$*" >> "$HOME/git-calls"
      if test "$(wc -l < "$HOME/git-calls")" = "$(cat "$HOME/fatal-git" 2> /dev/null)"; then
        kill -9 $PPID
      fi
      break
      ;;
  esac
done
exit $code
"#;

impl Theatre {
    pub(crate) fn new(play: Play) -> Self {
        let world = World::start();
        let files = match play {
            Play::WholeRun => &[],
            Play::Tending => tending::FILES,
        };
        let stage = Stage::new(&world, play.request(), files);
        stage.write_coder(&format!("{MORTAL}\n{}", play.coder()));
        if let Play::Tending = play {
            tending::red_commented_and_conflicting(&stage);
        }
        let git = world.sandbox.bin().join("git");
        let script = MORTAL_GIT.replace("GIT", &git.to_string_lossy());
        let script = world.sandbox.write("mortal/git", script);
        let path = world.sandbox.root();
        world
            .sandbox
            .run(&path, "chmod", &["755", &script.to_string_lossy()]);
        let ground = ground(&world, "octo");
        Self {
            world,
            ground,
            play,
        }
    }

    /// What the driver finds in its environment: a git of its own.
    pub(crate) fn environment(&self) -> Environment {
        let sandbox = &self.world.sandbox;
        let mut environment: Environment = sandbox.environment().clone().into_iter().collect();
        let folders = [sandbox.path("mortal"), sandbox.bin()];
        environment.set("PATH", std::env::join_paths(folders).unwrap());
        environment
    }

    pub(crate) fn drive(&self, point: Option<Point>) -> Finished {
        let (driver, cancel) = (self.command(point), CancellationToken::new());
        self.world.block_on(driver.run(&cancel)).unwrap()
    }

    /// A driver that begins the run, or goes on with it.
    pub(crate) fn command(&self, point: Option<Point>) -> Cmd {
        let sandbox = &self.world.sandbox;
        let mut fate = Vec::new();
        match point {
            None => {}
            Some(Point::Git(number)) => {
                sandbox.write("home/fatal-git", number.to_string());
            }
            Some(Point::Turn(number)) => {
                sandbox.write("home/fatal-turn", number.to_string());
            }
            Some(point) => fate = point.to_string().split(' ').map(str::to_owned).collect(),
        }
        Cmd::new(dying_driver(), sandbox.root(), &self.environment())
            .args(self.arguments())
            .args(fate)
            .wall_limit(PATIENCE)
    }

    /// What the driver is told.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let ground = &self.ground;
        vec![
            ground.root.to_string_lossy().into_owned(),
            ground.web_url.clone(),
            ground.token.clone(),
            ground.first_port.to_string(),
            self.play.request().to_owned(),
        ]
    }

    /// The only run there is.
    fn state(&self) -> State {
        let place = self.ground.place(http::Observer::default());
        let crew = AgentSteps::new(Here(Arc::new(place)));
        self.world.block_on(async {
            let options = Options::new(self.world.sandbox.state_folder());
            let engine = Engine::open(options, Arc::new(crew)).await.unwrap();
            let runs = engine.runs(10).await.unwrap();
            assert_eq!(runs.len(), 1, "there is one run, whatever happened");
            engine.state(&runs[0].run).await.unwrap()
        })
    }

    fn get(&self, what: &str) -> Value {
        let path = format!("/repos/octo/demo/{what}");
        self.world.client("octo").get(&path).expect(200).json()
    }

    fn list(&self, what: &str) -> Vec<Value> {
        let list = self.get(&format!("{what}?state=all&per_page=100"));
        list.as_array().cloned().unwrap()
    }

    /// All that has to be the same however often the run was interrupted.
    pub(crate) fn outcome(&self) -> String {
        let state = self.state();
        let mut lines: Vec<String> = Vec::new();
        for passed in state.passed() {
            let (key, kind) = (passed.key.within_run(), passed.handoff.kind());
            lines.push(format!("passed: {key} {kind}"));
        }
        lines.push(format!("ending: {:?}", state.ending()));
        for issue in self.list("issues") {
            let what = if issue["pull_request"].is_null() {
                "issue"
            } else {
                "pull request"
            };
            lines.push(format!(
                "{what} {}: {}, {}",
                issue["number"], issue["title"], issue["state"]
            ));
        }
        let number = self.play.number();
        let pull = self.get(&format!("pulls/{number}"));
        lines.push(format!(
            "merged: {}, commits: {}",
            pull["merged"], pull["commits"]
        ));
        // The forge makes one without words of each reply.
        for review in self.list(&format!("pulls/{number}/reviews")) {
            if review["body"] == "" {
                continue;
            }
            lines.push(format!("review: {}", first_line(&review)));
        }
        for comment in self.list(&format!("pulls/{number}/comments")) {
            let reply = if comment["in_reply_to_id"].is_null() {
                "thread"
            } else {
                "reply"
            };
            lines.push(format!("{reply}: {}", comment["path"]));
        }
        for number in 1..=number {
            for comment in self.list(&format!("issues/{number}/comments")) {
                lines.push(format!("comment on {number}: {}", first_line(&comment)));
            }
        }
        for branch in self.list("branches") {
            lines.push(format!("branch: {}", branch["name"]));
        }
        let documents = self
            .world
            .sandbox
            .path(format!("state/runs/{}/handoffs", state.run()));
        let documents = std::fs::read_dir(documents).unwrap().count();
        lines.push(format!("documents: {documents}"));
        lines.extend(self.left_on_disk());
        lines.join("\n")
    }

    fn left_on_disk(&self) -> Vec<String> {
        let repo = self.world.sandbox.repo("checkout");
        repo.git(&["fetch", "--quiet", "--prune", "origin"]);
        let git = |what: &str, args: &[&str]| format!("{what}: {}", repo.git(args).trim());
        let worktrees = self.world.sandbox.path("checkout.baton").exists();
        let claims = repo.path().join(".git/baton");
        let claims = std::fs::read_dir(claims).map_or(0, Iterator::count);
        let branch = self.play.branch();
        let work = format!("origin/{branch}");
        let new = format!("main..{work}");
        vec![
            git(branch, &["log", "--first-parent", "--format=%s", &new]),
            git("files", &["ls-tree", "-r", "--name-only", &work]),
            git("notes.py", &["show", &format!("{work}:notes.py")]),
            git("local branches", &["branch", "--format=%(refname:short)"]),
            format!("worktrees are left: {worktrees}, claims: {claims}"),
        ]
    }

    /// The last call of git, which tells where a run stopped.
    pub(crate) fn last_call(&self) -> String {
        let calls = std::fs::read_to_string(self.world.sandbox.home().join("git-calls"));
        let calls = calls.unwrap_or_default();
        calls.lines().next_back().unwrap_or_default().to_owned()
    }

    pub(crate) fn lines_of(&self, file: &str) -> u64 {
        let text = std::fs::read_to_string(self.world.sandbox.home().join(file));
        text.unwrap().lines().count() as u64
    }
}

/// A text of the forge up to its first line's end, without what is random.
fn first_line(thing: &Value) -> String {
    let body = thing["body"].as_str().unwrap_or_default();
    let line = body.lines().next().unwrap_or_default();
    let words = line.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_hexdigit());
        let is_commit = bare.len() >= 7 && bare.chars().all(|c| c.is_ascii_hexdigit());
        if is_commit {
            word.replace(bare, "COMMIT")
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The program that drives a run and dies as told.
pub(crate) fn dying_driver() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let deps = tests.parent().unwrap();
    let program = deps.parent().unwrap().join("examples/dying_driver");
    assert!(
        program.is_file(),
        "`cargo test -p baton-agents` builds {}",
        program.display()
    );
    program
}

pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
