//! `baton init`: writes a first configuration.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use baton_protocol::detection::{Project, Purpose};

use super::detect;
use crate::config::REPOSITORY_FILE;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::terminal::{self, sanitize};

/// Write a commented configuration file for this repository
///
/// The file holds what `baton detect` found, commented out, so that nothing
/// changes until you want it to. An existing file is left alone.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The repository's folder
    #[arg(default_value = ".")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = Session::working_directory()?.join(&args.folder);
    let file = folder.join(REPOSITORY_FILE);
    let named = args.folder.join(REPOSITORY_FILE);
    let named = named.strip_prefix(".").unwrap_or(&named);
    let shown = sanitize(&named.to_string_lossy());
    if file.exists() {
        terminal::error_line(&format!("{shown} is already there; nothing was changed"));
        terminal::result(&format!("{shown}\n"))?;
        return Ok(Exit::Done);
    }
    let config = session.config()?;
    let project = detect::project(&folder, None, &session.environment, &config);
    write_new(&file, &template(&project)).map_err(|error| {
        CommandError::missing(format!("cannot write {shown}"))
            .because(error)
            .hint("Check that the folder exists and that you may write there.")
    })?;
    terminal::error_line("Next: look at the file, then run `baton doctor`.");
    terminal::result(&format!("{shown}\n"))?;
    Ok(Exit::Done)
}

/// Creates the file, or fails if another process just did.
fn write_new(file: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(file)?.write_all(content.as_bytes())
}

fn template(project: &Project) -> String {
    let mut text = String::from(
        "# baton's configuration for this repository. Values here outrank the user's own\n\
         # file and are outranked by environment variables and flags; `baton config show`\n\
         # prints what holds. Take the `#` away to set a value.\n\n\
         [commands]\n",
    );
    let commands = project
        .language()
        .and_then(|language| project.validation_commands(language));
    for (key, purpose) in [
        ("install", Purpose::Install),
        ("format", Purpose::Format),
        ("lint", Purpose::Lint),
        ("build", Purpose::Build),
        ("test", Purpose::Test),
    ] {
        let found = commands.and_then(|commands| commands.first(purpose));
        let (command, reason) = match found {
            Some(found) => (found.command.as_str(), found.reason.as_str()),
            None => ("", "nothing was found"),
        };
        let value = toml::Value::String(command.to_owned());
        let reason = sanitize(reason).replace('\n', " ");
        writeln!(text, "# {key} = {value}  # {reason}").expect("a string takes all text");
    }
    text.push_str(
        "\n[agent]\n# name = \"claude\"  # claude, codex, gemini, goose, opencode or aider\n",
    );
    text
}
