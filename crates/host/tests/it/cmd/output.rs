//! The output of children.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;

use baton_host::Cmd;
use baton_host::cmd::{Chunk, Stream, quote, quote_program};
use baton_testkit::Sandbox;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::{environment, run, shell};

#[tokio::test]
async fn merged_output_is_in_the_order_of_writing() {
    let sandbox = Sandbox::new();
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done";
    let finished = run(&shell(&sandbox, script).merged()).await;
    let text = finished.stdout.text();
    let expected: Vec<_> = (1..10)
        .flat_map(|i| [format!("out{i}"), format!("err{i}")])
        .collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    assert_eq!(finished.stderr.total_bytes(), 0);
}

#[tokio::test]
async fn an_observer_sees_every_byte_of_each_stream() {
    let sandbox = Sandbox::new();
    let mut seen = [Vec::new(), Vec::new()];
    let finished = shell(&sandbox, "echo one; echo two >&2; echo three")
        .run_observed(&CancellationToken::new(), &mut |chunk: Chunk<'_>| {
            let index = usize::from(chunk.stream == Stream::Stderr);
            seen[index].extend_from_slice(chunk.bytes);
        })
        .await
        .unwrap();
    assert_eq!(seen, [b"one\nthree\n".to_vec(), b"two\n".to_vec()]);
    assert_eq!(finished.stdout.head(), seen[0]);
}

#[tokio::test]
async fn a_long_output_is_bounded_in_memory_and_complete_on_disk() {
    const TOTAL: usize = 64_000_000;
    let sandbox = Sandbox::new();
    // `yes` writes a line of eight bytes over and over.
    let cmd = shell(&sandbox, &format!("yes 1234567 | head -c {TOTAL}"));
    let finished = run(&cmd).await;

    let capture = finished.stdout;
    assert_eq!(capture.total_bytes(), TOTAL as u64);
    assert!(capture.head().len() + capture.tail().len() < 3 * 1024 * 1024);
    assert_eq!(capture.missing_bytes(), 0);
    let mut reader = capture.reader();
    let mut block = vec![0; 8 * 4096];
    let mut read = 0;
    while read < TOTAL {
        let wanted = block.len().min(TOTAL - read);
        reader.read_exact(&mut block[..wanted]).unwrap();
        let expected = b"1234567\n".repeat(4096);
        assert!(block[..wanted] == expected[..wanted], "at {read}");
        read += wanted;
    }
    assert_eq!(reader.read(&mut block).unwrap(), 0);

    let left = std::fs::read_dir(sandbox.path("tmp")).unwrap().count();
    assert_eq!(left, 0, "the file has no name");
}

#[tokio::test]
async fn output_need_not_be_text() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(&sandbox, r"printf 'a\377\000b'")).await;
    assert_eq!(finished.stdout.bytes().unwrap(), b"a\xff\0b".as_slice());
    assert_eq!(finished.stdout.text(), "a\u{fffd}\0b");
}

#[tokio::test]
async fn a_closed_output_is_not_the_end() {
    let sandbox = Sandbox::new();
    let finished = run(&shell(&sandbox, "exec >&- 2>&-; sleep 0.2; exit 5")).await;
    assert_eq!(finished.outcome, baton_host::cmd::Outcome::Exited(5));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The shell reads back exactly the words that were quoted.
    #[test]
    fn quoting_round_trips_through_a_shell(
        words in prop::collection::vec(prop::collection::vec(1u8.., 0..12), 0..6)
    ) {
        let sandbox = Sandbox::new();
        let words: Vec<_> = words.into_iter().map(OsString::from_vec).collect();
        let line = words.iter().fold("printf '%s\\0' :".to_owned(), |line, word| {
            format!("{line} {}", quote(word))
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let finished = runtime.block_on(run(&shell(&sandbox, &line)));
        let mut expected = b":\0".to_vec();
        for word in words {
            expected.extend(word.into_vec());
            expected.push(0);
        }
        let actual = finished.stdout.bytes().unwrap();
        prop_assert_eq!(actual.as_ref(), expected.as_slice());
    }
}

#[tokio::test]
async fn a_displayed_command_can_be_pasted() {
    let sandbox = Sandbox::new();
    let odd_name = "odd a=$(tool)";
    let fake = sandbox.fake(odd_name, "");
    let cmd = Cmd::new(odd_name, sandbox.root(), &environment(&sandbox)).args([
        "plain",
        "",
        "two words",
        "*",
        "--x=$HOME",
    ]);
    let line = cmd.to_string();
    insta::assert_snapshot!(line, @r"'odd a=$(tool)' plain '' 'two words' '*' '--x=$HOME'");
    run(&cmd).await;
    run(&shell(&sandbox, &line)).await;
    let calls = fake.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0], calls[1]);
    assert_eq!(quote_program("if"), "'if'");
}
