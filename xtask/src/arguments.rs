//! The command line of `cargo xtask`, small enough to be read by hand.

use std::path::PathBuf;

use crate::bench;
use crate::failure::Failure;
use crate::fuzz;

pub(crate) const HELP: &str = "\
The project's own commands.

Usage: cargo xtask COMMAND

  test [--keep-going] [--fuzz-seconds N] [STEP…]
                 everything a change has to pass; named steps run alone:
                 peers, fmt, clippy, tidy, tests, schemas, licences, fuzz
  peers          install the pinned programs that tests run against
  tidy           the house rules that the compiler does not know
  schemas        write schemas/ again from the code
  fuzz [--seconds N] [TARGET…]
                 fuzz each target for N seconds (60)
  fuzz TARGET --input FILE
                 run one target on one input
  gates [NAME…]  switch each gate of a run off in turn: its tests have to fail
  stats [FOLDER…]
                 size, comments, tests and wording of this source, and of others
  bench          measure side by side with others, and print Markdown tables
  bench against OTHER [PROGRAM]
                 start, memory, logs, review and demo beside another build of baton;
                 with a baton that is built already, or with a new one
  bench runs     the embedded engine beside a Restate server
  bench tokens   what tools and answers cost a model, beside the npm server
  bench review --data DIR [--every N] [--without SCANNER] [--baton PROGRAM]
                 the review beside other scanners, over the repositories in DIR
                 (see docs/benchmarks.md) and one in N of OWASP's cases (5);
                 with a baton that is built already, or with a new one

Variables: CI, BATON_PEERS_DIR, BATON_REQUIRE_PEERS (see CONTRIBUTING.md).
";

/// Enough for a smoke test of every target; long runs are `cargo xtask fuzz`.
const FUZZ_SECONDS_IN_TEST: u32 = 5;
const FUZZ_SECONDS: u32 = 60;

/// The slowest scanner needs a minute for these, and five for all.
const OWASP_EVERY: u32 = 5;

pub(crate) enum Command {
    Test(Test),
    Peers,
    Tidy,
    Schemas,
    Fuzz(fuzz::Options),
    Reproduce {
        target: String,
        input: PathBuf,
    },
    Gates(Vec<String>),
    Stats(Vec<String>),
    Bench,
    BenchAgainst {
        other: PathBuf,
        baton: Option<PathBuf>,
    },
    BenchRuns,
    BenchTokens,
    BenchReview(bench::review::Options),
    Help,
}

pub(crate) struct Test {
    pub(crate) keep_going: bool,
    pub(crate) fuzz_seconds: u32,
    /// Empty: all of them.
    pub(crate) steps: Vec<String>,
}

pub(crate) fn parse(args: &[String]) -> Result<Command, Failure> {
    let Some((command, rest)) = args.split_first() else {
        return Ok(Command::Help);
    };
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return Ok(Command::Help);
    }
    let nothing_more = |command| match rest.first() {
        None => Ok(command),
        Some(extra) => Err(unexpected(extra)),
    };
    match command.as_str() {
        "test" => parse_test(rest),
        "peers" => nothing_more(Command::Peers),
        "tidy" => nothing_more(Command::Tidy),
        "schemas" => nothing_more(Command::Schemas),
        "fuzz" => parse_fuzz(rest),
        "gates" => Ok(Command::Gates(rest.to_vec())),
        "stats" => Ok(Command::Stats(rest.to_vec())),
        "bench" => match rest.split_first() {
            Some((what, rest)) if what == "review" => parse_bench_review(rest),
            Some((what, rest)) if what == "against" => parse_bench_against(rest),
            Some((what, rest)) if what == "runs" => alone(Command::BenchRuns, rest),
            Some((what, rest)) if what == "tokens" => alone(Command::BenchTokens, rest),
            _ => nothing_more(Command::Bench),
        },
        "help" => Ok(Command::Help),
        _ => Err(unexpected(command)),
    }
}

fn alone(command: Command, rest: &[String]) -> Result<Command, Failure> {
    match rest.first() {
        None => Ok(command),
        Some(extra) => Err(unexpected(extra)),
    }
}

fn parse_test(args: &[String]) -> Result<Command, Failure> {
    let mut test = Test {
        keep_going: false,
        fuzz_seconds: FUZZ_SECONDS_IN_TEST,
        steps: Vec::new(),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--keep-going" => test.keep_going = true,
            "--fuzz-seconds" => test.fuzz_seconds = number(arg, args.next())?,
            flag if flag.starts_with('-') => return Err(unexpected(flag)),
            step => test.steps.push(step.to_owned()),
        }
    }
    Ok(Command::Test(test))
}

