//! Maven modules.

use std::collections::BTreeSet;

use baton_protocol::Language;
use baton_protocol::detection::{Package, Purpose, Workspace, WorkspaceKind};

use super::{MAX_PACKAGES, Member, members};
use crate::detect::parse;
use crate::detect::project_files::{ProjectFiles, inside};

const SOURCE: &str = "pom.xml";

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let modules = parse::pom(&files.text(SOURCE)?).modules;
    if modules.is_empty() {
        return None;
    }
    let program = if files.is_executable("mvnw") {
        "./mvnw"
    } else {
        "mvn"
    };
    // Modules may have modules; a pom that names itself is seen only once.
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<String> = paths("", modules);
    let mut packages = Vec::new();
    while let Some(path) = waiting.pop() {
        if packages.len() > MAX_PACKAGES || !seen.insert(path.clone()) {
            continue;
        }
        if !files.is_real_folder(&path) {
            continue;
        }
        let Some(text) = files.text(&inside(&path, SOURCE)) else {
            continue;
        };
        let pom = parse::pom(&text);
        packages.push(package(files, program, &path, pom.artifact_id.as_deref()));
        waiting.extend(paths(&path, pom.modules));
    }
    packages.sort_by(|one, other| one.path.cmp(&other.path));
    Some(Workspace {
        kind: WorkspaceKind::Maven,
        source: SOURCE.to_owned(),
        packages,
    })
}

/// A module is a folder or the pom file in it, relative to its parent.
fn paths(parent: &str, modules: Vec<String>) -> Vec<String> {
    modules
        .into_iter()
        .filter_map(|module| {
            let module = module.strip_suffix("/pom.xml").unwrap_or(&module);
            members::normalised(&inside(parent, module))
        })
        .filter(|path| !path.is_empty())
        .take(MAX_PACKAGES + 1)
        .collect()
}

fn package(files: &ProjectFiles, program: &str, path: &str, name: Option<&str>) -> Package {
    Member::new(files, path, name, Some(Language::Java)).with_commands(path, |path| {
        [
            (Purpose::Build, format!("{program} -pl {path} compile")),
            (Purpose::Test, format!("{program} -pl {path} test")),
        ]
    })
}
