//! Comments and attributes that silence a tool, added by the change.

use tree_sitter::Node;

use super::{Both, Rule, Sign};
use crate::budget::Budget;
use crate::finding::Severity;
use crate::language::Language;
use crate::source::{Source, Text};
use crate::tree_index::TreeIndex;

pub(super) static SILENCED: Rule = Rule {
    id: "tamper/check-silenced",
    class: "lint-relaxed",
    what: "Tool silenced by a comment or attribute",
    why: "the tool is silent about what it would have reported here",
    remedy: "Repair what is reported; where the tool is wrong, name the rule and write the reason beside it.",
};

/// How one tool is silenced.
struct Silencer {
    text: &'static str,
    /// It applies to a whole file, or to all rules.
    blanket: bool,
    /// It silences a search for vulnerabilities. Only a person accepts that,
    /// whatever the reason and however new the file.
    security: bool,
}

const fn one(text: &'static str) -> Silencer {
    Silencer {
        text,
        blanket: false,
        security: false,
    }
}

const fn security(text: &'static str) -> Silencer {
    Silencer {
        text,
        blanket: false,
        security: true,
    }
}

const fn all(text: &'static str) -> Silencer {
    Silencer {
        text,
        blanket: true,
        security: false,
    }
}

/// The first that matches wins, so blanket forms come first.
fn silencers(language: Language) -> &'static [Silencer] {
    const PYTHON: [Silencer; 12] = [
        all("# ruff: noqa"),
        all("# flake8: noqa"),
        all("# mypy: ignore-errors"),
        all("# pylint: skip-file"),
        one("# noqa"),
        one("# type: ignore"),
        one("# pyright: ignore"),
        one("# pylint: disable"),
        security("# nosec"),
        one("# pragma: no cover"),
        security("# nosemgrep"),
        security("baton-ignore:"),
    ];
    const JAVASCRIPT: [Silencer; 12] = [
        all("@ts-nocheck"),
        one("eslint-disable"),
        one("@ts-ignore"),
        one("@ts-expect-error"),
        one("biome-ignore"),
        one("istanbul ignore"),
        one("c8 ignore"),
        one("v8 ignore"),
        one("oxlint-disable"),
        one("deno-lint-ignore"),
        security("nosemgrep"),
        security("baton-ignore:"),
    ];
    const GO: [Silencer; 4] = [
        one("//nolint"),
        one("// nolint"),
        security("#nosec"),
        security("baton-ignore:"),
    ];
    const RUST: [Silencer; 4] = [
        all("#![allow("),
        one("#[allow("),
        one("#[cfg_attr(coverage"),
        security("baton-ignore:"),
    ];
    const RUBY: [Silencer; 4] = [
        one("rubocop:disable"),
        one("rubocop:todo"),
        one(":nocov:"),
        security("baton-ignore:"),
    ];
    const JAVA: [Silencer; 6] = [
        all("CHECKSTYLE:OFF"),
        one("@SuppressWarnings"),
        security("@SuppressFBWarnings"),
        security("NOSONAR"),
        one("@SuppressChecks"),
        security("baton-ignore:"),
    ];
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Rust => &RUST,
        Language::Ruby => &RUBY,
        Language::Java => &JAVA,
    }
}

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    let Some(language) = Language::from_path(both.path) else {
        return Vec::new();
    };
    let mut known = silenced(both.path, both.before.unwrap_or(""), language, &both.budget);
    let mut signs = Vec::new();
    for found in silenced(both.path, both.after.unwrap_or(""), language, &both.budget) {
        // One that was there before may have moved.
        let old = known
            .iter()
            .position(|old| old.silencer.text == found.silencer.text && old.rest == found.rest);
        if let Some(old) = old {
            known.swap_remove(old);
            continue;
        }
        let what = format!("`{}` added", found.silencer.text.trim_end_matches('('));
        let sign = Sign::new(&SILENCED, both.path, found.line, what);
        // In a new file nothing was checked before that is not checked now.
        let severity = match both.before {
            Some(_) => severity(found.silencer, found.rest),
            None => Severity::Low,
        };
        let severity = if found.silencer.security {
            severity.max(Severity::Medium)
        } else {
            severity
        };
        signs.push(sign.at(severity).showing(found.text));
    }
    signs
}

/// One use of a silencer.
struct Silenced<'t> {
    silencer: &'static Silencer,
    line: u32,
    text: &'t str,
    /// What follows on the line.
    rest: &'t str,
}

fn silenced<'t>(
    path: &str,
    text: &'t str,
    language: Language,
    budget: &Budget,
) -> Vec<Silenced<'t>> {
    let silencers = silencers(language);
    if !silencers
        .iter()
        .any(|silencer| text.contains(silencer.text))
    {
        return Vec::new();
    }
    let source =
        Text::new(path, text.as_bytes()).and_then(|text| Source::parse(text, language, budget));
    let Ok(source) = source else {
        return Vec::new();
    };
    let index = TreeIndex::new(&source.tree, budget);
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let candidate = silencers
            .iter()
            .find_map(|silencer| Some((silencer, line.find(silencer.text)?)));
        if let Some((silencer, at)) = candidate
            && silences(&source, &index, start + at)
        {
            found.push(Silenced {
                silencer,
                line: u32::try_from(number + 1).unwrap_or(u32::MAX),
                text: line,
                rest: line[at + silencer.text.len()..].trim(),
            });
        }
        start += line.len() + 1;
    }
    found
}

/// A comment, an attribute or an annotation does; a string does not.
fn silences(source: &Source<'_>, index: &TreeIndex<'_>, at: usize) -> bool {
    if !source.budget.spend(1) {
        return false;
    }
    let root = source.tree.root_node();
    let mut around: Option<Node<'_>> = root.descendant_for_byte_range(at, at + 1);
    for _ in 0..4 {
        let Some(node) = around else {
            return false;
        };
        let kind = node.kind();
        if kind.contains("comment") || kind.contains("attribute") || kind.contains("annotation") {
            return true;
        }
        around = index.parent(node);
    }
    false
}

/// A reason makes it a decision that can be reviewed.
fn severity(silencer: &Silencer, rest: &str) -> Severity {
    let reason = ["reason", " -- ", " because ", " – ", " // "]
        .iter()
        .any(|mark| rest.contains(mark))
        || rest
            .split_once(" - ")
            .is_some_and(|(_, reason)| reason.len() > 10)
        || (silencer.text == "biome-ignore"
            && rest
                .split_once(": ")
                .is_some_and(|(_, reason)| reason.len() > 10))
        || (silencer.text == "@ts-expect-error" && rest.trim_matches([':', ' ']).len() > 10);
    let names_a_rule = rest.starts_with([':', '=', '[', '('])
        || matches!(
            silencer.text,
            "#[allow(" | "@SuppressWarnings" | "rubocop:disable"
        )
        || rest.starts_with("-next-line ")
        || rest.starts_with("-line ");
    match (silencer.blanket, reason, names_a_rule) {
        (false, true, _) => Severity::Low,
        (true, true, _) | (false, false, true) => Severity::Medium,
        (_, false, _) => Severity::High,
    }
}
