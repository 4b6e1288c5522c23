use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use baton_agents::DevServer;
use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::{FailureKind, Step};

use crate::stage::{Played, Stage};

const REQUEST: &str = "Fix the crash of the login page";

fn stage<'w>(world: &'w World, files: &[(&str, &str)]) -> Stage<'w> {
    let mut stage = Stage::new(world, REQUEST, files);
    stage.until = Some(Step::Implement);
    stage
}

#[test]
fn a_worktree_beside_the_checkout_is_made_once() {
    let world = World::start();
    let mut stage = stage(&world, &[(".gitignore", ".env*\n")]);
    stage.times = 2;
    stage.repo.write(".env", "TOKEN=1\n");
    fs::set_permissions(
        stage.repo.path().join(".env"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    let before = stage.repo.head();
    let played = stage.play();
    insta::assert_snapshot!(played.xml(&stage), @"
    <handoff>
      <from>prep-agent</from>
      <to>implementer-agent</to>
      <issue_url>http://forge/octo/demo/issues/1</issue_url>
      <issue_number>1</issue_number>
      <branch>fix/issue-1-fix-the-crash-of-the-login-page</branch>
      <workspace_path>/sandbox/checkout.baton/fix-issue-1-fix-the-crash-of-the-login-page</workspace_path>
      <workspace_type>worktree</workspace_type>
      <port>PORT</port>
      <status>ready</status>
      <summary>Prepared fix/issue-1-fix-the-crash-of-the-login-page from main</summary>
      <base_branch>main</base_branch>
      <base_commit>COMMIT</base_commit>
    </handoff>
    ");
    let path = stage
        .worktrees()
        .join("fix-issue-1-fix-the-crash-of-the-login-page");
    let env = path.join(".env");
    assert_eq!(fs::read_to_string(&env).unwrap(), "TOKEN=1\n");
    assert_eq!(
        fs::metadata(&env).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(stage.repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(stage.repo.head(), before);
    assert_eq!(stage.repo.git(&["branch", "--show-current"]), "main");
}

#[test]
fn a_process_that_dies_behind_the_worktree_finds_it_again() {
    let world = World::start();
    let mut stage = stage(&world, &[]);
    stage.dies_after = Some(Step::Prepare);
    let played = stage.play();
    assert_eq!(played.results.len(), 3);
    assert_eq!(stage.repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(stage.worktree_names().len(), 1);
}

#[test]
fn what_a_file_holds_in_the_worktree_is_not_overwritten() {
    let world = World::start();
    let mut stage = stage(
        &world,
        &[(".gitignore", "*.local\n"), (".env.example", "A=\n")],
    );
    stage.repo.write(".env.local", "mine");
    stage
        .repo
        .write(".env", "not ignored, so it could be committed");
    stage.play();
    let path = stage
        .worktrees()
        .join("fix-issue-1-fix-the-crash-of-the-login-page");
    assert_eq!(fs::read_to_string(path.join(".env.local")).unwrap(), "mine");
    assert_eq!(
        fs::read_to_string(path.join(".env.example")).unwrap(),
        "A=\n"
    );
    assert!(!path.join(".env").exists());
}

#[test]
fn dependencies_generation_and_build_are_tried() {
    let world = World::start();
    world.sandbox.fake(
        "npm",
        "echo \"$@\" >> \"$HOME/npm\"; test \"$1\" != ci || echo changed > package-lock.json",
    );
    let mut stage = stage(
        &world,
        &[
            (
                "package.json",
                r#"{"scripts": {"build": "true", "codegen": "true"}}"#,
            ),
            ("package-lock.json", "{}"),
        ],
    );
    let played = stage.play();
    insta::assert_snapshot!(fs::read_to_string(world.sandbox.home().join("npm")).unwrap(), @"
    ci
    run codegen
    run build
    ");
    let xml = played.xml(&stage);
    let validation =
        &xml[xml.find("  <validation>").unwrap()..xml.find("  </validation>").unwrap()];
    insta::assert_snapshot!(validation, @"
    <validation>
      <dependencies>installed</dependencies>
      <build>passing</build>
      <generated_code>written</generated_code>
    ");
    let path = stage
        .worktrees()
        .join("fix-issue-1-fix-the-crash-of-the-login-page");
    assert_eq!(
        fs::read_to_string(path.join("package-lock.json")).unwrap(),
        "{}"
    );
}

#[test]
fn a_build_that_fails_before_any_change_is_asked_about() {
    let world = World::start();
    let mut stage = stage(&world, &[]);
    stage.place.settings.preferred.build = Some("echo no such module; exit 3".to_owned());
    let played = stage.play();
    insta::assert_snapshot!(played.question(), @"
    the build fails, and nothing was changed on main yet: `echo no such module; exit 3` exited with code 3; it said:
    no such module
    r: try again
    g: go on all the same
    s: stop the run
    ");
    stage.place.settings.preferred.build = Some("exit 4".to_owned());
    let played = stage.answer('r', None);
    assert!(played.question().contains("exited with code 4"));
    let played = stage.answer('g', None);
    assert!(played.xml(&stage).contains("<build>failing</build>"));
}

#[test]
fn a_program_that_a_build_script_lacks_is_named() {
    let world = World::start();
    world.sandbox.fake(
        "npm",
        "test \"$1\" = run || exit 0; echo 'sh: 1: tsc: not found' >&2; exit 127",
    );
    let mut stage = stage(
        &world,
        &[("package.json", r#"{"scripts": {"build": "tsc"}}"#)],
    );
    let played = stage.play();
    assert!(
        played.question().contains("sh: 1: tsc: not found"),
        "{}",
        played.question()
    );
}

#[test]
fn a_server_has_to_answer() {
    let world = World::start();
    let mut stage = stage(&world, &[]);
    let server = |command: &str, millis| {
        Some(DevServer {
            command: command.to_owned(),
            path: "/health".to_owned(),
            patience: Duration::from_millis(millis),
        })
    };
    stage.place.settings.dev_server = server("echo no luck; exit 1", 60_000);
    let played = stage.play();
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    the server does not start, and nothing was changed on main yet: `echo no luck; exit 1` exited with code 1; it said:
    no luck
    r: try again
    g: go on all the same
    s: stop the run
    ");
    stage.place.settings.dev_server = server("sleep 60", 300);
    let played = stage.answer('r', None);
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    the server does not start, and nothing was changed on main yet: `sleep 60` was cancelled; it said:
    it did not answer on port PORT within 300ms
    r: try again
    g: go on all the same
    s: stop the run
    ");
    stage.place.settings.dev_server = server("echo $PORT > \"$HOME/port\"; sleep 60", 60_000);
    let file = world.sandbox.home().join("port");
    let serving = std::thread::spawn(move || serve_once(&file));
    let played = stage.answer('r', None);
    assert!(
        played
            .xml(&stage)
            .contains("<dev_server>verified</dev_server>")
    );
    assert_eq!(serving.join().unwrap(), "GET /health HTTP/1.0");
}

/// Stands in for the server: it listens where that one was told to.
fn serve_once(file: &Path) -> String {
    let port = loop {
        match fs::read_to_string(file).map(|text| text.trim().parse::<u16>()) {
            Ok(Ok(port)) => break port,
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut request = [0; 512];
    let length = stream.read(&mut request).unwrap();
    stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n").unwrap();
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    request.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn in_place_only_a_clean_checkout_will_do() {
    let world = World::start();
    let mut stage = stage(&world, &[]);
    stage.place.settings.in_place = true;
    stage.times = 2;
    stage.repo.write("mine.txt", "not committed");
    let played = stage.play();
    assert_eq!(played.failure().kind, FailureKind::Blocked);
    insta::assert_snapshot!(stage.shown(&played.failure().message), @"/sandbox/checkout has changes that are not committed; commit or stash them, or work in a worktree");
    stage.repo.remove("mine.txt");
    let played = stage.answer('r', None);
    assert!(
        played
            .xml(&stage)
            .contains("<workspace_type>in-place</workspace_type>")
    );
    assert_eq!(
        stage.repo.git(&["branch", "--show-current"]),
        "fix/issue-1-fix-the-crash-of-the-login-page"
    );
}

#[test]
fn a_branch_that_someone_has_is_left_alone() {
    let world = World::start();
    let mut stage = stage(&world, &[]);
    stage
        .repo
        .git(&["branch", "fix/issue-1-fix-the-crash-of-the-login-page"]);
    let played = stage.play();
    assert!(
        played
            .xml(&stage)
            .contains("<branch>fix/issue-1-fix-the-crash-of-the-login-page-2</branch>")
    );
}

#[test]
fn two_runs_on_one_checkout_do_not_meet() {
    let world = World::start();
    let mut one = stage(&world, &[]);
    let first = one.play();
    let mut two = Stage { run: None, ..one };
    two.goal.issue = Some(1);
    let second = two.play();
    let ready = |played: &Played| match played.handoff() {
        Handoff::WorkspaceReady(ready) => (ready.port.unwrap(), ready.branch.to_string()),
        other => panic!("{other:?}"),
    };
    let (first, second) = (ready(&first), ready(&second));
    assert_ne!(first.0, second.0);
    assert_eq!(second.1, format!("{}-2", first.1));
}
