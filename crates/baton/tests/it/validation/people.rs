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
    high AWS access key id AKIA… (20 characters) in config.py:2 – anyone who can read the repository or its history can use it (secrets/aws-access-key-id, CWE-798) F-164c0231
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
    medium Command built from untrusted input in run.py:4 – anyone who sends the value can run programs of their choice (python/command-injection, CWE-78) F-e6970f77
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

/// What is mended is looked at again, and still said once.
#[test]
fn each_check_has_one_line_also_when_it_runs_twice() {
    let project = project();
    project.write("config.py", "REGION = \"bad\"\n");
    project.sandbox.fake("black", "true");
    project.sandbox.fake(
        "ruff",
        "case \"$*\" in *--fix*) sed -i s/bad/good/ config.py;; esac; ! grep -q bad config.py",
    );
    let answer = baton(&project.sandbox).within(&project.folder()).run(&[
        "validate",
        "--format",
        "black .",
        "--lint",
        "ruff check .",
        "--test",
        "true",
    ]);
    assert_eq!(project.read("config.py"), "REGION = \"good\"\n");
    let answer = without_times(answer);
    let mut lines: Vec<&str> = answer.stderr.lines().collect();
    lines.sort_unstable();
    insta::assert_snapshot!(lines.join("\n"), @"
    pass    code review        [time] s
    pass    formatter          [time] s
    pass    linter             [time] s
    pass    security review    [time] s
    pass    tests              [time] s
    skipped build              [time] s
    ");
}

#[test]
fn every_failure_says_what_to_do_next() {
    let project = project();
    let validate = |arguments: &[&str]| {
        let fixed = [
            "validate",
            "--quiet",
            "--max-retries",
            "0",
            "--timeout",
            "1",
            "--format",
            "true",
            "config.py",
        ];
        let answer = baton(&project.sandbox)
            .within(&project.folder())
            .run(&[&fixed, arguments].concat());
        without_times(answer)
    };
    insta::assert_snapshot!(validate(&["--lint", "sleep 300", "--test", "sleep 300"]), @"
    exit 1
    -- stdout
    error: linter: `sleep 300` was ended after 1s, its time limit; raise it with `--timeout SECONDS`, or give a quicker `lint_command`
    error: tests: Test execution exceeded the limit of 1 s
      hint: Give the tests more time with `--timeout SECONDS`, or see with `baton test --stream` which one does not end.
    fail in [time] s
    ");
    insta::assert_snapshot!(validate(&["--lint", "true", "--test", "nosuchrunner"]), @"
    exit 1
    -- stdout
    error: tests: Test command not found: nosuchrunner
      hint: Install pytest with: pip install pytest
    fail in [time] s
    ");
    insta::assert_snapshot!(validate(&["--lint", "true", "--test", "true"]), @"
    exit 0
    -- stdout
    note: `true` passed, but no test was seen to run
    pass in [time] s
    ");
}

#[test]
fn what_is_named_and_cannot_be_reviewed_is_told() {
    let project = project();
    project.write("src/app.py", "REGION = \"eu\"\n");
    project.sandbox.write("elsewhere.py", "x = 1\n");
    let folder = project.folder();
    std::os::unix::fs::symlink("../../elsewhere.py", folder.join("src/link.py")).unwrap();
    std::os::unix::fs::symlink("src", folder.join("alias")).unwrap();
    std::fs::create_dir(folder.join("empty")).unwrap();
    let run = |arguments: &[&str]| baton(&project.sandbox).within(&folder).run(arguments);
    insta::assert_snapshot!(run(&["review", "src/link.py", "alias", "/etc", "../elsewhere.py", "empty"]), @"
    exit 2
    -- stdout
    note: src/link.py is or lies behind a symbolic link, which is not followed
    note: alias is or lies behind a symbolic link, which is not followed
    note: /etc is outside the working directory and was not read; name files below it
    note: ../elsewhere.py is outside the working directory and was not read; name files below it
    note: empty holds no files
    nothing was reviewed
    ");
    insta::assert_snapshot!(run(&["review", "config.py", "src/link.py"]), @"
    exit 0
    -- stdout
    note: src/link.py is or lies behind a symbolic link, which is not followed
    nothing found in 1 file
    ");
    insta::assert_snapshot!(run(&["review", "src"]), @"
    exit 0
    -- stdout
    note: 1 symbolic link below src was not followed
    nothing found in 1 file
    ");
    insta::assert_snapshot!(run(&["review"]), @"
    exit 0
    -- stdout
    note: 2 symbolic links here were not followed
    nothing found in 3 files
    ");
    let json = run(&["review", "/etc", "--json"]);
    assert_eq!(json.code, Some(2), "{json}");
    assert!(json.stdout.contains("/etc is outside"), "{json}");
}

#[test]
fn rules_are_listed_and_explained() {
    let project = project();
    let run = |arguments: &[&str]| {
        baton(&project.sandbox)
            .within(&project.folder())
            .run(arguments)
    };
    insta::assert_snapshot!(run(&["review", "--explain", "tamper/gate-edited"]), @"
    exit 0
    -- stdout
    tamper/gate-edited
    high tamper

    Configuration of a gate edited – it decides what a change has to pass, and this change edits it

    remedy: Let someone who owns the gate approve the edit. Record an approved edit with `baton review --diff BASE --write-baseline FILE` and pass `--baseline FILE` from then on.
    ");
    insta::assert_snapshot!(run(&["review", "--explain", "secrets/github-personal-token"]), @"
    exit 0
    -- stdout
    secrets/github-personal-token
    high security, CWE-798 (https://cwe.mitre.org/data/definitions/798.html)

    GitHub personal access token – anyone who can read the repository or its history can use it

    remedy: Revoke it with GitHub, issue a new one, and read that from the environment or a secret store.
    ");
    insta::assert_snapshot!(run(&["review", "--explain", "changed-without-test"]), @"
    exit 0
    -- stdout
    quality/changed-without-test
    low quality

    New code without a changed test – nothing shows that the new behaviour is the wanted one

    remedy: Add a test that fails without this change.
    ");
    insta::assert_snapshot!(run(&["review", "--explain", "sql-injection"]), @"
    exit 0
    -- stdout
    go/sql-injection          critical  SQL statement built from untrusted input
    java/sql-injection        critical  SQL statement built from untrusted input
    javascript/sql-injection  critical  SQL statement built from untrusted input
    python/sql-injection      critical  SQL statement built from untrusted input
    ruby/sql-injection        critical  SQL statement built from untrusted input
    rust/sql-injection        critical  SQL statement built from untrusted input

    Explain one of them by its whole name.
    ");
    insta::assert_snapshot!(run(&["review", "--explain", "bandit/B605"]), @"
    exit 2
    -- stderr
    error: there is no rule `bandit/B605`
    hint: `baton review --rules` lists all rules; those of other scanners are explained by them.
    ");
    let all = run(&["review", "--rules"]);
    assert_eq!(all.code, Some(0));
    for line in all.stdout.lines() {
        let id = line.split(' ').next().unwrap();
        assert!(id.contains('/'), "{line}");
    }
    assert!(all.stdout.contains("\ntamper/test-deleted "), "{all}");
}

/// An edit of a gate that a person has looked at.
#[test]
fn an_honest_edit_of_a_gate_can_be_accepted() {
    let project = Project::bare();
    project.write("pyproject.toml", "[project]\nname = \"ledger\"\n");
    let workflow = "jobs:\n  test:\n    runs-on: ubuntu-22.04\n    steps:\n      - run: pytest\n";
    project.write(".github/workflows/ci.yml", workflow);
    project.commit_all();
    project.write(
        ".github/workflows/ci.yml",
        workflow.replace("22.04", "24.04"),
    );
    let run = |arguments: &[&str]| {
        let answer = baton(&project.sandbox)
            .within(&project.folder())
            .run(arguments);
        without_times(answer)
    };
    let validate = [
        "validate",
        "--quiet",
        "--format",
        "true",
        "--lint",
        "true",
        "--no-tests",
        ".github/workflows/ci.yml",
    ];
    insta::assert_snapshot!(run(&validate), @"
    exit 1
    -- stdout
    high CI workflow edited in .github/workflows/ci.yml:3 – it decides what a change has to pass, and this change edits it (tamper/gate-edited) F-674b24db
          3 |     runs-on: ubuntu-24.04
            | ^
      hint: Let someone who owns the gate approve the edit. Record an approved edit with `baton review --diff BASE --write-baseline FILE` and pass `--baseline FILE` from then on.
    fail in [time] s
    ");
    let known = run(&["review", "--diff", "HEAD", "--write-baseline", "known"]);
    assert_eq!(known.code, Some(0), "{known}");
    insta::assert_snapshot!(run(&[&validate[..], &["--baseline", "known"]].concat()), @"
    exit 0
    -- stdout
    note: the baseline knows 1 finding
    pass in [time] s
    ");
    assert_eq!(
        run(&[&validate[..], &["--baseline", "nope"]].concat()).code,
        Some(3)
    );
}
