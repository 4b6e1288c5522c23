//! What coding agents must not see or do, and people can.

use std::fs;

use baton_state::State;
use baton_testkit::Sandbox;
use jiff::Timestamp;
use serde_json::json;

use super::scene::Scene;
use crate::command::baton;
use crate::mcp::client::Client;

#[test]
fn in_a_sandbox_no_one_steers_a_run() {
    let mut sandbox = Sandbox::new();
    // The variables that an honest agent carries are gone, and the state folder
    // is not to be seen.
    let empty = sandbox.folder("elsewhere");
    sandbox.set("BATON_STATE_DIR", &empty);
    insta::assert_snapshot!(baton(&sandbox).run(&["answer", "NOPE", "a"]), @r#"
    exit 3
    -- stderr
    error: there are no runs in [sandbox]/elsewhere
    hint: `baton run "what you want"` starts one.
    hint: The sandbox of a run hides runs: only people can accept, answer, cancel or resume, outside of it.
    "#);
    for verb in [
        &["cancel", "-"][..],
        &["resume", "-"],
        &["accept", "-", "--reason", "x"],
    ] {
        let answer = baton(&sandbox).run(verb);
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stderr.contains("only people can"), "{answer}");
    }
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
    // A user looked for runs there.
    baton(&sandbox).run(&["runs"]);
    let answer = baton(&sandbox).run(&["answer", "-", "y"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stderr.contains("only people can"), "{answer}");
}

#[test]
fn an_agent_does_not_answer_questions_about_its_own_work() {
    let mut sandbox = Sandbox::new();
    sandbox.set("BATON_CHILD", "1-0-2a,agent:20310506-7f3a/003-implement");
    for verb in [
        &["answer", "-", "y"][..],
        &["cancel", "-"],
        &["resume", "-"],
        &["accept", "-", "--reason", "x"],
        &["accept", "F-1a2b3c4d", "--reason", "x"],
        &["accept", "--remove", "F-1a2b3c4d"],
    ] {
        let answer = baton(&sandbox).run(verb);
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer, @"
            exit 3
            -- stderr
            error: only people can accept findings and answer, cancel or resume a run, and this is the process of a coding agent
            hint: Run this outside of the run's sandbox, as the user who started the run.
            ");
        }
    }
    // Its own server has no such tools, whatever flags it is started with.
    let mut client = Client::ready(&sandbox, "2025-11-25", json!({}));
    let tools = client.request("tools/list", json!({})).to_string();
    assert!(tools.contains("get_failing_tests"), "{tools}");
    assert!(!tools.contains("_workflow"), "{tools}");
    for flags in [
        ["--no-workflows", "--no-workflows=false"],
        ["--no-workflows", "--workflows"],
    ] {
        let answer = baton(&sandbox).run(&[&["mcp"][..], &flags].concat());
        assert_eq!(answer.code, Some(2), "{answer}");
    }
    let person = Sandbox::new();
    let mut client = Client::ready(&person, "2025-11-25", json!({}));
    let tools = client.request("tools/list", json!({})).to_string();
    assert!(tools.contains("answer_workflow"), "{tools}");
}

#[test]
fn an_answer_that_no_one_signed_is_refused_and_in_the_record() {
    let scene = Scene::new();
    let asked = scene.ask(&["run", "Greet everyone who comes in", "--mode", "supervised"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    let shown = scene.json(&["show", "-"]);
    let run = shown["run"].as_str().unwrap();
    let mut state = State::open(&scene.world.sandbox.path("state/baton")).unwrap();
    let forged = json!({ "cancel": "an agent wants it" }).to_string();
    let posted = state
        .change_journal(|journal| journal.post(run, Timestamp::now(), forged.as_bytes()))
        .unwrap();
    assert_eq!(posted, baton_state::journal::Posted::Yes);
    assert_eq!(scene.ask(&["resume", run]).code, Some(5));
    let logged = scene.ask(&["logs", run]);
    assert!(
        logged
            .stdout
            .contains("refused to cancel the run: no person signed that"),
        "{logged}"
    );
    let cancelled = scene.ask(&["cancel", run]);
    assert_eq!(cancelled.code, Some(0), "{cancelled}");
    assert_eq!(scene.json(&["show", run])["status"], "cancelled");
}

#[test]
fn agents_and_project_commands_see_a_short_list_of_variables() {
    let mut scene = Scene::new();
    let folder = scene.world.sandbox.folder("seen");
    let noted = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let agent = format!(
        "cat > /dev/null\nenv > {}\necho hello > greeting.txt",
        noted("agent")
    );
    scene.world.sandbox.fake("scribe", &agent);
    for (name, value) in [
        ("DATABASE_URL", "postgres://app:hunter2@db/app"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("OPENAI_API_KEY", "sk-1"),
        ("MY_KEY", "1"),
        ("SHOP_URL", "2"),
        ("GOFLAGS", "-mod=mod"),
    ] {
        scene.world.sandbox.set(name, value);
    }
    let names = "agent.environment = [\"MY_KEY\"]\nrun.environment = [\"SHOP_URL\"]\n";
    let writable = format!("sandbox.writable = [\"{}\"]\n", folder.display());
    scene.configure(&format!("{names}{writable}"));
    let build = format!("commands.build=env > {}", noted("build"));
    let answer = scene.ask(&["--config", &build, "run", "Greet everyone who comes in"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    let seen = |name: &str| {
        let text = fs::read_to_string(noted(name)).unwrap();
        let is_set = |name: &str| {
            text.lines()
                .any(|line| line.split('=').next() == Some(name))
        };
        [
            "PATH",
            "HOME",
            "GOFLAGS",
            "DATABASE_URL",
            "SSH_AUTH_SOCK",
            "GITHUB_TOKEN",
            "BATON_GITHUB_API_URL",
            "OPENAI_API_KEY",
            "MY_KEY",
            "SHOP_URL",
        ]
        .into_iter()
        .filter(|name| is_set(name))
        .collect::<Vec<_>>()
        .join(" ")
    };
    insta::assert_snapshot!(seen("agent"), @"PATH HOME GOFLAGS OPENAI_API_KEY MY_KEY");
    insta::assert_snapshot!(seen("build"), @"PATH HOME GOFLAGS SHOP_URL");
}
