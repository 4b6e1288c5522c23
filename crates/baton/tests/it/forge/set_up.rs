use std::fmt::Write as _;

use baton_testkit::Sandbox;

use super::line;
use crate::command::baton;

#[test]
fn accounts_and_repositories_are_added_and_listed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work/ledger");
    repo.commit_file("README.md", "# Ledger\n", "Begin");

    assert_eq!(
        line(&sandbox, &["forge", "user", "octo", "--admin"]),
        "octo"
    );
    line(&sandbox, &["forge", "user", "acme", "--organization"]);
    line(
        &sandbox,
        &["forge", "user", "reviewer", "--member-of", "acme"],
    );
    let added = [
        "forge",
        "repo",
        "add",
        "acme/ledger",
        "ledger",
        "--private",
        "--check",
        "cargo test",
    ];
    assert_eq!(line(&sandbox, &added), "acme/ledger");
    line(&sandbox, &["forge", "repo", "add", "octo/demo"]);
    line(
        &sandbox,
        &["forge", "repo", "check", "octo/demo", "make check"],
    );
    line(
        &sandbox,
        &["forge", "repo", "allow", "octo/demo", "reviewer"],
    );
    insta::assert_snapshot!(baton(&sandbox).run(&["forge", "list"]), @"
    exit 0
    -- stdout
    Accounts
      acme  organisation
      octo  administrator
      reviewer
    Repositories
      acme/ledger  private  in [sandbox]/work/ledger/.git  checked by `cargo test`
      octo/demo  checked by `make check`
    ");
    line(&sandbox, &["forge", "repo", "check", "octo/demo"]);
    let pushed = ["forge", "repo", "add", "octo/tools", "--pushed-checks"];
    line(&sandbox, &pushed);
    assert!(line(&sandbox, &["forge", "list"]).ends_with("  octo/tools  executes pushed checks"),);
    let off = ["forge", "repo", "pushed-checks", "octo/tools", "off"];
    assert_eq!(line(&sandbox, &off), "octo/tools");
    assert!(line(&sandbox, &["forge", "list"]).ends_with("  octo/tools"));
    insta::assert_snapshot!(baton(&sandbox).run(&["forge", "list", "--json"]), @r#"
    exit 0
    -- stdout
    {
      "accounts": [
        {
          "login": "acme",
          "type": "Organization",
          "site_admin": false
        },
        {
          "login": "octo",
          "type": "User",
          "site_admin": true
        },
        {
          "login": "reviewer",
          "type": "User",
          "site_admin": false
        }
      ],
      "repositories": [
        {
          "full_name": "acme/ledger",
          "private": true,
          "path": "[sandbox]/work/ledger/.git",
          "check_command": "cargo test",
          "pushed_checks": false
        },
        {
          "full_name": "octo/demo",
          "private": false,
          "path": null,
          "check_command": null,
          "pushed_checks": false
        },
        {
          "full_name": "octo/tools",
          "private": false,
          "path": null,
          "check_command": null,
          "pushed_checks": false
        }
      ]
    }
    "#);
    let path = baton(&sandbox).run(&["forge", "repo", "path", "acme/ledger"]);
    assert_eq!(path.stdout, "[sandbox]/work/ledger/.git\n");
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let sandbox = Sandbox::new();
    line(&sandbox, &["forge", "user", "octo"]);
    let mut told = String::new();
    for arguments in [
        &["user", "octo"][..],
        &["user", "two words"],
        &["user", "repos"],
        &["token", "nobody"],
        &["repo", "add", "octo"],
        &["repo", "add", "nobody/demo"],
        &["repo", "add", "octo/de mo"],
        &["repo", "add", "octo/demo", "nowhere"],
        &["repo", "check", "octo/none", "true"],
        &["token", "octo", "--expires", "tomorrow"],
        &["serve", "--public-url", "ftp://x"],
        &["serve", "--host", "forge.example:80"],
        &["serve", "--job-env", "NOT_SET_ANYWHERE"],
    ] {
        let all: Vec<&str> = std::iter::once("forge")
            .chain(arguments.iter().copied())
            .collect();
        let answer = baton(&sandbox).run(&all);
        writeln!(told, "{}\n{answer}", all.join(" ")).unwrap();
    }
    insta::assert_snapshot!(told, @"
    forge user octo
    exit 2
    -- stderr
    error: the login `octo` is taken; choose another

    forge user two words
    exit 2
    -- stderr
    error: `two words` is not a usable login: letters, digits and single dashes, at most 39

    forge user repos
    exit 2
    -- stderr
    error: the login `repos` is part of the forge's own addresses; choose another

    forge token nobody
    exit 3
    -- stderr
    error: there is no account `nobody`; add it first
    hint: `baton forge user LOGIN` adds an account; `baton forge list` shows them all.

    forge repo add octo
    exit 2
    -- stderr
    error: invalid value 'octo' for '<OWNER/NAME>': expected OWNER/NAME, such as octo/demo

    For more information, try '--help'.

    forge repo add nobody/demo
    exit 3
    -- stderr
    error: there is no account `nobody`; add it first
    hint: `baton forge user LOGIN` adds an account; `baton forge list` shows them all.

    forge repo add octo/de mo
    exit 2
    -- stderr
    error: cannot add a repository: name is invalid

    forge repo add octo/demo nowhere
    exit 3
    -- stderr
    error: [sandbox]/work/nowhere is not a git repository; run `git init` there or choose another folder

    forge repo check octo/none true
    exit 3
    -- stderr
    error: there is no repository `octo/none`; add it first
    hint: `baton forge repo add OWNER/NAME` adds a repository; `baton forge list` shows them all.

    forge token octo --expires tomorrow
    exit 2
    -- stderr
    error: invalid value 'tomorrow' for '--expires <TIME>': failed to parse four digit integer as year: invalid digit, expected 0-9 but got t

    For more information, try '--help'.

    forge serve --public-url ftp://x
    exit 2
    -- stderr
    error: invalid value 'ftp://x' for '--public-url <URL>': expected an address such as http://forge.example:8417

    For more information, try '--help'.

    forge serve --host forge.example:80
    exit 2
    -- stderr
    error: invalid value 'forge.example:80' for '--host <NAME>': expected a host name without a port, such as forge.example

    For more information, try '--help'.

    forge serve --job-env NOT_SET_ANYWHERE
    exit 2
    -- stderr
    error: --job-env NOT_SET_ANYWHERE: there is no such variable
    hint: Set it, or give a value: --job-env NOT_SET_ANYWHERE=VALUE.
    ");
}
