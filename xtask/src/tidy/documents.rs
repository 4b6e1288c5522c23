//! What the documents promise is there: a section for every crate, and the two
//! commands that a newcomer needs.

use super::Source;
use crate::edges;

const COMMANDS: [&str; 2] = ["cargo run --release -- demo", "cargo xtask test"];

/// `crates` are the rooms that exist, by short name.
pub(super) fn check(sources: &[Source], crates: &[&str]) -> Vec<String> {
    let text = |path: &str| {
        sources
            .iter()
            .find(|source| source.path == path)
            .map(|source| source.text.as_str())
    };
    let mut found = Vec::new();
    match text("README.md") {
        Some(readme) => found.extend(commands_missing_from(readme)),
        None => found.push("README.md is missing".to_owned()),
    }
    match text("ARCHITECTURE.md") {
        Some(architecture) => found.extend(architecture_gaps(architecture, crates)),
        None => found.push("ARCHITECTURE.md is missing".to_owned()),
    }
    found
}

fn commands_missing_from(readme: &str) -> Vec<String> {
    let missing = COMMANDS
        .iter()
        .filter(|command| !readme.contains(**command));
    missing
        .map(|command| format!("README.md does not show `{command}`"))
        .collect()
}

fn architecture_gaps(architecture: &str, crates: &[&str]) -> Vec<String> {
    let sections = crate_sections(architecture);
    let mut found = Vec::new();
    for name in crates.iter().filter(|name| **name != "xtask") {
        if !sections.iter().any(|section| section.name == *name) {
            found.push(format!(
                "ARCHITECTURE.md has no section for `{name}`: a heading \"### `{name}`\", a paragraph, a line \"Must not know: …\""
            ));
        }
    }
    for Section { name, body } in &sections {
        if edges::room(name).is_none() {
            found.push(format!(
                "ARCHITECTURE.md has a section for `{name}`, which has no row in xtask/src/edges.rs"
            ));
        }
        let (limits, prose): (Vec<&str>, Vec<&str>) = body.iter().partition(|line| is_limit(line));
        if prose.is_empty() {
            found.push(format!(
                "ARCHITECTURE.md says nothing about `{name}` below its heading"
            ));
        }
        if limits.is_empty() {
            found.push(format!(
                "ARCHITECTURE.md: the section on `{name}` has no line \"Must not know: …\""
            ));
        }
    }
    found
}

struct Section<'a> {
    name: &'a str,
    /// The lines up to the next heading that are not blank.
    body: Vec<&'a str>,
}

/// The sections whose heading is, or begins with, one word in backticks.
fn crate_sections(markdown: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        if line.starts_with('#') {
            let name = name_in_heading(line);
            inside = name.is_some();
            sections.extend(name.map(|name| Section {
                name,
                body: Vec::new(),
            }));
        } else if inside && !line.trim().is_empty() {
            sections
                .last_mut()
                .expect("a heading opened one")
                .body
                .push(line);
        }
    }
    sections
}

fn name_in_heading(line: &str) -> Option<&str> {
    let (name, _) = line
        .trim_start_matches('#')
        .trim()
        .strip_prefix('`')?
        .split_once('`')?;
    let short = edges::room_name(name.strip_prefix("crates/").unwrap_or(name));
    let is_word = short
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    is_word.then_some(short)
}

fn is_limit(line: &str) -> bool {
    let plain = line.trim_start_matches(|c: char| !c.is_alphabetic());
    plain.to_ascii_lowercase().starts_with("must not know")
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    const ARCHITECTURE: &str = "\
# Architecture

## `protocol`

The contract.

Must not know: tokio, files, clocks.

## `host` (machine)

This machine.
**Must not know:** GitHub.

## How to add a crate

`gadget` is not a section.
";

    #[test]
    fn complete_documents_are_silent() {
        let sources = [
            source(
                "README.md",
                "`cargo run --release -- demo` and `cargo xtask test`",
            ),
            source("ARCHITECTURE.md", ARCHITECTURE),
        ];
        assert_eq!(
            check(&sources, &["protocol", "host", "xtask"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn every_gap_is_named() {
        let broken = ARCHITECTURE.replace("**Must not know:** GitHub.", "")
            + "## `gadget`\nMust not know: all.\n## `serve`\nLater.\n- Must not know: clap\n";
        let sources = [
            source("README.md", "`cargo xtask test`"),
            source("ARCHITECTURE.md", &broken),
        ];
        insta::assert_snapshot!(check(&sources, &["protocol", "host", "baton"]).join("\n"), @r####"
        README.md does not show `cargo run --release -- demo`
        ARCHITECTURE.md has no section for `baton`: a heading "### `baton`", a paragraph, a line "Must not know: …"
        ARCHITECTURE.md: the section on `host` has no line "Must not know: …"
        ARCHITECTURE.md has a section for `gadget`, which has no row in xtask/src/edges.rs
        ARCHITECTURE.md says nothing about `gadget` below its heading
        "####);
    }

    #[test]
    fn missing_documents_are_named() {
        assert_eq!(
            check(&[], &[]),
            ["README.md is missing", "ARCHITECTURE.md is missing"]
        );
    }
}
