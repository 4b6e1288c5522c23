//! What must hold for every report, whatever the bytes were.

use baton_report::{Live, Reader, read};

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
