//! `baton validate` and `baton review`.

use super::phase::Project;
use crate::command::{Answer, baton};

/// Times differ from run to run.
fn without_times(mut answer: Answer) -> Answer {
    let plain = |text: &str| {
        let words = text.split(' ').map(|word| {
            let is_time = word.contains('.') && word.parse::<f32>().is_ok();
            if is_time { "[time]" } else { word }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    answer.stdout = plain(&answer.stdout);
    answer.stderr = plain(&answer.stderr);
    answer
}

fn project() -> Project {
    let project = Project::bare();
    project.write("pyproject.toml", "[project]\nname = \"ledger\"\n");
    project.write("config.py", "REGION = \"eu\"\n");
    project.commit_all();
    project
}

#[test]
fn people_see_six_lines_and_then_the_code() {
    let project = project();
    let secret = format!("AKIA{}", "Q3EGTR7YLZ2MWXKD");
    project.write(
        "config.py",
        format!("REGION = \"eu\"\nAWS_KEY = \"{secret}\"\n"),
    );
    let answer = baton(&project.sandbox).within(&project.folder()).run(&[
        "validate",
        "--format",
        "true",
        "--lint",
        "grep -q AWS config.py && echo 'config.py:2:1: X100 bad word'; exit 1",
        "--max-retries",
        "0",
        "--no-tests",
    ]);
    insta::assert_snapshot!(without_times(answer), @r#"
    exit 1
    -- stdout
    error: linter: X100 bad word at config.py:2
          2 | AWS_KEY = "AKIA… (20 characters)"
    high AWS access key id AKIA… (20 characters) in config.py:2 – whoever can read the repository or its history can use it (secrets/aws-access-key-id, CWE-798)
          2 | AWS_KEY = "AKIA… (20 characters)"
      hint: Revoke it with Amazon Web Services, issue a new one, and read that from the environment or a secret store.
    fail in [time] s
    -- stderr
    pass    formatter          [time] s
    FAIL    linter             [time] s  1 problem
    skipped build              [time] s
    skipped tests              [time] s
    pass    code review        [time] s
    FAIL    security review    [time] s  1 problem
    "#);
}

#[test]
fn a_review_of_a_change_shows_only_the_change() {
    let project = project();
    project.write(
        "run.py",
        "import subprocess\nimport sys\n\nsubprocess.run(sys.argv[1], shell=True)\n",
    );
    let run = |arguments: &[&str]| {
        let answer = baton(&project.sandbox)
            .within(&project.folder())
            .run(arguments);
        without_times(answer)
    };
    insta::assert_snapshot!(run(&["review", "--diff", "HEAD"]), @"
    exit 1
    -- stdout
    medium Command built from untrusted input in run.py:4 – whoever sends the value can run programs of their choice (python/command-injection, CWE-78)
      run.py:4 comes from `sys.argv`
      run.py:4 reaches `subprocess.run(sys.argv[1], shell=True)`
          4 | subprocess.run(sys.argv[1], shell=True)
            | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: Start the program without a shell, with a fixed name and the value as one argument.
    1 medium in 1 file
    ");
    insta::assert_snapshot!(run(&["review", "config.py"]), @"
    exit 0
    -- stdout
    nothing found in 1 file
    ");
    insta::assert_snapshot!(run(&["review", "--diff", "nowhere"]), @"
    exit 3
    -- stderr
    error: cannot tell what has changed
      there is no commit `nowhere`
    hint: Work in a git repository, name a commit that is there, or name the files.
    ");
    insta::assert_snapshot!(run(&["review", "gone.py"]), @"
    exit 3
    -- stderr
    error: there is no gone.py
    hint: Name files or folders that are there.
    ");
    insta::assert_snapshot!(run(&["review", "--explain", "python/sql-injektion"]), @"
    exit 2
    -- stderr
    error: there is no rule `python/sql-injektion`
    hint: Did you mean `python/sql-injection`?
    ");
    let sarif = run(&["review", "--diff", "HEAD", "--sarif"]);
    let log: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["level"], "warning");
    assert_eq!(result["properties"]["cwe"], "CWE-78");
    let json = run(&["review", "--diff", "HEAD", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["findings"][0]["file"], "run.py");
    assert_eq!(report["findings"][0]["range"]["start"]["line"], 4);
}
