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
    let mut taken = vec![Vec::new(); chosen.len()];
    // Round after round, so that a change of the machine's speed meets all.
    for _ in 0..RUNS {
        for (scanner, taken) in chosen.iter().zip(&mut taken) {
            let begin = Instant::now();
            scanners.scan(*scanner, &material.folder)?;
            taken.push(begin.elapsed().as_secs_f64() * 1e3);
        }
    }
    let medians: Vec<f64> = taken.into_iter().map(median).collect();
    let mut table = Table::new("One file of two lines", &["scanner", "ms", "relative"]);
    for (scanner, milliseconds) in chosen.iter().zip(&medians) {
        table.row([
            scanner.name().to_owned(),
            shown(*milliseconds),
            times(milliseconds / medians[0]),
        ]);
    }
    table.note(format!(
        "Median of {RUNS} runs each; starting `sh`, which runs it, is included."
    ));
    Ok(table)
}
