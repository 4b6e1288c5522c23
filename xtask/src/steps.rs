//! Runs named steps in order and closes with a table of how they went.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::failure::Failure;

pub(crate) struct Step<'a> {
    pub(crate) name: &'static str,
    /// What it does, in a few words or as the command that it is.
    pub(crate) what: String,
    pub(crate) run: Box<dyn Fn() -> Result<Done, Failure> + 'a>,
}

#[derive(Debug)]
pub(crate) enum Done {
    Fully,
    /// Something, or all of it, could not be done here; one reason each.
    WithSkips(Vec<String>),
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    /// None: an earlier step failed, so this one was not started.
    ended: Option<(Result<Done, Failure>, Duration)>,
}

/// True when no step failed.
pub(crate) fn run(steps: &[Step<'_>], keep_going: bool) -> bool {
    let mut rows: Vec<Row> = Vec::new();
    let mut stopped = false;
    for (number, step) in (1..).zip(steps) {
        let mut row = Row {
            name: step.name,
            ended: None,
        };
        if !stopped {
            let label = format!("[{number}/{}] {}", steps.len(), step.name);
            println!("{label}: {}", step.what);
            let start = Instant::now();
            let result = (step.run)();
            let took = start.elapsed();
            println!("{label}: {} in {}", word(&result), seconds(took));
            for line in explanation(&result) {
                println!("  {line}");
            }
            stopped = result.is_err() && !keep_going;
            row.ended = Some((result, took));
        }
        rows.push(row);
    }
    print!("\n{}", table(&rows));
    if rows.iter().any(|row| row.ended.is_none()) {
        println!(
            "Stopped at the first failure; `cargo xtask test --keep-going` runs the rest too."
        );
    }
    println!("{}", count(&rows));
    rows.iter()
        .all(|row| !matches!(row.ended, Some((Err(_), _))))
}

fn word(result: &Result<Done, Failure>) -> &'static str {
    match result {
        Ok(Done::Fully) => "ok",
        Ok(Done::WithSkips(_)) => "SKIPPED",
        Err(_) => "FAILED",
    }
}

fn explanation(result: &Result<Done, Failure>) -> Vec<String> {
    match result {
        Ok(Done::Fully) => Vec::new(),
        Ok(Done::WithSkips(reasons)) => reasons
            .iter()
            .map(|reason| format!("SKIPPED {reason}"))
            .collect(),
        Err(failure) => failure.to_string().lines().map(str::to_owned).collect(),
    }
}

fn table(rows: &[Row]) -> String {
    let widest = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut table = String::new();
    for Row { name, ended } in rows {
        let (result, took) = match ended {
            Some((Ok(Done::Fully), took)) => ("ok", seconds(*took)),
            Some((Ok(Done::WithSkips(_)), took)) => ("SKIPPED", seconds(*took)),
            Some((Err(_), took)) => ("FAILED", seconds(*took)),
            None => ("not run", String::new()),
        };
        let line = format!("{name:widest$}  {result:7}  {took:>9}");
        writeln!(table, "{}", line.trim_end()).expect("a String takes every write");
        if let Some((Ok(Done::WithSkips(reasons)), _)) = ended {
            for reason in reasons {
                writeln!(table, "  SKIPPED {reason}").expect("a String takes every write");
            }
        }
    }
    table
}

/// `N passed, N failed`, and what else there is to count.
fn count(rows: &[Row]) -> String {
    let (mut passed, mut failed, mut skipped, mut not_run) = (0, 0, 0, 0);
    for row in rows {
        match &row.ended {
            Some((Ok(Done::Fully), _)) => passed += 1,
            Some((Ok(Done::WithSkips(_)), _)) => skipped += 1,
            Some((Err(_), _)) => failed += 1,
            None => not_run += 1,
        }
    }
    let mut line = format!("{passed} passed, {failed} failed");
    for (number, what) in [(skipped, "skipped"), (not_run, "not run")] {
        if number > 0 {
            write!(line, ", {number} {what}").expect("a String takes every write");
        }
    }
    line
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn row(name: &'static str, result: Result<Done, Failure>) -> Row {
        Row {
            name,
            ended: Some((result, Duration::from_millis(12_340))),
        }
    }

    #[test]
    fn the_table_lists_every_step_and_repeats_what_was_skipped() {
        let rows = [
            row(
                "peers",
                Ok(Done::WithSkips(vec![
                    "typescript: npm is not on PATH".to_owned(),
                ])),
            ),
            row("fmt", Ok(Done::Fully)),
            row("clippy", Err(Failure::new("no"))),
            Row {
                name: "tests",
                ended: None,
            },
        ];
        insta::assert_snapshot!(format!("{}{}", table(&rows), count(&rows)), @"
        peers   SKIPPED     12.3 s
          SKIPPED typescript: npm is not on PATH
        fmt     ok          12.3 s
        clippy  FAILED      12.3 s
        tests   not run
        1 passed, 1 failed, 1 skipped, 1 not run
        ");
    }

    #[test]
    fn all_well_is_a_plain_line() {
        let rows = [row("fmt", Ok(Done::Fully)), row("tests", Ok(Done::Fully))];
        assert_eq!(count(&rows), "2 passed, 0 failed");
    }

    #[test]
    fn the_first_failure_stops_the_rest_unless_told_to_keep_going() {
        for (keep_going, expected) in [(false, vec!["a", "b"]), (true, vec!["a", "b", "c"])] {
            let ran = RefCell::new(Vec::new());
            let step = |name: &'static str, fails: bool| Step {
                name,
                what: String::new(),
                run: Box::new({
                    let ran = &ran;
                    move || {
                        ran.borrow_mut().push(name);
                        if fails {
                            Err(Failure::new("no"))
                        } else {
                            Ok(Done::Fully)
                        }
                    }
                }),
            };
            let steps = [step("a", false), step("b", true), step("c", false)];
            assert!(!run(&steps, keep_going));
            assert_eq!(*ran.borrow(), expected);
        }
    }
}
