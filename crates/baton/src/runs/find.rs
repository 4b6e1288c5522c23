//! Finds a run by its name or a unique prefix of it.

use baton_engine::{Engine, RunSummary};
use baton_workflow::RunId;

use super::failed;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// The run that a person means: its whole name, or enough of its beginning or
/// of what follows the date to tell it from all others. `-` is the newest.
pub(crate) async fn find(engine: &Engine, text: &str) -> Result<RunId, CommandError> {
    let runs = engine
        .runs(usize::MAX)
        .await
        .map_err(|error| failed(&error))?;
    choose(&runs, text.trim())
}

fn choose(runs: &[RunSummary], text: &str) -> Result<RunId, CommandError> {
    if runs.is_empty() {
        return Err(CommandError::missing("there are no runs yet")
            .hint("`baton run \"what you want\"` starts one."));
    }
    if text == "-" {
        return Ok(runs[0].run.clone());
    }
    if let Some(exact) = runs.iter().find(|run| run.run.as_str() == text) {
        return Ok(exact.run.clone());
    }
    let begins = |name: &str| {
        let behind_date = name.split_once('-').map_or("", |(_, rest)| rest);
        name.starts_with(text) || behind_date.starts_with(text)
    };
    let meant: Vec<&RunSummary> = runs
        .iter()
        .filter(|run| !text.is_empty() && begins(run.run.as_str()))
        .collect();
    match &meant[..] {
        [only] => Ok(only.run.clone()),
        [] => Err(
            CommandError::missing(format!("there is no run `{}`", sanitize(text)))
                .hint("`baton runs` lists them."),
        ),
        several => {
            const MAX_NAMES: usize = 5;
            let names: Vec<&str> = several.iter().map(|run| run.run.as_str()).collect();
            let shown = names[..names.len().min(MAX_NAMES)].join(", ");
            Err(CommandError::wrong_use(format!(
                "`{}` may be any of {} runs",
                sanitize(text),
                several.len()
            ))
            .hint(format!("Write more of it: {shown}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn runs() -> Vec<RunSummary> {
        [
            "20310506-7f3a21c0",
            "20310506-7f00aaaa",
            "20310505-00c0ffee",
        ]
        .map(|name| RunSummary {
            run: name.parse().unwrap(),
            request: String::new(),
            status: "created".to_owned(),
            created: Timestamp::UNIX_EPOCH,
            changed: Timestamp::UNIX_EPOCH,
            ended: None,
            driven: false,
        })
        .to_vec()
    }

    fn chosen(text: &str) -> String {
        match choose(&runs(), text) {
            Ok(run) => run.to_string(),
            Err(error) => format!("{} | {}", error.in_one_line(), error.hints().join(" ")),
        }
    }

    #[test]
    fn a_run_is_found_by_as_much_as_is_needed() {
        assert_eq!(chosen("20310506-7f3a21c0"), "20310506-7f3a21c0");
        assert_eq!(chosen("20310505"), "20310505-00c0ffee");
        assert_eq!(chosen("7f3"), "20310506-7f3a21c0");
        assert_eq!(chosen("-"), "20310506-7f3a21c0");
        insta::assert_snapshot!(chosen("7f"), @"`7f` may be any of 2 runs | Write more of it: 20310506-7f3a21c0, 20310506-7f00aaaa");
        insta::assert_snapshot!(chosen("zz"), @"there is no run `zz` | `baton runs` lists them.");
        insta::assert_snapshot!(chosen(""), @"there is no run `` | `baton runs` lists them.");
    }
}
