//! npm, yarn, pnpm and bun workspaces, and lerna's own package list.

use baton_protocol::detection::{Package, PackageCommand, Purpose, Workspace, WorkspaceKind};
use serde_json::Value;

use super::{Member, language_of, members};
use crate::detect::ecosystem::javascript::workspace_runner;
use crate::detect::project_files::{ProjectFiles, inside};
use crate::detect::quote::shell_word;

const SCRIPTS: [(Purpose, &str); 4] = [
    (Purpose::Lint, "lint"),
    (Purpose::Build, "build"),
    (Purpose::Test, "test"),
    (Purpose::Start, "dev"),
];

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let (kind, source, patterns) = listed(files)?;
    let mut packages: Vec<Package> = Vec::new();
    for path in members::expand(files, &patterns, &[]) {
        if files.has(&inside(&path, "package.json")) {
            packages.push(package(files, kind, &path));
        }
    }
    Some(Workspace {
        kind,
        source: source.to_owned(),
        packages,
    })
}

fn listed(files: &ProjectFiles) -> Option<(WorkspaceKind, &'static str, Vec<String>)> {
    if let Some(pnpm) = files.yaml("pnpm-workspace.yaml")
        && let Some(patterns) = pnpm.get("packages")
    {
        let patterns = members::strings(Some(patterns));
        return Some((WorkspaceKind::Pnpm, "pnpm-workspace.yaml", patterns));
    }
    if let Some(package) = files.json("package.json")
        && let Some(workspaces) = package.get("workspaces")
    {
        // Yarn also knows `{"packages": […], "nohoist": […]}`.
        let patterns = members::strings(Some(workspaces.get("packages").unwrap_or(workspaces)));
        return Some((workspace_runner(files, &package), "package.json", patterns));
    }
    let lerna = files.json("lerna.json")?;
    let patterns = members::strings(Some(lerna.get("packages")?));
    Some((WorkspaceKind::Lerna, "lerna.json", patterns))
}

fn package(files: &ProjectFiles, kind: WorkspaceKind, path: &str) -> Package {
    let manifest = files.json(&inside(path, "package.json"));
    let manifest = manifest.as_deref().unwrap_or(&Value::Null);
    let name = manifest.get("name").and_then(Value::as_str);
    let member = Member::new(files, path, name, language_of(files, path));
    let Some(selector) = selector(kind, path, name) else {
        return member.package;
    };
    let mut package = member.with_commands(&selector, |_| []);
    let Some(selector) = shell_word(&selector) else {
        return package;
    };
    for (purpose, script) in SCRIPTS {
        let has_script = manifest
            .get("scripts")
            .and_then(|scripts| scripts.get(script))
            .is_some_and(Value::is_string);
        if has_script {
            let command = command(kind, &selector, script);
            package.commands.push(PackageCommand { purpose, command });
        }
    }
    package
}

/// What selects a package: its path for npm, its name for the others. pnpm
/// and bun read some characters of a name as patterns, so an odd name is
/// replaced by the path; yarn and lerna know names only.
fn selector(kind: WorkspaceKind, path: &str, name: Option<&str>) -> Option<String> {
    let plain = name.filter(|name| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '/' | '-' | '_' | '.'))
    });
    match kind {
        WorkspaceKind::Yarn | WorkspaceKind::Lerna => name.map(str::to_owned),
        WorkspaceKind::Pnpm | WorkspaceKind::Bun => {
            Some(plain.map_or_else(|| format!("./{path}"), str::to_owned))
        }
        _ => Some(path.to_owned()),
    }
}

fn command(kind: WorkspaceKind, selector: &str, script: &str) -> String {
    match (kind, script) {
        (WorkspaceKind::Yarn, _) => format!("yarn workspace {selector} run {script}"),
        (WorkspaceKind::Pnpm, "test") => format!("pnpm --filter {selector} test"),
        (WorkspaceKind::Pnpm, _) => format!("pnpm --filter {selector} run {script}"),
        (WorkspaceKind::Bun, _) => format!("bun run --filter {selector} {script}"),
        (WorkspaceKind::Lerna, _) => format!("npx lerna run {script} --scope {selector}"),
        (_, "test") => format!("npm test --workspace {selector}"),
        _ => format!("npm run {script} --workspace {selector}"),
    }
}
