//! What the rules are, by name or all of them.

use std::fmt::Write as _;

use baton_review::{Explained, every_explanation};

use crate::error::CommandError;
use crate::terminal::{Style, sanitize};

/// One line for each rule.
pub(super) fn every_rule() -> String {
    lines(&every_explanation().iter().collect::<Vec<_>>())
}

/// A rule by its id; of a class, or the last part of ids, all that have it.
pub(super) fn explain(name: &str) -> Result<String, CommandError> {
    let rules = every_explanation();
    if let Some(rule) = rules.iter().find(|rule| rule.id == name) {
        return Ok(whole(rule));
    }
    let is_meant =
        |rule: &&Explained| rule.class == name || rule.id.rsplit('/').next() == Some(name);
    let meant: Vec<&Explained> = rules.iter().filter(is_meant).collect();
    match meant.as_slice() {
        [] => Err(unknown(name, &rules)),
        [rule] => Ok(whole(rule)),
        several => Ok(format!(
            "{}\n{}",
            lines(several),
            Style::Hint.paint("Explain one of them by its whole name.\n")
        )),
    }
}

fn lines(rules: &[&Explained]) -> String {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in rules {
        let severity = rule.severity.as_str();
        writeln!(text, "{:width$}  {severity:8}  {}", rule.id, rule.what)
            .expect("a string takes all text");
    }
    text
}

fn whole(rule: &Explained) -> String {
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    line(Style::Heading.paint(&rule.id));
    let cwe = match rule.cwe {
        Some(cwe) => format!(", CWE-{cwe} (https://cwe.mitre.org/data/definitions/{cwe}.html)"),
        None => String::new(),
    };
    line(format!("{} {}{cwe}", rule.severity, rule.kind.as_str()));
    line(format!("\n{} – {}", rule.what, rule.why));
    let remedy = Style::Hint.paint("remedy:");
    line(format!("\n{remedy} {}", rule.remedy));
    for (heading, examples) in [("found:", &rule.bad), ("not found:", &rule.good)] {
        for code in examples.iter().take(2) {
            line(format!("\n{heading}"));
            for row in code.trim_end().lines() {
                line(format!("    {row}"));
            }
        }
    }
    text
}

fn unknown(name: &str, rules: &[Explained]) -> CommandError {
    let error = CommandError::wrong_use(format!("there is no rule `{}`", sanitize(name)));
    let near = rules
        .iter()
        .map(|rule| (strsim::jaro_winkler(name, &rule.id), &rule.id))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((likeness, near)) if likeness > 0.8 => error.hint(format!("Did you mean `{near}`?")),
        _ => error
            .hint("`baton review --rules` lists all rules; those of other scanners are explained by them."),
    }
}
