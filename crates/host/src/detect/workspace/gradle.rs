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
    Some(member.with_commands(&name, |_| {
        // The whole task path is one word, so it is quoted as one.
        [Purpose::Build, Purpose::Test].map(|purpose| {
            let task = if purpose == Purpose::Test {
                "test"
            } else {
                "classes"
            };
            let word =
                super::shell_word(&format!("{name}:{task}")).map(std::borrow::Cow::into_owned);
            (purpose, format!("{program} {}", word.unwrap_or_default()))
        })
    }))
}
