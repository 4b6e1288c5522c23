//! Licences, bans and sources of everything in Cargo.lock (see deny.toml), and
//! known vulnerabilities where their database can be had.

use std::path::Path;
use std::time::Duration;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::program::Program;
use crate::project::Project;
use crate::steps::Done;

/// A shallow clone of the database takes seconds; a network that drops packets would take minutes.
const FETCH_LIMIT: Duration = Duration::from_mins(1);

pub(crate) fn check(project: &Project, environment: &Environment) -> Result<Done, Failure> {
    if !peers::CARGO_DENY.is_current(&environment.peers) {
        return Ok(Done::WithSkips(vec![
            "licences: cargo-deny is not installed (see peers)".to_owned(),
        ]));
    }
    let program = peers::CARGO_DENY.entry(&environment.peers);
    deny(project, &program, &["check", "licenses", "bans", "sources"])
        .run()
        .map_err(|failure| {
            failure.next("choose another crate, or change deny.toml and say why in the commit")
        })?;
    if !deny(project, &program, &["fetch", "db"]).succeeds_within(FETCH_LIMIT) {
        println!("  advisories skipped: database not reachable");
        return Ok(Done::Fully);
    }
    deny(
        project,
        &program,
        &["check", "--disable-fetch", "advisories"],
    )
    .run()
    .map_err(|failure| {
        failure.next(
            "update the crate, or add the advisory to deny.toml with the reason it does not apply",
        )
    })?;
    Ok(Done::Fully)
}

fn deny(project: &Project, program: &Path, args: &[&str]) -> Program {
    Program::new(program).args(args).current_dir(&project.root)
}
