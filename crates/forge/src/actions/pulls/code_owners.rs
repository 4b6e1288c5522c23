//! Who owns the files that a pull request changes.

use baton_protocol::code_owners::{CODE_OWNERS_PATHS, CodeOwners};

use crate::actions::prelude::*;
use crate::git::FileDiff;
use crate::store::{repositories, users};

/// The file of the base branch.
pub(super) async fn read(git: &GitRepository, base: &Oid) -> Result<Option<CodeOwners>> {
    let content = git.first_file(base, &CODE_OWNERS_PATHS).await?;
    Ok(content.and_then(|content| CodeOwners::parse(&String::from_utf8_lossy(&content))))
}

/// The sets of owners of the changed files, each set once. Anyone who may not
/// write owns nothing.
pub(super) fn owner_sets(
    conn: &Connection,
    repository: &Repository,
    owners: &CodeOwners,
    files: &[FileDiff],
) -> Result<Vec<Vec<i64>>> {
    let mut sets: Vec<Vec<i64>> = Vec::new();
    for file in files {
        let paths = [Some(&file.path), file.previous_path.as_ref()];
        for path in paths.into_iter().flatten() {
            let mut ids = Vec::new();
            for owner in owners
                .line_for(path)
                .into_iter()
                .flat_map(|line| &line.owners)
            {
                let Some(user) = users::by_login(conn, owner.name())? else {
                    continue;
                };
                let permission = repositories::permission(conn, repository, Some(&user))?;
                if permission >= Permission::Write && !ids.contains(&user.id) {
                    ids.push(user.id);
                }
            }
            ids.sort_unstable();
            if !ids.is_empty() && !sets.contains(&ids) {
                sets.push(ids);
            }
        }
    }
    Ok(sets)
}
