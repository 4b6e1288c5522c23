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
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["detect"]), @"
    exit 0
    -- stdout
    Language: python (confidence high): pyproject.toml configures pytest
                 pyproject.toml  # python, high: configures pytest
    Package manager: uv: there is uv.lock

    Commands for python
      install    uv sync --frozen  # uv.lock lists the dependencies
      format     ruff format .  # pyproject.toml configures ruff
        else     black .  # default of the language
      format_fix ruff format .  # pyproject.toml configures ruff
        else     black .  # default of the language
      lint       ruff check .  # pyproject.toml configures ruff
      lint_fix   ruff check --fix .  # pyproject.toml configures ruff
      test       pytest -x  # baton's configuration says so
        else     pytest  # pyproject.toml configures pytest
                 python -m pytest  # when the one above is not there
                 python -m unittest discover  # when the one above is not there

    Testing phase
      test       pytest -x  # baton's configuration says so
        else     pytest  # pyproject.toml configures pytest
                 python -m pytest  # when the one above is not there
                 python -m unittest discover  # when the one above is not there

    Frameworks
      pytest     # pyproject.toml configures it

    Notes
                 there is uv.lock, but uv is not installed; commands run outside its environment
    ");
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
    insta::assert_snapshot!(baton(&sandbox).run(&["detect"]), @"
    exit 1
    -- stdout
    Language: not found; say which with --language
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "gone"]), @"
    exit 3
    -- stderr
    error: gone is no folder
    hint: Name the folder of a project, or none for this one.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "--language", "cobol"]), @"
    exit 2
    -- stderr
    error: invalid value 'cobol' for '--language <LANGUAGE>': unknown language 'cobol'; known are javascript, typescript, python, go, ruby, rust and java

    For more information, try '--help'.
    ");
}
