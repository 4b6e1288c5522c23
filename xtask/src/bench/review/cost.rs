//! What it costs to ask a scanner about one small file.

use std::time::Instant;

use super::material::Material;
use super::scanner::{Scanner, Scanners};
use crate::bench::median;
use crate::bench::table::{Table, shown, times};
use crate::failure::Failure;

/// The slowest takes seconds for each.
const RUNS: usize = 5;

/// In Python, which all of them read.
const FILE: &str = "def add(a, b):\n    return a + b\n";

pub(super) fn measure(
    scanners: &Scanners,
    chosen: &[Scanner],
    material: &Material,
) -> Result<Table, Failure> {
    material.add("add.py", FILE)?;
    let mut taken = vec![(Vec::new(), Vec::new()); chosen.len()];
    // Round after round, so that a change of the machine's speed meets all.
    for _ in 0..RUNS {
        for (scanner, (wall, cpu)) in chosen.iter().zip(&mut taken) {
            let begin = Instant::now();
            cpu.push(scanners.scan(*scanner, &material.folder)?.cpu_seconds * 1e3);
            wall.push(begin.elapsed().as_secs_f64() * 1e3);
        }
    }
    let mut table = Table::new(
        "One file of two lines",
        &["scanner", "ms", "relative", "CPU ms"],
    );
    let medians: Vec<(f64, f64)> = taken
        .into_iter()
        .map(|(wall, cpu)| (median(wall), median(cpu)))
        .collect();
    for (scanner, (wall, cpu)) in chosen.iter().zip(&medians) {
        table.row([
            scanner.name().to_owned(),
            shown(*wall),
            times(wall / medians[0].0),
            shown(*cpu),
        ]);
    }
    table.note(format!(
        "Median of {RUNS} runs each; starting `sh`, which counts the time, is included."
    ));
    Ok(table)
}
