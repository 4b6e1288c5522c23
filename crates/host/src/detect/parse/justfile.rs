//! Reads the recipes of a justfile.

use super::MAX_ENTRIES;

/// The recipes of a justfile that can be called without arguments, and the
/// aliases. Private recipes are for other recipes and are left out.
pub fn callable_recipes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut private = false;
    for line in text.lines() {
        if found.len() >= MAX_ENTRIES {
            break;
        }
        if line.starts_with([' ', '\t', '#']) || line.trim().is_empty() {
            continue;
        }
        if line.starts_with('[') {
            private |= line.contains("private");
            continue;
        }
        let recipe = alias(line).or_else(|| recipe_without_arguments(line));
        if let Some(name) = recipe
            && !private
            && !name.starts_with('_')
        {
            found.push(name.to_owned());
        }
        private = false;
    }
    found
}

fn alias(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("alias ")?.split_once(":=")?;
    Some(name.trim())
}

fn recipe_without_arguments(line: &str) -> Option<&str> {
    let line = line.strip_prefix('@').unwrap_or(line);
    let (head, rest) = line.split_once(':')?;
    if rest.starts_with('=') {
        return None;
    }
    let mut words = head.split_whitespace();
    let name = words.next()?;
    let is_name = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    // A parameter is optional when it has a default or takes any number of values.
    let all_optional = words.all(|word| word.contains('=') || word.starts_with('*'));
    (is_name && all_optional).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_called() {
        let text = "set shell := ['sh']\nversion := '1'\n# c:\nlint: build\n  cargo clippy\n@fmt *args:\n x\n\
                    deploy target:\n x\ntest mode='all':\n x\n[private]\nhidden:\n_secret:\nalias t := test\n";
        assert_eq!(callable_recipes(text), ["lint", "fmt", "test", "t"]);
    }
}
