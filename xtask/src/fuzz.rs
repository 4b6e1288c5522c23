//! Fuzzing on the pinned stable toolchain.
//!
//! cargo-fuzz builds with coverage feedback but without a sanitizer, because
//! sanitizers need nightly and the code is safe Rust: what a run can find are
//! panics, overflows, hangs and runaway memory, and all of these show without.
//! Nothing is written to the checkout: new inputs and crashes go below the
//! target folder, the committed seeds in `fuzz/corpus/<target>` are only read.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::program::Program;
use crate::project::Project;
use crate::steps::Done;

pub(crate) struct Options {
    /// How long each target runs.
    pub(crate) seconds: u32,
    /// None: all of them.
    pub(crate) targets: Vec<String>,
}

/// How many inputs a target is given as a step of the tests.
const FIXED_RUNS: u32 = 20_000;

/// Which inputs a target is given.
#[derive(Clone, Copy)]
enum Inputs {
    /// Others every time, starting from all that earlier runs found.
    New,
    /// The same for the same code, so that a change is judged by what it did
    /// and not by luck.
    Fixed,
}

/// One input may take this long, in seconds. Parsers answer in microseconds; more is a hang.
const HANG: u32 = 10;

/// As a step of `cargo xtask test`, which does not fail for want of cargo-fuzz.
pub(crate) fn step(
    project: &Project,
    environment: &Environment,
    seconds: u32,
) -> Result<Done, Failure> {
    if !peers::CARGO_FUZZ.is_current(&environment.peers) {
        return Ok(Done::WithSkips(vec![
            "fuzz: cargo-fuzz is not installed (see peers)".to_owned(),
        ]));
    }
    let targets = Vec::new();
    let options = Options { seconds, targets };
    run_with(project, environment, &options, Inputs::Fixed).map(|()| Done::Fully)
}

/// Runs the targets one after the other and fails when any of them found something.
pub(crate) fn run(
    project: &Project,
    environment: &Environment,
    options: &Options,
) -> Result<(), Failure> {
    run_with(project, environment, options, Inputs::New)
}

