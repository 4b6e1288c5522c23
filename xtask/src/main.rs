//! The project's own commands: `cargo xtask --help`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "xtask is a command-line program; its output is what it is for"
)]

mod arguments;
mod bench;
mod built;
mod edges;
mod environment;
mod failure;
mod fuzz;
mod gates;
mod licences;
mod peers;
mod program;
mod project;
mod schemas;
mod stats;
mod steps;
mod test;
mod tidy;

use std::process::ExitCode;

use arguments::Command;
use environment::Environment;
use failure::Failure;
use project::Project;
use steps::Done;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let command = match arguments::parse(&args) {
        Ok(command) => command,
        Err(failure) => {
            eprintln!("{failure}");
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// False when the work was done and the answer is no; an error when it could not be done.
fn run(command: Command) -> Result<bool, Failure> {
    let done = |()| true;
    match command {
        Command::Help => {
            print!("{}", arguments::HELP);
            Ok(true)
        }
        Command::Test(options) => test::run(&options, &Project::load()?, &Environment::read()?),
        Command::Peers => install_peers(&Environment::read()?).map(done),
        Command::Tidy => tidy::check(&Project::load()?).map(done),
        Command::Schemas => schemas::write(&Project::load()?).map(done),
        Command::Fuzz(options) => {
            fuzz::run(&Project::load()?, &Environment::read()?, &options).map(done)
        }
        Command::Reproduce { target, input } => {
            fuzz::reproduce(&Project::load()?, &Environment::read()?, &target, &input).map(done)
        }
        Command::Gates(names) => gates::run(&Project::load()?, &Environment::read()?, &names),
        Command::Stats(folders) => stats::print(&Project::load()?, &folders).map(done),
        Command::Bench => bench::run(&Project::load()?, &Environment::read()?).map(done),
        Command::BenchAgainst { other, baton } => {
            bench::against::run(&Project::load()?, &other, baton.as_deref()).map(done)
        }
        Command::BenchRuns => {
            bench::restate::run(&Project::load()?, &Environment::read()?).map(done)
        }
        Command::BenchTokens => {
            bench::tokens::run(&Project::load()?, &Environment::read()?).map(done)
        }
        Command::BenchReview(options) => {
            bench::review::run(&Project::load()?, &Environment::read()?, &options).map(done)
        }
    }
}

fn install_peers(environment: &Environment) -> Result<(), Failure> {
    match peers::ensure_all(environment)? {
        Done::Fully => println!("all peers are in {}", environment.peers.display()),
        Done::WithSkips(missing) => {
            for peer in missing {
                println!("SKIPPED {peer}");
            }
        }
    }
    Ok(())
}
