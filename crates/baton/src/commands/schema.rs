//! `baton schema`: prints the types of the contract.

use std::fmt::Write as _;

use baton_protocol::schema;
use clap::ValueEnum;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal;

/// Print the types of the contract, or list their names
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which type, as in `testing.input`; without it, all names are listed
    name: Option<String>,

    /// In which language
    #[arg(long = "as", value_enum, default_value_t = Form::JsonSchema, value_name = "FORM")]
    form: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    JsonSchema,
    Typescript,
    Pydantic,
}

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    terminal::result(&match &args.name {
        None => names(),
        Some(name) => one(name, args.form)?,
    })?;
    Ok(Exit::Done)
}

fn names() -> String {
    let mut text = String::new();
    for entry in schema::entries() {
        writeln!(text, "{}", entry.name).expect("a string takes all text");
    }
    text
}

fn one(name: &str, form: Form) -> Result<String, CommandError> {
    let Some(entry) = schema::find(name) else {
        let error = CommandError::wrong_use(format!(
            "there is no type called '{}'",
            terminal::sanitize(name)
        ));
        return Err(match schema::suggest(name) {
            Some(near) => error.hint(format!("Did you mean '{near}'?")),
            None => error.hint("`baton schema` lists all names."),
        });
    };
    Ok(match form {
        Form::JsonSchema => format!("{:#}\n", entry.json_schema()),
        Form::Typescript => entry.typescript(),
        Form::Pydantic => entry.pydantic(),
    })
}
