//! The configuration of gates: what runs before a change is merged.

use std::collections::HashMap;

use super::{Both, Rule, Sign};
use crate::finding::Severity;

pub(super) static EDITED: Rule = Rule {
    id: "tamper/gate-edited",
    class: "gate-edited",
    what: "Configuration of a gate edited",
    why: "it decides what a change has to pass, and this change edits it",
    remedy: "Let someone who owns the gate approve the edit. Record an approved edit with `baton review --diff BASE --write-baseline FILE` and pass `--baseline FILE` from then on.",
};
pub(super) static WEAKENED: Rule = Rule {
    id: "tamper/gate-weakened",
    class: "gate-edited",
    what: "Failures let through a gate",
    why: "a failure there no longer stops the change",
    remedy: "Repair what fails instead.",
};

/// Lines that let failures through, each with a description.
const LETS_THROUGH: [(&str, &str); 15] = [
    ("continue-on-error: true", "Failures of a step ignored"),
    ("allow_failure: true", "Failures of a job allowed"),
    ("|| true", "Failures of a command ignored"),
    ("|| exit 0", "Failures of a command ignored"),
    ("|| :", "Failures of a command ignored"),
    ("--no-verify", "Hooks skipped"),
    ("--passWithNoTests", "No tests counted as success"),
    ("--exit-zero", "Findings counted as success"),
    ("set +e", "Failures of commands ignored"),
    ("if: false", "A job or step switched off"),
    ("when: never", "A job switched off"),
    ("ignore_failure", "Failures of a step ignored"),
    ("-DskipTests", "Tests skipped"),
    ("-x test", "Tests left out of the build"),
    ("SKIP=", "Hooks skipped"),
];

/// Scripts whose lines matter as those of a gate do.
fn runs_checks(both: &Both<'_>) -> bool {
    let name = both.name().to_ascii_lowercase();
    let known = [
        "makefile",
        "justfile",
        "rakefile",
        "package.json",
        "tox.ini",
        "noxfile.py",
        "taskfile.yml",
        "composer.json",
    ];
    known.contains(&name.as_str()) || name.rsplit('.').next() == Some("sh")
}

/// Whether the path is that of a gate's configuration.
pub(super) fn is_gate(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let names = [
        ".gitlab-ci.yml",
        ".gitlab-ci.yaml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        "azure-pipelines.yaml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        "appveyor.yml",
        ".appveyor.yml",
        ".pre-commit-config.yaml",
        ".pre-commit-config.yml",
        "lefthook.yml",
        "lefthook.yaml",
        ".lefthook.yml",
        "lefthook.toml",
        "CODEOWNERS",
        ".mergify.yml",
        "bors.toml",
        ".cirrus.yml",
        "cloudbuild.yaml",
        ".woodpecker.yml",
        "buildspec.yml",
        ".overcommit.yml",
        "dangerfile.js",
        "Dangerfile",
    ];
    let folders = [
        ".github/workflows/",
        ".github/actions/",
        ".github/rulesets/",
        ".circleci/",
        ".buildkite/",
        ".husky/",
        ".gitlab/ci/",
        ".woodpecker/",
        ".ci/",
        ".githooks/",
    ];
    names.contains(&name)
        || folders
            .iter()
            .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
        || matches!(
            path,
            ".github/settings.yml" | ".github/branch-protection.yml"
        )
}

pub(super) fn signs(both: &Both<'_>) -> Vec<Sign> {
    let gate = is_gate(both.path);
    if !gate && !runs_checks(both) {
        return Vec::new();
    }
    let Some(after) = both.after else {
        let what = "Configuration of a gate deleted".to_owned();
        return if gate {
            vec![Sign::new(&EDITED, both.path, 1, what)]
        } else {
            Vec::new()
        };
    };
    let added = added_lines(both.before.unwrap_or(""), after);
    let mut signs: Vec<_> = added
        .iter()
        .filter_map(|(number, line)| lets_through(both, *number, line))
        .collect();
    // A gate that is new takes nothing away.
    if gate
        && signs.is_empty()
        && let Some(before) = both.before
    {
        signs.extend(edited(both, before, after, &added));
    }
    signs
}

