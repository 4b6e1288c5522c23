//! What CI says about commits: reported by apps, fed by another CI, executed
//! by the forge itself.

mod archives;
mod forks;
mod gh;
mod killed;
mod pushed;
mod queue;
mod reports;
mod runner;
mod runs;
mod statuses;

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::Client;

/// Far longer than anything takes, so that only what never comes fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// Looks again and again until there is something to see.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The latest run of `octo/demo`, once it has ended.
#[track_caller]
pub(crate) fn ended_run(client: &Client) -> Value {
    eventually("the end of the run", || {
        let answer = client
            .get("/repos/octo/demo/actions/runs")
            .expect(200)
            .json();
        let run = answer["workflow_runs"][0].clone();
        (run["status"] == "completed").then_some(run)
    })
}

/// `name: status/conclusion` of the jobs of a run, and of their steps.
pub(crate) fn jobs_outline(client: &Client, run: &Value) -> String {
    let path = format!("/repos/octo/demo/actions/runs/{}/jobs", run["id"]);
    let mut outline = String::new();
    for job in client.get(&path).expect(200).json()["jobs"]
        .as_array()
        .unwrap()
    {
        outline.push_str(&line("", job));
        for step in job["steps"].as_array().unwrap() {
            outline.push_str(&line("  ", step));
        }
    }
    outline
}

fn line(indent: &str, thing: &Value) -> String {
    let text = |key: &str| thing[key].as_str().unwrap_or("-").to_owned();
    let (name, status, conclusion) = (text("name"), text("status"), text("conclusion"));
    format!("{indent}{name}: {status}/{conclusion}\n")
}

/// The log of a job without its times.
pub(crate) fn job_log(client: &Client, job_id: &Value) -> String {
    let path = format!("/repos/octo/demo/actions/jobs/{job_id}/logs");
    let redirect = client.get(&path).expect(302);
    let location = redirect.header("location").unwrap().to_owned();
    let log = client.without_token().follow(&location).expect(200);
    assert_eq!(
        log.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    without_times(&log.text())
}

/// A log begins with a byte order mark, and every line with a time.
#[track_caller]
pub(crate) fn without_times(log: &str) -> String {
    let log = log.strip_prefix('\u{feff}').expect("a byte order mark");
    let mut text = String::new();
    for line in log.lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        assert_eq!(time.len(), "2026-01-31T12:00:00.1234567Z".len(), "{line}");
        text.push_str(rest);
        text.push('\n');
    }
    text
}
