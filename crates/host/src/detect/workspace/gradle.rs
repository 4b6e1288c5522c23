//! Gradle subprojects.

use baton_protocol::Language;
use baton_protocol::detection::{Package, Purpose, Workspace, WorkspaceKind};

use super::{MAX_PACKAGES, Member, members};
use crate::detect::parse;
use crate::detect::project_files::ProjectFiles;

const SOURCES: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let source = files.first(&SOURCES)?;
    let includes = parse::gradle_includes(&files.text(source)?);
    if includes.is_empty() {
        return None;
    }
    let program = if files.is_executable("gradlew") {
        "./gradlew"
    } else {
        "gradle"
    };
    let packages = includes
        .iter()
        .take(MAX_PACKAGES + 1)
        .filter_map(|project| package(files, program, project))
        .collect();
    Some(Workspace {
        kind: WorkspaceKind::Gradle,
        source: source.to_owned(),
        packages,
    })
}

/// By default the project `:lib:core` lives in `lib/core`.
fn package(files: &ProjectFiles, program: &str, project: &str) -> Option<Package> {
    let path = members::normalised(&project.replace(':', "/"))?;
    let name = format!(":{project}");
    let member = Member::new(files, &path, Some(&name), Some(Language::Java));
    // A quoted name and the plain task after it are still one word.
    Some(member.with_commands(&name, |name| {
        [
            (Purpose::Build, format!("{program} {name}:classes")),
            (Purpose::Test, format!("{program} {name}:test")),
        ]
    }))
}
