//! What belongs to the change, and what must be left alone.

use serde_json::json;

use super::phase::Project;

const CLEAN: &str = "def total(items):\n    return sum(items)\n";

/// A formatter that puts a word into every file that lacks it, and a linter
/// that complains about a word.
fn with_tools(project: &Project) {
    project.sandbox.fake(
        "tidy",
        "for file in *.py; do grep -q tidied \"$file\" || echo '# tidied' >> \"$file\"; done; echo new > made.txt",
    );
    project.sandbox.fake(
        "nag",
        "status=0; for file in *.py; do grep -n bad \"$file\" | while IFS=: read -r line rest; do echo \"$file:$line:1: X100 bad word\"; done; grep -q bad \"$file\" && status=1; done; exit $status",
    );
    project.write("pyproject.toml", "[project]\nname = \"ledger\"\n");
}

fn request(project: &Project, files: &[&str]) -> serde_json::Value {
    let mut request = project.request(files);
    request["format_command"] = json!("tidy");
    request["lint_command"] = json!("nag");
    request["max_retries"] = json!(0);
    request
}

#[test]
fn a_formatter_keeps_to_the_changed_files() {
    for is_repository in [true, false] {
        let project = Project::bare();
        with_tools(&project);
        project.write("old.py", CLEAN);
        project.write("mine.py", CLEAN);
        if is_repository {
            project.commit_all();
            // Work that is not committed is not lost, either.
            project.write("old.py", "# my own\n");
        }
        project.write("mine.py", "x = 1\n");
        let old = project.read("old.py");
        let answer = project.phase(&request(&project, &["mine.py"]), &[]);
        assert_eq!(answer.code, Some(0), "{}", answer.shown());
        assert_eq!(project.read("mine.py"), "x = 1\n# tidied\n");
        assert_eq!(project.read("old.py"), old);
        let formatter = &answer.details["formatter"];
        assert_eq!(formatter["restored"], json!(["old.py"]));
        assert_eq!(formatter["created"], json!(["made.txt"]));
        assert!(!project.folder().join("made.txt").exists());
    }
}

