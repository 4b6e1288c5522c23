use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn every_value_says_where_it_came_from() {
    let mut sandbox = Sandbox::new();
    sandbox.write(
        "config/baton/config.toml",
        "agent.name = \"codex\"\n\n[jira]\nurl = \"https://acme.example\"\n",
    );
    sandbox.set("JIRA_USERNAME", "kim");
    let repo = sandbox.repo("ledger");
    repo.write(
        ".baton/config.toml",
        "[commands]\ntest = \"just test\"\nlint = \"just lint\"\n",
    );
    let inner = sandbox.folder("ledger/src");
    let answer =
        baton(&sandbox)
            .within(&inner)
            .run(&["config", "show", "--config", "commands.lint=true"]);
    insta::assert_snapshot!(answer, @r#"
    exit 0
    -- stdout
    # [sandbox]/config/baton/config.toml (read)
    # [sandbox]/ledger/.baton/config.toml (read)
    github.api_url                              = "https://api.github.com"  # default
    github.allow_plain_http                     # not set: ask a server over http:// that is not on this machine; the token can be read on the way
    git.hooks                                   # not set: let the checkout's own hooks and git configuration act when you push with `baton pr create` or `baton phase pr`
    jira.url                                    = "https://acme.example"  # [sandbox]/config/baton/config.toml:4
    jira.username                               = "kim"  # environment: JIRA_USERNAME
    jira.review_acronyms                        # not set: what transitions to code review are called for short, such as `CR, ICR`
    jira.route                                  # not set: how to reach Jira: mcp, rest, or auto, which is an MCP server where there is one
    jira.mcp_command                            # not set: the command that starts an Atlassian MCP server
    jira.mcp_url                                # not set: an Atlassian MCP server; JIRA_MCP_TOKEN is its token
    jira.mcp_server                             # not set: the name of an MCP server in the settings of Claude, Codex, Gemini or VS Code
    jira.mcp_project_files                      # not set: take MCP servers from the repository's own files, too, such as .mcp.json; they name programs to run
    pr.template                                 # not set: begin the text of a pull request with the repository's template
    pr.adopt_existing                           # not set: update a branch's open pull request instead of refusing to open another
    agent.name                                  = "codex"  # [sandbox]/config/baton/config.toml:1
    agent.reviewer                              # not set: a coding agent that reads every change, too; `none` for the review engine alone
    agent.driver                                # not set: how to talk to the agent: acp, cli or exec (the prompt on its standard input)
    agent.program                               # not set: an agent's program, where it is not found by its name
    agent.args                                  # not set: arguments for agent.program, such as `["acp"]`
    agent.environment                           # not set: names of variables that agents get besides the usual ones; `NAME_*` for all that look like no secret
    run.mode                                    = "autonomous"  # default
    run.budget_minutes                          # not set: how long the steps of a run may take together before it asks
    run.budget_turns                            # not set: how many turns agents may take in a run before it asks
    run.budget_dollars                          # not set: what agents may cost in a run before it asks
    run.in_place                                # not set: work in the checkout itself instead of a worktree beside it
    run.merge                                   # not set: who merges what a run has made ready: auto (the run) or human
    run.merge_method                            = "squash"  # default
    run.ci_minutes                              # not set: how long to wait for CI before asking
    run.health_path                             = "/"  # default
    run.environment                             # not set: names of variables that a project's commands get besides the usual ones, as in agent.environment
    run.require_ci                              # not set: whether a run merges only where there is CI; without it, tests that baton ran itself are enough
    run.max_file_mb                             # not set: how large a file may be that a run publishes, in megabytes
    run.max_files                               # not set: how many new versions of files a run may publish
    run.first_port                              # not set: the first of the hundred ports that runs are given
    notify.command                              # not set: run when a run asks or ends, with the run as JSON on its standard input
    notify.webhook                              # not set: gets a POST with the run as JSON when it asks or ends
    sandbox.level                               = "standard"  # default
    sandbox.agent                               # not set: the same for coding agents that write, where it differs
    sandbox.reviewer                            # not set: the same for coding agents that read, where it differs
    sandbox.commands                            # not set: the same for the project's commands, where it differs
    sandbox.hosts                               # not set: hosts that sandboxed programs may reach besides registries and model providers, as in `["npm.example.com", "*.corp.example"]`; `*` for all
    sandbox.readable                            # not set: further paths that sandboxed programs may read
    sandbox.writable                            # not set: further paths that sandboxed programs may change
    sandbox.max_processes                       # not set: how many processes and threads a sandboxed program may have at a time
    sandbox.max_disk_gb                         # not set: how many gigabytes a sandboxed program may have on the disk
    sandbox.image                               # not set: a container image in which sandboxed programs run, by podman or docker
    state.dir                                   # not set: where baton keeps what it remembers between calls; BATON_STATE_DIR sets it
    validation.unchosen_tools                   = "pass"  # default
    testing.flaky                               = "warn"  # default
    readiness.optional_checks                   = "block"  # default
    review.threshold                            = "medium"  # default
    review.scanners                             # not set: installed scanners whose findings join the review's: semgrep, bandit, gitleaks
    review.sarif                                # not set: SARIF files of other scanners that join the review, relative to the project's folder
    commands.install                            # not set: installs the dependencies
    commands.format                             # not set: formats the code
    commands.lint                               = "true"  # flag: --config
    commands.build                              # not set: builds the project
    commands.test                               = "just test"  # [sandbox]/ledger/.baton/config.toml:2
    commands.generate                           # not set: writes code that the build needs, where that cannot be seen from the files
    commands.serve                              # not set: starts the project's server at the port in PORT, to see that it starts
    tools.get_failing_tests.wait                # not set: wait until CI has finished
    tools.get_failing_tests.bail_on_first       # not set: while waiting for CI, stop at the first failure
    tools.find_unresolved_comments.include_bots # not set: list what bots said, too
    tools.find_unresolved_comments.sort         # not set: the order of comments: chronological, by_file or by_author
    tools.manage_stacked_prs.auto_fix           # not set: plan to fix tests that a rebase breaks
    tools.manage_stacked_prs.use_onto           # not set: rebase with --onto, or never
    "#);
}

#[test]
fn the_same_as_json() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).run(&["config", "show", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(shown["values"][0]["key"], "github.api_url");
    assert_eq!(shown["values"][0]["source"], "default");
    assert_eq!(shown["values"][1]["value"], serde_json::Value::Null);
}

#[test]
fn flags_and_variables_are_checked_too() {
    let mut sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show", "--config", "agent.nmae=codex"]), @"
    exit 2
    -- stderr
    error: --config: unknown key `agent.nmae`
    hint: Did you mean `agent.name`?
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show", "--config", "agent.name"]), @"
    exit 2
    -- stderr
    error: --config takes KEY=VALUE, found 'agent.name'
    hint: As in `--config agent.name=codex`.
    ");
    sandbox.set("BATON_GITHUB_API_URL", "github.example");
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show"]), @"
    exit 2
    -- stderr
    error: the environment variable BATON_GITHUB_API_URL must be a URL that begins with https:// or http://, found 'github.example'
    hint: Set or unset BATON_GITHUB_API_URL.
    ");
}

#[test]
fn a_repository_cannot_say_where_the_token_goes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write(
        ".baton/config.toml",
        "\n[github]\napi_url = \"https://evil.example\"\n",
    );
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["config", "show"]), @"
    exit 2
    -- stderr
    error: [sandbox]/ledger/.baton/config.toml:3: a repository may not set `github.api_url`
    hint: It decides where your credentials or data go, or what is run with them. Set it in your own configuration file or with BATON_GITHUB_API_URL.
    ");
}

#[test]
fn init_writes_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write("Cargo.toml", "[package]\nname = \"ledger\"\n");
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["init"]), @"
    exit 0
    -- stdout
    .baton/config.toml
    -- stderr
    Next: look at the file, then run `baton doctor`.
    ");
    let file = repo.path().join(".baton/config.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!(written, @r#"
    # baton's configuration for this repository. Values here outrank the user's own
    # file and are outranked by environment variables and flags; `baton config show`
    # prints what holds. Take the `#` away to set a value.

    [commands]
    # install = "cargo fetch"  # there is no lockfile
    # format = "cargo fmt"  # default of the language
    # lint = "cargo clippy"  # default of the language
    # build = "cargo build"  # default of the language
    # test = "cargo test"  # default of the language

    [agent]
    # name = "claude"  # claude, codex, gemini, goose, opencode or aider
    "#);
    // What it wrote can be read, and says nothing yet.
    let answer = baton(&sandbox).within(repo.path()).run(&["config", "show"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["init"]), @"
    exit 0
    -- stdout
    .baton/config.toml
    -- stderr
    .baton/config.toml is already there; nothing was changed
    ");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}
