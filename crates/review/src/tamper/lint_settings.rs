//! Rules of linters and type checkers, relaxed in their configuration.

use std::collections::{HashMap, HashSet};

use super::settings::{Entry, entries};
use super::{Both, Rule, Sign};
use crate::finding::Severity;

pub(super) static RELAXED: Rule = Rule {
    id: "tamper/lint-rule-relaxed",
    class: "lint-relaxed",
    what: "Rule of a linter relaxed",
    why: "the linter is silent about what it would have reported before",
    remedy: "Repair what the rule reports, or say in the change why the rule is wrong here.",
};

/// Lists whose items switch something off …
const OFF: [&str; 22] = [
    "ignore",
    "ignores",
    "extend-ignore",
    "extend_ignore",
    "exclude",
    "extend-exclude",
    "per-file-ignores",
    "extend-per-file-ignores",
    "ignorepatterns",
    "disable",
    "disabled",
    "exclude-rules",
    "exclude-files",
    "exclude-dirs",
    "skip",
    "skips",
    "disable_error_code",
    "excludes",
    "tool.ruff.lint.per-file-ignores",
    "ignored",
    "ignore_paths",
    "include_only",
];

/// … and lists whose items switch something on.
const ON: [&str; 8] = [
    "select",
    "extend-select",
    "enable",
    "linters",
    "extends",
    "plugins",
    "hooks",
    "enabled",
];

fn is_lint_configuration(both: &Both<'_>) -> bool {
    let name = both.name().to_ascii_lowercase();
    let known = [
        ".flake8",
        "setup.cfg",
        "tox.ini",
        "pyproject.toml",
        "ruff.toml",
        ".ruff.toml",
        "mypy.ini",
        ".mypy.ini",
        ".pylintrc",
        "pylintrc",
        "clippy.toml",
        ".clippy.toml",
        "cargo.toml",
        ".golangci.yml",
        ".golangci.yaml",
        ".golangci.toml",
        ".golangci.json",
        ".rubocop.yml",
        ".rubocop_todo.yml",
        "checkstyle.xml",
        "checkstyle-suppressions.xml",
        "suppressions.xml",
        "pmd.xml",
        "ruleset.xml",
        "biome.json",
        "biome.jsonc",
        ".oxlintrc.json",
        "deno.json",
        ".eslintignore",
        ".prettierignore",
        ".bandit",
        "deny.toml",
        "pyrightconfig.json",
        ".stylelintrc.json",
        "spotbugs-exclude.xml",
        ".semgrepignore",
        ".gitleaksignore",
    ];
    known.contains(&name.as_str())
        || name.starts_with(".eslintrc")
        || name.starts_with("eslint.config")
        || (name.starts_with("tsconfig") && name.ends_with("json"))
}

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    if !is_lint_configuration(both) {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (both.before, both.after) else {
        return deleted(both);
    };
    if both.name().ends_with("ignore") {
        return ignored_paths(both, before, after);
    }
    if both.name().rsplit('.').next() == Some("xml") {
        return elements(both, before, after);
    }
    let (old, new) = (entries(before), entries(after));
    let mut signs = levels(both, &old, &new);
    signs.extend(lists(both, &old, &new));
    signs
}

fn deleted(both: &Both<'_>) -> Vec<Sign> {
    if both.after.is_some() || both.name().eq_ignore_ascii_case("cargo.toml") {
        return Vec::new();
    }
    vec![Sign::new(
        &RELAXED,
        both.path,
        1,
        "Configuration of a linter deleted".to_owned(),
    )]
}

fn ignored_paths(both: &Both<'_>, before: &str, after: &str) -> Vec<Sign> {
    let known: HashSet<_> = before.lines().map(str::trim).collect();
    let mut signs = Vec::new();
    for (line, text) in after.lines().enumerate() {
        let path = text.trim();
        if !path.is_empty() && !path.starts_with('#') && !known.contains(path) {
            let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
            let what = format!("Path `{path}` taken out of the linter's sight");
            signs.push(
                Sign::new(&RELAXED, both.path, line, what)
                    .at(Severity::Medium)
                    .showing(text),
            );
        }
    }
    signs
}

