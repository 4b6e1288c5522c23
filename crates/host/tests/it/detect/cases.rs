//! Each file in `cases` is a folder tree and the answer to it:
//!
//! ```text
//! Why this case exists.
//! --- installed make just
//! --- file package.json
//! …
//! --- executable gradlew
//! …
//! --- expected
//! …
//! ```

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::Tree;
use super::render::render;

const EXPECTED: &str = "--- expected\n";

#[test]
fn cases() {
    let mut wrong = String::new();
    let cases = case_files();
    assert!(cases.len() > 30, "only {} cases were found", cases.len());
    for path in cases {
        let text = fs::read_to_string(&path).unwrap();
        let (tree, expected) = text.split_once(EXPECTED).unwrap_or((&text, ""));
        let found = answer(tree);
        if found == expected {
            continue;
        }
        if bless() {
            fs::write(&path, format!("{tree}{EXPECTED}{found}")).unwrap();
        } else {
            writeln!(wrong, "\n{}\n{found}", path.display()).unwrap();
        }
    }
    assert!(
        wrong.is_empty(),
        "these answers changed; where they are right, run the test with BATON_BLESS=1:\n{wrong}"
    );
}

/// Whether to write the present answers into the case files.
#[expect(
    clippy::disallowed_methods,
    reason = "a switch for those who run the tests"
)]
fn bless() -> bool {
    std::env::var_os("BATON_BLESS").is_some()
}

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/detect/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn answer(case: &str) -> String {
    let tree = Tree::new::<&str, &str>(&[]);
    let mut installed: Vec<&str> = Vec::new();
    for section in case.split("\n--- ").skip(1) {
        let (heading, content) = section.split_once('\n').unwrap_or((section, ""));
        let (kind, argument) = heading.split_once(' ').unwrap_or((heading, ""));
        match kind {
            "installed" => installed.extend(argument.split(' ')),
            "file" | "executable" => {
                tree.write(argument, content.as_bytes());
                if kind == "executable" {
                    tree.make_executable(argument);
                }
            }
            other => panic!("unknown section '{other}'"),
        }
    }
    render(&tree.detect_as(None, &installed))
}
