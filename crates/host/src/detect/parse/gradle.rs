//! Reads includes and plugins of Gradle scripts.

use super::MAX_ENTRIES;

/// The project paths in the `include` statements of a settings script
/// (`include 'app', ':lib:core'` and `include(":app", ":lib")`), without the
/// leading colon.
pub fn gradle_includes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let arguments = if open {
            Some(line)
        } else {
            line.strip_prefix("include")
                .filter(|rest| rest.starts_with([' ', '\t', '(', '"', '\'']))
        };
        let Some(arguments) = arguments else { continue };
        for name in quoted(arguments) {
            let name = name.trim_start_matches(':');
            if !name.is_empty() && found.len() < MAX_ENTRIES {
                found.push(name.to_owned());
            }
        }
        let trimmed = arguments.trim_end();
        open = !trimmed.ends_with(')') && (trimmed.ends_with(',') || trimmed.ends_with('('));
    }
    found
}

/// Whether a build script applies a plugin of this name. A mention in any
/// quotes will do: plugins are applied in half a dozen notations.
pub fn gradle_names_plugin(text: &str, plugin: &str) -> bool {
    text.lines().any(|line| {
        let line = line.split("//").next().unwrap_or_default();
        quoted(line).any(|word| word == plugin)
            || line.trim() == plugin
            || (line.contains("plugins") && line.contains(&format!(" {plugin} ")))
    })
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = &rest[start..=start];
        let inner = &rest[start + 1..];
        let end = inner.find(quote)?;
        rest = &inner[end + 1..];
        Some(&inner[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_in_both_languages() {
        let text = "rootProject.name = 'x'\ninclude 'app', ':lib:core' // 'no'\ninclude(\n  \":web\",\n  \":api\"\n)\n\
                    includeBuild 'other'\n";
        assert_eq!(gradle_includes(text), ["app", "lib:core", "web", "api"]);
    }

    #[test]
    fn plugins_in_several_notations() {
        let spotless = "com.diffplug.spotless";
        assert!(gradle_names_plugin(
            "plugins { id 'com.diffplug.spotless' version '7' }",
            spotless
        ));
        assert!(gradle_names_plugin(
            "plugins {\n  checkstyle\n}",
            "checkstyle"
        ));
        assert!(gradle_names_plugin("plugins { checkstyle }", "checkstyle"));
        assert!(gradle_names_plugin(
            "apply plugin: \"checkstyle\"",
            "checkstyle"
        ));
        assert!(!gradle_names_plugin("// id 'checkstyle'", "checkstyle"));
    }
}
