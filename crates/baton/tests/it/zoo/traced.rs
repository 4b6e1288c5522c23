//! baton under `strace`, and which programs it and its children became.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_testkit::Sandbox;

pub(super) struct Strace {
    program: PathBuf,
    /// Programs that may run, and folders of such programs.
    allowed: Vec<PathBuf>,
}

impl Strace {
    /// Absent where the machine has none.
    pub(super) fn find() -> Option<Self> {
        let program = ["/usr/bin/strace", "/usr/local/bin/strace"]
            .into_iter()
            .map(PathBuf::from)
            .find(|path| path.exists())?;
        let sandbox = Sandbox::new();
        let git = sandbox.bin().join("git").canonicalize().unwrap();
        let exec_path = sandbox.run(&sandbox.home(), "git", &["--exec-path"]).stdout;
        let exec_path = String::from_utf8(exec_path).unwrap();
        let exec_path = Path::new(exec_path.trim()).canonicalize().unwrap();
        let baton = Path::new(env!("CARGO_BIN_EXE_baton"))
            .canonicalize()
            .unwrap();
        // The launcher of the sandbox, which `doctor` tries.
        let launcher = baton.with_file_name("baton-launcher");
        Some(Self {
            program,
            allowed: vec![git, exec_path, baton, launcher],
        })
    }

    pub(super) fn baton(&self, sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> Command {
        let baton = Path::new(env!("CARGO_BIN_EXE_baton"));
        self.command(sandbox, folder, baton, arguments)
    }

    pub(super) fn command(
        &self,
        sandbox: &Sandbox,
        folder: &Path,
        program: &Path,
        arguments: &[&str],
    ) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args([
                "-f",
                "--seccomp-bpf",
                "-qq",
                "-s",
                "4096",
                "-e",
                "trace=execve,execveat",
                "-o",
            ])
            .arg(log(sandbox))
            .arg(program)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(sandbox.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The programs of the last command that are neither git nor baton.
    pub(super) fn foreign(&self, sandbox: &Sandbox) -> BTreeSet<String> {
        let log = fs::read_to_string(log(sandbox)).unwrap();
        let started = started(&log);
        assert!(!started.is_empty(), "strace saw nothing: {log}");
        started
            .into_iter()
            // Without a launcher of its own, it is baton once more.
            .filter(|program| program != "/proc/self/exe")
            .filter(|program| {
                let real = Path::new(program).canonicalize();
                !real.is_ok_and(|real| self.allowed.iter().any(|known| real.starts_with(known)))
            })
            .collect()
    }
}

fn log(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("strace.log")
}

/// The programs that processes became. A call that another process's call cut
/// in two is on two lines.
fn started(log: &str) -> Vec<String> {
    let mut unfinished: BTreeMap<&str, String> = BTreeMap::new();
    let mut started = Vec::new();
    for line in log.lines() {
        let Some((process, call)) = line.split_once(' ') else {
            continue;
        };
        let call = call.trim_start();
        let program = call.split('"').nth(1).map(str::to_owned);
        if call.ends_with("<unfinished ...>") {
            if let Some(program) = program {
                unfinished.insert(process, program);
            }
        } else if call.ends_with("= 0") {
            let resumed = call.starts_with("<...");
            let program = if resumed {
                unfinished.remove(process)
            } else {
                program
            };
            started.extend(program);
        }
    }
    started
}

#[test]
fn calls_are_read_from_the_log() {
    let log = "\
12 execve(\"/a\", [\"a\"], 0x1 /* 3 vars */) = 0
13 execve(\"/no\", [\"no\"], 0x1 /* 3 vars */) = -1 ENOENT (No such file or directory)
13 execve(\"/b\", [\"b\"], 0x1 /* 3 vars */ <unfinished ...>
14 execve(\"/c\", [\"c\"], 0x1 /* 3 vars */) = 0
13 <... execve resumed>)            = 0
";
    assert_eq!(started(log), ["/a", "/c", "/b"]);
}
