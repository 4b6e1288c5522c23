//! The tools' inputs as flags. They are made from the fields of the requests,
//! so that a field has one name, one type and one description everywhere:
//! each field in kebab case, booleans with a `--no-` form, references to pull
//! requests and jobs as positional arguments.

use baton_protocol::{Field, FieldKind};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

/// The field of a tool that is about one pull request.
pub(super) const ONLY_REFERENCE: &str = "pr";

/// The field of a tool that is about a job of CI.
const JOB: &str = "job";

pub(super) fn declare(command: Command, fields: &[Field]) -> Command {
    let declared = fields
        .iter()
        .fold(command, |command, field| match field.kind {
            _ if is_positional(field) => command.arg(positional(field)),
            FieldKind::Switch => command.arg(switch(field)).arg(negated_switch(field)),
            _ => command.arg(option(field)),
        });
    declared.arg(
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print the tool's output as one JSON object"),
    )
}

/// The input that the flags amount to, as JSON.
pub(super) fn collect(fields: &[Field], matches: &ArgMatches) -> Value {
    let given = fields.iter().filter_map(|field| {
        let value = value(field, matches)?;
        Some((field.name.to_owned(), value))
    });
    Value::Object(given.collect::<Map<_, _>>())
}

/// Whether the input could name a pull request and names none.
pub(super) fn lacks_reference(fields: &[Field], input: &Value) -> bool {
    let mut fields = fields.iter();
    fields.any(|field| field.name == ONLY_REFERENCE) && input.get(ONLY_REFERENCE).is_none()
}

/// The input as arguments again, for a call that repeats it.
pub(super) fn arguments(fields: &[Field], input: &Value) -> Vec<String> {
    let mut positional = Vec::new();
    let mut flags = Vec::new();
    for field in fields {
        match (field.kind, &input[field.name]) {
            (_, Value::Null) => {}
            (_, given) if is_positional(field) => positional.push(plain(given)),
            (_, Value::Bool(true)) => flags.push(format!("--{}", kebab(field))),
            (_, Value::Bool(false)) => flags.push(format!("--{}", negated(field))),
            (_, Value::Array(several)) => flags.extend(
                several
                    .iter()
                    .flat_map(|one| [format!("--{}", kebab(field)), plain(one)]),
            ),
            (_, one) => flags.extend([format!("--{}", kebab(field)), plain(one)]),
        }
    }
    positional.into_iter().chain(flags).collect()
}

/// The field as people write it: `PR`, `--limit`.
pub(super) fn argument_name(field: &Field) -> String {
    if is_positional(field) {
        field.name.to_uppercase()
    } else {
        format!("--{}", kebab(field))
    }
}

/// What a tool is about.
fn is_positional(field: &Field) -> bool {
    field.kind == FieldKind::PullRequest || field.name == JOB
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn kebab(field: &Field) -> String {
    field.name.replace('_', "-")
}

fn help(field: &Field) -> String {
    field.description.trim_end_matches('.').to_owned()
}

fn negated(field: &Field) -> String {
    format!("no-{}", kebab(field))
}

fn positional(field: &Field) -> Arg {
    Arg::new(field.name)
        .value_name(field.name.to_uppercase())
        // A call that names no pull request is about that of the current branch.
        .required(field.name != ONLY_REFERENCE)
        // A reference may begin with a dash only by mistake, and the
        // reader of references says so better than clap.
        .allow_hyphen_values(true)
        .help(help(field))
}

fn switch(field: &Field) -> Arg {
    Arg::new(field.name)
        .long(kebab(field))
        .action(ArgAction::SetTrue)
        .overrides_with(negated(field))
        .help(help(field))
}

fn negated_switch(field: &Field) -> Arg {
    Arg::new(negated(field))
        .long(negated(field))
        .action(ArgAction::SetTrue)
        .overrides_with(field.name)
        .help(format!("The opposite of --{}", kebab(field)))
}

fn option(field: &Field) -> Arg {
    let option = Arg::new(field.name)
        .long(kebab(field))
        .required(field.required)
        .help(help(field));
    match field.kind {
        FieldKind::Number => option.value_name("N").value_parser(value_parser!(u64)),
        FieldKind::List => option.value_name("TEXT").action(ArgAction::Append),
        FieldKind::Word(words) => option
            .value_name("WORD")
            .value_parser(PossibleValuesParser::new(words)),
        _ => option.value_name("TEXT"),
    }
}

fn value(field: &Field, matches: &ArgMatches) -> Option<Value> {
    match field.kind {
        FieldKind::Switch if matches.get_flag(field.name) => Some(true.into()),
        FieldKind::Switch if matches.get_flag(&negated(field)) => Some(false.into()),
        FieldKind::Switch => None,
        FieldKind::Number => matches.get_one::<u64>(field.name).copied().map(Value::from),
        FieldKind::List => {
            let texts = matches.get_many::<String>(field.name)?;
            Some(texts.cloned().collect::<Vec<_>>().into())
        }
        FieldKind::PullRequest | FieldKind::Text | FieldKind::Word(_) => matches
            .get_one::<String>(field.name)
            .cloned()
            .map(Value::from),
    }
}

#[cfg(test)]
mod tests {
    use baton_ops::pulls;
    use baton_protocol::Field;
    use clap::Command;
    use serde_json::json;

    use super::{arguments, collect, declare};

    fn fields(verb: &str) -> Vec<Field> {
        let name = verb.replace('-', "_");
        let mut tools = pulls::operations().into_iter();
        tools.find(|tool| tool.meta.name == name).unwrap().fields()
    }

    fn parse(verb: &'static str, arguments: &[&str]) -> serde_json::Value {
        let fields = fields(verb);
        let command = declare(Command::new(verb).no_binary_name(true), &fields);
        collect(&fields, &command.try_get_matches_from(arguments).unwrap())
    }

    #[test]
    fn flags_become_fields() {
        assert_eq!(
            parse(
                "get-failing-tests",
                &["a/b#1", "--wait", "--no-bail-on-first"]
            ),
            json!({ "pr": "a/b#1", "wait": true, "bail_on_first": false })
        );
        assert_eq!(
            parse("get-failing-tests", &["a/b#1", "--wait", "--no-wait"]),
            json!({ "pr": "a/b#1", "wait": false })
        );
        assert_eq!(
            parse(
                "find-unresolved-comments",
                &[
                    "1",
                    "--exclude-authors",
                    "kim",
                    "--exclude-authors",
                    "lee",
                    "--sort",
                    "by_file"
                ]
            ),
            json!({ "pr": "1", "exclude_authors": ["kim", "lee"], "sort": "by_file" })
        );
        assert_eq!(
            parse(
                "manage-stacked-prs",
                &["1", "2", "--max-iterations", "4", "--onto-base", "main"]
            ),
            json!({ "base_pr": "1", "dependent_pr": "2", "max_iterations": 4, "onto_base": "main" })
        );
        assert_eq!(
            parse("get-failing-tests", &["--wait"]),
            json!({ "wait": true })
        );
    }

    #[test]
    fn fields_become_flags_again() {
        for (tool, given) in [
            (
                "get-failing-tests",
                vec!["a/b#1", "--wait", "--no-bail-on-first"],
            ),
            (
                "manage-stacked-prs",
                vec!["1", "2", "--max-iterations", "4"],
            ),
            (
                "find-unresolved-comments",
                vec!["1", "--exclude-authors", "kim", "--exclude-authors", "lee"],
            ),
        ] {
            assert_eq!(arguments(&fields(tool), &parse(tool, &given)), given);
        }
    }
}