fn run_with(
    project: &Project,
    environment: &Environment,
    options: &Options,
    inputs: Inputs,
) -> Result<(), Failure> {
    let targets = chosen(&targets(project)?, &options.targets)?;
    build(project, environment)?;
    let mut failed = Vec::new();
    for name in &targets {
        let target = Target { project, name };
        match target.run(options.seconds, inputs) {
            Ok(line) => println!("  {name}: {line}"),
            Err(failure) => {
                println!("  {name}: FAILED\n{failure}");
                failed.push(name.as_str());
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("fuzzing failed: {}", failed.join(", "))).next(
        "reproduce with the command above, fix, and add the input to fuzz/corpus/<target>/ so that it stays fixed",
    ))
}

/// Runs one target once, on one input.
pub(crate) fn reproduce(
    project: &Project,
    environment: &Environment,
    name: &str,
    input: &Path,
) -> Result<(), Failure> {
    if !input.is_file() {
        return Err(Failure::new(format!(
            "there is no file {}",
            input.display()
        )));
    }
    let name = &chosen(&targets(project)?, &[name.to_owned()])?[0];
    build(project, environment)?;
    let target = Target { project, name };
    Program::new(target.program())
        .args([format!("-timeout={HANG}")])
        .args([input])
        .env("RUST_BACKTRACE", "1")
        .run()
}

/// The names of the files in `fuzz/fuzz_targets`, each of which must be a binary of the fuzz crate.
fn targets(project: &Project) -> Result<Vec<String>, Failure> {
    let folder = project.root.join("fuzz/fuzz_targets");
    let reading = |error| Failure::could_not("list fuzz/fuzz_targets")(error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.push(
                path.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    names.sort();
    if names.is_empty() {
        return Err(Failure::new("there is no fuzz target in fuzz/fuzz_targets"));
    }
    Ok(names)
}

fn chosen(all: &[String], wanted: &[String]) -> Result<Vec<String>, Failure> {
    if wanted.is_empty() {
        return Ok(all.to_vec());
    }
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        return Err(Failure::new(format!("there is no fuzz target {unknown:?}"))
            .next(format!("choose from: {}", all.join(", "))));
    }
    Ok(wanted.to_vec())
}

fn build(project: &Project, environment: &Environment) -> Result<(), Failure> {
    check_manifest(project, environment)?;
    let cargo_fuzz = peers::ensure(environment, &peers::CARGO_FUZZ)?;
    Program::new(cargo_fuzz)
        .args([
            "build",
            "--sanitizer",
            "none",
            "--fuzz-dir",
            "fuzz",
            "--target-dir",
        ])
        .args([folder(project)])
        .current_dir(&project.root)
        .run()
        .map_err(|failure| failure.next("a C++ compiler is needed too, for libFuzzer itself"))
}

/// Every target must be built, and CI must build what was committed.
fn check_manifest(project: &Project, environment: &Environment) -> Result<(), Failure> {
    let mut command = MetadataCommand::new();
    command.manifest_path(project.root.join("fuzz/Cargo.toml"));
    if environment.ci {
        command.other_options(["--locked".to_owned()]);
    }
    let metadata = command.exec().map_err(|error| {
        Failure::could_not("read `cargo metadata` of fuzz/Cargo.toml")(error)
            .next("run `cargo check --manifest-path fuzz/Cargo.toml` and commit fuzz/Cargo.lock")
    })?;
    let packages = metadata.workspace_packages();
    let bins: Vec<_> = packages
        .iter()
        .flat_map(|package| &package.targets)
        .map(|target| &target.name)
        .collect();
    for name in targets(project)? {
        if !bins.contains(&&name) {
            return Err(Failure::new(format!(
                "fuzz/fuzz_targets/{name}.rs is not a [[bin]] of fuzz/Cargo.toml"
            ))
            .next("add one beside the others"));
        }
    }
    Ok(())
}

/// Builds, grown corpora and crashes of every target.
fn folder(project: &Project) -> PathBuf {
    project.target.join("fuzz")
}

struct Target<'a> {
    project: &'a Project,
    name: &'a str,
}

impl Target<'_> {
    fn program(&self) -> PathBuf {
        folder(self.project)
            .join(&self.project.host)
            .join("release")
            .join(self.name)
    }

    fn run(&self, seconds: u32, inputs: Inputs) -> Result<String, Failure> {
        let grown = match inputs {
            Inputs::New => self.create("corpus")?,
            Inputs::Fixed => self.create_empty("scratch")?,
        };
        let crashes = self.create("artifacts")?;
        let mut program = Program::new(self.program())
            .args([
                format!("-max_total_time={seconds}"),
                format!("-timeout={HANG}"),
            ])
            .args([
                "-print_final_stats=1".to_owned(),
                format!("-artifact_prefix={}/", crashes.display()),
            ]);
        if let Inputs::Fixed = inputs {
            program = program.args(["-seed=1".to_owned(), format!("-runs={FIXED_RUNS}")]);
        }
        let dictionary = self
            .project
            .root
            .join(format!("fuzz/dictionaries/{}.dict", self.name));
        if dictionary.is_file() {
            program = program.args([format!("-dict={}", dictionary.display())]);
        }
        // libFuzzer writes to the first folder and only reads the others.
        program = program.args([&grown]);
        let seeds = self.project.root.join("fuzz/corpus").join(self.name);
        if seeds.is_dir() {
            program = program.args([seeds]);
        }
        // The frames are libFuzzer's; `reproduce` shows them to those who want them.
        let output = program.env("RUST_BACKTRACE", "0").output()?;
        let log = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            return Ok(summary(&log));
        }
        Err(Failure::new(crash_report(self.name, &log)))
    }

    fn create_empty(&self, kind: &str) -> Result<PathBuf, Failure> {
        let path = self.create(kind)?;
        fs::remove_dir_all(&path)
            .map_err(Failure::could_not(format_args!("empty {}", path.display())))?;
        self.create(kind)
    }

    fn create(&self, kind: &str) -> Result<PathBuf, Failure> {
        let path = folder(self.project).join(kind).join(self.name);
        fs::create_dir_all(&path).map_err(Failure::could_not(format_args!(
            "create {}",
            path.display()
        )))?;
        Ok(path)
    }
}

