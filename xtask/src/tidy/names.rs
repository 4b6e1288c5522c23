//! A file is called after what is in it.

use std::path::Path;

use super::Source;

const EMPTY_NAMES: [&str; 8] = [
    "common", "helper", "helpers", "manager", "misc", "shared", "util", "utils",
];

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let named_for_nothing = |source: &&Source| {
        let parts = Path::new(&source.path).iter().map(Path::new);
        let mut stems = parts.filter_map(|part| part.file_stem()?.to_str());
        stems.any(|stem| EMPTY_NAMES.contains(&stem))
    };
    sources
        .iter()
        .filter(named_for_nothing)
        .map(|source| {
            format!(
                "{}: the name says nothing. Call it after what it does.",
                source.path
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn files_and_folders_with_empty_names_are_found() {
        let sources = [
            "crates/host/src/utils.rs",
            "crates/host/tests/common/mod.rs",
            "crates/host/src/cmd/limits.rs",
        ]
        .map(|path| source(path, ""));
        insta::assert_snapshot!(check(&sources).join("\n"), @"
        crates/host/src/utils.rs: the name says nothing. Call it after what it does.
        crates/host/tests/common/mod.rs: the name says nothing. Call it after what it does.
        ");
    }
}
