//! A home, a path and a git configuration of its own for each test.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::{Fake, Repo};

/// Programs that nearly every test needs: the ones git and shell scripts call.
const TOOLS: &[&str] = &[
    "awk", "basename", "cat", "chmod", "cp", "cut", "date", "dirname", "env", "false", "git",
    "grep", "head", "kill", "ln", "ls", "mkdir", "mv", "printf", "pwd", "rm", "sed", "setsid",
    "sh", "sleep", "sort", "tail", "tee", "touch", "tr", "true", "uname", "wc", "yes",
];

/// Where real tools are looked for, instead of in the `PATH` of the user who runs
/// the tests: what a test can see must not depend on that.
const TOOL_FOLDERS: &[&str] = &[
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/opt/homebrew/bin",
    "/usr/sbin",
];

const GIT_CONFIG: &str = "\
[user]
\tname = Test Author
\temail = author@example.invalid
[init]
\tdefaultBranch = main
[protocol \"file\"]
\tallow = always
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// A temporary folder in which programs find nothing of the user's: its own
/// home, configuration, state and `PATH`.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
    environment: BTreeMap<OsString, OsString>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// A sandbox whose `PATH` has git and the usual small tools.
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        // macOS hands out temporary folders behind a symbolic link, and git
        // reports real paths.
        let real = root.path().canonicalize().expect("the folder exists");
        let mut sandbox = Self {
            root,
            environment: safe_environment(&real),
        };
        for folder in ["home", "config", "cache", "data", "state", "tmp", "bin"] {
            fs::create_dir(real.join(folder)).expect("the sandbox is new and writable");
        }
        fs::write(real.join("gitconfig"), GIT_CONFIG).expect("the sandbox is writable");
        for tool in TOOLS {
            sandbox.link_tool(tool);
        }
        sandbox
    }

    /// The folder of the sandbox, as a real path.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the sandbox exists")
    }

    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root().join(relative)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn state_folder(&self) -> PathBuf {
        self.path("state")
    }

    /// The only folder of the sandbox's `PATH`.
    pub fn bin(&self) -> PathBuf {
        self.path("bin")
    }

    /// All variables a program in the sandbox is given.
    pub fn environment(&self) -> &BTreeMap<OsString, OsString> {
        &self.environment
    }

    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.environment.insert(name.into(), value.into());
    }

    /// Writes a file, with its folders, and returns its path.
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        let folder = path.parent().expect("a file in the sandbox has a folder");
        fs::create_dir_all(folder).expect("the sandbox is writable");
        fs::write(&path, content).expect("the sandbox is writable");
        path
    }

    /// A new, empty folder.
    pub fn folder(&self, relative: impl AsRef<Path>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(&path).expect("the sandbox is writable");
        path
    }

    /// Puts a real tool on the sandbox's `PATH` and says whether this machine
    /// has it.
    pub fn link_tool(&mut self, name: &str) -> bool {
        let Some(tool) = find_tool(name) else {
            return false;
        };
        let link = self.bin().join(name);
        if link.symlink_metadata().is_err() {
            symlink(tool, link).expect("the sandbox is writable");
        }
        true
    }

    /// Puts a stand-in on the sandbox's `PATH`: a shell script that notes each
    /// call and then runs `body`. It takes the place of a real tool of that
    /// name.
    pub fn fake(&self, name: &str, body: &str) -> Fake {
        Fake::write(&self.bin(), &self.path("calls"), name, body)
    }

    /// A new repository on branch `main` with no commits.
    pub fn repo(&self, name: &str) -> Repo<'_> {
        Repo::init(self, self.path(name), &[])
    }

    /// A new bare repository, to be pushed to.
    pub fn bare_repo(&self, name: &str) -> Repo<'_> {
        Repo::init(self, self.path(name), &["--bare"])
    }

    /// Runs a program of the sandbox's `PATH` to its end. For preparing a test,
    /// not for what the test is about.
    pub fn run<A: AsRef<OsStr>>(&self, cwd: &Path, program: &str, args: &[A]) -> Output {
        self.command(cwd, program)
            .args(args)
            .output()
            .expect("a tool of the sandbox can be started")
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests must not prepare their ground with the code under test"
    )]
    pub(crate) fn command(&self, cwd: &Path, program: &str) -> Command {
        let mut command = Command::new(self.bin().join(program));
        command.current_dir(cwd).env_clear().envs(&self.environment);
        command
    }
}

/// A real tool of this machine.
pub(crate) fn find_tool(name: &str) -> Option<PathBuf> {
    TOOL_FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

fn safe_environment(root: &Path) -> BTreeMap<OsString, OsString> {
    let folders = [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
        ("TMPDIR", "tmp"),
        ("PATH", "bin"),
        ("GIT_CONFIG_GLOBAL", "gitconfig"),
    ]
    .map(|(name, folder)| (name.into(), root.join(folder).into_os_string()));
    let values = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("LANG", "C.UTF-8"),
        ("NO_COLOR", "1"),
        ("TZ", "UTC"),
    ]
    .map(|(name, value)| (name.into(), value.into()));
    folders.into_iter().chain(values).collect()
}
