//! Secrets stay out of logs and messages.

use std::io;
use std::sync::{Arc, Mutex};

use baton_host::Cmd;
use baton_testkit::Sandbox;
use tracing_subscriber::fmt::MakeWriter;

use super::{environment, run};

const TOKEN: &str = "tok-4711-abcdef";

fn with_secrets(cmd: Cmd) -> Cmd {
    cmd.secret_env("SERVICE_TOKEN", TOKEN)
        .arg(format!("Authorization: {TOKEN}"))
        .arg("https://user:pass-word@example.invalid/x")
        .secret_arg("pin12")
}

#[test]
fn display_and_debug_show_no_secret() {
    let sandbox = Sandbox::new();
    let cmd = with_secrets(Cmd::new("true", sandbox.root(), &environment(&sandbox)));
    insta::assert_snapshot!(cmd, @"true 'Authorization: ***' 'https://***@example.invalid/x' '***'");
    let debug = format!("{cmd:?}");
    assert!(debug.contains("SERVICE_TOKEN"), "{debug}");
    for secret in [TOKEN, "pass-word", "pin12"] {
        assert!(!debug.contains(secret), "{debug}");
    }
}

#[tokio::test]
async fn the_child_gets_the_secrets() {
    let sandbox = Sandbox::new();
    let cmd = Cmd::new("printenv", sandbox.root(), &environment(&sandbox));
    let printenv = sandbox.fake("printenv", "echo $SERVICE_TOKEN $1");
    let finished = run(&cmd.secret_env("SERVICE_TOKEN", TOKEN).secret_arg("pin12")).await;
    assert_eq!(finished.stdout.text(), format!("{TOKEN} pin12\n"));
    assert_eq!(printenv.calls(), [["pin12"]]);
}

#[tokio::test]
async fn output_can_be_displayed_without_secrets() {
    let sandbox = Sandbox::new();
    let cmd =
        Cmd::shell("echo token: $T", sandbox.root(), &environment(&sandbox)).secret_env("T", TOKEN);
    let text = run(&cmd).await.stdout.text();
    assert_eq!(cmd.redactor().redact(&text), "token: ***\n");
}

#[tokio::test]
async fn the_log_has_every_start_and_end_and_no_secret() {
    let sandbox = Sandbox::new();
    sandbox.fake("logged-program", "exit 3");
    let log = Log::default();
    // Interest in an event is cached for the whole process, so a subscriber of
    // this thread alone would miss events that other tests have met before. No
    // other test of this binary has a subscriber.
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .without_time()
        .with_ansi(false)
        .init();
    let cmd = Cmd::new("logged-program", sandbox.root(), &environment(&sandbox));
    run(&with_secrets(cmd)).await;

    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let text = text.replace(sandbox.root().to_str().unwrap(), "[root]");
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains("program=logged-program"))
        .map(|line| match line.split_once("duration_ms=") {
            Some((before, after)) => {
                let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
                format!("{before}duration_ms=[time]{after}")
            }
            None => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    DEBUG baton_host::cmd::run: started a child program=logged-program args='Authorization: ***' 'https://***@example.invalid/x' '***' cwd=[root]
    DEBUG baton_host::cmd::run: a child is done program=logged-program duration_ms=[time] outcome=exited with code 3 leaked=false
    ");
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
