//! Maven: the tests that Surefire and Failsafe run, and builds that fail
//! before or without tests.

mod build;
mod surefire;

pub(crate) use build::Build;
pub(crate) use surefire::Surefire;

/// Takes off `[ERROR] ` and its like, which older plugins do not print.
fn untagged(text: &str) -> &str {
    for tag in ["[ERROR]", "[INFO]", "[WARNING]"] {
        if let Some(rest) = text.strip_prefix(tag) {
            return rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    text
}

fn is_tagged(text: &str) -> bool {
    ["[ERROR]", "[INFO]", "[WARNING]", "[DEBUG]"]
        .iter()
        .any(|tag| text.starts_with(tag))
}
