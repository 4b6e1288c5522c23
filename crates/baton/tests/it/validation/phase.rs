//! Calls the phase as a program would, and holds every answer to its schema.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use baton_testkit::Sandbox;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::toolchain::Toolchain;
use crate::command::baton;
use crate::testing::equipment::is_there;

static OUTPUT: LazyLock<Validator> = LazyLock::new(|| {
    schema(include_str!(
        "../../../../../schemas/validation.output.json"
    ))
});
static DETAILS: LazyLock<Validator> = LazyLock::new(|| {
    schema(include_str!(
        "../../../../../schemas/validation.details.json"
    ))
});

fn schema(text: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

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
    /// `None` when this machine lacks a tool.
    pub(super) fn new(toolchain: &Toolchain, content: &str) -> Option<Self> {
        let mut sandbox = Sandbox::new();
        if !is_there((toolchain.equip)(&mut sandbox)) {
            return None;
        }
        let project = Self { sandbox };
        for (path, content) in toolchain.files {
            project.write(path, content);
        }
        project.write(".gitignore", "node_modules\ntarget\nCargo.lock\n");
        project.write(toolchain.file, toolchain.clean);
        project.commit_all();
        project.write(toolchain.file, content);
        Some(project)
    }

    /// A project without any tools.
    pub(super) fn bare() -> Self {
        let sandbox = Sandbox::new();
        sandbox.folder("project");
        Self { sandbox }
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        self.sandbox.write(format!("project/{path}"), content);
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder().join(path)).unwrap()
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.sandbox.path("project")
    }

    pub(super) fn git(&self, arguments: &[&str]) {
        let done = self.sandbox.run(&self.folder(), "git", arguments);
        assert!(done.status.success(), "{done:?}");
    }

    /// Makes it a repository with everything committed.
    pub(super) fn commit_all(&self) {
        self.git(&["init", "--quiet"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "Begin"]);
    }

    /// The file of a toolchain's project has changed.
    pub(super) fn request_of(&self, toolchain: &Toolchain) -> Value {
        let mut request = self.request(&[toolchain.file]);
        request["language"] = json!(toolchain.language);
        request
    }

    pub(super) fn request(&self, files: &[&str]) -> Value {
        json!({
            "working_directory": self.folder(),
            "changed_files": files,
            "skip_tests": true,
            "max_retries": 1,
        })
    }

    pub(super) fn phase(&self, request: &Value, flags: &[&str]) -> Answer {
        let details = self.sandbox.path("details.json");
        let mut arguments = vec!["phase", "validation", "--details"];
        arguments.push(details.to_str().unwrap());
        arguments.extend(flags);
        let answer = baton(&self.sandbox)
            .reading(request.to_string())
            .run(&arguments);
        assert_eq!(answer.stderr, "", "{answer}");
        let output: Value = serde_json::from_str(&answer.stdout).unwrap();
        let details: Value = serde_json::from_str(&fs::read_to_string(details).unwrap()).unwrap();
        for (schema, value) in [(&OUTPUT, &output), (&DETAILS, &details)] {
            let wrong: Vec<String> = schema.iter_errors(value).map(|e| e.to_string()).collect();
            assert!(wrong.is_empty(), "{wrong:?}\n{value:#}");
        }
        Answer {
            code: answer.code,
            output,
            details,
        }
    }
}

impl Answer {
    pub(super) fn check(&self, name: &str) -> &Value {
        &self.output["checks"][name]
    }

    /// The words of the six checks, in their order.
    pub(super) fn statuses(&self) -> [&str; 6] {
        [
            "formatter",
            "linter",
            "build",
            "tests",
            "code_review",
            "security_review",
        ]
        .map(|name| self.check(name)["status"].as_str().unwrap())
    }

    pub(super) fn issues(&self, name: &str) -> String {
        let list = match name {
            "build" => "errors",
            "code_review" => "findings",
            "security_review" => "vulnerabilities",
            _ => "issues",
        };
        let issues = self.check(name)[list].as_array().unwrap();
        let issues: Vec<&str> = issues.iter().map(|issue| issue.as_str().unwrap()).collect();
        issues.join("\n")
    }

    /// Everything, for the message of an assertion that failed.
    pub(super) fn shown(&self) -> String {
        format!("exit {:?}\n{:#}", self.code, self.details)
    }
}
