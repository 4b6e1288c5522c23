//! Decides how git is called, so that no repository can make it run a program
//! of the repository's.
//!
//! git runs what a repository's configuration and hooks name: file monitors,
//! filters, ssh commands, credential helpers and much more. A hardened call
//! names the repository, instead of letting git find one, and sees a [`Shadow`]
//! of its shared folder. The user's own configuration is trusted and acts as
//! always.

use std::io;
use std::path::Path;

use crate::cmd::{Cmd, Environment};

use super::call::{Call, Reach, Subject};
use super::discover::{Location, read_plain};
use super::local_config::{Policy, Setting};
use super::shadow::Shadow;
use super::{Git, GitError, Version};

/// Hand-written configurations have some kilobytes.
const MAX_CONFIG: u64 = 1024 * 1024;

/// A folder that no repository is in.
const NOWHERE: &str = "/dev/null";

/// The first version that can be kept from fetching missing objects.
const NO_LAZY_FETCH: Version = Version {
    major: 2,
    minor: 45,
    patch: 0,
};

/// Whose word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The user's. The repository is the one around the folder.
    User,
    /// The user's. The folder itself is the repository, a bare one.
    UserInBare,
    /// The user's. The repository is another folder than the one in the working
    /// tree.
    UserInSeparate,
    /// The repository's, too: its configuration and hooks act.
    Repository,
}

/// Beyond what the [`Shadow`] takes away: for folders that git enters by
/// itself, such as submodules, and so that a reading call starts nothing.
const HARDENED: [(&str, &str); 13] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("diff.ignoreSubmodules", "dirty"),
    ("fetch.recurseSubmodules", "no"),
    // What is fetched appears all at once. Loose objects would come one by one, a commit before its
    // files, while others use the repository.
    ("fetch.unpackLimit", "1"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("push.recurseSubmodules", "no"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
    // A relative path does not work from the stand-in.
    ("worktree.useRelativePaths", "false"),
];

/// Settings for one call. They go through the environment, after those that
/// the user's own environment makes.
#[derive(Debug, Default)]
pub(super) struct Settings(Vec<(String, String)>);

impl Settings {
    pub(super) fn add(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.0.push((key.into(), value.into()));
    }

    pub(super) fn given_to(self, mut cmd: Cmd, environment: &Environment) -> Cmd {
        const COUNT: &str = "GIT_CONFIG_COUNT";
        if self.0.is_empty() {
            return cmd;
        }
        let first = environment
            .get(COUNT)
            .and_then(|count| count.to_str()?.parse::<usize>().ok())
            .unwrap_or(0);
        let count = first + self.0.len();
        for (index, (key, value)) in (first..).zip(self.0) {
            cmd = cmd
                .env(format!("GIT_CONFIG_KEY_{index}"), key)
                .env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        cmd.env(COUNT, count.to_string())
    }
}

impl Git {
    /// Keeps a call to what it is about.
    pub(super) async fn confine(
        &self,
        mut cmd: Cmd,
        call: &Call,
        settings: &mut Settings,
    ) -> Result<Cmd, GitError> {
        if self.trust == Trust::Repository {
            return Ok(cmd);
        }
        for (key, value) in HARDENED {
            settings.add(key, value);
        }
        if call.reach == Reach::Read {
            cmd = cmd.env("GIT_NO_LAZY_FETCH", "1");
        }
        let shadow = match call.subject {
            Subject::New => return Ok(cmd),
            Subject::Nothing => None,
            Subject::Repository => Box::pin(self.shadow()).await?,
        };
        let Some(shadow) = shadow else {
            return Ok(cmd.env("GIT_DIR", NOWHERE));
        };
        if call.reach != Reach::Read {
            shadow.prepare_for_writing().map_err(shadow_error)?;
        }
        let location = &shadow.location;
        cmd = cmd
            .env("GIT_DIR", &location.git_dir)
            .env("GIT_COMMON_DIR", shadow.folder());
        Ok(match &location.top_level {
            Some(top_level) if !is_inside(&self.cwd, &location.git_dir) => {
                cmd.env("GIT_WORK_TREE", top_level)
            }
            // Otherwise git takes the current folder for a working tree.
            _ => cmd.env("GIT_IMPLICIT_WORK_TREE", "0"),
        })
    }

    /// Absent outside of a repository, and where the repository is trusted.
    pub(super) async fn shadow(&self) -> Result<Option<&Shadow>, GitError> {
        if self.shadow.get().is_none() {
            let location = match self.trust {
                Trust::User => Location::around(&self.cwd, &self.environment)?,
                Trust::UserInBare => Location::bare(&self.cwd)?,
                Trust::UserInSeparate => match &self.separate {
                    Some(git_dir) => Location::separate(git_dir, &self.cwd)?,
                    None => None,
                },
                Trust::Repository => None,
            };
            // Not remembered: a repository may be made here.
            let Some(location) = location else {
                return Ok(None);
            };
            let make = async || {
                let (config, sparse) = self.allowed_config(&location).await?;
                let temporary = self.environment.temporary_folder();
                Shadow::make(location, &temporary, &config, sparse).map_err(shadow_error)
            };
            self.shadow.get_or_try_init(make).await?;
        }
        Ok(self.shadow.get())
    }

    /// What is allowed of the configuration, and which settings of it say how
    /// sparse this worktree alone is.
    async fn allowed_config(&self, location: &Location) -> Result<(String, String), GitError> {
        let mut settings = self
            .settings_in(&location.common_dir.join("config"))
            .await?;
        let has_own =
            |setting: &Setting| setting.key == "extensions.worktreeconfig" && setting.is_true();
        let own = if settings.iter().any(has_own) {
            let own = location.git_dir.join("config.worktree");
            self.settings_in(&own).await?
        } else {
            Vec::new()
        };
        let policy = Policy {
            can_forbid_lazy_fetch: self.version >= NO_LAZY_FETCH,
            home: self.environment.get("HOME").map(Path::new),
        };
        let mut sparse = own.clone();
        sparse.retain(Setting::is_about_sparseness);
        settings.extend(own);
        Ok((policy.sanitized(&settings), policy.sanitized(&sparse)))
    }

    /// Read by git, so that both understand the file alike, but only as text.
    async fn settings_in(&self, file: &Path) -> Result<Vec<Setting>, GitError> {
        let Some(bytes) = read_plain(file, MAX_CONFIG)? else {
            return Ok(Vec::new());
        };
        let call = Call::read("look at the repository")
            .about(Subject::Nothing)
            .args(["config", "--file", "-", "--no-includes", "--list", "-z"])
            .stdin(bytes);
        let reply = self.call(call).await?.success()?;
        Ok(Setting::parse_list(&reply.stdout))
    }
}

fn is_inside(folder: &Path, git_dir: &Path) -> bool {
    folder
        .canonicalize()
        .is_ok_and(|folder| folder.starts_with(git_dir))
}

pub(super) fn shadow_error(source: io::Error) -> GitError {
    GitError::File {
        doing: "prepare a folder for git".to_owned(),
        source,
    }
}
