//! Tests that bytes that are not a log do not cause a panic.

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
    fn chunk_boundaries_do_not_matter(lines in prop::collection::vec("(FAIL: t \\(a\\.B\\)|Ran 3 tests in 1s|OK|x{0,9}|)", 0..20), at in 0usize..200) {
        let text = lines.join("\n");
        let at = at.min(text.len());
        let mut reader = Reader::new();
        reader.feed(&text.as_bytes()[..at]);
        reader.feed(&text.as_bytes()[at..]);
        prop_assert_eq!(reader.finish(), read(text.as_bytes()));
    }

    /// Output of the frameworks in any order, cut anywhere.
    #[test]
    fn scrambled_reports_never_panic(lines in prop::collection::vec(prop::sample::select(LINES), 0..60), cut in 0usize..4_000) {
        let text = lines.join("\n");
        let cut = cut.min(text.len());
        read(&text.as_bytes()[..cut]);
        let mut reader = Reader::new();
        reader.feed(&text.as_bytes()[..cut]);
        reader.feed(&text.as_bytes()[cut..]);
        prop_assert_eq!(reader.finish(), read(text.as_bytes()));
    }
}

const LINES: &[&str] = &[
    "     Running tests/a.rs (target/debug/deps/a-0)",
    "running 2 tests",
    "test a::ü ... ok",
    "test b - should panic ... FAILED",
    "test c ... ",
    "failures:",
    "successes:",
    "---- b stdout ----",
    "    b",
    "thread 'b' (1) panicked at src/ß.rs:1:2:",
    "stack backtrace:",
    "   0: a::b",
    "             at ./src/ß.rs:3:4",
    "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    "error: test failed, to rerun pass `--test a`",
    "  process didn't exit successfully: `a` (signal: 6)",
    "{ \"type\": \"test\", \"event\": \"failed\", \"name\": \"b\", \"stdout\": \"x",
    "    Starting 2 tests across 1 binary",
    "        FAIL [   0.1s] (1/2) a b",
    "  TRY 2 PASS [   0.1s] a b",
    "  stderr ───",
    "     Summary [   0.1s] 2 tests run: 1 passed, 1 failed, 0 skipped",
    "error[E0308]: mismatched types",
    "  --> src/ß.rs:1:1",
    "error: could not compile `a` (lib) due to 1 previous error",
    "error: failed to select a version for `a`.",
    "Diff in src/ß.rs:3:",
    "=== RUN   TestÄ/ö",
    "=== CONT  TestÄ",
    "--- FAIL: TestÄ (0.00s)",
    "    --- FAIL: TestÄ/ö (0.00s)",
    "text--- PASS: TestÄ/ö (0.00s)",
    "    ä_test.go:3: got 1",
    "panic: ü",
    "goroutine 1 [running]:",
    "example.org/a.TestÄ.func1()",
    "\t/ä_test.go:4 +0x1",
    "FAIL\texample.org/a\t0.1s",
    "ok  \texample.org/b\t0.1s",
    "FAIL\texample.org/c [build failed]",
    "# example.org/c",
    "c.go:1:2: undefined: ö",
    "=== Failed",
    "=== FAIL: a TestÄ (re-run 1) (0.00s)",
    "DONE 2 runs, 3 tests, 1 failure in 0.1s",
    "{\"Time\":\"t\",\"Action\":\"fail\",\"Package\":\"a\",\"Test\":\"TestÄ\"}",
    "",
];

#[test]
fn a_line_of_ten_megabytes_is_accepted() {
    let report = read(&vec![b'x'; 10 << 20]);
    assert_eq!(report.framework, "unknown");
    assert_eq!(report.counts.run, 0);
}
