//! Baselines, and scanners that are asked to look, too.

use baton_testkit::optional_peer;

use super::phase::Project;
use crate::command::{Answer, baton};

const SHELL: &str = "import os\n\n\ndef show(name):\n    os.system(name)\n";

/// As bandit would write it: once where the review finds the same, once where
/// it finds nothing, once outside.
const LOG: &str = r#"{
  "version": "2.1.0",
  "runs": [{
    "tool": { "driver": { "name": "Bandit", "rules": [
      { "id": "B605", "name": "start_process_with_a_shell", "properties": { "tags": ["security", "external/cwe/cwe-78"] } },
      { "id": "B999", "shortDescription": { "text": "Made up for a test." } }
    ] } },
    "results": [
      { "ruleId": "B605", "level": "error", "message": { "text": "Starting a process with a shell." },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "./run.py" }, "region": { "startLine": 5 } } }] },
      { "ruleId": "B999", "level": "warning", "message": { "text": "Odd\u001b[31m name." },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "run.py" }, "region": { "startLine": 4 } } }] },
      { "ruleId": "B999", "level": "warning", "message": { "text": "Not asked about." },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "other.py" }, "region": { "startLine": 1 } } }] }
    ]
  }]
}"#;

fn project(scanners: &str) -> Project {
    let project = Project::bare();
    project.write("run.py", SHELL);
    project.write("other.py", "REGION = \"eu\"\n");
    project.commit_all();
    project.sandbox.write(
        "config/baton/config.toml",
        format!("review.scanners = [{scanners}]\n"),
    );
    project
}

fn run(project: &Project, arguments: &[&str]) -> Answer {
    baton(&project.sandbox)
        .within(&project.folder())
        .run(arguments)
}

