//! Whatever ends a run, nothing that it started is left.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_host::cmd::{Limit, Outcome};
use baton_testkit::Sandbox;
use tokio_util::sync::CancellationToken;

use super::{run, shell};

/// Far beyond any test: a process that is still there was not ended.
const SLEEP: &str = "sleep 600";

/// With a limit of one second. The behaviour is a time here: a second for the
/// limit, a second and a half for the grace, and some for a busy machine.
const PROMPT: Duration = Duration::from_secs(3);

pub(super) fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Waits for a file with a process id in it.
async fn pid_in(file: &Path) -> String {
    loop {
        match fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

async fn until_dead(pid: &str) {
    while is_alive(pid) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Runs a script that writes a process id into the file `pid`, with a limit of
/// one second, and checks that the process is ended with it.
async fn check_limit(script: &str) {
    let sandbox = Sandbox::new();
    let begin = Instant::now();
    let finished = run(&shell(&sandbox, script).wall_limit(Duration::from_secs(1))).await;
    let elapsed = begin.elapsed();
    assert_eq!(
        finished.outcome,
        Outcome::TimedOut {
            limit: Limit::Wall,
            after: Duration::from_secs(1)
        }
    );
    let pid = pid_in(&sandbox.path("pid")).await;
    assert!(!is_alive(&pid), "process {pid} is still there");
    assert!(elapsed < PROMPT, "took {elapsed:?}");
}

#[tokio::test]
async fn a_limit_ends_the_child() {
    check_limit(&format!("echo $$ > pid; exec {SLEEP}")).await;
}

#[tokio::test]
async fn a_limit_ends_a_grandchild_that_holds_the_output() {
    check_limit(&format!("{SLEEP} & echo $! > pid; wait")).await;
}

#[tokio::test]
async fn a_limit_ends_what_ignores_the_polite_signal() {
    check_limit(&format!(
        "trap '' TERM; sh -c 'echo $$ > pid; {SLEEP}; {SLEEP}'; {SLEEP}"
    ))
    .await;
}

#[tokio::test]
async fn a_limit_ends_what_is_stopped() {
    check_limit("echo $$ > pid; kill -STOP $$").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_limit_ends_a_grandchild_that_left_the_group() {
    check_limit(&format!(
        "setsid sh -c 'echo $$ > pid; exec {SLEEP}' & wait"
    ))
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_limit_ends_a_daemon_without_parents() {
    // The middle process is gone before the limit, so the daemon belongs to
    // init and only its environment shows where it came from.
    check_limit(&format!(
        "(setsid sh -c 'echo $$ > pid; trap \"\" TERM; {SLEEP}; {SLEEP}' </dev/null >/dev/null 2>&1 &); {SLEEP}"
    ))
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_outlives_a_child_that_is_done() {
    let sandbox = Sandbox::new();
    let script = format!("setsid sh -c 'echo $$ > pid; exec {SLEEP}' </dev/null >/dev/null 2>&1 &");
    let finished = run(&shell(&sandbox, &script)).await;
    assert!(!finished.leaked);
    let pid = pid_in(&sandbox.path("pid")).await;
    assert!(is_alive(&pid));
    sandbox.run(&sandbox.root(), "kill", &["-9", &pid]);
}

#[tokio::test]
async fn a_child_may_clean_up_during_the_grace() {
    let sandbox = Sandbox::new();
    let script = format!("trap 'echo cleaned; exit 0' TERM; echo ready; {SLEEP} & wait");
    let finished = run(&shell(&sandbox, &script).wall_limit(Duration::from_millis(500))).await;
    assert!(matches!(finished.outcome, Outcome::TimedOut { .. }));
    assert_eq!(finished.stdout.text(), "ready\ncleaned\n");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_is_noticed_and_ended() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(
        &sandbox,
        &format!("echo done; {SLEEP} & echo $! > pid"),
    ))
    .await;
    assert_eq!(finished.outcome, Outcome::Exited(0));
    assert!(finished.leaked);
    assert_eq!(finished.stdout.text(), "done\n");
    let pid = pid_in(&sandbox.path("pid")).await;
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn a_grandchild_that_holds_nothing_is_noticed_and_ended() {
    let sandbox = Sandbox::new();
    let script = format!("{SLEEP} </dev/null >/dev/null 2>&1 & echo $! > pid");
    let finished = run(&shell(&sandbox, &script)).await;
    assert_eq!(finished.outcome, Outcome::Exited(0));
    assert!(finished.leaked);
    let pid = pid_in(&sandbox.path("pid")).await;
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn a_grandchild_that_is_done_soon_is_waited_for() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(&sandbox, "(sleep 0.05; echo late) &")).await;
    assert!(!finished.leaked);
    assert_eq!(finished.stdout.text(), "late\n");
}

#[tokio::test]
async fn silence_is_limited() {
    let sandbox = Sandbox::new();
    let limit = Duration::from_millis(400);
    let script = format!("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; {SLEEP}");
    let finished = run(&shell(&sandbox, &script).idle_limit(limit)).await;
    assert_eq!(
        finished.outcome,
        Outcome::TimedOut {
            limit: Limit::Idle,
            after: limit
        }
    );
    assert_eq!(finished.stdout.text(), "1\n2\n3\n4\n5\n6\n");
}

#[tokio::test]
async fn a_run_can_be_cancelled() {
    let sandbox = Sandbox::new();
    let cancel = CancellationToken::new();
    let cmd = shell(&sandbox, &format!("{SLEEP} & echo $! > pid; wait"));
    let pid_file = sandbox.path("pid");
    let canceller = async {
        let pid = pid_in(&pid_file).await;
        cancel.cancel();
        pid
    };
    let (finished, pid) = tokio::join!(cmd.run(&cancel), canceller);
    assert_eq!(finished.unwrap().outcome, Outcome::Cancelled);
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn a_cancelled_run_does_not_start() {
    let sandbox = Sandbox::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let finished = shell(&sandbox, "touch started").run(&cancel).await.unwrap();
    assert_eq!(finished.outcome, Outcome::Cancelled);
    assert!(!sandbox.path("started").exists());
}

#[tokio::test]
async fn dropping_the_future_ends_the_group() {
    let sandbox = Sandbox::new();
    let script =
        format!("{SLEEP} & echo $! > pid; setsid sh -c 'echo $$ > daemon; exec {SLEEP}' & wait");
    let cmd = shell(&sandbox, &script);
    let cancel = CancellationToken::new();
    let (pid_file, daemon_file) = (sandbox.path("pid"), sandbox.path("daemon"));
    let pids = tokio::select! {
        _ = cmd.run(&cancel) => unreachable!("it sleeps"),
        pids = async { (pid_in(&pid_file).await, pid_in(&daemon_file).await) } => pids,
    };
    until_dead(&pids.0).await;
    if cfg!(target_os = "linux") {
        until_dead(&pids.1).await;
    }
}

#[tokio::test]
async fn a_panic_ends_the_group() {
    let sandbox = Sandbox::new();
    let cmd = shell(&sandbox, &format!("echo $$ > pid; echo; exec {SLEEP}"));
    let task = tokio::spawn(async move {
        let mut observer = |_: baton_host::cmd::Chunk<'_>| panic!("the observer fails");
        cmd.run_observed(&CancellationToken::new(), &mut observer)
            .await
    });
    assert!(task.await.unwrap_err().is_panic());
    until_dead(&pid_in(&sandbox.path("pid")).await).await;
}
