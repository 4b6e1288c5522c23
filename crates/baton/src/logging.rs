//! The log, on standard error or in a file.

use tracing::Level;

/// Logs go to stderr, and only when asked for: `-v` shows what baton runs,
/// `-vv` everything.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => Level::DEBUG,
        _ => Level::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .init();
}
