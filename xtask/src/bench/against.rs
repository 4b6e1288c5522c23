//! `cargo xtask bench against PROGRAM`: this baton beside another build of it, in turns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use super::table::{Table, shown, times};
use super::{mcp, median};
use crate::built::Built;
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

const PROGRAMS: [&str; 5] = [
    "--release",
    "--package=baton",
    "--bin=baton",
    "--bin=baton-launcher",
    "--quiet",
];
const LOG_WRITER: [&str; 4] = [
    "--release",
    "--package=baton-report",
    "--example=ci_log",
    "--quiet",
];
const LOG_MEGABYTES: &str = "100";

/// How often memory is looked at; a peak of less than this is missed.
const MEMORY_INTERVAL: Duration = Duration::from_millis(1);

struct Case {
    name: &'static str,
    runs: usize,
    measure: fn(&Path, &Workload) -> Result<Cost, Failure>,
}

const CASES: [Case; 7] = [
    Case {
        name: "`--version`",
        runs: 100,
        measure: |baton, _| quick(baton, &["--version"]),
    },
    Case {
        name: "`schema`",
        runs: 100,
        measure: |baton, _| quick(baton, &["schema"]),
    },
    Case {
        name: "`mcp`, to the list of tools",
        runs: 50,
        measure: |baton, _| mcp::start(Program::new(baton).args(["mcp"])),
    },
    Case {
        name: "`detect` of this checkout",
        runs: 30,
        measure: |baton, workload| {
            quick_in(
                baton,
                &workload.checkout,
                &["detect", "--json"],
                &workload.state,
            )
        },
    },
    Case {
        name: "`report` of a log of 100 MB",
        runs: 7,
        measure: |baton, workload| {
            let log = workload.log.to_string_lossy().into_owned();
            watched(
                baton,
                &workload.checkout,
                &["report", &log, "--json"],
                &workload.state,
            )
        },
    },
    Case {
        name: "`review` of this checkout",
        runs: 3,
        measure: |baton, workload| {
            watched(
                baton,
                &workload.checkout,
                &["review", "crates", "--json"],
                &workload.state,
            )
        },
    },
    Case {
        name: "`demo`",
        runs: 3,
        measure: |baton, workload| watched(baton, &workload.checkout, &["demo"], &workload.state),
    },
];

/// What both programs are given to work on.
struct Workload {
    checkout: PathBuf,
    log: PathBuf,
    /// A state folder, so that neither reads what the user's own baton remembers.
    state: PathBuf,
}

pub(super) struct Cost {
    pub(super) milliseconds: f64,
    /// The peak, where it was measured.
    pub(super) megabytes: Option<f64>,
}

pub(crate) fn run(project: &Project, other: &Path, ours: Option<&Path>) -> Result<(), Failure> {
    let other = existing(other)?;
    let ours = match ours {
        Some(ours) => existing(ours)?,
        None => Built::with(project, &PROGRAMS)?
            .program("baton")?
            .to_owned(),
    };
    let writer = Built::with(project, &LOG_WRITER)?;
    let scratch = project.target.join("bench-against");
    fs::create_dir_all(&scratch).map_err(Failure::could_not("create a folder for the log"))?;
    let workload = Workload {
        checkout: project.root.clone(),
        log: scratch.join("log"),
        state: scratch.join("state"),
    };
    let log = workload.log.to_string_lossy();
    Program::new(writer.program("ci_log")?)
        .args(["mixed", LOG_MEGABYTES, &log])
        .run()?;
    eprintln!("measuring …");
    println!("{}\n", super::machine()?);
    println!("{}", compare(&other, &ours, &workload)?);
    Ok(())
}

fn existing(program: &Path) -> Result<PathBuf, Failure> {
    let doing = format!("find {}", program.display());
    program.canonicalize().map_err(Failure::could_not(doing))
}

fn compare(other: &Path, ours: &Path, workload: &Workload) -> Result<Table, Failure> {
    let mut table = Table::new(
        "Beside another build",
        &[
            "",
            "other, ms",
            "this, ms",
            "ratio",
            "other, MB",
            "this, MB",
        ],
    );
    for case in &CASES {
        let mut costs: [Vec<Cost>; 2] = Default::default();
        // In turns, so that a change of the machine's speed affects both.
        for _ in 0..case.runs {
            for (program, costs) in [other, ours].iter().zip(&mut costs) {
                costs.push((case.measure)(program, workload)?);
            }
        }
        let [before, after] = costs;
        let (old, new) = (time(&before), time(&after));
        table.row([
            case.name.to_owned(),
            shown(old),
            shown(new),
            times(new / old),
            memory(&before),
            memory(&after),
        ]);
    }
    table.note("Medians, in turns; memory is the peak of the process itself.");
    Ok(table)
}

fn time(costs: &[Cost]) -> f64 {
    median(costs.iter().map(|cost| cost.milliseconds).collect())
}

fn memory(costs: &[Cost]) -> String {
    let peaks: Vec<f64> = costs.iter().filter_map(|cost| cost.megabytes).collect();
    if peaks.is_empty() {
        return String::new();
    }
    shown(median(peaks))
}

fn quick(baton: &Path, args: &[&str]) -> Result<Cost, Failure> {
    timed(Program::new(baton).args(args))
}

fn quick_in(baton: &Path, folder: &Path, args: &[&str], state: &Path) -> Result<Cost, Failure> {
    timed(
        Program::new(baton)
            .args(args)
            .current_dir(folder)
            .env("BATON_STATE_DIR", state),
    )
}

fn timed(program: Program) -> Result<Cost, Failure> {
    let begin = Instant::now();
    program.output()?;
    Ok(Cost {
        milliseconds: begin.elapsed().as_secs_f64() * 1e3,
        megabytes: None,
    })
}

/// A program that works for long enough to have its memory watched meanwhile. Findings give it an
/// exit code of 1; that the two agree is for tests to say.
fn watched(baton: &Path, folder: &Path, args: &[&str], state: &Path) -> Result<Cost, Failure> {
    let begin = Instant::now();
    let mut child = Program::new(baton)
        .args(args)
        .current_dir(folder)
        .env("BATON_STATE_DIR", state)
        .in_background()?;
    let peak = peak_until_end(&mut child)?;
    Ok(Cost {
        milliseconds: begin.elapsed().as_secs_f64() * 1e3,
        megabytes: Some(peak),
    })
}

fn peak_until_end(child: &mut Child) -> Result<f64, Failure> {
    let mut peak = 0.0;
    loop {
        let ended = child
            .try_wait()
            .map_err(Failure::could_not("wait for baton"))?;
        match ended.map(|status| status.code()) {
            None => {}
            Some(Some(0 | 1)) => return Ok(peak),
            Some(code) => return Err(Failure::new(format!("baton ended with {code:?}"))),
        }
        // A process that has just ended has no memory any more.
        peak = mcp::most_memory(child.id()).map_or(peak, |now| now.max(peak));
        thread::sleep(MEMORY_INTERVAL);
    }
}
