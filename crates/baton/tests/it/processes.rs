//! Processes that tests started and that baton has to end.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Waits for a process to say who it is.
pub(crate) fn wait_for_pid(file: &Path) -> String {
    let started = Instant::now();
    loop {
        if let Some(pid) = pid_in(file) {
            return pid;
        }
        assert!(
            started.elapsed() < Duration::from_mins(2),
            "the process never started"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// What a process wrote about itself, if it got that far.
pub(crate) fn pid_in(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.strip_suffix('\n').map(str::to_owned)
}

/// Ctrl-C, as a terminal would send it.
pub(crate) fn interrupt(pid: u32) {
    let sent = Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// A zombie is gone: its new parent has only not looked yet.
pub(crate) fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    state.is_empty() || state.starts_with('Z')
}

/// Waits for a process with this text in its command line.
pub(crate) fn wait_until_running(text: &str) {
    let started = Instant::now();
    while !is_running(text) {
        assert!(
            started.elapsed() < Duration::from_mins(2),
            "the process never started"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether the command line of a process of this machine holds a text.
pub(crate) fn is_running(text: &str) -> bool {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .any(|line| {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.starts_with("sleep") && line.contains(text)
        })
}
