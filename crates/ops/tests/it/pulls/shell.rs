//! Runs printed commands as a person would: in a shell, with the real `gh` and
//! git, against the forge.

use std::path::{Path, PathBuf};
use std::process::Output;

use baton_testkit::Gh;
use baton_testkit::world::World;

/// A shell in a fresh clone of `octo/demo`.
pub(crate) struct Shell<'w> {
    gh: Gh<'w>,
    folder: PathBuf,
}

impl<'w> Shell<'w> {
    /// `None`, after a loud line, where `gh` is not installed.
    pub(crate) fn new(world: &'w World, login: &str) -> Option<Self> {
        let gh = Gh::new(&world.sandbox, world.address().port(), world.token(login))?;
        let folder = world.sandbox.path(format!("clone-{login}"));
        let shell = Self {
            gh,
            folder: world.sandbox.home(),
        };
        let target = folder.to_str().expect("sandbox paths are plain text");
        shell.done(&format!(
            "git clone --quiet http://github.localhost/octo/demo.git {target}"
        ));
        Some(Self { folder, ..shell })
    }

    /// The same where commands may address the forge by its own name, and call
    /// `baton`, which only notes that it was called.
    pub(crate) fn with_baton(world: &'w World, login: &str) -> Option<Self> {
        let header = format!("http.{}.extraHeader", world.web_url());
        let value = format!("Authorization: token {}", world.token(login));
        world.sandbox.run(
            &world.sandbox.home(),
            "git",
            &["config", "--global", &header, &value],
        );
        world.sandbox.fake("baton", "exit 0");
        Self::new(world, login)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn run(&self, command: &str) -> Output {
        self.gh.shell_in(&self.folder, command)
    }

    /// The command has to succeed.
    #[track_caller]
    pub(crate) fn done(&self, command: &str) -> String {
        let output = self.run(command);
        assert!(
            output.status.success(),
            "{command}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
