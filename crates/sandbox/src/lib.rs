//! Restricts a program to what its role needs.
//!
//! A [`Policy`] defines what a program may reach. The launcher (see [`launch`])
//! is a process of our own that gives up everything else and then executes the
//! program, so that nothing has to be done in a process that was forked from
//! one with threads. On Linux it uses namespaces and Landlock, on macOS
//! `sandbox-exec`; [`Support`] is what this system offers. The [`proxy`] is the
//! only way out for programs that may reach some hosts only.
//!
//! Must not know git, the workflow or GitHub.

mod container;
mod disk;
#[cfg(target_os = "linux")]
pub mod launch;
mod launcher;
pub mod macos;
mod policy;
pub mod proxy;
mod report;
mod support;
mod watch;

pub use container::{Contained, Engine, container_command};
pub use disk::DiskGuard;
pub use launcher::{LAUNCHER, choose_launcher};
pub use policy::{Access, Isolation, Level, Limits, Mount, Network, Policy, Source};
pub use report::Report;
pub use support::{Missing, Support};
pub use watch::{HomeWatch, StandIn, Trace, make_process_stand_in};

/// The hidden verb under which a program that contains the launcher runs it.
pub const LAUNCH_VERB: &str = "__sandbox";

/// The exit code of a launcher that did not start the program. The report has the
/// reason, unless the arguments were those of another version.
pub const NOT_STARTED: u8 = 125;

/// What this crate was built from. Programs that contain it can work together if
/// theirs is the same.
pub const FINGERPRINT: &str = env!("SANDBOX_FINGERPRINT");
