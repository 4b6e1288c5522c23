use baton_host::cmd::quote;
use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::{
    ConflictInstructions, ConflictType, MergeConflict, MergeTarget,
};

/// The commands that resolve the conflicts, in order, in a clone of the
/// repository.
pub(super) fn of(
    repository: &Repository,
    number: u32,
    target: &MergeTarget,
    conflicts: &[MergeConflict],
    total: usize,
) -> ConflictInstructions {
    let files: Vec<String> = conflicts
        .iter()
        .map(|conflict| quote(&conflict.file_path))
        .collect();
    let mut resolution_steps = vec![
        format!(
            "gh pr checkout {number} --repo {}",
            quote(repository.to_string())
        ),
        format!("git fetch origin {}", quote(&target.branch)),
        "git merge --no-edit FETCH_HEAD".to_owned(),
        "git status --short".to_owned(),
    ];
    if total == conflicts.len() {
        resolution_steps.push(format!("git add -- {}", files.join(" ")));
    } else {
        resolution_steps.push("git add --all".to_owned());
    }
    resolution_steps.push("git commit --no-edit".to_owned());
    resolution_steps.push("git push".to_owned());
    ConflictInstructions {
        resolution_steps,
        estimated_time: estimate(conflicts, total),
    }
}

/// Minutes per file, by what has to be thought about.
fn estimate(conflicts: &[MergeConflict], total: usize) -> String {
    let minutes = |conflict: &MergeConflict| match conflict.conflict_type {
        ConflictType::Content | ConflictType::Rename => 5,
        ConflictType::Delete | ConflictType::Mode => 2,
    };
    let shown: usize = conflicts.iter().map(minutes).sum();
    let all = shown + (total - conflicts.len()) * 5;
    let files = if total == 1 { "file" } else { "files" };
    format!("about {all} minutes ({total} {files} in conflict)")
}
