//! Tokens are used, and are not to be read in the environment of a process that
//! lives beside coding agents.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::scene::Scene;
use crate::command::baton;
use crate::processes::{interrupt, wait_for_pid};

/// What a process of the same user can read of another one's environment.
fn environ(pid: impl std::fmt::Display) -> String {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap();
    String::from_utf8_lossy(&bytes).replace('\0', "\n")
}

fn assert_hides(environ: &str, token: &str) {
    assert!(environ.contains("HOME="), "{environ}");
    assert!(!environ.contains(token), "{environ}");
    assert!(!environ.contains("_TOKEN="), "{environ}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_driver_pushes_with_a_token_that_its_environment_does_not_show() {
    let scene = Scene::new();
    let token = scene.world.token("octo").to_owned();
    scene.make_agent_slow();
    let baton = scene.baton();
    let mut command = baton.command(&["run", "Greet everyone who comes in"]);
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    wait_for_pid(&scene.beside_worktrees("pid"));
    assert_hides(&environ(child.id()), &token);
    scene.make_agent_quick();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
}

#[test]
#[cfg(target_os = "linux")]
fn neither_does_that_of_a_driver_in_the_background() {
    let scene = Scene::new();
    let token = scene.world.token("octo").to_owned();
    scene.make_agent_slow();
    let started = scene.ask(&["run", "Greet everyone who comes in", "--detach"]);
    assert_eq!(started.code, Some(0), "{started}");
    let agent = wait_for_pid(&scene.beside_worktrees("pid"));
    let status = fs::read_to_string(format!("/proc/{agent}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    assert_hides(&environ(parent.unwrap().trim()), &token);
    scene.make_agent_quick();
    let run = started.stdout.trim();
    assert_eq!(scene.ask(&["logs", "-f", run]).code, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_wants_a_token_that_its_environment_does_not_show() {
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let mut scene = Scene::new();
    scene.world.sandbox.set("BATON_SERVE_TOKEN", TOKEN);
    let mut child = baton(&scene.world.sandbox)
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let told = lines.next().unwrap().unwrap();
    assert_eq!(told, "Token: that of BATON_SERVE_TOKEN");
    let environ = environ(child.id());
    assert_hides(&environ, TOKEN);
    assert_hides(&environ, scene.world.token("octo"));
    interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
