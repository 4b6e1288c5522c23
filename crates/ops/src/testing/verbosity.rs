//! Runners that have to be asked to say what they do.

use baton_host::cmd::Environment;
use baton_protocol::Language;

/// Variables to set for the test command.
pub(super) fn variables(
    language: Option<Language>,
    environment: &Environment,
) -> Vec<(String, String)> {
    match language {
        Some(Language::Go) => go(environment).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `go test` counts nothing: of packages that pass, it names none of the
/// tests. The variable reaches it also from within a Makefile, and commands of
/// Go that have no such flag pass over it.
fn go(environment: &Environment) -> Option<(String, String)> {
    let own = match environment.get("GOFLAGS") {
        Some(value) => value.to_str()?,
        None => "",
    };
    let is_verbose = own
        .split_whitespace()
        .any(|flag| matches!(flag, "-v" | "-v=true" | "-json" | "-json=true"));
    (!is_verbose).then(|| ("GOFLAGS".to_owned(), format!("{own} -v").trim().to_owned()))
}
