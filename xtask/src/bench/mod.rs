//! `cargo xtask bench`: what baton's own machinery costs, side by side with
//! other programs in one run. Ratios hold from machine to machine better than
//! times do. The Markdown is for docs, pasted by hand after a look at it.

pub(crate) mod against;
mod children;
mod handoffs;
mod mcp;
pub(crate) mod restate;
pub(crate) mod review;
mod start;
mod table;
pub(crate) mod tokens;

use crate::built::Built;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

const PROGRAMS: [&str; 9] = [
    "--release",
    "--package=baton",
    "--bin=baton",
    "--bin=baton-launcher",
    "--package=baton-host",
    "--example=cmd_overhead",
    "--package=baton-protocol",
    "--example=handoff_throughput",
    "--quiet",
];

pub(crate) fn run(project: &Project, environment: &Environment) -> Result<(), Failure> {
    eprintln!("building …");
    let built = Built::with(project, &PROGRAMS)?;
    eprintln!("measuring …");
    println!("{}\n", machine()?);
    println!(
        "{}",
        handoffs::measure(project, environment, built.program("handoff_throughput")?)?
    );
    println!("{}", children::measure(built.program("cmd_overhead")?)?);
    println!(
        "{}",
        children::measure_sandbox(
            built.program("cmd_overhead")?,
            // What `baton` uses where it lies beside it.
            built.program("baton-launcher")?
        )?
    );
    println!("{}", start::measure(built.program("baton")?)?);
    print!("{}", mcp::measure(environment, built.program("baton")?)?);
    Ok(())
}

fn machine() -> Result<String, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = Program::new("rustc").args(["--version"]).stdout()?;
    let rustc = String::from_utf8_lossy(&rustc);
    Ok(format!(
        "{} cores, {}, {}, release build.",
        cores,
        std::env::consts::OS,
        rustc.trim()
    ))
}

/// A number that a program reported under `key` in its line of JSON.
fn number(report: &serde_json::Value, key: &str) -> Result<f64, Failure> {
    report[key]
        .as_f64()
        .ok_or_else(|| Failure::new(format!("no number `{key}` in {report}")))
}

fn json_line(program: Program) -> Result<serde_json::Value, Failure> {
    let line = program.stdout()?;
    serde_json::from_slice(&line).map_err(Failure::could_not("read a program's line of JSON"))
}

/// The middle one, which a single slow run does not move.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
