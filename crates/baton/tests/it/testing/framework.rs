//! What a framework's module says about it.

use baton_testkit::Sandbox;

/// A test framework and a project for it.
///
/// The project has four tests: `adds` and `empty` in one file, `rounds` and
/// `converts` in another. Each notes its name in a log when it runs. In `files`
/// these words stand for something else:
///
/// - `@ROUNDS@`, `@CONVERTS@`: what the case at hand puts into these tests
/// - `@LOG@`: the file for the names
/// - `@MARKER@`: a file that is not there at first
pub(super) struct Framework {
    pub(super) language: &'static str,
    /// What the caller asks for; `None` leaves it to baton.
    pub(super) asked: Option<&'static str>,
    /// The test command that is reported.
    pub(super) command: &'static str,
    pub(super) build: Option<&'static str>,
    /// Puts what it needs into the sandbox, or says what this machine lacks.
    pub(super) equip: fn(&mut Sandbox) -> Result<(), String>,
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) bodies: Bodies,
    /// How `rounds` and `converts` are reported when they fail.
    pub(super) failures: [Failure; 2],
    pub(super) retries: Retries,
    pub(super) broken: Broken,
    pub(super) missing: Missing,
    pub(super) crash: Crash,
    /// A limit in which the runner gets as far as the tests on most machines.
    pub(super) seconds_to_start: u64,
}

/// Statements of the language.
pub(super) struct Bodies {
    /// A failed assertion, in `rounds`.
    pub(super) wrong: &'static str,
    /// An error that is no assertion, in `converts`.
    pub(super) error: &'static str,
    /// Fails unless `@MARKER@` is there, and makes it.
    pub(super) flaky: &'static str,
    /// Starts `sh linger.sh`, which does not end, and does not end either.
    pub(super) hangs: &'static str,
    /// Ends the process without a word.
    pub(super) crash: &'static str,
}

pub(super) struct Failure {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Part of the error.
    pub(super) error: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retries {
    /// The runner can select tests by name.
    OnlyWhatFailed,
    Everything,
}

/// A file that no compiler or interpreter takes.
pub(super) struct Broken {
    pub(super) file: &'static str,
    pub(super) content: &'static str,
    /// The type of the error.
    pub(super) error: &'static str,
    /// Part of what is told about it.
    pub(super) told: &'static str,
}

/// What becomes of the phase when a program is not there.
pub(super) struct Missing {
    /// Changes the sandbox.
    pub(super) arrange: fn(&mut Sandbox),
    pub(super) then: Then,
}

pub(super) enum Then {
    /// The command that runs in its stead.
    FallsBackTo(&'static str),
    /// The command that is said to be missing.
    Reports(&'static str),
}

/// What is known about a test that took the runner with it.
pub(super) struct Crash {
    /// Part of what is told about it.
    pub(super) told: &'static str,
}