#[test]
fn a_scanners_findings_join_the_reviews() {
    let project = project("\"bandit\"");
    let log = project.sandbox.write("log.sarif", LOG);
    let bandit = project
        .sandbox
        .fake("bandit", &format!("cat '{}'", log.display()));
    insta::assert_snapshot!(run(&project, &["review", "run.py"]), @"
    exit 1
    -- stdout
    medium Made up for a test in run.py:4 – Odd[31m name. (bandit/B999) F-680dbfc9
          4 | def show(name):
            | ^
    high Command built from untrusted input in run.py:5 – anyone who sends the value can run programs of their choice (python/command-injection, CWE-78) F-a57e2ee9
          5 |     os.system(name)
            |     ^^^^^^^^^^^^^^^
      hint: Start the program without a shell, with a fixed name and the value as one argument.
    1 high, 1 medium in 1 file
    ");
    assert_eq!(
        bandit.calls(),
        [["--format", "sarif", "--quiet", "--exit-zero", "./run.py"]]
    );
    project.write("notes.txt", "nothing that bandit reads\n");
    run(&project, &["review", "notes.txt"]);
    assert_eq!(bandit.calls().len(), 1);
    // Only what the change touched counts, and nothing is wrong with that.
    project.write("run.py", format!("{SHELL}\n\nLAST = 1\n"));
    insta::assert_snapshot!(run(&project, &["review", "--diff", "HEAD"]), @"
    exit 0
    -- stdout
    nothing found in 2 files
    ");
}

#[test]
fn validation_asks_them_too() {
    let project = project("\"bandit\"");
    let log = project.sandbox.write("log.sarif", LOG);
    project
        .sandbox
        .fake("bandit", &format!("cat '{}'", log.display()));
    project.write("run.py", SHELL.replace("name", "title"));
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
            "--no-build",
            "--no-tests",
        ],
    );
    let output: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let found = &output["checks"]["security_review"]["vulnerabilities"];
    insta::assert_snapshot!(format!("{found:#}"), @r#"
    [
      "Made up for a test in run.py:4 – Odd[31m name.",
      "Command built from untrusted input in run.py:5 – anyone who sends the value can run programs of their choice"
    ]
    "#);
}

#[test]
fn a_scanner_that_cannot_look_is_a_note() {
    let project = project("\"semgrep\", \"bandit\", \"gitleaks\"");
    project.sandbox.fake(
        "semgrep",
        "echo 'No config given.' >&2; echo '  Set SEMGREP_RULES.' >&2; exit 2",
    );
    project.sandbox.fake("bandit", "echo 'this is no log'");
    insta::assert_snapshot!(run(&project, &["review", "other.py"]), @"
    exit 0
    -- stdout
    note: semgrep did not look: it exited with code 2: Set SEMGREP_RULES.
    note: bandit did not look: the SARIF log cannot be read; let the scanner write SARIF 2.1.0
    note: gitleaks did not look: cannot find the program `gitleaks`: install it or add its folder to PATH (searched [sandbox]/bin)
    nothing found in 1 file
    ");
}

#[test]
fn a_repository_does_not_choose_scanners() {
    let project = project("");
    project.write(".baton/config.toml", "review.scanners = [\"bandit\"]\n");
    let bandit = project.sandbox.fake("bandit", "true");
    insta::assert_snapshot!(run(&project, &["review", "other.py"]), @"
    exit 2
    -- stderr
    error: [sandbox]/project/.baton/config.toml:1: a repository may not set `review.scanners`
    hint: It decides where your credentials or data go, or what is run with them. Set it in your own configuration file.
    ");
    assert_eq!(bandit.calls().len(), 0);
}

#[test]
fn the_real_bandit_is_understood() {
    let Some(bandit) = optional_peer("scanners/bin/bandit") else {
        return;
    };
    let project = project("\"bandit\"");
    let line = format!("exec '{}' \"$@\"", bandit.display());
    project.sandbox.fake("bandit", &line);
    project.write("run.py", "import telnetlib\n\ntelnetlib.Telnet(\"host\")\n");
    insta::assert_snapshot!(run(&project, &["review", "run.py", "--threshold", "high"]), @r#"
    exit 1
    -- stdout
    high B401: blacklist in run.py:1 – A telnet-related module is being imported. Telnet is considered insecure. Use SSH or some other encrypted protocol. (bandit/B401, CWE-319) F-f3fa4eca
          1 | import telnetlib
            | ^^^^^^^^^^^^^^^^
    high Protocol without encryption in run.py:3 – passwords and data can be read on the way (python/cleartext-transport, CWE-319) F-03209a1e
          3 | telnetlib.Telnet("host")
            | ^^^^^^^^^^^^^^^^^^^^^^^^
      hint: Use the protocol's encrypted form.
    2 high in 1 file
    "#);
}

#[test]
fn what_a_baseline_knows_is_counted_and_not_shown() {
    let project = project("");
    let review = |arguments: &[&str]| run(&project, &[&["review"], arguments].concat());
    insta::assert_snapshot!(review(&["--write-baseline", "kept/known"]), @"
    exit 0
    -- stderr
    1 finding is known from now on, by kept/known
    ");
    insta::assert_snapshot!(project.read("kept/known"), @"
    # baton review baseline 1
    a57e2ee9c04d0597 python/command-injection run.py
    ");
    project.write("run.py", format!("\n{SHELL}"));
    insta::assert_snapshot!(review(&["--baseline", "kept/known", "run.py"]), @"
    exit 0
    -- stdout
    nothing found in 1 file, and 1 that the baseline knows
    ");
    project.write("run.py", format!("{SHELL}    os.system(\"rm \" + name)\n"));
    insta::assert_snapshot!(review(&["--baseline", "kept/known", "run.py"]), @r#"
    exit 1
    -- stdout
    medium Command built from untrusted input in run.py:6 – anyone who sends the value can run programs of their choice (python/command-injection, CWE-78) F-4962b6d4
          6 |     os.system("rm " + name)
            |     ^^^^^^^^^^^^^^^^^^^^^^^
      hint: Start the program without a shell, with a fixed name and the value as one argument.
    1 medium in 1 file, and 1 that the baseline knows
    "#);
    let json = review(&["--baseline", "kept/known", "--json", "run.py"]);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["known"], 1);
    insta::assert_snapshot!(review(&["--baseline", "run.py"]), @"
    exit 2
    -- stderr
    error: run.py is no baseline
      the baseline does not begin with `# baton review baseline 1`; write it again with this version
    hint: Write one with `baton review --write-baseline run.py`.
    ");
    insta::assert_snapshot!(review(&["--baseline", "nowhere"]), @"
    exit 3
    -- stderr
    error: there is no baseline nowhere
    hint: Write one with `baton review --write-baseline nowhere`.
    ");
}
