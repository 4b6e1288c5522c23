//! Title and text in the user's own editor.

use std::fs;

use baton_host::cmd::{Cmd, Environment};

use super::draft::Draft;
use crate::environment::{self, EDITOR, VISUAL};
use crate::error::CommandError;
use crate::session::Session;

/// The first line is the title; what git would cut off is not cut off here,
/// since Markdown's headings begin alike.
pub(super) fn edit(draft: &Draft, environment: &Environment) -> Result<Draft, CommandError> {
    let editor = [VISUAL, EDITOR]
        .iter()
        .find_map(|name| environment::text(environment, name))
        .ok_or_else(|| {
            CommandError::missing("there is no editor")
                .hint("Set EDITOR, or give --title and --body.")
        })?;
    let unwritable =
        |error| CommandError::missing("cannot write a file for the editor").because(error);
    let folder = tempfile::Builder::new()
        .prefix("baton-pr-")
        .tempdir_in(environment.temporary_folder())
        .map_err(unwritable)?;
    let file = folder.path().join("PULL_REQUEST.md");
    fs::write(&file, format!("{}\n\n{}\n", draft.title, draft.body)).map_err(unwritable)?;
    // The variable is a command line of the user's, as it is to git; the file
    // is an argument.
    let succeeded = Cmd::shell(
        format!("{editor} \"$1\""),
        Session::working_directory()?,
        environment,
    )
    .arg("editor")
    .arg(&file)
    .run_on_terminal()
    .map_err(|error| CommandError::missing("the editor cannot be started").because(error))?;
    if !succeeded {
        return Err(CommandError::wrong_use(
            "the editor failed, so nothing was done",
        ));
    }
    let text = fs::read_to_string(&file)
        .map_err(|error| CommandError::missing("cannot read what was edited").because(error))?;
    let (title, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    if title.is_empty() {
        return Err(CommandError::wrong_use(
            "the text is empty, so nothing was done",
        ));
    }
    Ok(Draft {
        title: title.trim().to_owned(),
        body: body.trim().to_owned(),
    })
}
