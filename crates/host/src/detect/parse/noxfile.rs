//! Reads the sessions of a noxfile.

use super::MAX_ENTRIES;

/// The sessions that a noxfile defines: functions below a `@nox.session`
/// decorator (or `@session`), under the name the decorator gives them.
pub fn nox_sessions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // `Some(name)` below a session decorator; the name is empty when the
    // decorator gives none.
    let mut decorator: Option<String> = None;
    for line in text.lines() {
        if found.len() >= MAX_ENTRIES {
            break;
        }
        let starts = line.starts_with("@nox.session") || line.starts_with("@session");
        let continues = decorator.as_deref() == Some("") && line.trim_start().starts_with("name");
        if starts || continues {
            decorator = Some(name_argument(line).unwrap_or_default().to_owned());
        } else if let Some(rest) = line.strip_prefix("def ")
            && let Some(name) = decorator.take()
        {
            let function = rest.split('(').next().unwrap_or_default().trim();
            found.push(if name.is_empty() {
                function.to_owned()
            } else {
                name
            });
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

fn name_argument(line: &str) -> Option<&str> {
    let after = &line[line.find("name")? + "name".len()..];
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_given_names() {
        let text = "import nox\n@nox.session\ndef lint(session):\n  pass\ndef other(x):\n  pass\n\
                    @nox.session(python=['3.12'], name=\"tests\")\ndef run_tests(session):\n  pass\n\
                    @nox.session(\n    name='format',\n)\ndef f(session):\n  pass\n";
        assert_eq!(nox_sessions(text), ["lint", "tests", "format"]);
    }
}
