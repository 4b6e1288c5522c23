//! Layered configuration: default < user's file < repository's file <
//! environment < flag. Every value remembers where it came from.

mod file;
mod keys;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use self::keys::{KEYS, Key, Kind, listed};

use self::keys::Trust;

use self::file::Owner;
use baton_host::cmd::Environment;
use baton_ops::pulls::OptionalChecks;

use crate::environment;
use crate::error::CommandError;
use crate::terminal::sanitize;

const DEFAULTS: &str = include_str!("defaults.toml");
/// The repository's own file, below its root.
pub(crate) const REPOSITORY_FILE: &str = ".baton/config.toml";

pub(crate) struct Config {
    values: BTreeMap<&'static str, Value>,
    /// The files that were looked for, in the order of the layers.
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(&'static str),
    Flag,
    /// A run that began with it.
    Run,
}

impl Source {
    /// Set by the repository, and not by the user who runs baton.
    pub(crate) fn is_repository(&self) -> bool {
        matches!(self, Self::File { path, .. } if path.ends_with(REPOSITORY_FILE))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => {
                write!(f, "{}:{line}", sanitize(&path.to_string_lossy()))
            }
            Self::Variable(name) => write!(f, "environment: {name}"),
            Self::Flag => f.write_str("flag: --config"),
            Self::Run => f.write_str("as the run began"),
        }
    }
}

impl Config {
    pub(crate) fn load(
        here: &Path,
        environment: &Environment,
        flags: &[String],
    ) -> Result<Self, CommandError> {
        let mut config = Self {
            values: defaults(),
            files: Vec::new(),
        };
        if let Some(path) = user_file(environment) {
            config.add_file(path, Owner::User)?;
        }
        if let Some(path) = repository_file(here) {
            config.add_file(path, Owner::Repository)?;
        }
        config.add_variables(environment)?;
        for flag in flags {
            config.add_flag(flag)?;
        }
        Ok(config)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// A value that is `true` or `false`.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key).map(|value| value.text == "true")
    }

    /// A value that is a whole number.
    pub(crate) fn count(&self, key: &str) -> Option<u32> {
        self.get(key)?.text.parse().ok()
    }

    /// A value that is a number.
    pub(crate) fn amount(&self, key: &str) -> Option<f64> {
        keys::amount(&self.get(key)?.text)
    }

