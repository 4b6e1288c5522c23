#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test says that something went wrong"
)]

mod gh;
mod github;
mod server;
mod world;

use baton_testkit::Sandbox;

#[test]
fn commits_have_the_same_ids_everywhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.commit_file("a.txt", "one\n", "First");
    let second = repo.commit_file("a.txt", "two\n", "Second");
    assert_eq!(second, "4e756bfa210343a2b8dca68b7dab050845f508f2");
}

#[test]
fn a_program_sees_only_the_sandbox() {
    let sandbox = Sandbox::new();
    let output = sandbox.run::<&str>(&sandbox.root(), "env", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<_> = text
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_NOSYSTEM",
            "HOME",
            "LANG",
            "NO_COLOR",
            "PATH",
            "TMPDIR",
            "TZ",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
        ]
    );
}

#[test]
fn a_fake_notes_its_calls() {
    let sandbox = Sandbox::new();
    let fake = sandbox.fake("npm", "echo ran; exit 3");
    let output = sandbox.run(&sandbox.home(), "npm", &["run", "two words", ""]);
    sandbox.run::<&str>(&sandbox.root(), "npm", &[]);

    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"ran\n");
    assert_eq!(fake.calls(), [vec!["run", "two words", ""], vec![]]);
    assert_eq!(fake.folders(), [sandbox.home(), sandbox.root()]);
}

#[test]
fn a_fake_takes_the_place_of_a_real_tool() {
    let sandbox = Sandbox::new();
    sandbox.fake("git", "echo not git");
    let output = sandbox.run(&sandbox.root(), "git", &["version"]);
    assert_eq!(output.stdout, b"not git\n");
}

#[test]
fn a_clone_follows_its_remote() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let commit = repo.commit_file("a.txt", "one\n", "First");
    let remote = repo.add_remote("origin");
    let clone = remote.clone_to("clone", &[]);
    assert_eq!(clone.head(), commit);
    assert_eq!(
        clone.git(&["status", "--short", "--branch"]),
        "## main...origin/main"
    );
}
