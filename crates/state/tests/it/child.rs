//! Other processes: the test binary starts itself, to run one of the tests
//! below with a folder given in its environment.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, stdin};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use baton_state::State;

use crate::{minute, passed};

const FOLDER: &str = "BATON_STATE_TEST_FOLDER";

/// What a child prints after each commit, followed by the commit's number.
const COMMITTED: &str = "committed ";

/// How many observations one commit has.
pub(crate) const PER_COMMIT: usize = 40;

/// Starts a process that opens `folder` once its standard input is closed.
pub(crate) fn opener(folder: &Path) -> Child {
    start("child::opens_and_records_on_request", folder)
}

/// Lets the process go on and waits for its end.
pub(crate) fn succeeds(mut child: Child) {
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

/// A process that commits to `folder` for as long as it lives.
pub(crate) struct Writer {
    child: Child,
    output: BufReader<ChildStdout>,
    commits: u64,
}

impl Writer {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut child = start("child::writes_until_killed", folder);
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            output,
            commits: 0,
        }
    }

    pub(crate) fn wait_for_commits(&mut self, commits: u64) {
        while self.commits < commits {
            assert!(self.hear_of_commit(), "the writer ended by itself");
        }
    }

    /// Ends it with SIGKILL and returns how many commits it reported.
    pub(crate) fn kill(mut self) -> u64 {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        while self.hear_of_commit() {}
        self.commits
    }

    fn hear_of_commit(&mut self) -> bool {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some((_, number)) = line.split_once(COMMITTED) {
                self.commits = number.trim().parse().unwrap();
                return true;
            }
            line.clear();
        }
        false
    }
}

#[expect(clippy::disallowed_methods, reason = "the child is this very binary")]
fn start(test: &str, folder: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[expect(clippy::disallowed_methods, reason = "how the parent names the folder")]
fn folder() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

#[test]
#[ignore = "started by other tests as a process of its own"]
fn opens_and_records_on_request() {
    let Some(folder) = folder() else { return };
    stdin().read_to_end(&mut Vec::new()).unwrap();
    let mut state = State::open(&folder).unwrap();
    state
        .record("shared", "t1", &[passed("a")], minute(0))
        .unwrap();
}

#[test]
#[ignore = "started by other tests as a process of its own"]
fn writes_until_killed() {
    let Some(folder) = folder() else { return };
    let mut state = State::open(&folder).unwrap();
    let observations: Vec<_> = (0..PER_COMMIT)
        .map(|n| passed(&format!("test {n}")))
        .collect();
    for commit in 1.. {
        // Some trees are new and some repeated, so that rows are both added and changed.
        let tree = format!("tree {}", commit % 7);
        state
            .record("shared", &tree, &observations, minute(0))
            .unwrap();
        println!("{COMMITTED}{commit}");
    }
}
