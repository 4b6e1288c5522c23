use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::scene::Scene;
use crate::processes::{interrupt, is_gone, wait_for_pid};

/// Without the times.
fn changes(lines: &str) -> String {
    let lines = lines.lines().map(|line| {
        let (at, change) = line.split_at("2031-05-06 10:00:00  ".len());
        assert!(at.ends_with("  ") && at.starts_with("20"), "{line}");
        format!("{change}\n")
    });
    lines.collect()
}

#[test]
fn a_run_is_watched_from_question_to_question_to_its_end() {
    let scene = Scene::new();
    scene.make_agent_slow();
    let started = scene.ask(&[
        "run",
        "Greet everyone who comes in",
        "--mode",
        "semi",
        "--detach",
    ]);
    let run = started.stdout.trim().to_owned();
    let agent = wait_for_pid(&scene.beside_worktrees("pid"));
    let baton = scene.baton();
    let mut watching = baton
        .command(&["show", &run, "--watch"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    insta::assert_snapshot!(changes(&line), @"implementing  implement (implementer-agent)");
    interrupt(watching.id());
    let output = watching.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr).replace(&run, "RUN"), @"
    error: interrupted
    hint: Only the watching has ended; the run is as it was. `baton cancel RUN` ends the run.
    ");
    assert!(!is_gone(&agent), "the agent was ended with the watching");

    // The run itself was not touched: it goes on when its agent does.
    scene.make_agent_quick();
    let asked = scene.ask(&["show", &run, "--watch"]);
    assert_eq!(asked.code, Some(5), "{asked}");
    assert!(
        changes(&asked.stdout).ends_with("waiting       ready for the step `publish`\n"),
        "{asked}"
    );
    insta::assert_snapshot!(asked.stderr.replace(&run, "RUN"), @"
    ? ready for the step `publish`
      y  go on
      s  stop the run

    Answer with one of them; --comment tells the next step more:
      $ baton answer RUN y
    ");
    assert_eq!(scene.ask(&["answer", &run, "s"]).code, Some(0));
    scene.world.wait_for("the end of the run", || {
        (scene.json(&["show", &run])["status"] == "cancelled").then_some(())
    });
    let over = scene.ask(&["show", &run, "--watch"]);
    assert_eq!(over.code, Some(1), "{over}");
    insta::assert_snapshot!(changes(&over.stdout), @"cancelled     stopped at a question: ready for the step `publish`");
}

#[test]
fn every_change_is_an_object_of_its_own() {
    let scene = Scene::new();
    let started = scene.ask(&["run", "Greet everyone who comes in", "--detach"]);
    let run = started.stdout.trim().to_owned();
    let watched = scene.ask(&["show", &run, "--watch", "--json"]);
    assert_eq!(watched.code, Some(0), "{watched}");
    let seen: Vec<Value> = watched
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = seen.last().unwrap();
    assert_eq!(last["status"], "closed");
    assert_eq!(last["run"], run.as_str());
    // Whatever was over before the watching began, these were not.
    let statuses: Vec<&str> = seen
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert!(
        statuses.ends_with(&["merging", "merging", "closed"]),
        "{statuses:?}"
    );
    for pair in seen.windows(2) {
        assert_ne!(
            (&pair[0]["status"], &pair[0]["step"]),
            (&pair[1]["status"], &pair[1]["step"])
        );
    }
    insta::assert_snapshot!(changes(&scene.ask(&["show", &run, "--watch"]).stdout), @"closed        [forge]/octo/demo/pull/2");
    insta::assert_snapshot!(scene.ask(&["show", &run, "--watch", "--handoffs", "x"]), @"
    exit 2
    -- stderr
    error: the argument '--watch' cannot be used with '--handoffs <FOLDER>'

    Usage: baton show --watch <RUN>

    For more information, try '--help'.
    ");
}
