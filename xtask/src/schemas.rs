//! `schemas/` holds what `baton schema` and `baton handoff schema` print, so
//! that others can read the contract without building anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::built::Built;
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

const FOLDER: &str = "schemas";

/// File name → text.
type Schemas = BTreeMap<String, String>;

/// Rewrites the folder from a fresh build.
pub(crate) fn write(project: &Project) -> Result<(), Failure> {
    // Only the binary, so that schemas can be written while tests do not compile.
    let built = Built::with(project, &["--package", "baton"])?;
    let schemas = printed_by(built.program("baton")?)?;
    let folder = project.root.join(FOLDER);
    fs::create_dir_all(&folder).map_err(Failure::could_not("create schemas/"))?;
    for name in committed(&folder)?
        .keys()
        .filter(|name| !schemas.contains_key(*name))
    {
        fs::remove_file(folder.join(name))
            .map_err(Failure::could_not(format_args!("remove {FOLDER}/{name}")))?;
    }
    for (name, text) in &schemas {
        fs::write(folder.join(name), text)
            .map_err(Failure::could_not(format_args!("write {FOLDER}/{name}")))?;
    }
    println!("{} files in {FOLDER}/", schemas.len());
    Ok(())
}

/// Fails when the folder is not what the code prints now.
pub(crate) fn check(project: &Project) -> Result<(), Failure> {
    // The selection of `cargo test --workspace`, whose build this finds done.
    let built = Built::with(project, &["--workspace", "--bins", "--tests"])?;
    let printed = printed_by(built.program("baton")?)?;
    let differences = differences(&committed(&project.root.join(FOLDER))?, &printed);
    if differences.is_empty() {
        return Ok(());
    }
    Err(Failure::new(differences.join("\n"))
        .next("run `cargo xtask schemas` and look at the diff: it is a change of the contract"))
}

fn differences(committed: &Schemas, printed: &Schemas) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = committed.keys().chain(printed.keys()).collect();
    names
        .into_iter()
        .filter_map(|name| match (committed.get(name), printed.get(name)) {
            (Some(old), Some(new)) if old == new => None,
            (Some(old), Some(new)) => Some(format!(
                "{FOLDER}/{name} is not what baton prints; first difference in line {}",
                first_different_line(old, new)
            )),
            (None, _) => Some(format!("{FOLDER}/{name} is missing")),
            (_, None) => Some(format!("{FOLDER}/{name} is no schema of baton")),
        })
        .collect()
}

fn first_different_line(old: &str, new: &str) -> usize {
    let same = old
        .lines()
        .zip(new.lines())
        .take_while(|(old, new)| old == new);
    same.count() + 1
}

fn committed(folder: &Path) -> Result<Schemas, Failure> {
    if !folder.exists() {
        return Ok(Schemas::new());
    }
    let reading = |error| Failure::could_not(format_args!("read {}", folder.display()))(error);
    let mut schemas = Schemas::new();
    for entry in fs::read_dir(folder).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        schemas.insert(name, fs::read_to_string(&path).map_err(reading)?);
    }
    Ok(schemas)
}

fn printed_by(baton: &Path) -> Result<Schemas, Failure> {
    let print = |args: &[&str]| {
        let printed = Program::new(baton).args(args).stdout()?;
        String::from_utf8(printed).map_err(Failure::could_not(format_args!(
            "read what baton {args:?} prints"
        )))
    };
    let mut schemas = Schemas::new();
    for name in print(&["schema"])?.lines() {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.is_empty() || name.starts_with('.') || !name.bytes().all(safe) {
            return Err(Failure::new(format!(
                "`baton schema` lists {name:?}, which is no file name"
            )));
        }
        schemas.insert(format!("{name}.json"), print(&["schema", name])?);
    }
    if schemas.is_empty() {
        return Err(Failure::new("`baton schema` lists no schema"));
    }
    schemas.insert("handoff.xsd".to_owned(), print(&["handoff", "schema"])?);
    Ok(schemas)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas(files: &[(&str, &str)]) -> Schemas {
        files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn every_kind_of_drift_is_named() {
        let committed = schemas(&[
            ("a.json", "{\n1\n}\n"),
            ("b.json", "{}"),
            ("old.json", "{}"),
        ]);
        let printed = schemas(&[
            ("a.json", "{\n2\n}\n"),
            ("b.json", "{}"),
            ("new.json", "{}"),
        ]);
        insta::assert_snapshot!(differences(&committed, &printed).join("\n"), @"
        schemas/a.json is not what baton prints; first difference in line 2
        schemas/new.json is missing
        schemas/old.json is no schema of baton
        ");
    }

    #[test]
    fn the_same_text_is_no_drift() {
        let same = schemas(&[("a.json", "{}\n")]);
        assert_eq!(differences(&same, &same), Vec::<String>::new());
    }
}
