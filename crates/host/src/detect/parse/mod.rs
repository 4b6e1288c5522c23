//! Readers of the files that projects describe themselves with. Each takes
//! text and returns what it understood; text that makes no sense yields
//! nothing. None of them fails, panics or touches the disk, which is also why
//! they are public: the fuzz targets feed them directly.
//!
//! They read the common subset of formats that are really programs (Gradle
//! scripts, Gemfiles, makefiles): enough to find names, never evaluating.

mod document;
mod gemfile;
mod go_files;
mod gradle;
mod ini;
mod justfile;
mod makefile;
mod noxfile;
mod pom;
mod requirements;

pub use document::{Malformed, json, toml, yaml};
pub use gemfile::gems;
pub use go_files::{go_mod_module, go_mod_requires, go_work_uses};
pub use gradle::{gradle_includes, gradle_names_plugin};
pub use ini::{Ini, ini};
pub use justfile::callable_recipes;
pub use makefile::makefile_targets;
pub use noxfile::nox_sessions;
pub use pom::{Pom, pom};
pub use requirements::{requirement_name, requirements};

/// No list that is read from a file grows beyond this. It is far above any
/// real project and keeps a hostile file from costing more than its size.
pub const MAX_ENTRIES: usize = 10_000;
