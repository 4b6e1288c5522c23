//! The real `gh` looks at runs and steers them.

use baton_testkit::Repo;
use serde_json::{Value, json};

use super::ended_run;
use super::runner::enable_pushed_checks;
use crate::gh::{Gh, HOST, world_with_gh};
use crate::world::World;

/// A branch `feature` whose checks have ended: `test` failed, `lint` did not.
fn checked(world: &World) -> (Repo<'_>, Value) {
    enable_pushed_checks(world, true);
    let repo = world.checkout();
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.write(
        ".baton/forge-checks.toml",
        "name = 'CI'\n\
         [[jobs]]\nname = 'test'\ncommand = 'echo it is broken; exit 1'\njunit = 'README.md'\n\
         [[jobs]]\nname = 'lint'\ncommand = 'echo fine'\n",
    );
    repo.commit("Ask for checks");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let url = format!("http://{HOST}/octo/demo.git");
    repo.git(&["remote", "set-url", "origin", &url]);
    let run = ended_run(&world.client("octo"));
    (repo, run)
}

#[test]
fn runs_are_listed_and_shown() {
    let Some(world) = world_with_gh() else { return };
    let (repo, run) = checked(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let fields =
        "databaseId,status,conclusion,workflowName,headBranch,event,displayTitle,number,headSha";
    assert_eq!(
        gh.json(&["run", "list", "--json", fields]),
        json!([{
            "databaseId": run["id"],
            "status": "completed",
            "conclusion": "failure",
            "workflowName": "CI",
            "headBranch": "feature",
            "event": "push",
            "displayTitle": "Ask for checks",
            "number": 1,
            "headSha": run["head_sha"],
        }])
    );
    let table = gh.succeeds(&["run", "list", "--workflow", "CI", "--branch", "feature"]);
    let expected = "completed\tfailure\tAsk for checks\tCI\tfeature\tpush\t";
    assert!(table.starts_with(expected), "{table}");
    let id = run["id"].to_string();
    let jobs = gh.json(&["run", "view", &id, "--json", "jobs"]);
    let jobs = jobs["jobs"].as_array().unwrap().iter();
    let conclusions: Vec<_> = jobs.map(|job| &job["conclusion"]).collect();
    assert_eq!(conclusions, ["failure", "success"]);
    assert_eq!(gh.succeeds(&["workflow", "list"]), "CI\tactive\t1\n");
    let shown = gh.succeeds(&["run", "view", &id]);
    let shown: Vec<_> = shown.lines().map(without_times).collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    X feature CI · 1
    Triggered via push

    JOBS
    X test (ID 1)
      ✓ Set up job
      ✓ Check out the commit
      X Run echo it is broken; exit 1
      ✓ Keep the test report
      ✓ Complete job
    ✓ lint (ID 2)

    ANNOTATIONS
    X Process completed with exit code 1.
    test: .github#6


    ARTIFACTS
    junit-test

    To see what failed, try: gh run view 1 --log-failed
    View this run on GitHub: http://github.localhost/octo/demo/actions/runs/1
    ");
}

/// How long a job took, and how long ago it began.
fn without_times(line: &str) -> String {
    if let Some((job, rest)) = line.split_once(" in ")
        && let Some((_, id)) = rest.split_once(" (")
    {
        return format!("{job} ({id}");
    }
    let triggered = "Triggered via push";
    let line = if line.starts_with(triggered) {
        triggered
    } else {
        line
    };
    line.to_owned()
}

#[test]
fn logs_are_shown_by_step() {
    let Some(world) = world_with_gh() else { return };
    let (repo, run) = checked(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let id = run["id"].to_string();
    let log = columns(&gh.succeeds(&["run", "view", &id, "--log"]));
    assert!(log.contains("lint|Run echo fine|fine\n"), "{log}");
    let set_up = "test|Set up job|Complete job name: test\n";
    assert!(log.contains(set_up), "{log}");
    let failed = columns(&gh.succeeds(&["run", "view", &id, "--log-failed"]));
    insta::assert_snapshot!(failed, @r"
    test|Run echo it is broken; exit 1|##[group]Run echo it is broken; exit 1
    test|Run echo it is broken; exit 1|ESC[36;1mecho it is broken; exit 1ESC[0m
    test|Run echo it is broken; exit 1|shell: /bin/sh -c {0}
    test|Run echo it is broken; exit 1|##[endgroup]
    test|Run echo it is broken; exit 1|it is broken
    test|Run echo it is broken; exit 1|##[error]Process completed with exit code 1.
    ");
}

/// Job, step and text of every line; each text begins with a time.
fn columns(log: &str) -> String {
    let mut shown = String::new();
    for line in log.lines() {
        let mut columns = line.splitn(3, '\t');
        let (job, step) = (columns.next().unwrap(), columns.next().unwrap());
        let (_, text) = columns.next().unwrap().split_once(' ').unwrap();
        let text = text.replace('\u{1b}', "ESC");
        shown.push_str(&[job, step, &text].join("|"));
        shown.push('\n');
    }
    shown
}

#[test]
fn runs_are_started_again_watched_and_downloaded() {
    let Some(world) = world_with_gh() else { return };
    let (repo, run) = checked(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let id = run["id"].to_string();
    let client = world.client("octo");
    gh.succeeds(&["run", "rerun", &id, "--failed"]);
    assert_eq!(ended_run(&client)["run_attempt"], 2);
    gh.succeeds(&["run", "rerun", &id]);
    assert_eq!(ended_run(&client)["run_attempt"], 3);
    let watched = gh.run(&["run", "watch", &id, "--exit-status"]);
    assert_eq!(watched.code, Some(1), "{}", watched.stderr);
    let folder = world.sandbox.folder("downloads");
    let to = folder.to_str().unwrap();
    gh.succeeds(&["run", "download", &id, "--name", "junit-test", "--dir", to]);
    let kept = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert_eq!(kept, "# Demo\n");
    let complaint = gh.fails(&["run", "cancel", &id]);
    let expected = "Cannot cancel a workflow run that is completed";
    assert!(complaint.contains(expected), "{complaint}");
}

#[test]
fn the_checks_of_a_pull_request_are_listed() {
    let Some(world) = world_with_gh() else { return };
    let (repo, run) = checked(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let pull = json!({ "title": "A feature", "head": "feature", "base": "main" });
    let client = world.client("octo");
    client.post("/repos/octo/demo/pulls", &pull).expect(201);
    let bot = world.client("ci-bot");
    let check = json!({
        "name": "preview",
        "head_sha": run["head_sha"],
        "details_url": "https://ci.invalid/1",
        "conclusion": "success",
    });
    bot.post("/repos/octo/demo/check-runs", &check).expect(201);
    let status = json!({
        "state": "pending",
        "context": "legal",
        "target_url": "https://legal.invalid/1",
    });
    let sha = run["head_sha"].as_str().unwrap();
    let statuses = format!("/repos/octo/demo/statuses/{sha}");
    bot.post(&statuses, &status).expect(201);

    let checks = gh.run(&["pr", "checks", "1"]);
    // Of name, state, duration and address, all but the duration.
    let mut rows: Vec<String> = checks
        .stdout
        .lines()
        .map(|row| row.split('\t').collect::<Vec<_>>())
        .map(|row| [row[0], row[1], row[3]].join("|"))
        .collect();
    rows.sort();
    let page = format!("http://{HOST}/octo/demo/actions/runs/{}/job", run["id"]);
    assert_eq!(
        rows,
        [
            "legal|pending|https://legal.invalid/1".to_owned(),
            format!("lint|pass|{page}/2"),
            "preview|pass|https://ci.invalid/1".to_owned(),
            format!("test|fail|{page}/1"),
        ],
        "{}",
        checks.stderr
    );
    assert_eq!(checks.code, Some(1), "a check failed");
}
