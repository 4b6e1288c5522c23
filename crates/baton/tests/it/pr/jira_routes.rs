//! The same scenarios over every way to Jira give the same outputs: its REST
//! API, the real `mcp-atlassian` on standard input and output, and Atlassian's
//! own server over HTTP.

use std::fs;

use baton_testkit::jira::{FakeJira, TOKEN, USER};
use baton_testkit::peer;
use baton_testkit::world::World;
use serde_json::{Value, json};

use crate::command::baton;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Rest,
    /// Found in the settings of Claude.
    Program,
    Http,
}

/// A call about an issue.
struct Scenario {
    transitions: &'static [&'static str],
    issue: &'static str,
    token: &'static str,
    has_remote_links: bool,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            transitions: &["In Code Review", "Done"],
            issue: "PROJ-123",
            token: TOKEN,
            has_remote_links: true,
        }
    }
}

/// Output, route and effects; `None` without the peer.
fn play(scenario: &Scenario, route: Route) -> Option<(Value, String, String)> {
    let mut world = World::start();
    let jira = FakeJira::start(scenario.transitions);
    jira.inside().has_remote_links = scenario.has_remote_links;
    world.sandbox.set("BATON_GITHUB_API_URL", world.api_url());
    world
        .sandbox
        .set("GITHUB_TOKEN", world.token("octo").to_owned());
    let mut arguments = vec!["phase".to_owned(), "pr".to_owned()];
    match route {
        Route::Rest => {
            world.sandbox.set("JIRA_URL", jira.url());
            world.sandbox.set("JIRA_USERNAME", USER);
            world.sandbox.set("JIRA_API_TOKEN", scenario.token);
        }
        Route::Program => {
            let server = json!({
                "command": peer("mcp-atlassian/bin/python")?,
                "args": ["-c", "from mcp_atlassian import main; main()"],
                "env": {
                    "JIRA_URL": jira.url(),
                    "JIRA_USERNAME": USER,
                    "JIRA_API_TOKEN": "${TOKEN_OF_JIRA}",
                },
            });
            world.sandbox.set("TOKEN_OF_JIRA", scenario.token);
            let settings = json!({ "mcpServers": { "atlassian": server } });
            world
                .sandbox
                .write("home/.claude.json", settings.to_string());
        }
        Route::Http => {
            world.sandbox.set("JIRA_MCP_TOKEN", scenario.token);
            let url = format!("jira.mcp_url={}", jira.serve_mcp());
            arguments.extend(["--config".to_owned(), url]);
        }
    }
    let details = world.sandbox.path("details.json");
    arguments.extend([
        "--details".to_owned(),
        details.to_string_lossy().into_owned(),
    ]);
    let repo = world.checkout();
    repo.branch("topic");
    repo.commit_file("topic.txt", "one\n", "Add a topic");
    let request = json!({
        "branch": "topic",
        "title": "feat: add a topic",
        "description": "Adds a topic, and says why.",
        "jira_key": scenario.issue,
        "working_directory": repo.path(),
    });
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = baton(&world.sandbox)
        .reading(request.to_string())
        .run(&arguments);
    let mut output: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer}"));
    output["execution_time_ms"] = json!(0);
    output["pr_url"] = json!("");
    let details: Value = serde_json::from_slice(&fs::read(details).unwrap()).unwrap();
    let inside = jira.inside();
    let effects = format!(
        "{} links and comments, {} moves",
        inside.links.len() + inside.comments.len(),
        inside.moves.len()
    );
    Some((output, details["jira_route"].to_string(), effects))
}

/// The Jira part of the output, which is the same over all routes.
#[track_caller]
fn check(scenario: &Scenario) -> String {
    let (expected, _, effects) = play(scenario, Route::Rest).unwrap();
    for route in [Route::Program, Route::Http] {
        let Some((output, _, done)) = play(scenario, route) else {
            continue;
        };
        assert_eq!(format!("{output:#}"), format!("{expected:#}"), "{route:?}");
        assert_eq!(done, effects, "{route:?}");
    }
    let errors = expected["errors"].as_array().unwrap().iter();
    let errors: Vec<String> = errors
        .map(|error| format!("{}: {}", error["type"], error["message"]))
        .collect();
    format!(
        "{}\n{}\n{effects}",
        expected["jira_status"],
        errors.join("\n")
    )
}

