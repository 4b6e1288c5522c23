//! Logs end where a runner was killed or a budget was used up.

use std::fs;
use std::path::{Path, PathBuf};

use baton_report::read;

#[test]
fn captured_output_may_end_anywhere() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases")];
    let mut outputs: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("output.txt") {
                outputs.push(path);
            }
        }
    }
    assert!(!outputs.is_empty());
    for output in outputs {
        let bytes = fs::read(&output).unwrap();
        let whole = read(&bytes).failures.len();
        // A prime step, so that cuts fall into every part of lines and characters.
        for end in (0..bytes.len()).step_by(127) {
            let part = read(&bytes[..end]).failures.len();
            // What was still running at the cut may be named too: a test and its parent.
            assert!(
                part <= whole + 2,
                "{} cut at {end}: {part} failures, whole {whole}",
                output.display()
            );
        }
    }
}
