//! What it costs to start a child, and what a flood of output does.

use std::path::Path;

use super::table::{Table, shown, times};
use super::{json_line, number};
use crate::failure::Failure;
use crate::program::Program;

/// More output than anyone wants to keep in memory.
const FLOOD: &str = "1000000000";

/// What it costs to run a child through `Cmd`, and what a flood of output does.
pub(super) fn measure(cmd_overhead: &Path) -> Result<Table, Failure> {
    let spawns = json_line(Program::new(cmd_overhead))?;
    let flood = json_line(Program::new(cmd_overhead).args(["--bytes", FLOOD]))?;
    let bare = number(&spawns, "bare_mean_us")?;
    let through_cmd = number(&spawns, "cmd_mean_us")?;
    let mut table = Table::new("Child processes", &["what", "µs", "relative"]);
    table.row([
        "spawn `true`, standard library".to_owned(),
        shown(bare),
        times(1.0),
    ]);
    table.row([
        "spawn `true`, `Cmd`".to_owned(),
        shown(through_cmd),
        times(through_cmd / bare),
    ]);
    table.note(format!(
        "A child that writes 1 GB: read at {} MB/s with {} MB in memory at most.",
        shown(number(&flood, "megabytes_per_second")?),
        shown(number(&flood, "peak_rss_kib")? * 1024.0 / 1e6),
    ));
    Ok(table)
}

/// What a sandbox adds to the start of a child.
pub(super) fn measure_sandbox(cmd_overhead: &Path, launcher: &Path) -> Result<Table, Failure> {
    let launcher = launcher.to_string_lossy();
    let report = json_line(Program::new(cmd_overhead).args(["--sandbox", &launcher]))?;
    let bare = number(&report, "bare_mean_us")?;
    let mut table = Table::new("Sandbox", &["what", "ms", "added ms"]);
    let mut row = |what: &str, mean: f64| {
        table.row([
            what.to_owned(),
            shown(mean / 1e3),
            shown((mean - bare) / 1e3),
        ]);
    };
    row("spawn `true`, standard library", bare);
    row(
        "in the sandbox of a project's command",
        number(&report, "sandboxed_mean_us")?,
    );
    row(
        "in that of an agent, with the caches of all tools",
        number(&report, "agent_mean_us")?,
    );
    // Not every machine has it.
    if let Ok(mean) = number(&report, "bwrap_mean_us") {
        row("the same namespaces by `bwrap`", mean);
    }
    table.note(format!(
        "Once for each step (private home folder, proxy, watch): {} ms.",
        shown(number(&report, "set_up_us")? / 1e3)
    ));
    Ok(table)
}
