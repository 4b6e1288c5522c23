//! Agents driven by their own command lines, here replaced by scripts with the
//! same output.

use baton_engine::agent::{Agent, AgentEnd, Driver, Preset, Role, detect};

use super::Workshop;

fn claude() -> Agent {
    Agent {
        name: "claude".to_owned(),
        driver: Driver::Cli(Preset::Claude),
        program: "claude".to_owned(),
        args: Vec::new(),
    }
}

const PRINTS: &str = r#"
cat > login.txt
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s-9"}'
printf '%s\n' '{"type":"result","is_error":false,"num_turns":2,"total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":4},"result":"Done","session_id":"s-9"}'
"#;

#[tokio::test]
async fn what_it_prints_is_understood_and_its_session_is_kept_for_the_next_try() {
    let workshop = Workshop::new();
    let program = workshop.sandbox.fake("claude", PRINTS);
    let mut steps = workshop.steps(claude(), Role::Writer);
    steps.repeats = 1;
    let all = workshop.works(steps).await;
    let (report, _) = &all[0];
    assert_eq!(report.end, AgentEnd::Claimed);
    assert_eq!((report.usage.turns, report.usage.cost_micros), (2, 500_000));
    let calls = program.calls();
    assert_eq!(calls[0][5..7], ["acceptEdits", "--session-id"]);
    assert_eq!(calls[1][6..], ["--resume", "s-9"]);
    let told = std::fs::read_to_string(workshop.worktree().join("login.txt")).unwrap();
    assert_eq!(told, "Limit the logins.");
}

#[tokio::test]
async fn an_error_that_it_prints_counts_even_where_it_exits_with_zero() {
    let workshop = Workshop::new();
    workshop.sandbox.fake(
        "claude",
        r#"echo x > login.txt; echo '{"type":"result","is_error":true,"result":"API Error: 401"}'"#,
    );
    let (_, verdict) = workshop.once(claude(), Role::Writer).await;
    insta::assert_snapshot!(verdict, @"Unproven: the agent failed: API Error: 401");
}

#[tokio::test]
async fn agents_on_the_path_are_found_with_their_versions() {
    let workshop = Workshop::new();
    workshop
        .sandbox
        .fake("goose", "echo; printf '1.34.0\\033[0m (stable)\\n'");
    workshop.sandbox.fake("aider", "exit 1");
    workshop.sandbox.fake("codex-acp", "echo codex-acp 0.9");
    let found = detect(&workshop.environment(), &workshop.sandbox.root()).await;
    let lines: Vec<String> = found
        .iter()
        .map(|found| {
            let agent = &found.agent;
            format!(
                "{} {:?} {} {} {:?}",
                agent.name,
                agent.driver,
                found.path.file_name().unwrap().to_string_lossy(),
                agent.args.join(" "),
                found.version
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    codex Acp codex-acp  Some("codex-acp 0.9")
    goose Acp goose acp Some("1.34.0[0m (stable)")
    goose Cli(Goose) goose  Some("1.34.0[0m (stable)")
    aider Cli(Aider) aider  None
    "#);
}