/// Checkstyle and PMD: a module less, a lower severity, a suppression more.
fn elements(both: &Both<'_>, before: &str, after: &str) -> Vec<Sign> {
    let named = |text: &str, element: &str| {
        text.lines()
            .enumerate()
            .filter(|(_, line)| line.contains(element))
            .map(|(at, line)| {
                (
                    line.trim().to_owned(),
                    u32::try_from(at + 1).unwrap_or(u32::MAX),
                )
            })
            .collect::<Vec<_>>()
    };
    let mut signs = Vec::new();
    for element in ["<module ", "<rule ", "value=\"error\""] {
        let now = named(after, element);
        for (line, _) in named(before, element) {
            if !now.iter().any(|(kept, _)| *kept == line) {
                let what = "Rule of a linter removed".to_owned();
                signs.push(Sign::new(&RELAXED, both.path, 1, what).showing(&line));
            }
        }
    }
    for element in ["<suppress ", "<exclude ", "<Match>"] {
        let old = named(before, element);
        for (line, number) in named(after, element) {
            if !old.iter().any(|(kept, _)| *kept == line) {
                let what = "Suppression of a linter added".to_owned();
                signs.push(Sign::new(&RELAXED, both.path, number, what).showing(&line));
            }
        }
    }
    signs
}

/// How strict a value is, if it is a level.
fn level(value: &str) -> Option<u8> {
    match value.to_ascii_lowercase().as_str() {
        "off" | "0" | "false" | "allow" | "disabled" | "no" | "none" => Some(0),
        "warn" | "1" | "warning" | "info" | "on" => Some(1),
        "error" | "2" | "true" | "deny" | "forbid" | "enabled" | "yes" | "strict" => Some(2),
        _ => None,
    }
}

/// Keys that are no rules, whatever their values, and keys that are laxer when true.
fn is_laxer_when_true(key: &str) -> Option<bool> {
    let key = key.to_ascii_lowercase();
    let lax = [
        "ignore_errors",
        "ignore_missing_imports",
        "allow_untyped",
        "skiplibcheck",
        "allowjs",
        "allow_redefinition",
        "skip_covered",
        "allow-dirty",
        "allowunreachablecode",
        "allowunusedlabels",
    ];
    let neutral = [
        "default-features",
        "publish",
        "optional",
        "workspace",
        "private",
        "incremental",
        "doctest",
        "harness",
        "sourcemap",
        "declaration",
        "composite",
        "noemit",
        "esmoduleinterop",
        "root",
        "fix",
        "preview",
    ];
    if neutral.contains(&key.as_str()) {
        return None;
    }
    Some(lax.iter().any(|word| key.starts_with(word)))
}