    /// A value that is several texts.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let value = self.get(key);
        value
            .and_then(|value| keys::list(&value.text))
            .unwrap_or_default()
    }

    /// Whether checks that no rule requires stand in the way of a merge.
    pub(crate) fn optional_checks(&self) -> OptionalChecks {
        match self.get("readiness.optional_checks") {
            Some(value) if value.text == "ignore" => OptionalChecks::Ignore,
            _ => OptionalChecks::Block,
        }
    }

    /// Where baton remembers things between calls.
    pub(crate) fn state_dir(&self, environment: &Environment) -> Option<PathBuf> {
        if let Some(value) = self.get("state.dir") {
            return Some(PathBuf::from(&value.text));
        }
        let base = match environment::get(environment, environment::XDG_STATE_HOME) {
            Some(folder) => PathBuf::from(folder),
            None => {
                Path::new(environment::get(environment, environment::HOME)?).join(".local/state")
            }
        };
        Some(base.join("baton"))
    }

    /// Makes a value what it was when a run began, whatever the layers say now.
    pub(crate) fn keep(&mut self, key: &'static str, text: Option<&str>) {
        match text {
            Some(text) => self.set(key, text.to_owned(), Source::Run),
            None => drop(self.values.remove(key)),
        }
    }

    fn add_file(&mut self, path: PathBuf, owner: Owner) -> Result<(), CommandError> {
        for entry in file::read(&path, owner)? {
            let source = Source::File {
                path: path.clone(),
                line: entry.line,
            };
            if owner == Owner::User || !self.is_looser(entry.key, &entry.value) {
                self.set(entry.key, entry.value, source);
            }
        }
        self.files.push(path);
        Ok(())
    }

    /// Whether a repository's value for a key that it may only tighten would do
    /// the opposite. Then the user's stays.
    fn is_looser(&self, key: &str, text: &str) -> bool {
        let Some(known) = keys::find(key).filter(|key| key.trust == Trust::Tighten) else {
            return false;
        };
        let Kind::Word(words) = known.kind else {
            return false;
        };
        let rank = |text: &str| words.iter().position(|word| *word == text);
        // All roles have the level of the whole sandbox by default.
        let whole = || self.get("sandbox.level").filter(|_| words == keys::LEVELS);
        let now = self.get(key).or_else(whole);
        rank(text) < now.and_then(|now| rank(&now.text))
    }

    fn add_variables(&mut self, environment: &Environment) -> Result<(), CommandError> {
        for key in KEYS.iter() {
            let Some(name) = key.variable else { continue };
            let Some(text) = environment::text(environment, name) else {
                continue;
            };
            if let Some(complaint) = keys::complaint(key, text) {
                return Err(CommandError::wrong_use(format!(
                    "the environment variable {name} {complaint}, found '{}'",
                    sanitize(text)
                ))
                .hint(format!("Set or unset {name}.")));
            }
            self.set(key.path, text.to_owned(), Source::Variable(name));
        }
        Ok(())
    }

    fn add_flag(&mut self, flag: &str) -> Result<(), CommandError> {
        let Some((path, text)) = flag.split_once('=') else {
            return Err(CommandError::wrong_use(format!(
                "--config takes KEY=VALUE, found '{}'",
                sanitize(flag)
            ))
            .hint("As in `--config agent.name=codex`."));
        };
        let Some(key) = keys::find(path) else {
            let error =
                CommandError::wrong_use(format!("--config: unknown key `{}`", sanitize(path)));
            return Err(match keys::nearest(path) {
                Some(near) => error.hint(format!("Did you mean `{near}`?")),
                None => error.hint("`baton config show` lists all keys."),
            });
        };
        if let Some(complaint) = keys::complaint(key, text) {
            return Err(CommandError::wrong_use(format!(
                "--config: `{path}` {complaint}"
            )));
        }
        self.set(key.path, text.to_owned(), Source::Flag);
        Ok(())
    }

    fn set(&mut self, key: &'static str, text: String, source: Source) {
        self.values.insert(key, Value { text, source });
    }
}

fn defaults() -> BTreeMap<&'static str, Value> {
    let table: toml::Table = DEFAULTS.parse().expect("our own file is TOML");
    let mut values = BTreeMap::new();
    for key in KEYS.iter() {
        let (section, name) = key.path.split_once('.').expect("our keys are in sections");
        let text = table.get(section).and_then(|s| s.get(name)?.as_str());
        if let Some(text) = text {
            let value = Value {
                text: text.to_owned(),
                source: Source::Default,
            };
            values.insert(key.path, value);
        }
    }
    values
}

/// The user's own file, whether it is there or not.
pub(crate) fn user_file(environment: &Environment) -> Option<PathBuf> {
    let base = match environment::get(environment, environment::XDG_CONFIG_HOME) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(environment::get(environment, environment::HOME)?).join(".config"),
    };
    Some(base.join("baton/config.toml"))
}

/// The file of the repository around `here`, whether it is there or not.
fn repository_file(here: &Path) -> Option<PathBuf> {
    here.ancestors()
        .find(|folder| folder.join(".git").exists() || folder.join(REPOSITORY_FILE).exists())
        .map(|root| root.join(REPOSITORY_FILE))
}

#[cfg(test)]
mod tests {
    use super::{DEFAULTS, KEYS, defaults};

    #[test]
    fn every_default_belongs_to_a_key() {
        let table: toml::Table = DEFAULTS.parse().unwrap();
        let written: usize = table.values().map(|s| s.as_table().unwrap().len()).sum();
        assert_eq!(defaults().len(), written);
        assert!(KEYS.iter().all(|key| !key.about.is_empty()));
    }
}
