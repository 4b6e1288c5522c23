//! What must hold for every report and every review, whatever the bytes were.

use baton_report::{Live, Reader, read};
use baton_review::{ChangedFile, Options, Severity, Touched, review};

/// Reads the bytes whole and in two pieces, and checks the answer.
pub fn report_holds(data: &[u8]) {
    let whole = read(data);
    let counts = whole.counts;
    let sum = counts
        .passed
        .saturating_add(counts.failed)
        .saturating_add(counts.errors);
    assert!(counts.run == sum || counts.run == u64::MAX, "{counts:?}");
    for failure in &whole.failures {
        assert!(!failure.name.is_empty(), "{failure:?}");
        assert!(failure.error.chars().count() < 2_100, "{failure:?}");
    }
    pieces_do_not_matter(data);
}

/// Text may arrive in any pieces.
fn pieces_do_not_matter(data: &[u8]) {
    let mut at_once = Reader::new();
    at_once.feed(data);
    let middle = data.len() / 2;
    let mut in_pieces = Reader::new();
    let mut live = Live::default();
    for piece in [&data[..middle], &data[middle..]] {
        in_pieces.feed(piece);
        live.feed(piece);
    }
    assert_eq!(at_once.finish(), in_pieces.finish());
}

/// The first byte chooses the language, the rest is the file. A review ends,
/// names places inside the file, and says the same twice.
pub fn review_holds(data: &[u8]) {
    const PATHS: [&str; 8] = [
        "a.js", "a.ts", "a.tsx", "a.py", "a.go", "a.rs", "a.rb", "A.java",
    ];
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let file = ChangedFile {
        path: PATHS[usize::from(*first) % PATHS.len()],
        before: None,
        after: Some(text),
        touched: Touched::All,
    };
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    let once = review(std::slice::from_ref(&file), &options);
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
    for finding in &once.findings {
        assert!(finding.place.start_line >= 1, "{finding:?}");
        assert!(finding.place.end_line as usize <= lines, "{finding:?}");
        assert!(!finding.fingerprint.is_empty(), "{finding:?}");
    }
    let twice = review(&[file], &options);
    assert_eq!(once.findings, twice.findings);
}