#[test]
fn a_problem_that_was_there_before_does_not_count() {
    let project = Project::bare();
    with_tools(&project);
    project.write("mine.py", "# bad old\n");
    project.write("other.py", "# bad other\n");
    project.commit_all();
    project.write("mine.py", "x = 1\n# bad old\n");
    let mut request = request(&project, &["mine.py"]);
    request["format_command"] = json!("true");
    let answer = project.phase(&request, &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    let linter = &answer.details["linter"];
    assert_eq!(linter["diagnostics"], json!([]));
    assert_eq!(linter["old_diagnostics"].as_array().unwrap().len(), 2);
    assert_eq!(linter["attempts"][1]["purpose"], "base");

    let everything = project.phase(&request, &["--all"]);
    insta::assert_snapshot!(everything.issues("linter"), @r"
    X100 bad word at mine.py:2
    X100 bad word at other.py:1
    ");

    project.write("mine.py", "# bad old\n# bad new\n");
    let answer = project.phase(&request, &[]);
    assert_eq!(answer.code, Some(1));
    insta::assert_snapshot!(answer.issues("linter"), @"X100 bad word at mine.py:2");
    // Nothing of the comparison stays behind.
    let listed = project
        .sandbox
        .run(&project.folder(), "git", &["worktree", "list"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 1);
}

#[test]
fn only_what_the_change_touched_is_reviewed() {
    let project = Project::bare();
    let secret = format!("AKIA{}", "Q3EGTR7YLZ2MWXKD");
    project.write("config.py", format!("KEY = \"{secret}\"\n"));
    project.commit_all();
    project.write(
        "config.py",
        format!("KEY = \"{secret}\"\nREGION = \"eu\"\n"),
    );
    let mut request = request(&project, &["config.py"]);
    request["format_command"] = json!("true");
    request["lint_command"] = json!("true");
    request["language"] = json!("python");
    let answer = project.phase(&request, &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    let everything = project.phase(&request, &["--all"]);
    assert_eq!(everything.code, Some(1));
    let found = everything.issues("security_review");
    assert!(found.contains("config.py:1"), "{found}");
    assert!(!everything.shown().contains(&secret), "the secret is shown");
}

/// A fix loop that cheats is caught.
#[test]
fn a_deleted_test_is_noticed() {
    let project = Project::bare();
    project.write("total.py", CLEAN);
    project.write(
        "test_total.py",
        "from total import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    );
    project.commit_all();
    std::fs::remove_file(project.folder().join("test_total.py")).unwrap();
    project.write("total.py", "def total(items):\n    return 0\n");
    let mut request = request(&project, &["total.py", "test_total.py"]);
    request["format_command"] = json!("true");
    request["lint_command"] = json!("true");
    request["language"] = json!("python");
    let answer = project.phase(&request, &[]);
    assert_eq!(
        answer.check("code_review")["status"],
        "fail",
        "{}",
        answer.shown()
    );
    assert_eq!(answer.check("code_review")["severity"], "high");
    assert!(answer.issues("code_review").contains("test_total.py"));
}

#[test]
fn odd_files_have_a_line_each() {
    let project = Project::bare();
    project.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    project.write("latin.py", b"# caf\xe9\n");
    project.write("huge.js", vec![b'x'; 5 << 20]);
    project.write("broken.py", "def (:\n");
    project.sandbox.write("outside.py", "x = 1\n");
    std::os::unix::fs::symlink("../outside.py", project.folder().join("link.py")).unwrap();
    std::fs::create_dir_all(project.folder().join("module/.git")).unwrap();
    let mut request = request(
        &project,
        &[
            "logo.png",
            "latin.py",
            "huge.js",
            "broken.py",
            "link.py",
            "module",
            "gone.py",
        ],
    );
    request["format_command"] = json!("true");
    request["lint_command"] = json!("true");
    request["language"] = json!("python");
    let answer = project.phase(&request, &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    let told: Vec<&str> = answer.details["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["message"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    logo.png is binary and was not reviewed
    latin.py is not UTF-8 and was not reviewed
    huge.js is larger than 2 MB and was not reviewed
    link.py is or lies behind a symbolic link, which is not followed
    module is a submodule; validate it in its own working directory
    gone.py is not there (deleted?), so no tool is given it
    ");

    assert_eq!(
        answer.details["code_review"]["notes"],
        json!([
            "broken.py has a syntax error at line 1; what is around it was reviewed as far as it could be read"
        ])
    );

    request["changed_files"] = json!(["../outside.py"]);
    let answer = project.phase(&request, &[]);
    assert_eq!(answer.code, Some(1));
    insta::assert_snapshot!(answer.issues("code_review"), @"../outside.py is outside the working directory and was not read; name files below it");
}

/// A script of a virtual environment that has moved is there and cannot run.
#[test]
fn a_tool_without_its_interpreter_is_not_called_missing() {
    let project = Project::bare();
    project.write("pyproject.toml", "[project]\nname = \"ledger\"\n");
    project.write("mine.py", "x = 1\n");
    project.sandbox.fake("black", "true");
    let script = project.sandbox.path("bin/black");
    std::fs::write(&script, "#!/gone/bin/python\n").unwrap();
    let mut request = project.request(&["mine.py"]);
    request["format_command"] = json!("black .");
    request["lint_command"] = json!("true");
    let answer = project.phase(&request, &[]);
    let issues = answer.issues("formatter");
    let root = project.sandbox.root().display().to_string();
    insta::assert_snapshot!(issues.replace(&root, "[sandbox]"), @"`black .` cannot be started: [sandbox]/bin/black asks for the interpreter /gone/bin/python, which is not there. Install it with `pip install black`, or give another `format_command`.");
}

/// The formatter goes first and alone, whatever else overlaps.
#[test]
fn why_each_command_was_chosen_is_told() {
    let project = Project::bare();
    project.write(
        "package.json",
        r#"{"name": "ledger", "scripts": {"lint": "eslint .", "build": "tsc"}}"#,
    );
    let answer = project.phase(&project.request(&[]), &[]);
    let reason = |check: &str| answer.details[check]["command_reason"].clone();
    assert_eq!(reason("formatter"), "prettier is the default formatter");
    assert_eq!(reason("linter"), "package.json has the script lint");
    assert_eq!(reason("build"), "package.json has the script build");
}
