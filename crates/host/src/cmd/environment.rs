//! The environment variables of children.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Sandbox;
use super::lookup::find_program;

/// The environment variables that children are given.
///
/// The binary fills it once (`std::env::vars_os().collect()`) and hands it
/// down; libraries never look at the process's own variables. Cloning is cheap
/// because every child gets a copy.
#[derive(Clone, Default)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
    sandbox: Option<Arc<Sandbox>>,
}

impl Environment {
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        Arc::make_mut(&mut self.variables).insert(name.into(), value.into());
    }

    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        if self.variables.contains_key(name.as_ref()) {
            Arc::make_mut(&mut self.variables).remove(name.as_ref());
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The same, with every child restricted.
    #[must_use]
    pub fn in_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(Arc::new(sandbox));
        self
    }

    /// The same for baton's own calls of programs that are trusted, such as git.
    #[must_use]
    pub fn without_sandbox(&self) -> Self {
        Self {
            variables: Arc::clone(&self.variables),
            sandbox: None,
        }
    }

    /// The same, with a further folder that children may change. Temporary
    /// folders of baton are not theirs, where they are restricted.
    #[must_use]
    pub fn showing(&self, folder: &Path) -> Self {
        match &self.sandbox {
            Some(sandbox) => self.clone().in_sandbox(sandbox.showing(folder)),
            None => self.clone(),
        }
    }

    /// The same, where children see one folder in place of another one, with what
    /// is mounted in the other. `None` where that cannot be shown to them.
    pub fn replacing(&self, other: &Path, by: &Path) -> Option<Self> {
        let sandbox = self.sandbox.as_ref()?.replacing(other, by)?;
        Some(self.clone().in_sandbox(sandbox))
    }

    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_deref()
    }

    /// The file that a program's bare name resolves to, if it can be started.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_program(OsStr::new(name), Path::new("/"), self).ok()
    }

    /// Where temporary files belong: `TMPDIR` where it is an absolute path,
    /// otherwise `/tmp`.
    pub fn temporary_folder(&self) -> PathBuf {
        self.get("TMPDIR")
            .map(Path::new)
            .filter(|path| path.is_absolute())
            .unwrap_or(Path::new("/tmp"))
            .to_path_buf()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self {
            variables: Arc::new(variables),
            sandbox: None,
        }
    }
}

/// Names only: tokens live in environments, and a debug line ends in a log.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
