//! Paths where secrets are expected to be harmless.

use crate::engine::is_test_path;

/// What kind of file a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    Product,
    /// Keys there are made up for the purpose, as a rule.
    Test,
    /// Explains by example.
    Documentation,
    /// Full of hashes and written by a machine.
    Generated,
}

impl Surroundings {
    pub(super) fn for_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let folded = name.to_ascii_lowercase();
        if is_generated(path, &folded) {
            Self::Generated
        } else if is_test_path(path) || is_example(path, &folded) {
            Self::Test
        } else if is_documentation(path, &folded) {
            Self::Documentation
        } else {
            Self::Product
        }
    }
}

fn is_generated(path: &str, name: &str) -> bool {
    let lock = matches!(
        name,
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "pnpm-lock.yaml"
            | "bun.lockb"
            | "go.sum"
            | "go.work.sum"
            | "packages.lock.json"
            | "gradle.lockfile"
            | "flake.lock"
            | "conda-lock.yml"
            | "package.resolved"
            | "verification-metadata.xml"
    );
    let ending = [
        ".lock",
        ".min.js",
        ".min.css",
        ".map",
        ".svg",
        ".snap",
        ".sum",
        ".lockfile",
    ];
    let folder = ["node_modules", "vendor", "third_party", "dist", ".yarn"];
    lock || ending.iter().any(|ending| name.ends_with(ending))
        || path.split('/').any(|part| folder.contains(&part))
}

fn is_example(path: &str, name: &str) -> bool {
    let marked = [
        "example", "sample", "template", ".dist", "fixture", "mock", "stub", "dummy",
    ];
    marked.iter().any(|mark| name.contains(mark))
        || path.to_ascii_lowercase().split('/').any(|part| {
            matches!(
                part,
                "examples"
                    | "example"
                    | "samples"
                    | "sample"
                    | "demo"
                    | "mocks"
                    | "__snapshots__"
                    | "testing"
                    | "test-data"
                    | "test_data"
            )
        })
}

fn is_documentation(path: &str, name: &str) -> bool {
    let ending = [
        ".md",
        ".mdx",
        ".rst",
        ".adoc",
        ".asciidoc",
        ".txt",
        ".html",
        ".ipynb",
    ];
    ending.iter().any(|ending| name.ends_with(ending))
        || path.split('/').any(|part| matches!(part, "docs" | "doc"))
}
