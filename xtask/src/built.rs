//! Programs of this workspace, freshly built.

use std::path::{Path, PathBuf};

use cargo_metadata::Message;

use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

pub(crate) struct Built(Vec<(String, PathBuf)>);

impl Built {
    /// Runs `cargo build` with `selection`; cargo's own messages go through.
    pub(crate) fn with(project: &Project, selection: &[&str]) -> Result<Self, Failure> {
        let built = Program::cargo(["build", "--message-format=json-render-diagnostics"])
            .args(selection)
            .current_dir(&project.root)
            .stdout()?;
        let programs = Message::parse_stream(built.as_slice())
            .filter_map(Result::ok)
            .filter_map(|message| match message {
                Message::CompilerArtifact(artifact) if !artifact.profile.test => {
                    Some((artifact.target.name, artifact.executable?.into()))
                }
                _ => None,
            });
        Ok(Self(programs.collect()))
    }

    pub(crate) fn program(&self, name: &str) -> Result<&Path, Failure> {
        let (_, path) = self
            .0
            .iter()
            .find(|(built, _)| built == name)
            .ok_or_else(|| Failure::new(format!("cargo built no program called {name}")))?;
        Ok(path)
    }
}
