//! A kill at every moment at which something was written outside: the next call
//! takes up what was begun, and nothing is done twice.

use std::fmt::Write as _;
use std::io::Write as _;

use baton_testkit::jira::{FakeJira, TOKEN, USER};
use baton_testkit::world::World;
use baton_testkit::{Gatekeeper, Hold, peer};
use serde_json::{Value, json};

use crate::command::baton;

/// How the issue leads to the pull request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Link,
    Comment,
    /// A link, by the real `mcp-atlassian`, which cannot be told its global id.
    LinkOverMcp,
}

/// A checkout whose forge and Jira are behind gates.
struct Scene {
    world: World,
    jira: FakeJira,
    keeper: Gatekeeper,
}

impl Scene {
    /// `None` without the peer.
    fn new(way: Way) -> Option<Self> {
        let mut world = World::start();
        let jira = FakeJira::start(&["In Code Review"]);
        jira.inside().has_remote_links = way != Way::Comment;
        let keeper = Gatekeeper::new();
        let forge_gate = keeper.gate(world.address());
        let jira_gate = keeper.gate(jira.address());
        let token = world.token("octo").to_owned();
        let api_url = format!("http://{forge_gate}/api/v3");
        world.sandbox.set("BATON_GITHUB_API_URL", api_url);
        world.sandbox.set("GITHUB_TOKEN", token.clone());
        let login = [
            ("JIRA_URL", format!("http://{jira_gate}")),
            ("JIRA_USERNAME", USER.to_owned()),
            ("JIRA_API_TOKEN", TOKEN.to_owned()),
        ];
        if way == Way::LinkOverMcp {
            let server = json!({
                "command": peer("mcp-atlassian/bin/python")?,
                "args": ["-c", "from mcp_atlassian import main; main()"],
                "env": login.into_iter().collect::<Value>(),
            });
            let settings = json!({ "mcpServers": { "atlassian": server } });
            world
                .sandbox
                .write("home/.claude.json", settings.to_string());
        } else {
            for (name, value) in login {
                world.sandbox.set(name, value);
            }
        }
        let scene = Self {
            world,
            jira,
            keeper,
        };
        let repo = scene.world.checkout();
        repo.branch("topic");
        repo.commit_file("topic.txt", "one\n", "Add a topic");
        let url = format!("http://x-access-token:{token}@{forge_gate}/octo/demo.git");
        repo.git(&["remote", "set-url", "origin", &url]);
        Some(scene)
    }

    fn request(&self) -> String {
        let request = json!({
            "branch": "topic",
            "title": "feat: add a topic",
            "description": "Adds a topic, and says why.",
            "jira_key": "PROJ-123",
            "mark_ready": true,
            "working_directory": self.world.sandbox.path("checkout"),
        });
        request.to_string()
    }

