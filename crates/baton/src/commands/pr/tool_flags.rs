//! The tools' inputs as flags. They are made from the contract's own schemas,
//! so that a field has one name, one type and one description everywhere:
//! each field in kebab case, booleans with a `--no-` form, references to pull
//! requests as positional arguments.

use baton_protocol::schema;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

/// The field of a tool that is about one pull request.
pub(super) const ONLY_REFERENCE: &str = "pr";

/// Turns `get-failing-tests` into that tool's command line.
pub(super) fn declare(command: Command) -> Command {
    let input = input_schema(command.get_name());
    let declared = fields(&input).fold(command, |command, field| match field.shape {
        Shape::Reference => command.arg(field.positional()),
        Shape::Switch => command.arg(field.switch()).arg(field.negated_switch()),
        _ => command.arg(field.option()),
    });
    declared.arg(
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print the tool's output as one JSON object"),
    )
}

/// The input that the flags amount to, as JSON.
pub(super) fn collect(tool: &str, matches: &ArgMatches) -> Value {
    let input = input_schema(tool);
    let given = fields(&input).filter_map(|field| {
        let value = field.value(matches)?;
        Some((field.name.to_owned(), value))
    });
    Value::Object(given.collect::<Map<_, _>>())
}

/// The input as arguments again, for whoever is to repeat the call.
pub(super) fn arguments(tool: &str, input: &Value) -> Vec<String> {
    let schema = input_schema(tool);
    let mut positional = Vec::new();
    let mut flags = Vec::new();
    for field in fields(&schema) {
        match (&field.shape, &input[field.name]) {
            (_, Value::Null) => {}
            (Shape::Reference, given) => positional.push(plain(given)),
            (_, Value::Bool(true)) => flags.push(format!("--{}", field.kebab())),
            (_, Value::Bool(false)) => flags.push(format!("--{}", field.negated())),
            (_, Value::Array(several)) => flags.extend(
                several
                    .iter()
                    .flat_map(|one| [format!("--{}", field.kebab()), plain(one)]),
            ),
            (_, one) => flags.extend([format!("--{}", field.kebab()), plain(one)]),
        }
    }
    positional.into_iter().chain(flags).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn input_schema(tool: &str) -> Value {
    let name = format!("{}.input", tool.replace('-', "_"));
    schema::find(&name)
        .expect("every tool has an input in the catalogue")
        .json_schema()
}

struct Field<'a> {
    name: &'a str,
    required: bool,
    help: &'a str,
    shape: Shape<'a>,
}

enum Shape<'a> {
    Reference,
    Switch,
    Number,
    Text,
    Texts,
    Word(Vec<&'a str>),
}

fn fields(input: &Value) -> impl Iterator<Item = Field<'_>> {
    let properties = input["properties"].as_object().into_iter().flatten();
    let required = input["required"].as_array();
    properties.map(move |(name, property)| Field {
        name,
        required: required.is_some_and(|names| names.iter().any(|required| required == name)),
        help: property["description"].as_str().unwrap_or_default(),
        shape: shape(name, property, &input["definitions"]),
    })
}

fn shape<'a>(name: &str, property: &'a Value, definitions: &'a Value) -> Shape<'a> {
    if name == "pr" || name.ends_with("_pr") {
        return Shape::Reference;
    }
    let reference = property["$ref"]
        .as_str()
        .or_else(|| property["allOf"][0]["$ref"].as_str());
    let resolved = match reference.and_then(|r| r.rsplit('/').next()) {
        Some(definition) => &definitions[definition],
        None => property,
    };
    if let Some(words) = resolved["enum"].as_array() {
        return Shape::Word(words.iter().filter_map(Value::as_str).collect());
    }
    match resolved["type"].as_str() {
        Some("boolean") => Shape::Switch,
        Some("integer") => Shape::Number,
        Some("array") => Shape::Texts,
        _ => Shape::Text,
    }
}

impl Field<'_> {
    fn kebab(&self) -> String {
        self.name.replace('_', "-")
    }

    fn help(&self) -> String {
        self.help.trim_end_matches('.').to_owned()
    }

    fn negated(&self) -> String {
        format!("no-{}", self.kebab())
    }

    fn positional(&self) -> Arg {
        Arg::new(self.name.to_owned())
            .value_name(self.name.to_uppercase())
            // Whoever names no pull request means that of the current branch.
            .required(self.name != ONLY_REFERENCE)
            // A reference may begin with a dash only by mistake, and the
            // reader of references says so better than clap.
            .allow_hyphen_values(true)
            .help(self.help())
    }

    fn switch(&self) -> Arg {
        Arg::new(self.name.to_owned())
            .long(self.kebab())
            .action(ArgAction::SetTrue)
            .overrides_with(self.negated())
            .help(self.help())
    }

    fn negated_switch(&self) -> Arg {
        Arg::new(self.negated())
            .long(self.negated())
            .action(ArgAction::SetTrue)
            .overrides_with(self.name.to_owned())
            .help(format!("The opposite of --{}", self.kebab()))
    }

    fn option(&self) -> Arg {
        let option = Arg::new(self.name.to_owned())
            .long(self.kebab())
            .required(self.required)
            .help(self.help());
        match &self.shape {
            Shape::Number => option.value_name("N").value_parser(value_parser!(u64)),
            Shape::Texts => option.value_name("TEXT").action(ArgAction::Append),
            Shape::Word(words) => {
                let words: Vec<String> = words.iter().map(|&w| w.to_owned()).collect();
                option
                    .value_name("WORD")
                    .value_parser(PossibleValuesParser::new(words))
            }
            _ => option.value_name("TEXT"),
        }
    }

    fn value(&self, matches: &ArgMatches) -> Option<Value> {
        let text = || matches.get_one::<String>(self.name).cloned();
        match self.shape {
            Shape::Switch if matches.get_flag(self.name) => Some(true.into()),
            Shape::Switch if matches.get_flag(&self.negated()) => Some(false.into()),
            Shape::Switch => None,
            Shape::Number => matches.get_one::<u64>(self.name).copied().map(Value::from),
            Shape::Texts => {
                let texts = matches.get_many::<String>(self.name)?;
                Some(texts.cloned().collect::<Vec<_>>().into())
            }
            Shape::Reference | Shape::Text | Shape::Word(_) => text().map(Value::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use serde_json::json;

    use super::{arguments, collect, declare};

    fn parse(tool: &'static str, arguments: &[&str]) -> serde_json::Value {
        let command = declare(Command::new(tool).no_binary_name(true));
        collect(tool, &command.try_get_matches_from(arguments).unwrap())
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
            assert_eq!(arguments(tool, &parse(tool, &given)), given);
        }
    }
}
