use std::process::Stdio;

use super::scene::Scene;
use crate::processes::{interrupt, is_gone, wait_for_pid};

/// The name of the newest run.
fn run_of(scene: &Scene) -> String {
    let listed = scene.json(&["runs"]);
    listed["workflows"][0]["run"].as_str().unwrap().to_owned()
}

#[test]
fn questions_are_answered_one_by_one() {
    let scene = Scene::new();
    let answer = scene.ask(&["run", "Greet everyone who comes in", "--mode", "semi"]);
    let run = run_of(&scene);
    assert_eq!(answer.code, Some(5), "{answer}");
    assert_eq!(answer.stdout, format!("{run}\n"));
    let told = answer.stderr.replace(&run, "RUN");
    let question = told.split_once("? ").unwrap().1;
    insta::assert_snapshot!(question, @"
    ready for the step `publish`
      y  go on
      s  stop the run

    Answer with one of them; --comment tells the next step more:
      $ baton answer RUN y
    ");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"issue #1: "open""#);
    insta::assert_snapshot!(scene.ask(&["answer", "-", "x"]), @"
    exit 2
    -- stderr
    error: `x` is none of the answers; choose one of: y (go on), s (stop the run)
    ");
    // It is inactive, and resuming changes nothing about the question.
    assert_eq!(scene.ask(&["resume", &run]).code, Some(5));

    let (_, behind_date) = run.split_once('-').unwrap();
    let merging = scene.ask(&["answer", behind_date, "y", "--comment", "fine"]);
    assert_eq!(merging.code, Some(5), "{merging}");
    assert!(
        merging.stderr.contains("ready for the step `merge`"),
        "{merging}"
    );
    let merged = scene.ask(&["answer", "-", "y"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
    let late = scene.ask(&["answer", &run, "y"]);
    assert_eq!(late.code, Some(2), "{late}");
}

#[test]
fn stopping_is_an_answer_too() {
    let scene = Scene::new();
    let asked = scene.ask(&["run", "Greet everyone who comes in", "--mode", "supervised"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    let stopped = scene.ask(&["answer", "-", "s"]);
    assert_eq!(stopped.code, Some(1), "{stopped}");
    let shown = scene.json(&["show", "-"]);
    assert_eq!(shown["status"], "cancelled", "{shown}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let scene = Scene::new();
    scene.make_agent_slow();
    let baton = scene.baton();
    let mut command = baton.command(&["run", "Greet everyone who comes in"]);
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    let agent = wait_for_pid(&scene.beside_worktrees("pid"));
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let run = run_of(&scene);
    let said = String::from_utf8_lossy(&output.stderr).replace(&run, "RUN");
    assert!(
        said.ends_with("hint: The run stays as it is: `baton resume RUN` goes on, `baton cancel RUN` ends it.\n"),
        "{said}"
    );
    assert!(is_gone(&agent), "the agent is still there");

    scene.make_agent_quick();
    let resumed = scene.ask(&["resume", "-"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
}

#[test]
fn a_run_in_the_background_is_followed_and_cancelled() {
    let scene = Scene::new();
    scene.make_agent_slow();
    let started = scene.ask(&["run", "Greet everyone who comes in", "--detach"]);
    assert_eq!(started.code, Some(0), "{started}");
    let run = started.stdout.trim().to_owned();
    let agent = wait_for_pid(&scene.beside_worktrees("pid"));
    let busy = scene.ask(&["resume", &run]);
    assert_eq!(busy.code, Some(2), "{busy}");
    assert!(
        busy.stderr.contains("another process drives the run"),
        "{busy}"
    );
    assert_eq!(scene.json(&["show", &run])["driven"], true);

    let cancelled = scene.ask(&["cancel", &run, "--reason", "not wanted"]);
    assert_eq!(cancelled.code, Some(0), "{cancelled}");
    assert!(is_gone(&agent), "the agent is still there");
    let shown = scene.json(&["show", &run]);
    assert_eq!(shown["status"], "cancelled");
    assert_eq!(shown["ending"]["reason"], "not wanted");
    assert_eq!(scene.ask(&["logs", "-f", &run]).code, Some(1));
}
