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
    insta::assert_snapshot!(without_times(answer), @"");
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
    insta::assert_snapshot!(run(&["review", "--diff", "HEAD"]), @"");
    insta::assert_snapshot!(run(&["review", "config.py"]), @"");
    insta::assert_snapshot!(run(&["review", "--diff", "nowhere"]), @"");
    insta::assert_snapshot!(run(&["review", "gone.py"]), @"");
    insta::assert_snapshot!(run(&["review", "--explain", "python/sql-injektion"]), @"");
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
