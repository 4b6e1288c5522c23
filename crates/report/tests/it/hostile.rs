//! Bytes that are no log at all.

use baton_report::{Reader, read};
use proptest::prelude::*;

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        read(&bytes);
    }

    #[test]
    fn broken_reports_never_panic(parts in prop::collection::vec(
        "(<testsuites?( name=\"[a-zä&;<']{0,4}\")?>|</testsuites?>|<testcase( name='[a-z.$/]{0,5}')?/?>|</testcase>|<(failure|error|skipped|rerunFailure|system-out)( message='x')?/?>|</failure>|<!\\[CDATA\\[|\\]\\]>|&#x?[0-9]{0,9};|\tat a\\.B\\.c\\(B\\.java:[0-9]{0,22}\\)\n|é|<!--|-->)", 0..30)) {
        let text = format!("<testsuite>{}", parts.concat());
        read(text.as_bytes());
        read(format!("noise\n{text}").as_bytes());
    }

    #[test]
    fn odd_ci_lines_never_panic(lines in prop::collection::vec(
        "(\u{feff}?2026-03-01T08:15:42\\.[0-9]{0,9}Z ?|a\tb\t|08:15:42  )?(##\\[(group|error|endgroup|section)\\](Run x|Starting: y)?|\\[Pipeline\\] ?(\\{ \\(x\\)|sh)?|section_(start|end):[0-9]{0,3}:[a-z]{0,3}\\[?\r?|\u{1b}\\[32;1m\\$ x|with:|Running with gitlab-runner 1|é)?", 0..20)) {
        read(lines.join("\n").as_bytes());
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