#[test]
fn linked_and_moved() {
    insta::assert_snapshot!(check(&Scenario::default()), @r#"
    {"linked":true,"transitioned":true,"current_state":"In Code Review"}

    1 links and comments, 1 moves
    "#);
}

#[test]
fn several_transitions() {
    let scenario = Scenario {
        transitions: &["Code Review", "In Code Review"],
        ..Scenario::default()
    };
    insta::assert_snapshot!(check(&scenario), @r#"
    {"linked":true,"transitioned":false,"current_state":"In Progress","error":"Several transitions match: Code Review, In Code Review"}
    "jira_transition_ambiguous": "Several transitions of PROJ-123 lead to a review; none was taken"
    1 links and comments, 0 moves
    "#);
}

#[test]
fn no_transition() {
    let scenario = Scenario {
        transitions: &["Done"],
        ..Scenario::default()
    };
    insta::assert_snapshot!(check(&scenario), @r#"
    {"linked":true,"transitioned":false,"current_state":"In Progress","error":"No transition found matching 'Code Review' pattern"}
    "jira_transition_failed": "Could not transition PROJ-123 to Code Review state"
    1 links and comments, 0 moves
    "#);
}

#[test]
fn no_such_issue() {
    let scenario = Scenario {
        issue: "PROJ-999",
        ..Scenario::default()
    };
    insta::assert_snapshot!(check(&scenario), @r#"
    {"linked":false,"transitioned":false,"current_state":null,"error":"Jira issue PROJ-999 not found"}
    "jira_issue_not_found": "Jira issue PROJ-999 does not exist or you don't have permission to view it"
    0 links and comments, 0 moves
    "#);
}

#[test]
fn refused_credentials() {
    let scenario = Scenario {
        token: "wrong",
        ..Scenario::default()
    };
    insta::assert_snapshot!(check(&scenario), @r#"
    {"linked":false,"transitioned":false,"current_state":null,"error":"cannot read PROJ-123: Jira refuses the credentials"}
    "jira_authentication_failed": "Jira refused the credentials"
    0 links and comments, 0 moves
    "#);
}

#[test]
fn no_remote_links() {
    let scenario = Scenario {
        has_remote_links: false,
        ..Scenario::default()
    };
    insta::assert_snapshot!(check(&scenario), @r#"
    {"linked":true,"transitioned":true,"current_state":"In Code Review"}

    1 links and comments, 1 moves
    "#);
}

#[test]
fn the_route_is_in_the_details() {
    let routes = [Route::Rest, Route::Program, Route::Http]
        .into_iter()
        .filter_map(|route| play(&Scenario::default(), route))
        .map(|(_, route, _)| route);
    let routes: Vec<String> = routes.collect();
    if routes.len() == 3 {
        insta::assert_snapshot!(routes.join("\n"), @r#"
        "REST"
        "MCP server `atlassian` of ~/.claude.json, over stdio"
        "MCP server `jira.mcp_url` of baton's configuration, over HTTP"
        "#);
    }
}

/// A cloned repository names programs to run; no one asked for that.
#[test]
fn a_repository_s_own_servers_are_left_alone_unless_the_user_says_so() {
    let mut world = World::start();
    world.sandbox.set("BATON_GITHUB_API_URL", world.api_url());
    world
        .sandbox
        .set("GITHUB_TOKEN", world.token("octo").to_owned());
    let repo = world.checkout();
    let mark = world.sandbox.path("started");
    let server = json!({ "command": "touch", "args": [mark] });
    let settings = json!({ "mcpServers": { "atlassian": server } });
    repo.branch("topic");
    repo.commit_file(".mcp.json", settings.to_string(), "Add a server");
    let play = |more: &[&str]| {
        let request = json!({
            "branch": "topic",
            "title": "feat: add a topic",
            "description": "Adds a topic, and says why.",
            "jira_key": "PROJ-123",
            "working_directory": repo.path(),
        });
        let answer = baton(&world.sandbox)
            .reading(request.to_string())
            .run(&[&["phase", "pr", "--config", "pr.adopt_existing=true"], more].concat());
        let output: Value = serde_json::from_str(&answer.stdout).unwrap();
        output["errors"][0]["type"].to_string()
    };
    assert_eq!(play(&[]), "\"jira_not_configured\"");
    assert!(!mark.exists());
    let allowed = ["--config", "jira.mcp_project_files=true"];
    assert_eq!(play(&allowed), "\"jira_link_failed\"");
    assert!(mark.exists());
}
