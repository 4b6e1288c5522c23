//! A run goes on as it began, whatever the configuration says by then.

use std::fs;

use super::scene::Scene;
use crate::command::Answer;

/// Answers with `y` until the run does not ask before a step any more.
fn go_on(scene: &Scene) -> Answer {
    let mut answer = scene.ask(&["answer", "-", "y"]);
    for _ in 0..12 {
        if answer.code != Some(5) || !answer.stderr.contains("ready for the step") {
            break;
        }
        answer = scene.ask(&["answer", "-", "y"]);
    }
    answer
}

#[test]
fn a_run_keeps_its_agent_and_its_settings() {
    let scene = Scene::new();
    let asked = scene.ask(&["run", "Greet everyone who comes in", "--mode", "supervised"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    scene
        .world
        .sandbox
        .fake("other", "cat > /dev/null\necho other > other.txt");
    scene.world.sandbox.write(
        "config/baton/config.toml",
        "agent.name = \"other\"\nagent.driver = \"exec\"\nagent.program = \"other\"\n\
         review.threshold = \"critical\"\n",
    );
    let first = scene.ask(&["answer", "-", "y"]);
    for note in [
        "This run goes on with the agent scribe (scribe), as it began; the configuration now says other (other).",
        "This run goes on with review.threshold = medium, as it began; the configuration now says critical.",
    ] {
        let told = first.stderr.split_whitespace().collect::<Vec<_>>();
        assert!(told.join(" ").contains(note), "{first}");
    }
    let merged = go_on(&scene);
    assert_eq!(merged.code, Some(0), "{merged}");
    let logs = scene.ask(&["logs", "-"]);
    assert!(logs.stdout.contains("writing greeting.txt"), "{logs}");
}

#[test]
fn what_was_begun_can_be_merged_without_an_agent() {
    let scene = Scene::new();
    let asked = scene.ask(&["run", "Greet everyone who comes in", "--mode", "semi"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    assert!(asked.stderr.contains("step `publish`"), "{asked}");
    fs::remove_file(scene.world.sandbox.bin().join("scribe")).unwrap();
    scene.world.sandbox.write("config/baton/config.toml", "");
    let merged = go_on(&scene);
    assert_eq!(merged.code, Some(0), "{merged}");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
}

#[test]
fn a_step_that_needs_the_agent_says_which_one_it_was() {
    let scene = Scene::new();
    let asked = scene.ask(&["run", "Greet everyone who comes in", "--mode", "supervised"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    let program = scene.world.sandbox.bin().join("scribe");
    let kept = fs::read(&program).unwrap();
    fs::remove_file(&program).unwrap();
    let missing = go_on(&scene);
    let told = missing
        .stderr
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        told.contains(
            "the coding agent `scribe` that the run began with is not on this machine: there is no program scribe. Put the program back there, or start a new run with another agent."
        ),
        "{missing}"
    );
    fs::write(&program, kept).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    let shown = scene.json(&["show", "-"]);
    let first = shown["question"]["options"][0]["choice"].as_str().unwrap();
    scene.ask(&["answer", "-", first]);
    let merged = go_on(&scene);
    assert_eq!(merged.code, Some(0), "{merged}");
}
