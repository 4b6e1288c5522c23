//! Random and scrambled output of formatters, linters and compilers. What they
//! really print is in the folders `<tool>/<case>` here, see `tests/captured.rs`.

use std::fs;
use std::path::Path;

use baton_report::diagnostics::{Output, Tool, read};
use proptest::prelude::*;

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(stdout: Vec<u8>, stderr: Vec<u8>, tool in 0..Tool::ALL.len()) {
        read(Some(Tool::ALL[tool]), &Output::new(&stdout, &stderr));
    }

    /// Lines of all the tools in any order, cut anywhere.
    #[test]
    fn scrambled_output_never_panics(picks in prop::collection::vec(0usize..10_000, 0..30), cut in 0usize..6_000, tool in 0..Tool::ALL.len()) {
        let lines = every_line();
        let text: Vec<&str> = picks.iter().map(|pick| lines[pick % lines.len()].as_str()).collect();
        let text = text.join("\n");
        let bytes = &text.as_bytes()[..cut.min(text.len())];
        read(Some(Tool::ALL[tool]), &Output::new(bytes, b""));
    }
}

fn every_line() -> &'static [String] {
    use std::sync::OnceLock;
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        let mut lines = Vec::new();
        collect(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/diagnostics"),
            &mut lines,
        );
        lines
    })
}

fn collect(folder: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, lines);
        } else if path.ends_with("stdout") || path.ends_with("stderr") {
            let bytes = fs::read(path).unwrap();
            lines.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_owned));
        }
    }
}
