//! uv workspaces, and poetry projects that depend on each other by path.

use baton_protocol::Language;
use baton_protocol::detection::{Package, Purpose, Workspace, WorkspaceKind};
use serde_json::Value;

use super::{Member, members};
use crate::detect::project_files::{ProjectFiles, inside};

const SOURCE: &str = "pyproject.toml";

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let pyproject = files.toml(SOURCE)?;
    let (kind, paths) = if let Some(workspace) = pyproject.pointer("/tool/uv/workspace") {
        let patterns = members::strings(workspace.get("members"));
        let excluded = members::strings(workspace.get("exclude"));
        let paths = members::expand(files, &patterns, &excluded);
        (WorkspaceKind::Uv, paths)
    } else {
        (WorkspaceKind::Poetry, poetry_paths(files, &pyproject)?)
    };
    let packages = paths
        .iter()
        .filter_map(|path| package(files, kind, path))
        .collect();
    Some(Workspace {
        kind,
        source: SOURCE.to_owned(),
        packages,
    })
}

/// `None` when nothing is depended on by path.
fn poetry_paths(files: &ProjectFiles, pyproject: &Value) -> Option<Vec<String>> {
    let dependencies = pyproject
        .pointer("/tool/poetry/dependencies")?
        .as_object()?;
    let paths: Vec<String> = dependencies
        .values()
        .filter_map(|dependency| members::normalised(dependency.get("path")?.as_str()?))
        .collect();
    (!paths.is_empty()).then(|| members::expand(files, &paths, &[]))
}

fn package(files: &ProjectFiles, kind: WorkspaceKind, path: &str) -> Option<Package> {
    let manifest = files.toml(&inside(path, SOURCE))?;
    let name = ["/project/name", "/tool/poetry/name"]
        .into_iter()
        .find_map(|key| manifest.pointer(key)?.as_str());
    let member = Member::new(files, path, name, Some(Language::Python));
    Some(match (kind, name) {
        (WorkspaceKind::Uv, Some(name)) => member.with_commands(name, |name| {
            [(Purpose::Test, format!("uv run --package {name} pytest"))]
        }),
        (WorkspaceKind::Uv, None) => member.package,
        _ => member.with_commands(path, |path| {
            [(
                Purpose::Test,
                format!("poetry --directory {path} run pytest"),
            )]
        }),
    })
}
