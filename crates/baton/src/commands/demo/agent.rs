//! The demo's coding agent: it follows a script, but it really edits files and
//! really runs their tests. Like any agent of the kind `exec` it gets a prompt
//! on its standard input and a worktree to work in.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use baton_host::cmd::Cmd;

use super::sample::{AT_FIRST, FIXED, MEMBERS, UNSAFE};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal::sanitize;

/// Work on the demo's sample as its coding agent
#[derive(clap::Args)]
pub(crate) struct Args {}

/// More than any prompt has.
const MAX_PROMPT_BYTES: u64 = 16 << 20;

/// So that a person can read along.
const THINKING: Duration = Duration::from_millis(250);

pub(crate) fn run(_: &Args, session: &Session) -> Result<Exit, CommandError> {
    let mut prompt = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_PROMPT_BYTES)
        .read_to_end(&mut prompt)?;
    let here = Session::working_directory()?;
    let file = here.join(MEMBERS);
    let found = fs::read_to_string(&file).map_err(|error| {
        CommandError::wrong_use(format!("cannot read {MEMBERS}"))
            .because(error)
            .hint("This agent knows the sample of `baton demo` and nothing else.")
    })?;
    let (plan, content) = match found.as_str() {
        AT_FIRST => (
            "a search by name: a statement with the name in it, and a test",
            UNSAFE,
        ),
        UNSAFE => (
            "the name becomes a parameter of the statement, and a test shows why",
            FIXED,
        ),
        _ => {
            say("there is nothing left to do here")?;
            return Ok(Exit::Done);
        }
    };
    say(&format!("reading {} bytes of instructions", prompt.len()))?;
    say(&format!("reading {MEMBERS}"))?;
    say(plan)?;
    fs::write(&file, content)
        .map_err(|error| CommandError::missing(format!("cannot write {MEMBERS}")).because(error))?;
    say(&format!("edited {MEMBERS}"))?;
    test(&here, session)
}

fn test(here: &Path, session: &Session) -> Result<Exit, CommandError> {
    say("cargo test --quiet")?;
    let cmd = Cmd::new("cargo", here, &session.environment)
        .args(["test", "--quiet"])
        .merged();
    let finished = runtime::run(async |cancel| {
        cmd.run(&cancel).await.map_err(|error| {
            CommandError::missing("cannot run cargo")
                .because(error)
                .hint("Install cargo, or add its folder to PATH.")
        })
    })?;
    let output = finished.stdout.text();
    if let Some(line) = output.lines().find(|line| line.starts_with("test result:")) {
        say(&sanitize(line))?;
    }
    if finished.success() {
        return Ok(Exit::Done);
    }
    say(&sanitize(&output))?;
    Ok(Exit::Failed)
}

fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()?;
    thread::sleep(THINKING);
    Ok(())
}
