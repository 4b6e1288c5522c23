//! How long `baton` takes to start.

use std::path::Path;
use std::time::Instant;

use super::median;
use super::table::{Table, shown, times};
use crate::failure::Failure;
use crate::program::Program;

const RUNS: usize = 200;

/// How long it takes to be asked something small, against doing nothing at all.
pub(super) fn measure(baton: &Path) -> Result<Table, Failure> {
    let commands: [(&str, &Path, &[&str]); 3] = [
        ("`true`", Path::new("true"), &[]),
        ("`baton --version`", baton, &["--version"]),
        ("`baton schema`", baton, &["schema"]),
    ];
    let mut taken: [Vec<f64>; 3] = Default::default();
    // Round after round, so that a change of the machine's speed meets all.
    for _ in 0..RUNS {
        for ((_, program, args), taken) in commands.iter().zip(&mut taken) {
            let begin = Instant::now();
            Program::new(program).args(*args).run_quietly()?;
            taken.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    let medians = taken.map(median);
    let mut table = Table::new("Process start", &["program", "µs", "relative"]);
    for ((name, ..), microseconds) in commands.iter().zip(medians) {
        table.row([
            (*name).to_owned(),
            shown(microseconds),
            times(microseconds / medians[0]),
        ]);
    }
    table.note(format!(
        "Median of {RUNS} runs each, with pipes for the output."
    ));
    Ok(table)
}
