//! Cargo workspaces.

use baton_protocol::Language;
use baton_protocol::detection::{Package, Purpose, Workspace, WorkspaceKind};
use serde_json::Value;

use super::{Member, members};
use crate::detect::project_files::{ProjectFiles, inside};

const SOURCE: &str = "Cargo.toml";

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let manifest = files.toml(SOURCE)?;
    let workspace = manifest.get("workspace")?;
    let mut packages: Vec<Package> = Vec::new();
    if let Some(name) = package_name(&manifest) {
        packages.push(package(files, ".", name));
    }
    let patterns = members::strings(workspace.get("members"));
    let excluded = members::strings(workspace.get("exclude"));
    for path in members::expand(files, &patterns, &excluded) {
        let Some(member) = files.toml(&inside(&path, SOURCE)) else {
            continue;
        };
        if let Some(name) = package_name(&member) {
            packages.push(package(files, &path, name));
        }
    }
    Some(Workspace {
        kind: WorkspaceKind::Cargo,
        source: SOURCE.to_owned(),
        packages,
    })
}

fn package_name(manifest: &Value) -> Option<&str> {
    manifest.pointer("/package/name")?.as_str()
}

fn package(files: &ProjectFiles, path: &str, name: &str) -> Package {
    Member::new(files, path, Some(name), Some(Language::Rust)).with_commands(name, |name| {
        [
            (Purpose::Lint, format!("cargo clippy -p {name}")),
            (Purpose::Build, format!("cargo build -p {name}")),
            (Purpose::Test, format!("cargo test -p {name}")),
        ]
    })
}
