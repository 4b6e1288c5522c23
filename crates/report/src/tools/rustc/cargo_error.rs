//! Reads errors of cargo itself: dependencies that cannot be resolved, manifests
//! that cannot be read, build scripts and linkers that fail.

use crate::excerpt::Excerpt;
use crate::session::Failure;
use crate::text::Line;

pub(super) struct CargoError {
    pub(super) lines: (u64, u64),
    name: String,
    file: Option<String>,
    text: Excerpt,
    after_blank: bool,
}

/// Prefixes of messages about a dependency; the first quoted word is its name.
const DEPENDENCY: [&str; 7] = [
    "no matching package named `",
    "no matching package for override `",
    "failed to select a version for ",
    "failed to get `",
    "failed to load source for dependency `",
    "failed to download `",
    "package `",
];

/// Prefixes of other messages that stop the build.
const OTHER: [&str; 21] = [
    "no matching package found",
    "failed to parse manifest at `",
    "failed to load manifest for ",
    "failed to read `",
    "failed to parse lock file at",
    "failed to resolve patches for",
    "failed to run custom build command for `",
    "failed to run `rustc` to learn about",
    "failed to download from `",
    "could not find `Cargo.toml`",
    "linking with `",
    "linker `",
    "package ID specification `",
    "the lock file ",
    "cannot update the lock file ",
    "cyclic package dependency",
    "internal compiler error",
    "the compiler unexpectedly panicked",
    "no such command: `",
    "toolchain '",
    "rustc ",
];

impl CargoError {
    pub(super) fn begin(line: Line<'_>) -> Option<Self> {
        let message = line.text.strip_prefix("error: ")?;
        let is_dependency = DEPENDENCY.iter().any(|start| message.starts_with(start));
        if !is_dependency && !OTHER.iter().any(|start| message.starts_with(start)) {
            return None;
        }
        let quoted = message.split('`').nth(1);
        let name = match quoted {
            Some(quoted) if is_dependency => quoted.split([' ', '@']).next().unwrap_or(quoted),
            _ => message.split(": ").next().unwrap_or(message),
        };
        let file =
            quoted.filter(|path| path.ends_with("Cargo.toml") || path.ends_with("Cargo.lock"));
        let mut text = Excerpt::default();
        text.push(line.text);
        Some(Self {
            lines: (line.number, line.number),
            name: name.to_owned(),
            file: file.map(str::to_owned),
            text,
            after_blank: false,
        })
    }

    /// Whether the line belongs to it: all lines until an empty one, and the
    /// causes after that.
    pub(super) fn line(&mut self, line: Line<'_>) -> bool {
        /// A build script may print a lot, but the beginning is enough.
        const MAX_LINES: u64 = 500;
        let text = line.text;
        if line.number - self.lines.0 > MAX_LINES {
            return false;
        }
        if text.is_empty() {
            self.after_blank = true;
            return true;
        }
        if self.after_blank && text != "Caused by:" && !text.starts_with(' ') {
            return false;
        }
        self.after_blank = false;
        self.lines.1 = line.number;
        self.text.push(text);
        true
    }

    pub(super) fn into_failure(self) -> Failure {
        let failure = Failure::named(self.name).because(self.text.text());
        match self.file {
            Some(file) => failure.at(file, None),
            None => failure,
        }
    }
}
