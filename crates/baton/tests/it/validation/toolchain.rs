//! What a toolchain's module says about it.

use baton_testkit::Sandbox;

/// Formatter, linter and, where there is one, compiler of a language, and a
/// project for them. One file of it is the change.
pub(super) struct Toolchain {
    pub(super) language: &'static str,
    /// Puts what it needs into the sandbox, or says what this machine lacks.
    pub(super) equip: fn(&mut Sandbox) -> Result<(), String>,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The file that changes.
    pub(super) file: &'static str,
    /// Nothing is wrong with it.
    pub(super) clean: &'static str,
    /// What the tools make `clean` of.
    pub(super) untidy: &'static str,
    /// Well formatted, and wrong in a way that no tool mends.
    pub(super) wrong: &'static str,
    /// What the linter says about it: an issue, and the place and rule of its
    /// diagnostic.
    pub(super) complaint: Complaint,
    /// What no parser takes, and the line at which it stops.
    pub(super) broken: &'static str,
    pub(super) stops_at: u64,
    /// The commands that are reported.
    pub(super) formatter: &'static str,
    pub(super) linter: &'static str,
    pub(super) build: &'static str,
    /// Takes the tools away, and what the formatter's issue advises then.
    pub(super) remove: fn(&mut Sandbox),
    pub(super) advice: &'static str,
}

pub(super) struct Complaint {
    /// Part of the issue.
    pub(super) told: &'static str,
    pub(super) line: u64,
    /// Absent where the tool names none.
    pub(super) rule: Option<&'static str>,
}
