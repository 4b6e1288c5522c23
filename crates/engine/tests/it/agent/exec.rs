//! Any command as an agent.

use std::time::Duration;

use baton_engine::agent::{AgentEnd, Role};

use super::{Workshop, exec};

#[tokio::test]
async fn the_prompt_comes_on_its_standard_input() {
    let workshop = Workshop::new();
    let agent = exec("cat > login.txt; echo $BATON_KEY | cut -d/ -f2; echo done");
    let (report, verdict) = workshop.once(agent, Role::Writer).await;
    assert_eq!(verdict, "done");
    assert_eq!(report.message, "003-implement\ndone\n");
    assert_eq!(report.end, AgentEnd::Claimed);
    let written = std::fs::read_to_string(workshop.worktree().join("login.txt")).unwrap();
    assert_eq!(written, "Limit the logins.");
}

#[tokio::test]
async fn an_agent_that_claims_success_without_changes_is_not_believed() {
    let workshop = Workshop::new();
    let all = workshop
        .works(workshop.steps(exec("echo All done, tests pass."), Role::Writer))
        .await;
    let verdicts: Vec<_> = all.iter().map(|(_, verdict)| verdict.as_str()).collect();
    insta::assert_snapshot!(verdicts.join("\n"), @"
    Unproven: the agent says that it is done and has changed nothing; it said: All done, tests pass.
    Unproven: the agent says that it is done and has changed nothing; it said: All done, tests pass.
    Unproven: the agent says that it is done and has changed nothing; it said: All done, tests pass.
    ");
}

#[tokio::test]
async fn a_commit_counts_as_a_change() {
    let workshop = Workshop::new();
    let agent = exec("echo limited > login.txt; git commit -qam 'Limit logins'");
    let (report, verdict) = workshop.once(agent, Role::Writer).await;
    assert_eq!((report.changed, verdict.as_str()), (true, "done"));
}

#[tokio::test]
async fn an_exit_code_counts_against_an_agent() {
    let workshop = Workshop::new();
    let agent = exec("echo limited > login.txt; echo 'HTTP 401: bad key' >&2; exit 7");
    let (_, verdict) = workshop.once(agent, Role::Writer).await;
    insta::assert_snapshot!(verdict, @"Unproven: the agent failed: it exited with code 7: HTTP 401: bad key");
}

#[tokio::test]
async fn a_reader_that_writes_is_caught_and_its_changes_are_put_back() {
    let workshop = Workshop::new();
    let agent = exec(
        "echo hacked > login.txt; echo new > other.txt; git commit -qam evil; echo looks good",
    );
    let (report, verdict) = workshop.once(agent, Role::Reader).await;
    insta::assert_snapshot!(verdict, @"Unproven: the agent changed files that it was only to read; they are put back");
    assert!(report.changed);
    assert!(!workshop.is_changed());
    let login = std::fs::read_to_string(workshop.worktree().join("login.txt")).unwrap();
    assert_eq!(login, "unlimited\n");
}

#[tokio::test]
async fn a_reader_that_only_reads_is_done() {
    let workshop = Workshop::new();
    let (_, verdict) = workshop.once(exec("cat login.txt"), Role::Reader).await;
    assert_eq!(verdict, "done");
}

#[tokio::test]
async fn an_agent_that_hangs_is_ended_with_all_it_started() {
    let workshop = Workshop::new();
    let mut steps = workshop.steps(
        exec("sleep 600 & setsid sleep 600 & echo $! > ../pid; echo working; sleep 600"),
        Role::Writer,
    );
    steps.limits.idle = Duration::from_millis(500);
    let all = workshop.works(steps).await;
    insta::assert_snapshot!(all[0].1, @"Stalled: the agent was ended: it was silent for 500ms");
    let pid = std::fs::read_to_string(workshop.sandbox.path("pid")).unwrap();
    assert!(!is_alive(pid.trim()));
}

#[tokio::test]
async fn an_agent_that_leaves_processes_behind_is_known_for_it() {
    let workshop = Workshop::new();
    let agent = exec("sleep 600 & echo $! > ../pid; echo limited > login.txt");
    let (report, verdict) = workshop.once(agent, Role::Writer).await;
    assert_eq!((report.leaked, verdict.as_str()), (true, "done"));
    let pid = std::fs::read_to_string(workshop.sandbox.path("pid")).unwrap();
    assert!(!is_alive(pid.trim()));
}

#[tokio::test]
async fn a_flood_costs_neither_memory_nor_disk() {
    let workshop = Workshop::new();
    let mut steps = workshop.steps(
        exec("echo limited > login.txt; yes | head -c 60000000"),
        Role::Writer,
    );
    steps.limits.wall = Duration::from_mins(1);
    let all = workshop.works(steps).await;
    let (report, verdict) = &all[0];
    assert_eq!(verdict, "done");
    assert!(report.message.len() < 200_000, "{}", report.message.len());
    let logs = workshop.sandbox.state_folder().join("runs");
    let run = std::fs::read_dir(logs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .file_name();
    let log = workshop.log(&run.into_string().unwrap().parse().unwrap());
    assert!(log.len() < 17 << 20, "{}", log.len());
    assert!(log.ends_with(b"[the rest is left out]\n"));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let workshop = Workshop::new();
    let mut agent = exec("");
    agent.program = "no-such-agent".to_owned();
    let steps = workshop.steps(agent, Role::Writer);
    let engine = workshop.engine(steps).await;
    let run = engine
        .create(crate::scripted::goal(), baton_workflow::Policy::default())
        .await
        .unwrap();
    engine
        .drive(&run, baton_engine::Until::Question)
        .await
        .unwrap();
    let state = engine.state(&run).await.unwrap();
    let text = state.question().unwrap().reason.to_string();
    let bin = workshop.sandbox.bin().to_string_lossy().into_owned();
    insta::assert_snapshot!(text.replace(&bin, "BIN"), @"the step `implement` failed: cannot find the program `no-such-agent`: install it or add its folder to PATH (searched BIN)");
}

pub(super) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
