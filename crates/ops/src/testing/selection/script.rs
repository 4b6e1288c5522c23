//! `npm test` and its like, where the script of `package.json` is plainly one
//! runner.

use std::path::Path;

use super::runner::Runner;
use crate::command_line::{package_script, plain_words};

pub(super) struct Script {
    pub(super) runner: Runner,
    /// Of the script, and what the command adds to it.
    pub(super) words: Vec<String>,
    manager: Manager,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    Npm,
    Yarn,
    Pnpm,
}

impl Script {
    pub(super) fn parse(words: &[String], folder: &Path) -> Option<Self> {
        let manager = match words.first()?.as_str() {
            "npm" => Manager::Npm,
            "yarn" => Manager::Yarn,
            "pnpm" => Manager::Pnpm,
            _ => return None,
        };
        let (name, rest) = match &words[1..] {
            [run, name, rest @ ..] if run == "run" => (name.as_str(), rest),
            [name, rest @ ..] if name == "test" => (name.as_str(), rest),
            _ => return None,
        };
        if manager != Manager::Npm && rest.iter().any(|word| word == "--") {
            return None;
        }
        let mut words = plain_words(&package_script(folder, name)?)?;
        let runner = Runner::parse_javascript(&words)?;
        words.extend_from_slice(rest);
        Some(Self {
            runner,
            words,
            manager,
        })
    }

    /// The command with more arguments for the script.
    pub(super) fn with(&self, mut words: Vec<String>, options: Vec<String>) -> Vec<String> {
        match self.manager {
            Manager::Npm if !words.iter().any(|word| word == "--") => words.push("--".to_owned()),
            // `pnpm test` takes some options for its own.
            Manager::Pnpm if words[1] == "test" => words.insert(1, "run".to_owned()),
            Manager::Npm | Manager::Yarn | Manager::Pnpm => {}
        }
        words.extend(options);
        words
    }
}
