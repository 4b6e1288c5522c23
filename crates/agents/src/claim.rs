//! What a run holds of a checkout: a branch, a worktree, a port. It is written
//! down before it is made, beside the worktrees, so that the process that resumes the run
//! up finds all of it, and cleaning up misses nothing. The checkout itself stays
//! as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_host::git::Oid;
use baton_workflow::RunId;
use serde_json::{Value, json};

use crate::step_error::StepError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) branch: String,
    /// The branch is checked out in the checkout itself.
    pub(crate) in_place: bool,
    pub(crate) base: String,
    /// The commit that the run began at: of the base, or of an adopted branch.
    pub(crate) begun: Oid,
    /// The branch was there before the run, and belongs to someone else.
    pub(crate) adopted: bool,
    pub(crate) port: Option<u16>,
}

impl Claim {
    /// `None` where the run holds nothing, or no one can tell any more.
    pub(crate) fn load(folder: &Path, run: &RunId) -> Option<Self> {
        Self::read(&file(folder, run))
    }

    pub(crate) fn store(&self, folder: &Path, run: &RunId) -> Result<(), StepError> {
        let path = file(folder, run);
        let text = json!({
            "branch": self.branch,
            "in_place": self.in_place,
            "base": self.base,
            "begun": self.begun.as_str(),
            "adopted": self.adopted,
            "port": self.port,
        });
        let written = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let new = path.with_extension("new");
            fs::write(&new, text.to_string())?;
            fs::File::open(&new)?.sync_all()?;
            fs::rename(&new, &path)
        };
        written().map_err(|error| StepError::file(format_args!("write {}", path.display()), &error))
    }

    /// Fine where there is none.
    pub(crate) fn drop_of(folder: &Path, run: &RunId) -> Result<(), StepError> {
        let path = file(folder, run);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StepError::file(
                format_args!("remove {}", path.display()),
                &error,
            )),
            _ => Ok(()),
        }
    }

    /// What other runs hold, with their names.
    pub(crate) fn load_others(folder: &Path, run: &RunId) -> Vec<(String, Self)> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let claims = entries.filter_map(Result::ok).filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let is_claim = path
                .extension()
                .is_some_and(|extension| extension == "json");
            (is_claim && name != run.as_str()).then(|| Some((name, Self::read(&path)?)))?
        });
        claims.collect()
    }

    fn read(path: &Path) -> Option<Self> {
        let text: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let of = |name: &str| text[name].as_str().map(str::to_owned);
        Some(Self {
            branch: of("branch")?,
            in_place: text["in_place"].as_bool()?,
            base: of("base")?,
            begun: Oid::parse(text["begun"].as_str()?)?,
            adopted: text["adopted"] == true,
            port: text["port"]
                .as_u64()
                .and_then(|port| u16::try_from(port).ok()),
        })
    }

    /// Where the branch is worked on.
    pub(crate) fn path(&self, checkout: &Path) -> PathBuf {
        if self.in_place {
            checkout.to_owned()
        } else {
            worktrees_of(checkout).join(self.branch.replace('/', "-"))
        }
    }
}

/// The folder beside a checkout that its worktrees lie in.
pub(crate) fn worktrees_of(checkout: &Path) -> PathBuf {
    let name = checkout.file_name().unwrap_or_default().to_string_lossy();
    checkout.with_file_name(format!("{name}.baton"))
}

/// Where the runs of a checkout write down what they hold.
pub(crate) fn claims_of(checkout: &Path) -> PathBuf {
    worktrees_of(checkout).join(".runs")
}

/// A folder that belongs to one run alone. Its programs see parts of it only.
pub(crate) fn private_folder(checkout: &Path, run: &RunId) -> PathBuf {
    worktrees_of(checkout).join(format!(".private-{run}"))
}

fn file(folder: &Path, run: &RunId) -> PathBuf {
    folder.join(format!("{run}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_found_again_until_it_is_dropped() {
        let common = tempfile::tempdir().unwrap();
        let run: RunId = "r-1".parse().unwrap();
        let claim = Claim {
            branch: "fix/issue-1-x".to_owned(),
            in_place: false,
            base: "main".to_owned(),
            begun: Oid::parse(&"a1".repeat(20)).unwrap(),
            adopted: false,
            port: Some(3100),
        };
        assert_eq!(Claim::load(common.path(), &run), None);
        claim.store(common.path(), &run).unwrap();
        assert_eq!(Claim::load(common.path(), &run), Some(claim.clone()));
        assert!(Claim::load_others(common.path(), &run).is_empty());
        let other: RunId = "r-2".parse().unwrap();
        let held = Claim::load_others(common.path(), &other);
        assert_eq!(held, [("r-1".to_owned(), claim.clone())]);
        assert_eq!(
            claim.path(Path::new("/checkouts/app")),
            Path::new("/checkouts/app.baton/fix-issue-1-x")
        );
        Claim::drop_of(common.path(), &run).unwrap();
        Claim::drop_of(common.path(), &run).unwrap();
        assert_eq!(Claim::load(common.path(), &run), None);
    }

    #[test]
    fn what_is_no_claim_is_none() {
        let common = tempfile::tempdir().unwrap();
        let run: RunId = "r-1".parse().unwrap();
        fs::create_dir_all(common.path()).unwrap();
        for text in ["", "[]", "{\"branch\": 1}"] {
            fs::write(file(common.path(), &run), text).unwrap();
            assert_eq!(Claim::load(common.path(), &run), None);
        }
    }
}
