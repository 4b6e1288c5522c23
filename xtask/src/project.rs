//! The checkout that `cargo xtask` works on, as cargo sees it.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};

use crate::failure::Failure;
use crate::program::Program;

pub(crate) struct Project {
    pub(crate) root: PathBuf,
    /// Cargo's target folder; everything that a run writes goes below it or to the peers.
    pub(crate) target: PathBuf,
    pub(crate) metadata: Metadata,
    /// The triple that this machine builds for.
    pub(crate) host: String,
}

impl Project {
    /// Reads the workspace around the working directory.
    pub(crate) fn load() -> Result<Self, Failure> {
        let host = host_triple()?;
        let metadata = MetadataCommand::new()
            .other_options([
                "--all-features".to_owned(),
                format!("--filter-platform={host}"),
            ])
            .exec()
            .map_err(Failure::could_not("read `cargo metadata`"))?;
        Ok(Self {
            root: metadata.workspace_root.clone().into_std_path_buf(),
            target: metadata.target_directory.clone().into_std_path_buf(),
            metadata,
            host,
        })
    }

    /// Every file that is, or may become, part of a commit: paths relative to the root, in order.
    pub(crate) fn files(&self) -> Result<Vec<String>, Failure> {
        let listed = Program::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&self.root)
            .run_quietly()?;
        let mut files: Vec<String> = String::from_utf8_lossy(&listed.stdout)
            .split_terminator('\0')
            .filter(|path| self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<String, Failure> {
        let path = path.as_ref();
        std::fs::read_to_string(self.root.join(path))
            .map_err(Failure::could_not(format_args!("read {}", path.display())))
    }
}

fn host_triple() -> Result<String, Failure> {
    let output = Program::new("rustc").args(["-vV"]).run_quietly()?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("`rustc -vV` names no host"))
}