/// The strictness of every key.
fn strictness(entries: &[Entry<'_>]) -> HashMap<String, (u8, u32)> {
    let mut found = HashMap::new();
    for entry in entries {
        // `"rule": ["error", options]` is a list whose first item is the level.
        let key = match &entry.key {
            Some(key) => key.clone(),
            None if level(&entry.value).is_some() && entry.section.contains(['-', '/']) => {
                entry.section.clone()
            }
            None => continue,
        };
        let value = entry.value.split([',', '}']).next().unwrap_or("");
        let value = value
            .trim_matches(['[', '{', ' ', '"', '\''])
            .trim_start_matches("level = \"")
            .trim_end_matches('"');
        let Some(level) = level(value) else {
            continue;
        };
        let Some(laxer_when_true) = is_laxer_when_true(&key) else {
            continue;
        };
        let level = if laxer_when_true { 2 - level } else { level };
        let full = match key.as_str() {
            "Enabled" | "enabled" | "level" | "severity" => format!("{}.{key}", entry.section),
            _ => key,
        };
        found.entry(full).or_insert((level, entry.line));
    }
    found
}

fn levels(both: &Both<'_>, old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<Sign> {
    let (before, after) = (strictness(old), strictness(new));
    let text = both.after.unwrap_or("");
    let mut signs = Vec::new();
    for (key, (level, line)) in &after {
        let what = match before.get(key) {
            Some((old, _)) if old > level => format!("Rule `{key}` relaxed"),
            None if *level == 0 && is_rule(key, both) => format!("Rule `{key}` switched off"),
            _ => continue,
        };
        signs
            .push(Sign::new(&RELAXED, both.path, *line, what).showing(super::line_at(text, *line)));
    }
    for (key, (level, line)) in &before {
        if *level == 2 && !after.contains_key(key) && is_rule(key, both) {
            let excerpt = super::line_at(both.before.unwrap_or(""), *line);
            let what = format!("Rule `{key}` removed");
            signs.push(Sign::new(&RELAXED, both.path, 1, what).showing(excerpt));
        }
    }
    for (old, new) in old
        .iter()
        .filter_map(|entry| Some((entry, same_key(entry, new)?)))
    {
        if let (Some(before), Some(after)) = (limit(old), limit(new))
            && after > before
        {
            let key = old.key.as_deref().unwrap_or_default();
            let what = format!("Limit `{key}` raised from {before} to {after}");
            signs.push(
                Sign::new(&RELAXED, both.path, new.line, what)
                    .at(Severity::Medium)
                    .showing(new.text),
            );
        }
    }
    signs
}

fn same_key<'e, 't>(entry: &Entry<'_>, among: &'e [Entry<'t>]) -> Option<&'e Entry<'t>> {
    among.iter().find(|other| {
        other.key.is_some() && other.key == entry.key && other.section == entry.section
    })
}

/// `Max: 20`, `max-line-length = 120`, `cognitive-complexity-threshold = 30`.
fn limit(entry: &Entry<'_>) -> Option<u64> {
    let key = entry.key.as_deref()?.to_ascii_lowercase();
    let limits =
        key.starts_with("max") || key.ends_with("-threshold") || key.ends_with("complexity");
    limits.then(|| entry.value.parse().ok()).flatten()
}

/// In files that hold more than rules, only what looks like a rule is one.
fn is_rule(key: &str, both: &Both<'_>) -> bool {
    let name = both.name();
    let only_rules = name.contains("eslint")
        || name.contains("biome")
        || name.contains("oxlint")
        || name.contains("rubocop")
        || name.contains("golangci");
    let strict = [
        "strict",
        "noimplicit",
        "nounused",
        "disallow_",
        "warn_",
        "check_untyped",
        "no_implicit",
    ];
    let folded = key.to_ascii_lowercase();
    (only_rules
        && (key.contains(['-', '/']) || key.ends_with("Enabled") || folded.starts_with("no")))
        || strict.iter().any(|word| folded.contains(word))
        || (name == "Cargo.toml" && key.contains("unsafe"))
}

fn lists(both: &Both<'_>, old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<Sign> {
    let items = |entries: &[Entry<'_>], names: &[&str]| {
        entries
            .iter()
            .filter(|entry| is_list(entry, names))
            .map(|entry| (entry.value.clone(), entry.line))
            .collect::<HashMap<_, _>>()
    };
    let text = both.after.unwrap_or("");
    let mut signs = Vec::new();
    let (old_off, new_off) = (items(old, &OFF), items(new, &OFF));
    for (item, line) in &new_off {
        if !old_off.contains_key(item) && !item.is_empty() {
            let what = format!("`{item}` taken out of the linter's sight");
            signs.push(
                Sign::new(&RELAXED, both.path, *line, what).showing(super::line_at(text, *line)),
            );
        }
    }
    let (old_on, new_on) = (items(old, &ON), items(new, &ON));
    // A list that is gone as a whole was replaced by something else.
    if !new_on.is_empty() {
        for (item, line) in &old_on {
            if !new_on.contains_key(item)
                && !new.iter().any(|entry| entry.value.contains(item.as_str()))
            {
                let excerpt = super::line_at(both.before.unwrap_or(""), *line);
                let what = format!("`{item}` no longer checked by the linter");
                signs.push(Sign::new(&RELAXED, both.path, 1, what).showing(excerpt));
            }
        }
    }
    signs
}

/// Items of a list of that name, or one line that names several: `ignore = E501, W503`.
fn is_list(entry: &Entry<'_>, names: &[&str]) -> bool {
    let name = entry
        .key
        .as_deref()
        .unwrap_or(&entry.section)
        .to_ascii_lowercase();
    let section = entry.section.to_ascii_lowercase();
    let per_file = section.contains("per-file-ignores") && names.contains(&"per-file-ignores");
    if entry.key.is_some() {
        let text = level(&entry.value).is_none() && !entry.value.starts_with('{');
        return text && (names.contains(&name.as_str()) || per_file);
    }
    names.contains(&section.as_str()) || per_file
}
