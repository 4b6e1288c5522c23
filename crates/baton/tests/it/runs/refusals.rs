use baton_testkit::Sandbox;

use super::scene::Scene;
use crate::command::baton;

#[test]
fn what_is_missing_is_said_before_anything_begins() {
    let scene = Scene::new();
    scene
        .world
        .sandbox
        .write("config/baton/config.toml", "run.mode = \"semi\"\n");
    insta::assert_snapshot!(scene.ask(&["run", "Greet"]), @"
    exit 3
    -- stderr
    error: there is no coding agent on the PATH
    hint: Install one of claude, codex, gemini, goose, opencode, aider, as in `npm install -g @anthropic-ai/claude-code`, or set agent.program in your configuration file.
    hint: `baton demo` shows a whole run without one.
    ");
    insta::assert_snapshot!(scene.ask(&["run", "Greet", "--agent", "codex"]), @"
    exit 3
    -- stderr
    error: there is no coding agent `codex` on the PATH
    hint: Install it, as in `npm install -g @openai/codex`, or choose another with --agent; `baton doctor` lists what is there.
    ");
    insta::assert_snapshot!(scene.ask(&["run", "Greet", "--agent", "hal"]), @"
    exit 2
    -- stderr
    error: there is no coding agent `hal`
    hint: Choose one of claude, codex, gemini, goose, opencode, aider, or set agent.program in your configuration file for one of your own.
    ");
    scene.configure("");
    insta::assert_snapshot!(scene.ask(&["run", "7"]), @"
    exit 3
    -- stderr
    error: cannot read issue octo/demo#7: it was not found
    hint: Check the name or number of issue octo/demo#7; the token may also lack the permission to see it.
    ");
    insta::assert_snapshot!(scene.ask(&["run", " "]), @r#"
    exit 2
    -- stderr
    error: there is nothing to be done
    hint: Say what you want, as in `baton run "Add rate limiting to the login"`, or name an issue.
    "#);
    insta::assert_snapshot!(scene.ask(&["run", "octo/demo#1", "--repo", "octo/other"]), @"
    exit 2
    -- stderr
    error: the issue is one of octo/demo, and --repo says octo/other
    hint: Leave --repo out.
    ");
    insta::assert_snapshot!(scene.ask(&["run", "Greet", "--repo", "nowhere"]), @"
    exit 2
    -- stderr
    error: --repo: 'nowhere' is neither a folder nor a repository
    hint: Name a checkout's folder, `owner/name`, or the repository's address.
    ");
    insta::assert_snapshot!(scene.ask(&["runs"]), @r#"
    exit 0
    -- stdout
    There are no runs. `baton run "what you want"` starts one.
    "#);
}

#[test]
fn outside_of_a_checkout_there_is_nothing_to_run_on() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["run", "Greet"]), @"
    exit 3
    -- stderr
    error: this folder is not in a git repository
    hint: Run baton inside one, or name a repository with --repo owner/name.
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["show", "7f3a"]), @r#"
    exit 3
    -- stderr
    error: there are no runs yet
    hint: `baton run "what you want"` starts one.
    "#);
}
