use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn a_project_is_explained() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write(
        "pyproject.toml",
        "[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[tool.ruff]\n",
    );
    repo.write("uv.lock", "version = 1\n");
    repo.write(".baton/config.toml", "commands.test = \"pytest -x\"\n");
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["detect"]), @"");
}

#[test]
fn two_languages_are_a_question() {
    let sandbox = Sandbox::new();
    sandbox.write("both/go.mod", "module example.com/ledger\n");
    sandbox.write("both/Cargo.toml", "[package]\nname = \"ledger\"\n");
    let answer = baton(&sandbox).run(&["detect", "../both"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.stdout.starts_with("Language: ambiguous between"),
        "{answer}"
    );
    let answer = baton(&sandbox).run(&["detect", "../both", "--language", "golang", "--json"]);
    let project: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(project["decision"]["language"], "go");
    assert_eq!(answer.code, Some(0));
}

#[test]
fn nothing_is_no_crash() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["detect"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "gone"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "--language", "cobol"]), @"");
}
