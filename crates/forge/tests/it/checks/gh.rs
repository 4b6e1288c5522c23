//! The real `gh` looks at runs and steers them.

use serde_json::{Value, json};

use super::ended_run;
use crate::world::World;

/// `gh` on the sandbox's `PATH`; where it is not installed, a test ends early,
/// unless peers are required.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "how CI says what it requires, and how a test says what it lacks"
)]
fn world_with_gh() -> Option<World> {
    let mut world = World::start_with(|settings| {
        settings.public_url = Some("http://github.localhost".to_owned());
    });
    if world.sandbox.link_tool("gh") {
        return Some(world);
    }
    assert!(
        std::env::var_os("BATON_REQUIRE_PEERS").is_none_or(|value| value != "1"),
        "BATON_REQUIRE_PEERS=1, but gh is not installed"
    );
    eprintln!("skipped: gh is not installed");
    None
}

/// The forge is the proxy through which `gh` asks a host without TLS.
fn gh(world: &World, args: &[&str]) -> (String, String, Option<i32>) {
    let proxy = format!("http://{}", world.address);
    let token = world.token("octo", crate::world::ALL_SCOPES);
    let variables = [
        "GH_HOST=github.localhost".to_owned(),
        "GH_REPO=github.localhost/octo/demo".to_owned(),
        format!("GH_TOKEN={token}"),
        format!("HTTP_PROXY={proxy}"),
        format!("http_proxy={proxy}"),
    ];
    let mut all: Vec<&str> = variables.iter().map(String::as_str).collect();
    all.push("gh");
    all.extend(args);
    let output = world.sandbox.run(&world.sandbox.root(), "env", &all);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        text(&output.stdout),
        text(&output.stderr),
        output.status.code(),
    )
}

#[track_caller]
fn succeeds(world: &World, args: &[&str]) -> String {
    let (stdout, stderr, code) = gh(world, args);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    stdout
}

/// A run with a job that failed and one that did not.
fn executed(world: &World) -> Value {
    let repo = world.checkout();
    repo.write(
        ".baton/forge-checks.toml",
        "name = 'CI'\n[[jobs]]\nname = 'test'\ncommand = 'echo it is broken; exit 1'\njunit = 'README.md'\n\
         [[jobs]]\nname = 'lint'\ncommand = 'echo fine'\n",
    );
    repo.commit("Ask for checks");
    repo.git(&["push", "--quiet", "origin", "main"]);
    ended_run(&world.client("octo"))
}

#[test]
fn runs_are_listed_and_shown() {
    let Some(world) = world_with_gh() else {
        return;
    };
    let run = executed(&world);
    let id = run["id"].to_string();
    let fields =
        "databaseId,status,conclusion,workflowName,headBranch,event,displayTitle,number,headSha";
    let list: Value =
        serde_json::from_str(&succeeds(&world, &["run", "list", "--json", fields])).unwrap();
    assert_eq!(
        list,
        json!([{
            "databaseId": run["id"],
            "status": "completed",
            "conclusion": "failure",
            "workflowName": "CI",
            "headBranch": "main",
            "event": "push",
            "displayTitle": "Ask for checks",
            "number": 1,
            "headSha": run["head_sha"],
        }])
    );
    let table = succeeds(
        &world,
        &["run", "list", "--workflow", "CI", "--branch", "main"],
    );
    assert!(
        table.starts_with("completed\tfailure\tAsk for checks\tCI\tmain\tpush\t"),
        "{table}"
    );

    let jobs: Value =
        serde_json::from_str(&succeeds(&world, &["run", "view", &id, "--json", "jobs"])).unwrap();
    let conclusions: Vec<_> = jobs["jobs"].as_array().unwrap().clone();
    let conclusions: Vec<_> = conclusions.iter().map(|job| &job["conclusion"]).collect();
    assert_eq!(conclusions, ["failure", "success"]);
    let workflows = succeeds(&world, &["workflow", "list"]);
    assert_eq!(workflows, "CI\tactive\t1\n");
}

#[test]
fn logs_are_shown_by_step() {
    let Some(world) = world_with_gh() else {
        return;
    };
    let run = executed(&world);
    let id = run["id"].to_string();
    let without_times = |log: &str| -> String {
        let lines = log.lines().map(|line| {
            let mut columns = line.splitn(3, '\t');
            let (job, step) = (columns.next().unwrap(), columns.next().unwrap());
            let text = columns.next().unwrap().split_once(' ').unwrap().1;
            format!("{job}|{step}|{text}\n").replace('\u{1b}', "ESC")
        });
        lines.collect()
    };
    let log = without_times(&succeeds(&world, &["run", "view", &id, "--log"]));
    assert!(log.contains("lint|Run echo fine|fine\n"), "{log}");
    assert!(
        log.contains("test|Set up job|Complete job name: test\n"),
        "{log}"
    );
    let failed = without_times(&succeeds(&world, &["run", "view", &id, "--log-failed"]));
    insta::assert_snapshot!(failed, @r"
    test|Run echo it is broken; exit 1|##[group]Run echo it is broken; exit 1
    test|Run echo it is broken; exit 1|ESC[36;1mecho it is broken; exit 1ESC[0m
    test|Run echo it is broken; exit 1|shell: /bin/sh -c {0}
    test|Run echo it is broken; exit 1|##[endgroup]
    test|Run echo it is broken; exit 1|it is broken
    test|Run echo it is broken; exit 1|##[error]Process completed with exit code 1.
    ");
}

#[test]
fn runs_are_started_again_watched_and_downloaded() {
    let Some(world) = world_with_gh() else {
        return;
    };
    let run = executed(&world);
    let id = run["id"].to_string();
    succeeds(&world, &["run", "rerun", &id, "--failed"]);
    let again = ended_run(&world.client("octo"));
    assert_eq!(again["run_attempt"], 2);
    succeeds(&world, &["run", "rerun", &id]);
    let again = ended_run(&world.client("octo"));
    assert_eq!(again["run_attempt"], 3);
    let (_, stderr, code) = gh(&world, &["run", "watch", &id, "--exit-status"]);
    assert_eq!(code, Some(1), "{stderr}");
    let folder = world.sandbox.folder("downloads");
    let folder = folder.to_str().unwrap();
    succeeds(
        &world,
        &[
            "run",
            "download",
            &id,
            "--name",
            "junit-test",
            "--dir",
            folder,
        ],
    );
    let kept = world.sandbox.path("downloads/README.md");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "# Demo\n");
    let (_, stderr, code) = gh(&world, &["run", "cancel", &id]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("Cannot cancel a workflow run that is completed"),
        "{stderr}"
    );
}