fn lets_through(both: &Both<'_>, number: u32, line: &str) -> Option<Sign> {
    let code = line.trim();
    if code.starts_with('#') || code.starts_with("//") {
        return None;
    }
    if both.name() == "package.json" {
        return script(both, number, code);
    }
    let (_, what) = LETS_THROUGH.iter().find(|(text, _)| code.contains(text))?;
    // Cleaning up may fail; only what checks may not.
    let cleanup = [
        "rm ",
        "kill",
        "mkdir",
        "docker rm",
        "docker stop",
        "git config",
        "cp ",
        "umount",
    ];
    if cleanup.iter().any(|word| code.contains(word)) && code.contains("||") {
        return None;
    }
    let severity = if is_gate(both.path) {
        Severity::High
    } else {
        Severity::Medium
    };
    Some(
        Sign::new(&WEAKENED, both.path, number, (*what).to_owned())
            .at(severity)
            .showing(line),
    )
}

/// `"test": "exit 0"` and `"lint": "eslint . || true"`.
fn script(both: &Both<'_>, number: u32, line: &str) -> Option<Sign> {
    let (key, command) = line.split_once(':')?;
    let key = key.trim().trim_matches('"');
    let checks = [
        "test",
        "lint",
        "check",
        "typecheck",
        "coverage",
        "ci",
        "verify",
        "pretest",
        "precommit",
        "validate",
    ];
    if !checks
        .iter()
        .any(|word| key == *word || key.starts_with(&format!("{word}:")))
    {
        return None;
    }
    let command = command.trim().trim_end_matches(',').trim_matches('"');
    let empty = ["exit 0", "true", ":", "echo"].iter().any(|start| {
        command == *start
            || command
                .strip_prefix(start)
                .is_some_and(|rest| rest.starts_with(' '))
    });
    let empty = empty && !command.contains("&&") && !command.contains("exit 1");
    let through = LETS_THROUGH.iter().find(|(text, _)| command.contains(text));
    let what = match (empty, through) {
        (true, _) => format!("Script `{key}` checks nothing"),
        (false, Some((_, what))) => format!("{what} in script `{key}`"),
        (false, None) => return None,
    };
    Some(Sign::new(&WEAKENED, both.path, number, what).showing(line))
}

/// An edit that weakens nothing in a known way is still one that its owner should see.
fn edited(both: &Both<'_>, before: &str, after: &str, added: &[(u32, &str)]) -> Option<Sign> {
    let removed = added_lines(after, before);
    let is_code = |line: &str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && !line.starts_with("//")
    };
    let added: Vec<_> = added.iter().filter(|(_, line)| is_code(line)).collect();
    let removed: Vec<_> = removed.iter().filter(|(_, line)| is_code(line)).collect();
    let first = added.first().map(|(number, line)| (*number, *line));
    let (number, line) = first.or_else(|| removed.first().map(|(_, line)| (1, *line)))?;
    let versions = added.len() == removed.len()
        && added
            .iter()
            .zip(&removed)
            .all(|((_, new), (_, old))| is_version_bump(old, new));
    let what = match both.name() {
        "CODEOWNERS" => "Owners of code edited",
        _ if both.path.contains("workflows/") => "CI workflow edited",
        _ => "Configuration of a gate edited",
    };
    // Renewing a version is routine; adding to a gate takes nothing away.
    let severity = if versions {
        Severity::Low
    } else if removed.is_empty() && both.name() != "CODEOWNERS" {
        Severity::Medium
    } else {
        Severity::High
    };
    Some(
        Sign::new(&EDITED, both.path, number, what.to_owned())
            .at(severity)
            .showing(line),
    )
}

/// `uses: actions/checkout@v3` → `@v4`, `rev: v1.2` → `rev: v1.3`.
fn is_version_bump(old: &str, new: &str) -> bool {
    let name = |line: &str| {
        let line = line.trim().trim_start_matches("- ");
        if line.starts_with("uses:") {
            return line.split('@').next().map(str::to_owned);
        }
        let (key, _) = line.split_once(':')?;
        matches!(
            key,
            "rev" | "image" | "orb" | "version" | "node-version" | "python-version" | "go-version"
        )
        .then(|| key.to_owned())
    };
    name(old).is_some() && name(old) == name(new)
}

/// Lines of the second text that the first has not, with their numbers.
pub(super) fn added_lines<'t>(before: &str, after: &'t str) -> Vec<(u32, &'t str)> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in before.lines() {
        *known.entry(line.trim()).or_default() += 1;
    }
    let mut added = Vec::new();
    for (number, line) in after.lines().enumerate() {
        match known.get_mut(line.trim()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => added.push((u32::try_from(number + 1).unwrap_or(u32::MAX), line)),
        }
    }
    added
}
