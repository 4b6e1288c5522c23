//! SARIF files of other scanners that join the review.

use super::phase::Project;
use crate::command::{Answer, baton};

const SHELL: &str = "import os\n\n\ndef show(name):\n    os.system(name)\n";

/// A result of some tool as its SARIF writer puts it.
fn log(tool: &str, rule: &str, tags: &str, uri: &str, line: u32) -> String {
    format!(
        r#"{{
  "version": "2.1.0",
  "runs": [{{
    "tool": {{ "driver": {{ "name": "{tool}", "rules": [
      {{ "id": "{rule}", "shortDescription": {{ "text": "Told by {tool}." }}, "properties": {{ "tags": [{tags}] }} }}
    ] }} }},
    "results": [
      {{ "ruleId": "{rule}", "level": "error", "message": {{ "text": "Look here." }},
        "locations": [{{ "physicalLocation": {{ "artifactLocation": {{ "uri": "{uri}" }}, "region": {{ "startLine": {line} }} }} }}] }}
    ]
  }}]
}}"#
    )
}

fn project() -> Project {
    let project = Project::bare();
    project.write("run.py", SHELL);
    project.write("other.py", "REGION = \"eu\"\n");
    project.commit_all();
    project
}

fn run(project: &Project, arguments: &[&str]) -> Answer {
    baton(&project.sandbox)
        .within(&project.folder())
        .run(arguments)
}