    /// Calls the phase and kills it once the traffic stops.
    fn killed(&self, hold: Hold) {
        self.keeper.begin(Some(hold));
        let baton = baton(&self.world.sandbox);
        let mut child = baton.command(&["phase", "pr"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(self.request().as_bytes()).unwrap();
        drop(stdin);
        let is_held = self.keeper.wait_until_held();
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(is_held, "{hold:?} never came: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }

    /// The answer, without what differs from run to run.
    fn answer(&self) -> Value {
        let answer = baton(&self.world.sandbox)
            .reading(self.request())
            .run(&["phase", "pr"]);
        let mut output: Value =
            serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer}"));
        output["execution_time_ms"] = json!(0);
        let url = output["pr_url"].as_str().map(|url| {
            let path = url.split_once("/octo/").map_or(url, |(_, path)| path);
            json!(path)
        });
        output["pr_url"] = url.unwrap_or_default();
        output
    }

    /// How often everything was done.
    fn effects(&self) -> String {
        let pulls = self
            .world
            .client("octo")
            .get("/repos/octo/demo/pulls?state=all");
        let pulls = pulls.expect(200).json();
        let pulls = pulls.as_array().unwrap();
        let ready = pulls.iter().filter(|pull| pull["draft"] == false).count();
        let inside = self.jira.inside();
        format!(
            "{} pull request, {ready} ready, {} link, {} comment, {} move",
            pulls.len(),
            inside.links.len(),
            inside.comments.len(),
            inside.moves.len()
        )
    }
}

/// One row per moment: what was written last, what a second call then left.
/// `None` without the peer.
fn table(way: Way) -> Option<String> {
    let undisturbed = Scene::new(way)?;
    undisturbed.keeper.begin(None);
    let expected = undisturbed.answer();
    let writes = undisturbed.keeper.writes();
    let mut table = format!("undisturbed: {}\n", undisturbed.effects());
    for (number, write) in (1..).zip(&writes) {
        // What GitHub is asked does not depend on the way to Jira.
        if way == Way::LinkOverMcp && !write.contains("/rest/api/") {
            continue;
        }
        for hold in [Hold::AnswerOf(number), Hold::RequestAfter(number)] {
            if hold == Hold::RequestAfter(writes.len()) {
                continue;
            }
            let scene = Scene::new(way)?;
            scene.killed(hold);
            let before = scene.effects();
            scene.keeper.begin(None);
            assert_eq!(scene.answer(), expected, "{hold:?}");
            let when = match hold {
                Hold::AnswerOf(_) => "done, unheard",
                Hold::RequestAfter(_) => "heard",
            };
            writeln!(table, "{write}, {when}\n  {before}\n  {}", scene.effects()).unwrap();
        }
    }
    Some(table)
}

#[test]
fn killed_after_every_write_with_a_link() {
    insta::assert_snapshot!(table(Way::Link).unwrap(), @"
    undisturbed: 1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /octo/demo.git/git-receive-pack, done, unheard
      0 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /octo/demo.git/git-receive-pack, heard
      0 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /api/v3/repos/octo/demo/pulls, done, unheard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /api/v3/repos/octo/demo/pulls, heard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/remotelink, done, unheard
      1 pull request, 0 ready, 1 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/remotelink, heard
      1 pull request, 0 ready, 1 link, 0 comment, 0 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/transitions, done, unheard
      1 pull request, 0 ready, 1 link, 0 comment, 1 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/transitions, heard
      1 pull request, 0 ready, 1 link, 0 comment, 1 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    POST /api/graphql, done, unheard
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
      1 pull request, 1 ready, 1 link, 0 comment, 1 move
    ");
}

#[test]
fn killed_after_every_write_with_a_comment() {
    insta::assert_snapshot!(table(Way::Comment).unwrap(), @"
    undisturbed: 1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /octo/demo.git/git-receive-pack, done, unheard
      0 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /octo/demo.git/git-receive-pack, heard
      0 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /api/v3/repos/octo/demo/pulls, done, unheard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /api/v3/repos/octo/demo/pulls, heard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/remotelink, done, unheard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/remotelink, heard
      1 pull request, 0 ready, 0 link, 0 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/comment, done, unheard
      1 pull request, 0 ready, 0 link, 1 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/comment, heard
      1 pull request, 0 ready, 0 link, 1 comment, 0 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/transitions, done, unheard
      1 pull request, 0 ready, 0 link, 1 comment, 1 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /rest/api/2/issue/PROJ-123/transitions, heard
      1 pull request, 0 ready, 0 link, 1 comment, 1 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    POST /api/graphql, done, unheard
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
      1 pull request, 1 ready, 0 link, 1 comment, 1 move
    ");
}

#[test]
fn killed_after_every_write_over_mcp() {
    if let Some(table) = table(Way::LinkOverMcp) {
        insta::assert_snapshot!(table, @"
        undisturbed: 1 pull request, 1 ready, 1 link, 0 comment, 1 move
        POST /rest/api/2/issue/PROJ-123/remotelink, done, unheard
          1 pull request, 0 ready, 1 link, 0 comment, 0 move
          1 pull request, 1 ready, 1 link, 0 comment, 1 move
        POST /rest/api/2/issue/PROJ-123/remotelink, heard
          1 pull request, 0 ready, 1 link, 0 comment, 0 move
          1 pull request, 1 ready, 1 link, 0 comment, 1 move
        POST /rest/api/2/issue/PROJ-123/transitions, done, unheard
          1 pull request, 0 ready, 1 link, 0 comment, 1 move
          1 pull request, 1 ready, 1 link, 0 comment, 1 move
        POST /rest/api/2/issue/PROJ-123/transitions, heard
          1 pull request, 0 ready, 1 link, 0 comment, 1 move
          1 pull request, 1 ready, 1 link, 0 comment, 1 move
        ");
    }
}

/// What was opened by someone else is still in the way after a crash.
#[test]
fn a_second_whole_call_is_refused() {
    let scene = Scene::new(Way::Link).unwrap();
    scene.keeper.begin(None);
    scene.answer();
    let again = scene.answer();
    assert_eq!(again["errors"][0]["type"], "pr_creation_failed");
}
