//! Calls the phase as a program would, and holds every answer to its schema.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use baton_testkit::Sandbox;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::equipment::is_there;
use super::framework::Framework;
use crate::command::baton;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let text = include_str!("../../../../../schemas/testing.output.json");
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
});

/// One project in a sandbox.
pub(super) struct Project {
    pub(super) sandbox: Sandbox,
}

pub(super) struct Answer {
    pub(super) code: Option<i32>,
    pub(super) output: Value,
    pub(super) details: Value,
}

impl Project {
    /// `None` when this machine lacks the framework.
    pub(super) fn new(framework: &Framework, rounds: &str, converts: &str) -> Option<Self> {
        let mut sandbox = Sandbox::new();
        if !is_there((framework.equip)(&mut sandbox)) {
            return None;
        }
        let project = Self { sandbox };
        for (path, content) in framework.files {
            let content = in_place_of(content, "@ROUNDS@", rounds);
            let content = in_place_of(&content, "@CONVERTS@", converts);
            project.write(path, &content);
        }
        let pid = project.pid_file();
        project.write(
            "linger.sh",
            &format!(
                "exec setsid sh -c 'echo $$ > {}; exec sleep 300'\n",
                pid.display()
            ),
        );
        Some(project)
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, path: &str, content: &str) {
        let text = |file: PathBuf| file.to_string_lossy().into_owned();
        let content = content
            .replace("@LOG@", &text(self.log_file()))
            .replace("@MARKER@", &text(self.sandbox.path("marker")));
        self.sandbox.write(format!("project/{path}"), content);
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.sandbox.path("project")
    }

    fn log_file(&self) -> PathBuf {
        self.sandbox.path("log")
    }

    /// Where a process that would outlive its test says who it is.
    pub(super) fn pid_file(&self) -> PathBuf {
        self.sandbox.path("pid")
    }

    /// How often each of the tests ran, in the order adds, empty, rounds,
    /// converts.
    pub(super) fn runs(&self) -> [usize; 4] {
        let log = fs::read_to_string(self.log_file()).unwrap_or_default();
        ["adds", "empty", "rounds", "converts"]
            .map(|name| log.lines().filter(|line| *line == name).count())
    }

    pub(super) fn request(&self, framework: &Framework) -> Value {
        let mut request = json!({
            "working_directory": self.folder(),
            "retry_backoff_ms": [],
            "max_retries": 0,
        });
        if let Some(command) = framework.asked {
            request["test_command"] = json!(command);
        }
        request
    }

    pub(super) fn phase(&self, request: &Value) -> Answer {
        let details = self.sandbox.path("details.json");
        let answer = baton(&self.sandbox).reading(request.to_string()).run(&[
            "phase",
            "testing",
            "--details",
            details.to_str().unwrap(),
        ]);
        assert_eq!(answer.stderr, "", "{answer}");
        let details = fs::read_to_string(details).unwrap();
        Answer {
            code: answer.code,
            output: valid(&answer.stdout),
            details: serde_json::from_str(&details).unwrap(),
        }
    }
}

impl Answer {
    /// Everything, for the message of an assertion that failed.
    pub(super) fn shown(&self) -> String {
        format!("exit {:?}\n{:#}", self.code, self.details)
    }

    /// Run, passed, failed.
    pub(super) fn counts(&self) -> [u64; 3] {
        ["tests_run", "tests_passed", "tests_failed"]
            .map(|field| self.output[field].as_u64().unwrap())
    }
}

/// An answer that fits the schema.
pub(super) fn valid(stdout: &str) -> Value {
    let output = serde_json::from_str(stdout).unwrap();
    if let Err(error) = SCHEMA.validate(&output) {
        panic!("{error} at {}\n{output:#}", error.instance_path());
    }
    output
}

/// A statement takes the place and the indentation of the word.
fn in_place_of(content: &str, word: &str, body: &str) -> String {
    let mut text = String::new();
    for line in content.lines() {
        if line.trim_start() == word {
            let indent = &line[..line.len() - word.len()];
            for inner in body.lines() {
                text.push_str(indent);
                text.push_str(inner);
                text.push('\n');
            }
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}
