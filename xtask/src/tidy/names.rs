//! A file is called after what is in it, and no tool's left-overs are files of ours.

use std::path::Path;

use super::Source;

const EMPTY_NAMES: [&str; 8] = [
    "common", "helper", "helpers", "manager", "misc", "shared", "util", "utils",
];

/// Endings of what insta, merges and patches leave behind.
const LEFT_OVERS: [&str; 4] = [".orig", ".pending-snap", ".rej", ".snap.new"];

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let left_over = |source: &&Source| {
        LEFT_OVERS
            .iter()
            .any(|ending| source.path.ends_with(ending))
    };
    let named_for_nothing = |source: &&Source| {
        let parts = Path::new(&source.path).iter().map(Path::new);
        let mut stems = parts.filter_map(|part| part.file_stem()?.to_str());
        stems.any(|stem| EMPTY_NAMES.contains(&stem))
    };
    let unnamed = sources.iter().filter(named_for_nothing).map(|source| {
        format!(
            "{}: the name says nothing. Call it after what it does.",
            source.path
        )
    });
    let left_over = sources
        .iter()
        .filter(left_over)
        .map(|source| format!("{}: left behind by a tool. Delete it.", source.path));
    unnamed.chain(left_over).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn empty_names_and_left_overs_are_found() {
        let sources = [
            "crates/host/src/utils.rs",
            "crates/host/tests/common/mod.rs",
            "crates/host/src/cmd/limits.rs",
            "crates/host/src/cmd/.limits.rs.pending-snap",
        ]
        .map(|path| source(path, ""));
        insta::assert_snapshot!(check(&sources).join("\n"), @"
        crates/host/src/utils.rs: the name says nothing. Call it after what it does.
        crates/host/tests/common/mod.rs: the name says nothing. Call it after what it does.
        crates/host/src/cmd/.limits.rs.pending-snap: left behind by a tool. Delete it.
        ");
    }
}