fn summary(log: &str) -> String {
    let stat = |name: &str| {
        let line = log
            .lines()
            .find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
        line.map_or("?", |rest| rest.trim_start_matches(':').trim())
    };
    format!(
        "{} runs, {} per second, {} new inputs, {} MB at most",
        stat("number_of_executed_units"),
        stat("average_exec_per_sec"),
        stat("new_units_added"),
        stat("peak_rss_mb"),
    )
}

/// What went wrong in the words of the panic or of libFuzzer, then the input
/// and how to run it again.
fn crash_report(name: &str, log: &str) -> String {
    const LINES: usize = 12;
    let begins = |line: &&str| line.contains("panicked at") || line.contains("ERROR: libFuzzer");
    let start = log.lines().position(|line| begins(&line)).unwrap_or(0);
    let told = log
        .lines()
        .skip(start)
        .take(LINES)
        .collect::<Vec<_>>()
        .join("\n");
    let written = log
        .lines()
        .find_map(|line| line.split_once("Test unit written to "));
    let Some((_, input)) = written else {
        return told;
    };
    let input = input.trim();
    format!("{told}\ninput: {input}\nreproduce: cargo xtask fuzz {name} --input {input}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_statistics_become_one_line() {
        let log = "\
INFO: Seed: 1
#2\tINITED cov: 8 ft: 9 corp: 1/1b exec/s: 0 rss: 27Mb
Done 15739100 runs in 6 second(s)
stat::number_of_executed_units: 15739100
stat::average_exec_per_sec:     2623183
stat::new_units_added:          1
stat::slowest_unit_time_sec:    0
stat::peak_rss_mb:              27
";
        insta::assert_snapshot!(summary(log), @"15739100 runs, 2623183 per second, 1 new inputs, 27 MB at most");
    }

    #[test]
    fn a_crash_says_where_its_input_is_and_how_to_run_it() {
        let log = "\
INFO: Seed: 1
#2\tINITED cov: 8 ft: 9 corp: 1/1b exec/s: 0 rss: 27Mb
thread '<unnamed>' panicked at fuzz_targets/handoff.rs:3:5:
==7== ERROR: libFuzzer: deadly signal
artifact_prefix='/t/fuzz/artifacts/handoff/'; Test unit written to /t/fuzz/artifacts/handoff/crash-ab12
Base64: PGgx
";
        insta::assert_snapshot!(crash_report("handoff", log), @"
        thread '<unnamed>' panicked at fuzz_targets/handoff.rs:3:5:
        ==7== ERROR: libFuzzer: deadly signal
        artifact_prefix='/t/fuzz/artifacts/handoff/'; Test unit written to /t/fuzz/artifacts/handoff/crash-ab12
        Base64: PGgx
        input: /t/fuzz/artifacts/handoff/crash-ab12
        reproduce: cargo xtask fuzz handoff --input /t/fuzz/artifacts/handoff/crash-ab12
        ");
    }

    #[test]
    fn an_unknown_target_is_answered_with_the_known_ones() {
        let all = ["cursor".to_owned(), "handoff".to_owned()];
        let failure = chosen(&all, &["handof".to_owned()]).unwrap_err();
        insta::assert_snapshot!(failure, @r#"
        there is no fuzz target "handof"
        next: choose from: cursor, handoff
        "#);
        assert_eq!(chosen(&all, &[]).unwrap(), all);
    }
}
