//! Links in a change: they must stay inside of the repository, since anyone who
//! checks it out follows them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use baton_host::git::{Call, FileDiff};
use baton_workflow::Objection;

use super::RULE;
use crate::acceptance::objection;
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// How git writes the kind of a file.
const LINK: &str = "120000";

/// Links of a change that lead out of the tree.
pub(super) async fn leading_out(
    workspace: &Workspace,
    changed: &[FileDiff],
) -> Result<Vec<Objection>, StepError> {
    let mut wrong = Vec::new();
    for file in changed.iter().filter(|file| file.new_mode == LINK) {
        let mut object = std::ffi::OsString::from("HEAD:");
        object.push(&file.path);
        let call = Call::read("read a link")
            .args(["cat-file", "blob"])
            .arg(object);
        let target = workspace.git.call(call).await?.success()?.stdout;
        if leads_out(&file.path, Path::new(OsStr::from_bytes(&target))) {
            let text = format!(
                "{} is a link that leads out of the repository; commit the file itself, or a link inside",
                file.path.display()
            );
            let target = String::from_utf8_lossy(&target);
            wrong.push(objection(RULE, &format!("{text} {target}"), &text));
        }
    }
    Ok(wrong)
}

fn leads_out(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    for component in target.components() {
        match component {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::CurDir => {}
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            // Into the repository's own data, where nothing is checked out.
            Component::Normal(name) if depth == 0 && name == ".git" => return true,
            Component::Normal(_) => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_inside_are_fine() {
        for (link, target, out) in [
            ("a", "b", false),
            ("a/b", "../c", false),
            ("a/b/c", "../../d/e", false),
            ("a", "/etc/passwd", true),
            ("a", "../x", true),
            ("a/b", "../../x", true),
            ("a", ".git/config", true),
            ("a/b", "x/.git", false),
            ("a", "b/../../x", true),
        ] {
            assert_eq!(
                leads_out(Path::new(link), Path::new(target)),
                out,
                "{link} -> {target}"
            );
        }
    }
}
