//! Bytes that are no log at all.

use baton_report::{Reader, read};
use proptest::prelude::*;

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        read(&bytes);
    }

    #[test]
    fn chunks_do_not_matter(lines in prop::collection::vec("(FAIL: t \\(a\\.B\\)|Ran 3 tests in 1s|OK|x{0,9}|)", 0..20), at in 0usize..200) {
        let text = lines.join("\n");
        let at = at.min(text.len());
        let mut reader = Reader::new();
        reader.feed(&text.as_bytes()[..at]);
        reader.feed(&text.as_bytes()[at..]);
        prop_assert_eq!(reader.finish(), read(text.as_bytes()));
    }
}

#[test]
fn a_line_of_ten_megabytes_is_no_problem() {
    let report = read(&vec![b'x'; 10 << 20]);
    assert_eq!(report.framework, "unknown");
    assert_eq!(report.counts.run, 0);
}
