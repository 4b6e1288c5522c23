//! The virtual environment that a Python project has in its folder.

use std::path::{Path, PathBuf};

use crate::cmd::Environment;

const FOLDERS: [&str; 2] = [".venv", "venv"];

/// The virtual environment of the project in `folder`, unless the user works in another one.
pub fn virtual_environment(folder: &Path, variables: &Environment) -> Option<PathBuf> {
    let is_set = |name| variables.get(name).is_some_and(|value| !value.is_empty());
    if is_set("VIRTUAL_ENV") || is_set("CONDA_PREFIX") {
        return None;
    }
    let is_one = |place: &PathBuf| {
        place.join("pyvenv.cfg").is_file() && place.join("bin").join("python").exists()
    };
    FOLDERS.iter().map(|name| folder.join(name)).find(is_one)
}

/// The variables of the project's own commands: with its virtual environment active, where it has
/// one, as after `source .venv/bin/activate`.
#[must_use]
pub fn activated(folder: &Path, variables: &Environment) -> Environment {
    let mut activated = variables.clone();
    let Some(environment) = virtual_environment(folder, variables) else {
        return activated;
    };
    let path = variables.get("PATH").unwrap_or_default();
    let bins = [environment.join("bin")]
        .into_iter()
        .chain(std::env::split_paths(path));
    // A folder whose name has a colon cannot be on PATH, activated by hand or not.
    if let Ok(path) = std::env::join_paths(bins) {
        activated.set("PATH", path);
        activated.set("VIRTUAL_ENV", environment);
        activated.remove("PYTHONHOME");
    }
    activated
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project(with: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".venv/bin")).unwrap();
        for file in with {
            fs::write(folder.path().join(".venv").join(file), "").unwrap();
        }
        folder
    }

    #[test]
    fn its_programs_come_first() {
        let folder = project(&["pyvenv.cfg", "bin/python"]);
        let variables = activated(
            folder.path(),
            &Environment::from_iter([("PATH", "/usr/bin")]),
        );
        let bin = folder.path().join(".venv/bin");
        let path = format!("{}:/usr/bin", bin.display());
        assert_eq!(variables.get("PATH"), Some(path.as_ref()));
        assert_eq!(
            variables.get("VIRTUAL_ENV"),
            bin.parent().map(Path::as_os_str)
        );
    }

    #[test]
    fn one_that_is_active_stays_and_half_of_one_does_not_count() {
        let whole = project(&["pyvenv.cfg", "bin/python"]);
        let active = Environment::from_iter([("VIRTUAL_ENV", "/mine")]);
        assert_eq!(virtual_environment(whole.path(), &active), None);
        for part in ["pyvenv.cfg", "bin/python"] {
            let half = project(&[part]);
            assert_eq!(
                virtual_environment(half.path(), &Environment::default()),
                None
            );
        }
    }
}