fn parse_fuzz(args: &[String]) -> Result<Command, Failure> {
    let mut seconds = FUZZ_SECONDS;
    let mut input = None;
    let mut targets = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => seconds = number(arg, args.next())?,
            "--input" => input = Some(PathBuf::from(value(arg, args.next())?)),
            flag if flag.starts_with('-') => return Err(unexpected(flag)),
            target => targets.push(target.to_owned()),
        }
    }
    let Some(input) = input else {
        return Ok(Command::Fuzz(fuzz::Options { seconds, targets }));
    };
    match <[String; 1]>::try_from(targets) {
        Ok([target]) => Ok(Command::Reproduce { target, input }),
        Err(_) => Err(Failure::new(
            "--input needs exactly one target to run it on",
        )),
    }
}

fn parse_bench_against(args: &[String]) -> Result<Command, Failure> {
    match args {
        [] => Err(Failure::new(
            "bench against needs the path of another build of baton",
        )),
        [other] => Ok(Command::BenchAgainst {
            other: PathBuf::from(other),
            baton: None,
        }),
        [other, baton] => Ok(Command::BenchAgainst {
            other: PathBuf::from(other),
            baton: Some(PathBuf::from(baton)),
        }),
        [_, _, extra, ..] => Err(unexpected(extra)),
    }
}

fn parse_bench_review(args: &[String]) -> Result<Command, Failure> {
    let mut data = None;
    let mut every = OWASP_EVERY;
    let mut without = Vec::new();
    let mut baton = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--baton" => baton = Some(PathBuf::from(value(arg, args.next())?)),
            "--data" => data = Some(PathBuf::from(value(arg, args.next())?)),
            "--every" => every = number(arg, args.next())?,
            "--without" => without.push(value(arg, args.next())?.to_owned()),
            other => return Err(unexpected(other)),
        }
    }
    let data = data.ok_or_else(|| {
        Failure::new("bench review needs --data DIR")
            .next("docs/benchmarks.md says which repositories belong there")
    })?;
    Ok(Command::BenchReview(bench::review::Options {
        data,
        every,
        without,
        baton,
    }))
}

fn value<'a>(flag: &str, value: Option<&'a String>) -> Result<&'a str, Failure> {
    value
        .map(String::as_str)
        .ok_or_else(|| Failure::new(format!("{flag} needs a value")))
}

/// libFuzzer takes 0 for "without end", which no one means here.
fn number(flag: &str, given: Option<&String>) -> Result<u32, Failure> {
    let given = value(flag, given)?;
    given
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| Failure::new(format!("{flag} needs a number above 0, not {given:?}")))
}

fn unexpected(arg: &str) -> Failure {
    Failure::new(format!("cargo xtask does not know {arg:?}")).next("see `cargo xtask --help`")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parsed(line: &str) -> Result<Command, Failure> {
        parse(
            &line
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    fn refused(line: &str) -> String {
        parsed(line)
            .err()
            .map(|failure| failure.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn flags_and_steps_mix() {
        let Ok(Command::Test(test)) = parsed("test fmt --keep-going --fuzz-seconds 9 tidy") else {
            panic!("not understood as test");
        };
        assert!(test.keep_going);
        assert_eq!(
            (test.fuzz_seconds, test.steps),
            (9, vec!["fmt".to_owned(), "tidy".to_owned()])
        );
    }

    #[test]
    fn fuzz_runs_targets_or_one_input() {
        assert!(
            matches!(parsed("fuzz --seconds 3 a b"), Ok(Command::Fuzz(o)) if o.seconds == 3 && o.targets == ["a", "b"])
        );
        assert!(
            matches!(parsed("fuzz a --input f"), Ok(Command::Reproduce { target, .. }) if target == "a")
        );
        assert_eq!(
            refused("fuzz --input f"),
            "--input needs exactly one target to run it on"
        );
    }

    #[test]
    fn the_scanners_need_data() {
        assert!(
            matches!(parsed("bench review --data d --every 2"), Ok(Command::BenchReview(o)) if o.every == 2)
        );
        assert!(matches!(parsed("bench"), Ok(Command::Bench)));
        assert!(
            matches!(parsed("bench against a b"), Ok(Command::BenchAgainst { other, baton }) if other == Path::new("a") && baton.as_deref() == Some(Path::new("b")))
        );
        assert!(refused("bench against").contains("path of another build"));
        insta::assert_snapshot!(refused("bench review"), @"
        bench review needs --data DIR
        next: docs/benchmarks.md says which repositories belong there
        ");
    }

    #[test]
    fn help_is_never_far() {
        for line in ["", "--help", "help", "fuzz -h", "test --help"] {
            assert!(matches!(parsed(line), Ok(Command::Help)), "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        insta::assert_snapshot!(refused("tset"), @r#"
        cargo xtask does not know "tset"
        next: see `cargo xtask --help`
        "#);
        insta::assert_snapshot!(refused("fuzz --seconds 0"), @r#"--seconds needs a number above 0, not "0""#);
        insta::assert_snapshot!(refused("fuzz --seconds"), @"--seconds needs a value");
        insta::assert_snapshot!(refused("tidy now"), @r#"
        cargo xtask does not know "now"
        next: see `cargo xtask --help`
        "#);
    }
}
