use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn the_first_thing_a_newcomer_sees() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["-h"]), @r#"
    exit 0
    -- stdout
    Carries work from an issue to a merged pull request

    Usage: baton [OPTIONS] <COMMAND>

    Commands:
      demo         Carry an issue to a merged pull request, here and offline
      run          Carry a request or an issue to a merged pull request
      tend         Bring an open pull request forward until it can be merged
      runs         List the runs on this machine, the newest first
      show         Show a run: how far it has come, its handoffs, what it asks, what it cost
      logs         Print what has happened in a run, and what its steps said
      answer       Answer the question that a run asks
      accept       Accept a finding, or what a run asks about, for this repository
      resume       Resume an inactive run, and follow it
      cancel       End a run early: stop what is under way, let go of what it holds
      doctor       Look at this machine and say what is missing, and what to do about it
      detect       Show which language, tools and commands a project has, and why
      test         Build a project and run its tests
      validate     Format, lint, build, test and review what has changed
      review       Review files, or what has changed since a commit
      report       Read what a test run printed, a report file or a CI log
      phase        Speak the phase protocol: one JSON object in, one out
      handoff      Check, convert and describe the XML handoffs between agents
      schema       Print the types of the contract, or list their names
      pr           Ask about pull requests, and act on them
      forge        Serve a local forge that speaks GitHub's API, and set it up
      mcp          Serve the tools to an AI agent over standard input and output (MCP)
      serve        Serve the tools over HTTP: MCP at /mcp
      init         Write a commented configuration file for this repository
      config       Look at the configuration
      completions  Print a completion script for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
      -v, --verbose...          Show on stderr what baton runs; twice for everything
          --config <KEY=VALUE>  Set a configuration value for this call, as in `--config
                                agent.name=codex`
          --color <WHEN>        When to use colours; `auto` means on a terminal, unless `NO_COLOR` is
                                set [default: auto] [possible values: auto, always, never]

    Exit codes:
      0    done; pass; ready; nothing failing
      1    the answer is "no": invalid, failing, not ready
      2    wrong use: a bad flag or bad input
      3    something is missing here: a tool, a credential, a repository
      4    the server: network, rate limit, server error
      5    an answer is needed
      130  interrupted

    Begin with `baton demo`, then `baton doctor` in a repository of your own.
    "#);
}

#[test]
fn the_version_is_one_line() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).run(&["--version"]);
    assert_eq!(answer.code, Some(0));
    assert_eq!(
        answer.stdout,
        format!("baton {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_use_is_told_and_answered_with_two() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["dmeo"]), @"
    exit 2
    -- stderr
    error: unrecognized subcommand 'dmeo'

      tip: a similar subcommand exists: 'demo'

    Usage: baton [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["schema", "--as", "cobol"]), @"
    exit 2
    -- stderr
    error: invalid value 'cobol' for '--as <FORM>'
      [possible values: json-schema, typescript, pydantic]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["detect", "--jsno"]), @"
    exit 2
    -- stderr
    error: unexpected argument '--jsno' found

      tip: a similar argument exists: '--json'

    Usage: baton detect --json [FOLDER]

    For more information, try '--help'.
    ");
    assert_eq!(baton(&sandbox).run(&[]).code, Some(2));
}

#[test]
fn completions_are_made_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = baton(&sandbox).run(&["completions", shell]);
        assert_eq!(answer.code, Some(0), "{shell}");
        assert!(
            answer.stdout.contains("find-unresolved-comments"),
            "{shell}"
        );
    }
}

#[test]
fn a_closed_output_is_no_error() {
    let sandbox = Sandbox::new();
    let mut child = baton(&sandbox)
        .command(&["schema", "manage_stacked_prs.output"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn every_option_says_what_it_is_for() {
    let sandbox = Sandbox::new();
    for command in [&["forge", "user"][..], &["forge", "repo", "add"]] {
        let help = baton(&sandbox).run(&[command, &["-h"]].concat()).stdout;
        let lines: Vec<&str> = help.lines().collect();
        let depth = |line: &str| line.len() - line.trim_start().len();
        for (at, line) in lines.iter().enumerate() {
            let is_bare = line.trim_start().starts_with("--") && !line.trim().contains("  ");
            let goes_on = lines
                .get(at + 1)
                .is_some_and(|next| depth(next) > depth(line));
            assert!(!is_bare || goes_on, "{command:?}: {line}");
        }
    }
}

#[test]
fn what_is_said_of_a_verb_is_no_sentence() {
    let sandbox = Sandbox::new();
    let help = baton(&sandbox).run(&["pr", "-h"]).stdout;
    let (_, verbs) = help.split_once("Commands:").unwrap();
    let (verbs, _) = verbs.split_once("Options:").unwrap();
    let ended: Vec<&str> = verbs.lines().filter(|line| line.ends_with('.')).collect();
    assert!(ended.is_empty(), "{ended:?}");
}
