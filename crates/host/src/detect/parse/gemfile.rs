//! Reads the gems of a Gemfile or a gemspec.

use super::MAX_ENTRIES;

/// The names in `gem "name"` lines of a Gemfile, and in the dependency lines
/// of a gemspec (`spec.add_development_dependency "name"`).
pub fn gems(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(gem_of_line)
        .take(MAX_ENTRIES)
        .collect()
}

fn gem_of_line(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.starts_with('#') {
        return None;
    }
    let rest = line.strip_prefix("gem").or_else(|| {
        let (_, call) = line.split_once(".add_")?;
        let (_, arguments) = call.split_once("dependency")?;
        Some(arguments)
    })?;
    // `gem "x"` and `gem("x")`, but not `gemspec`.
    let quoted = rest.trim_start_matches([' ', '\t', '(']);
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    if quoted.len() == rest.len() {
        return None;
    }
    let name = quoted[1..].split(quote).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gems_are_found_in_both_kinds_of_files() {
        let text = "source 'x'\ngemspec\n# gem 'no'\n  gem \"rspec-rails\", '~> 6'\ngem('minitest')\n\
                    spec.add_development_dependency \"rake\", '> 1'\ngem\ngem '\n";
        assert_eq!(gems(text), ["rspec-rails", "minitest", "rake"]);
    }
}
