//! `cargo xtask test`: everything a change has to pass, cheapest first where
//! the order is free.

use crate::arguments::Test;
use crate::environment::{Environment, PEERS_DIR, REQUIRE_PEERS};
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;
use crate::steps::{self, Done, Step};
use crate::{fuzz, licences, peers, schemas, tidy};

/// True when everything passed.
pub(crate) fn run(
    options: &Test,
    project: &Project,
    environment: &Environment,
) -> Result<bool, Failure> {
    let mut steps = all_steps(options, project, environment);
    let names: Vec<_> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = options
        .steps
        .iter()
        .find(|name| !names.contains(&name.as_str()))
    {
        return Err(Failure::new(format!("there is no step {unknown:?}"))
            .next(format!("choose from: {}", names.join(", "))));
    }
    if !options.steps.is_empty() {
        steps.retain(|step| options.steps.iter().any(|name| name == step.name));
    }
    Ok(steps::run(&steps, options.keep_going))
}

fn all_steps<'a>(
    options: &'a Test,
    project: &'a Project,
    environment: &'a Environment,
) -> Vec<Step<'a>> {
    let peers_folder = environment.peers.display();
    vec![
        step(
            "peers",
            format!("pinned programs in {peers_folder}"),
            || peers::ensure_all(environment),
        ),
        step("fmt", "cargo fmt --all --check, and the fuzz crate", || {
            formatting(project)
        }),
        step("clippy", "cargo clippy --workspace --all-targets", || {
            clippy(project)
        }),
        step("tidy", "house rules", || {
            tidy::check(project).map(|()| Done::Fully)
        }),
        step("tests", "cargo test --workspace", || {
            tests(project, environment, options.keep_going)
        }),
        step("schemas", "schemas/ against what baton prints", || {
            schemas::check(project).map(|()| Done::Fully)
        }),
        step("licences", "cargo deny check", || {
            licences::check(project, environment)
        }),
        step(
            "fuzz",
            format!(
                "the same inputs every time, {} s for each target at most",
                options.fuzz_seconds
            ),
            || fuzz::step(project, environment, options.fuzz_seconds),
        ),
    ]
}

fn step<'a>(
    name: &'static str,
    what: impl Into<String>,
    run: impl Fn() -> Result<Done, Failure> + 'a,
) -> Step<'a> {
    Step {
        name,
        what: what.into(),
        run: Box::new(run),
    }
}

fn formatting(project: &Project) -> Result<Done, Failure> {
    let check = |what: &[&str]| {
        Program::cargo(["fmt", "--check"])
            .args(what)
            .current_dir(&project.root)
            .run()
            .map_err(|failure| failure.next(format!("run `cargo fmt {}`", what.join(" "))))
    };
    check(&["--all"])?;
    // It is a workspace of its own, which `--all` does not reach.
    check(&["--manifest-path", "fuzz/Cargo.toml"])?;
    Ok(Done::Fully)
}

fn clippy(project: &Project) -> Result<Done, Failure> {
    Program::cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ])
    .current_dir(&project.root)
    .run()
    .map(|()| Done::Fully)
    .map_err(|failure| failure.next("some of it is mended by adding --fix to the command"))
}

/// Many tests wait for other programs most of the time.
fn threads() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

fn tests(project: &Project, environment: &Environment, keep_going: bool) -> Result<Done, Failure> {
    let mut program = Program::cargo(["test", "--workspace"])
        .env(PEERS_DIR, &environment.peers)
        .env("RUST_TEST_THREADS", threads().to_string())
        .current_dir(&project.root);
    if keep_going {
        program = program.args(["--no-fail-fast"]);
    }
    if environment.require_peers {
        program = program.env(REQUIRE_PEERS, "1");
    }
    program
        .run()
        .map(|()| Done::Fully)
        .map_err(|failure| failure.next("run the failed test alone: `cargo test -p CRATE NAME`"))
}
