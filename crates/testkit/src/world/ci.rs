//! A CI that reports to the forge what the test wants, as GitHub Actions would.

use serde_json::{Value, json};

use super::{Client, World};

/// All times of all jobs, so that answers can be compared.
const STARTED: &str = "2026-01-31T12:00:00Z";
const COMPLETED: &str = "2026-01-31T12:01:30Z";

/// The forge takes no more of a log at once.
const MAX_PIECE: usize = 15 << 20;

/// A run of a workflow in `octo/demo`.
pub struct CiRun {
    pub id: u64,
    client: Client,
    jobs: Vec<(String, u64)>,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub struct JobEnd {
    conclusion: String,
    steps: Vec<Step>,
    annotations: Vec<Value>,
}

#[derive(Clone, Debug)]
struct Step {
    name: String,
    conclusion: String,
    log: Vec<u8>,
}

impl World {
    /// Starts a run whose jobs are queued. They are of `octo/demo`, and the
    /// event is `pull_request`.
    pub fn start_run(&self, workflow: &str, head_sha: &str, jobs: &[&str]) -> CiRun {
        let jobs: Vec<_> = jobs.iter().map(|name| json!({ "name": name })).collect();
        let body = json!({
            "workflow": workflow,
            "path": format!(".github/workflows/{}.yml", workflow.to_lowercase()),
            "head_sha": head_sha,
            "event": "pull_request",
            "jobs": jobs,
        });
        let client = self.client("ci-bot");
        let path = "/_forge/repos/octo/demo/actions/runs";
        let run = client.post(path, &body).expect(201).json();
        let mut run = CiRun {
            id: run["id"].as_u64().expect("a run has an id"),
            client,
            jobs: Vec::new(),
        };
        run.look();
        run
    }
}

impl CiRun {
    /// The id of the job, and of its check run, in the latest attempt.
    pub fn job(&self, name: &str) -> u64 {
        let found = self.jobs.iter().find(|(known, _)| known == name);
        found.expect("the run has such a job").1
    }

    /// The job is under way.
    pub fn begin(&self, job: &str) {
        let body = json!({ "status": "in_progress", "started_at": STARTED });
        self.change(job, &body);
    }

    /// The job has ended.
    pub fn end(&self, job: &str, end: &JobEnd) {
        let step = |(index, step): (usize, &Step)| {
            json!({
                "number": index + 1,
                "name": step.name,
                "status": "completed",
                "conclusion": step.conclusion,
                "started_at": STARTED,
                "completed_at": COMPLETED,
            })
        };
        let steps: Vec<_> = end.steps.iter().enumerate().map(step).collect();
        self.change(
            job,
            &json!({ "status": "in_progress", "started_at": STARTED, "steps": steps }),
        );
        for (index, step) in end.steps.iter().enumerate() {
            self.log(job, index + 1, &step.log);
        }
        let body = json!({
            "status": "completed",
            "conclusion": end.conclusion,
            "completed_at": COMPLETED,
            "annotations": end.annotations,
        });
        self.change(job, &body);
    }

    /// All jobs have ended well.
    pub fn pass(&self) {
        for (job, _) in &self.jobs {
            self.end(job, &JobEnd::success());
        }
    }

    /// The run has ended without ever having had a job.
    pub fn end_without_jobs(&self, conclusion: &str) {
        let path = format!("/_forge/repos/octo/demo/actions/runs/{}", self.id);
        let body = json!({ "conclusion": conclusion });
        self.client.patch(&path, &body).expect(200);
    }

    /// Keeps a file as an artifact.
    pub fn artifact(&self, name: &str, file: &str, content: &[u8]) {
        let path = format!(
            "/_forge/repos/octo/demo/actions/runs/{}/artifacts?name={name}&file={file}",
            self.id
        );
        self.client
            .send("POST", &path, "application/octet-stream", content)
            .expect(201);
    }

    /// Starts the next attempt of all jobs.
    pub fn rerun(&mut self) {
        let path = format!("/repos/octo/demo/actions/runs/{}/rerun", self.id);
        self.client.post(&path, &json!({})).expect(201);
        self.look();
    }

    /// Learns of the jobs of the latest attempt, which someone else may have
    /// started.
    pub fn look(&mut self) {
        let path = format!(
            "/repos/octo/demo/actions/runs/{}/jobs?per_page=100",
            self.id
        );
        let mut jobs = Vec::new();
        for page in 1.. {
            let answer = self.client.get(&format!("{path}&page={page}")).expect(200);
            let answer = answer.json();
            let listed = answer["jobs"].as_array().cloned().unwrap_or_default();
            let is_last = listed.len() < 100;
            jobs.extend(
                listed.into_iter().filter_map(|job| {
                    Some((job["name"].as_str()?.to_owned(), job["id"].as_u64()?))
                }),
            );
            if is_last {
                break;
            }
        }
        self.jobs = jobs;
    }

    fn change(&self, job: &str, body: &Value) {
        let path = format!("/_forge/repos/octo/demo/actions/jobs/{}", self.job(job));
        self.client.patch(&path, body).expect(200);
    }

    fn log(&self, job: &str, step: usize, text: &[u8]) {
        let job = self.job(job);
        let path = format!("/_forge/repos/octo/demo/actions/jobs/{job}/logs?step={step}");
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(piece_end(rest));
            self.client
                .send("POST", &path, "text/plain", piece)
                .expect(204);
            rest = behind;
        }
    }
}

/// Lines stay whole.
fn piece_end(text: &[u8]) -> usize {
    if text.len() <= MAX_PIECE {
        return text.len();
    }
    let end = text[..MAX_PIECE].iter().rposition(|b| *b == b'\n');
    end.map_or(MAX_PIECE, |end| end + 1)
}

impl JobEnd {
    pub fn with(conclusion: &str) -> Self {
        Self {
            conclusion: conclusion.to_owned(),
            steps: Vec::new(),
            annotations: Vec::new(),
        }
    }

    pub fn success() -> Self {
        Self::with("success")
    }

    pub fn failure() -> Self {
        Self::with("failure")
    }

    /// The runner's own first step, which is there in every job.
    #[must_use]
    pub fn set_up(self) -> Self {
        self.step("Set up job", "success", "Current runner version: '2.330.0'")
    }

    #[must_use]
    pub fn step(mut self, name: &str, conclusion: &str, log: impl AsRef<[u8]>) -> Self {
        self.steps.push(Step {
            name: name.to_owned(),
            conclusion: conclusion.to_owned(),
            log: log.as_ref().to_vec(),
        });
        self
    }

    /// A step that ran a command and failed with `code`: its log as the runner
    /// writes it.
    #[must_use]
    pub fn failed_command(self, command: &str, output: impl AsRef<[u8]>, code: u8) -> Self {
        let mut log = format!(
            "##[group]Run {command}\n\u{1b}[36;1m{command}\u{1b}[0m\n\
             shell: /usr/bin/bash -e {{0}}\n##[endgroup]\n"
        )
        .into_bytes();
        log.extend(output.as_ref());
        if !log.ends_with(b"\n") {
            log.push(b'\n');
        }
        let verdict = format!("##[error]Process completed with exit code {code}.\n");
        log.extend(verdict.bytes());
        self.step(&format!("Run {command}"), "failure", log)
            .annotation(&json!({
                "path": ".github",
                "start_line": 1,
                "end_line": 1,
                "annotation_level": "failure",
                "message": format!("Process completed with exit code {code}."),
            }))
    }

    /// With the fields of GitHub's API.
    #[must_use]
    pub fn annotation(mut self, annotation: &Value) -> Self {
        self.annotations.push(annotation.clone());
        self
    }
}
