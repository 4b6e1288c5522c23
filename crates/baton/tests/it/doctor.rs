use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn a_bare_machine_is_told_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.fake(
        "git",
        "case \"$*\" in *version*) echo 'git version 2.39.5 (Apple Git-154)';; *) exit 128;; esac",
    );
    insta::assert_snapshot!(baton(&sandbox).run(&["doctor"]), @"
    exit 0
    -- stdout
    git
      ok       git 2.39.5
      note     this folder is in no repository
               next: Run baton inside a checkout, or `git init` one.
    GitHub
      note     gh is not installed; the commands that baton prints for pull requests use it
               next: Install GitHub's command line, `gh`.
      note     there is no token
               next: Set GITHUB_TOKEN, or run `gh auth login`.
    Jira
      note     not configured; pull requests are made without it
               next: Set JIRA_URL, JIRA_USERNAME and JIRA_API_TOKEN if you use Jira.
    This project
      note     its language is not clear
               next: `baton detect` says what was found.
    Coding agents
      note     none of claude, codex, gemini, goose, opencode, aider is installed
               next: Install one, as in `npm install -g @anthropic-ai/claude-code`.
    Sandbox
      ok       namespaces and Landlock
      ok       agents standard, reviewers standard, project commands standard
    baton
      ok       configuration: 0 of 1 files are there
      ok       state folder: [sandbox]/state/baton
    ");
}

#[test]
fn a_token_is_judged_by_its_rights_and_never_shown() {
    let mut sandbox = Sandbox::new();
    sandbox.set("GITHUB_TOKEN", "ghp_thisisasecret");
    let gh = sandbox.fake(
        "gh",
        "case \"$1\" in --version) echo 'gh version 2.40.0';; \
         api) printf 'HTTP/2.0 200 OK\\r\\nX-Oauth-Scopes: gist, read:org\\r\\n\\r\\n{}';; esac",
    );
    let answer = baton(&sandbox).run(&["-vv", "doctor"]);
    assert!(
        answer
            .stdout
            .contains("the token lacks the scope `repo`, so `baton mcp` does not offer the tools"),
        "{answer}"
    );
    assert!(!answer.to_string().contains("thisisasecret"), "{answer}");
    assert_eq!(
        gh.calls(),
        [
            vec!["--version"],
            vec!["api", "--hostname", "github.com", "--include", "user"]
        ]
    );
}

#[test]
fn a_token_is_sent_to_its_own_server_only() {
    for (api_url, host, variable) in [
        ("https://api.github.com", "github.com", "GH_TOKEN"),
        ("https://api.acme.ghe.com", "acme.ghe.com", "GH_TOKEN"),
        (
            "https://git.acme.example/api/v3",
            "git.acme.example",
            "GH_ENTERPRISE_TOKEN",
        ),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.set("GITHUB_TOKEN", "ghp_thisisasecret");
        sandbox.set("BATON_GITHUB_API_URL", api_url);
        let gh = sandbox.fake(
            "gh",
            "case \"$1\" in --version) echo 'gh version 2.40.0';; \
             api) env | grep TOKEN > \"$HOME/tokens\"; printf 'HTTP/2.0 200 OK\\r\\n\\r\\n{}';; esac",
        );
        baton(&sandbox).run(&["doctor"]);
        let calls = gh.calls();
        assert_eq!(
            calls.last().unwrap(),
            &["api", "--hostname", host, "--include", "user"]
        );
        let tokens = std::fs::read_to_string(sandbox.home().join("tokens")).unwrap();
        assert_eq!(tokens, format!("{variable}=ghp_thisisasecret\n"));
    }
    // A local forge is not asked.
    let mut sandbox = Sandbox::new();
    sandbox.set("GITHUB_TOKEN", "ghp_thisisasecret");
    sandbox.set("BATON_GITHUB_API_URL", "http://127.0.0.1:1/api/v3");
    let gh = sandbox.fake("gh", "echo 'gh version 2.40.0'");
    baton(&sandbox).run(&["doctor"]);
    assert_eq!(gh.calls(), [["--version"]]);
}

#[test]
fn agents_are_asked_for_their_version() {
    let sandbox = Sandbox::new();
    sandbox.fake("codex", "echo 'codex-cli 0.166.0'");
    sandbox.fake("aider", "exit 3");
    let answer = baton(&sandbox).run(&["doctor", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let agents: Vec<_> = shown["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["area"] == "Coding agents")
        .map(|check| format!("{}: {}", check["status"], check["finding"]))
        .collect();
    insta::assert_snapshot!(agents.join("\n"), @r#"
    "ok": "codex: by cli, as `codex` is [sandbox]/bin/codex (codex-cli 0.166.0)"
    "note": "aider: by cli, as `aider` is [sandbox]/bin/aider; it does not tell its version"
    "#);
}

#[test]
fn no_git_is_the_end() {
    let sandbox = Sandbox::new();
    std::fs::remove_file(sandbox.bin().join("git")).unwrap();
    let answer = baton(&sandbox).run(&["doctor"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(
        answer.stdout.contains("next: Install git 2.38 or later."),
        "{answer}"
    );
}
