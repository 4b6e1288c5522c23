//! Go workspaces.

use baton_protocol::Language;
use baton_protocol::detection::{Package, Purpose, Workspace, WorkspaceKind};

use super::{Member, members};
use crate::detect::parse;
use crate::detect::project_files::{ProjectFiles, inside};

const SOURCE: &str = "go.work";

pub(super) fn workspace(files: &ProjectFiles) -> Option<Workspace> {
    let text = files.text(SOURCE)?;
    let packages = parse::go_work_uses(&text)
        .into_iter()
        .take(super::MAX_PACKAGES + 1)
        .filter_map(|path| package(files, &path))
        .collect();
    Some(Workspace {
        kind: WorkspaceKind::Go,
        source: SOURCE.to_owned(),
        packages,
    })
}

fn package(files: &ProjectFiles, used: &str) -> Option<Package> {
    let path = members::normalised(used)?;
    let module = files
        .text(&inside(&path, "go.mod"))
        .map(|text| parse::go_mod_module(&text))?;
    let display_path = if path.is_empty() { "." } else { &path };
    let pattern = if path.is_empty() {
        "./...".to_owned()
    } else {
        format!("./{path}/...")
    };
    let member = Member::new(files, display_path, module.as_deref(), Some(Language::Go));
    Some(member.with_commands(&pattern, |pattern| {
        [
            (Purpose::Lint, format!("go vet {pattern}")),
            (Purpose::Build, format!("go build {pattern}")),
            (Purpose::Test, format!("go test {pattern}")),
        ]
    }))
}
