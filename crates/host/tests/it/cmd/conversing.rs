//! Children that get input while they run, and how they are found later.

use std::time::Duration;

use baton_host::cmd::{Outcome, end_survivors};
use baton_testkit::Sandbox;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{run, shell};

#[tokio::test]
async fn a_child_receives_input_while_it_runs() {
    let sandbox = Sandbox::new();
    let cmd = shell(
        &sandbox,
        "while read line; do echo \"got $line\"; done; echo bye",
    );
    let (say, input) = mpsc::channel(4);
    let (sender, mut received) = mpsc::unbounded_channel();
    let mut observer = |chunk: baton_host::cmd::Chunk<'_>| {
        let _ = sender.send(String::from_utf8_lossy(chunk.bytes).into_owned());
    };
    let cancel = CancellationToken::new();
    let talk = async {
        for word in ["one", "two"] {
            say.send(format!("{word}\n").into_bytes()).await.unwrap();
            assert_eq!(received.recv().await.unwrap(), format!("got {word}\n"));
        }
        drop(say);
    };
    let (finished, ()) = tokio::join!(cmd.converse(&cancel, input, &mut observer), talk);
    let finished = finished.unwrap();
    assert_eq!(finished.outcome, Outcome::Exited(0));
    assert_eq!(finished.stdout.text(), "got one\ngot two\nbye\n");
}

#[tokio::test]
async fn a_child_that_ignores_its_input_is_no_error() {
    let sandbox = Sandbox::new();
    let (say, input) = mpsc::channel(4);
    say.send(vec![b'x'; 1 << 20]).await.unwrap();
    let cmd = shell(&sandbox, "exec <&-; echo deaf");
    let finished = cmd
        .converse(&CancellationToken::new(), input, &mut |_| {})
        .await;
    assert_eq!(finished.unwrap().stdout.text(), "deaf\n");
    drop(say);
}

#[tokio::test]
async fn a_limit_ends_a_conversation_too() {
    let sandbox = Sandbox::new();
    let (_say, input) = mpsc::channel(4);
    let cmd = shell(&sandbox, "cat").idle_limit(Duration::from_millis(200));
    let finished = cmd
        .converse(&CancellationToken::new(), input, &mut |_| {})
        .await;
    assert!(matches!(
        finished.unwrap().outcome,
        Outcome::TimedOut { .. }
    ));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn survivors_are_found_by_their_mark_and_ended() {
    let sandbox = Sandbox::new();
    // The name holds what separates marks in the list.
    let (ours, other) = (format!("a,b {}", sandbox.root().display()), "another");
    let start = |mark: &str| {
        shell(
            &sandbox,
            "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 600' > /dev/null 2>&1 & echo $!",
        )
        .mark(mark)
    };
    let pid = run(&start(&ours)).await.stdout.text();
    let spared = run(&start(other)).await.stdout.text();
    let alive = |pid: &str| std::path::Path::new(&format!("/proc/{}", pid.trim())).exists();
    assert!(alive(&pid));
    assert_eq!(end_survivors("a,b", Duration::from_millis(100)).await, 0);
    // The shell and its sleep.
    assert!(end_survivors(&ours, Duration::from_millis(100)).await >= 1);
    assert!(alive(&spared));
    assert!(end_survivors(other, Duration::from_millis(100)).await >= 1);
}