/// The same weakness at the same place is said once, in the more severe form,
/// also where others found it; what only others found joins.
#[test]
fn a_file_of_each_producer_is_merged() {
    let project = project();
    let absolute = format!("file://{}", project.folder().join("run.py").display());
    for (file, tool, rule, tags, uri, line) in [
        (
            "semgrep.sarif",
            "Semgrep OSS",
            "python.lang.os-system",
            r#""CWE-78: OS Command Injection""#,
            "run.py",
            5,
        ),
        (
            "bandit.sarif",
            "Bandit",
            "B605",
            r#""external/cwe/cwe-78""#,
            "./run.py",
            5,
        ),
        (
            "gitleaks.sarif",
            "gitleaks",
            "generic-api-key",
            "",
            "other.py",
            1,
        ),
        (
            "eslint.sarif",
            "ESLint",
            "no-unused-vars",
            "",
            absolute.as_str(),
            4,
        ),
        (
            "codeql.sarif",
            "CodeQL",
            "py/command-line-injection",
            r#""security", "external/cwe/cwe-078""#,
            "run.py",
            5,
        ),
    ] {
        project.write(file, log(tool, rule, tags, uri, line));
    }
    let mut arguments = vec!["review", "run.py", "other.py"];
    for file in ["semgrep", "bandit", "gitleaks", "eslint", "codeql"] {
        arguments.push("--merge-sarif");
        arguments.push(match file {
            "semgrep" => "semgrep.sarif",
            "bandit" => "bandit.sarif",
            "gitleaks" => "gitleaks.sarif",
            "eslint" => "eslint.sarif",
            _ => "codeql.sarif",
        });
    }
    insta::assert_snapshot!(run(&project, &arguments), @r#"
    exit 1
    -- stdout
    high Told by ESLint in run.py:4 – Look here. (eslint/no-unused-vars) F-b483c010
          4 | def show(name):
            | ^
    high Command built from untrusted input in run.py:5 – anyone who sends the value can run programs of their choice (python/command-injection, CWE-78) F-a57e2ee9
          5 |     os.system(name)
            |     ^^^^^^^^^^^^^^^
      hint: Start the program without a shell, with a fixed name and the value as one argument.
    high Told by gitleaks in other.py:1 – Look here. (gitleaks/generic-api-key, CWE-798) F-caa23003
          1 | REGION = "***"
    3 high in 2 files
    "#);
}

#[test]
fn what_is_said_of_other_places_is_a_note() {
    let project = project();
    for (file, uri) in [
        ("a.sarif", "/etc/passwd"),
        ("b.sarif", "../up.py"),
        ("c.sarif", "other.py"),
    ] {
        project.write(file, log("Bandit", "B605", "", uri, 1));
    }
    insta::assert_snapshot!(run(&project, &[
        "review", "run.py", "--threshold", "critical",
        "--merge-sarif", "a.sarif", "--merge-sarif", "b.sarif", "--merge-sarif", "c.sarif",
    ]), @"
    exit 0
    -- stdout
    note: a.sarif: 1 result names no file below this folder, and nothing is read there
    note: b.sarif: 1 result names no file below this folder, and nothing is read there
    note: c.sarif: 1 result is about files that are not reviewed here
    nothing found in 1 file
    ");
}

#[test]
fn a_file_that_is_no_log_is_refused() {
    let project = project();
    project.write("no.sarif", "this is no log\n");
    project.write("old.sarif", r#"{"version": "2.0.0", "runs": []}"#);
    let merge = |file| run(&project, &["review", "run.py", "--merge-sarif", file]);
    insta::assert_snapshot!(merge("no.sarif"), @"
    exit 2
    -- stderr
    error: no.sarif is no SARIF file
      the SARIF log cannot be read; let the scanner write SARIF 2.1.0
      expected ident at line 1 column 2
    hint: docs/review.md says how each scanner writes one.
    ");
    insta::assert_snapshot!(merge("old.sarif"), @"
    exit 2
    -- stderr
    error: old.sarif is no SARIF file
      the SARIF log has version 2.0.0; let the scanner write SARIF 2.1.0
    hint: docs/review.md says how each scanner writes one.
    ");
    insta::assert_snapshot!(merge("gone.sarif"), @"
    exit 3
    -- stderr
    error: cannot read gone.sarif
      No such file or directory (os error 2)
    hint: Check the path, or pass `-` to read from standard input.
    ");
    let piped = baton(&project.sandbox)
        .within(&project.folder())
        .reading(log("Bandit", "B605", r#""CWE-78""#, "run.py", 5))
        .run(&["review", "run.py", "--merge-sarif", "-", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&piped.stdout).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{piped}");
    assert_eq!(report["findings"][0]["severity"], "high");
}

#[test]
fn the_configuration_names_files_for_validation_too() {
    let project = project();
    project.write(
        ".baton/config.toml",
        "review.sarif = [\"out/scan.sarif\"]\n",
    );
    let validate = || {
        let answer = run(
            &project,
            &[
                "validate",
                "--quiet",
                "--json",
                "--format",
                "true",
                "--lint",
                "true",
                "--language",
                "python",
                "--no-tests",
                "--all",
                "run.py",
            ],
        );
        let output: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let review = &output["checks"]["security_review"];
        (
            review["severity"].to_string(),
            review["vulnerabilities"].as_array().unwrap().len(),
        )
    };
    assert_eq!(validate(), ("\"medium\"".to_owned(), 1));
    insta::assert_snapshot!(run(&project, &["review", "other.py"]), @"
    exit 0
    -- stdout
    note: out/scan.sarif is not there, so nothing was merged; let the scanner write it first
    nothing found in 1 file
    ");
    project.write(
        "out/scan.sarif",
        log(
            "CodeQL",
            "py/shell",
            r#""external/cwe/cwe-078""#,
            "run.py",
            5,
        ),
    );
    assert_eq!(validate(), ("\"high\"".to_owned(), 1));
}

#[test]
fn a_repository_names_no_files_elsewhere() {
    let project = project();
    let elsewhere = project
        .sandbox
        .write("elsewhere.sarif", log("Bandit", "B1", "", "run.py", 1));
    std::os::unix::fs::symlink(&elsewhere, project.folder().join("link.sarif")).unwrap();
    for name in ["../elsewhere.sarif", "link.sarif"] {
        project.write(
            ".baton/config.toml",
            format!("review.sarif = [\"{name}\"]\n"),
        );
        let answer = run(&project, &["review", "other.py"]);
        assert_eq!(answer.code, Some(2), "{answer}");
        assert!(
            answer.stderr.contains("which is outside this folder"),
            "{answer}"
        );
    }
    project.write(".baton/config.toml", "");
    project.sandbox.write(
        "config/baton/config.toml",
        format!("review.sarif = [\"{}\"]\n", elsewhere.display()),
    );
    assert_eq!(run(&project, &["review", "run.py"]).code, Some(1));
}
