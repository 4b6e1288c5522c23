use baton_protocol::{PrReference, Repository};
use proptest::prelude::*;

fn parse(text: &str) -> String {
    let here = Repository::new("acme", "ledger").unwrap();
    match PrReference::parse(text, Some(&here)) {
        Ok(found) => match found.host() {
            Some(host) => format!("{found} on {host}"),
            None => found.to_string(),
        },
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn every_form_is_read() {
    insta::assert_snapshot!(parse("acme/ledger#7"), @"acme/ledger#7");
    insta::assert_snapshot!(parse(" acme/ledger/pulls/7 "), @"acme/ledger#7");
    insta::assert_snapshot!(parse("acme/ledger/pull/7"), @"acme/ledger#7");
    insta::assert_snapshot!(parse("7"), @"acme/ledger#7");
    insta::assert_snapshot!(parse("#7"), @"acme/ledger#7");
    insta::assert_snapshot!(parse("a_corp/.github#2147483647"), @"a_corp/.github#2147483647");
    insta::assert_snapshot!(parse("https://github.com/acme/ledger/pull/7"), @"acme/ledger#7 on github.com");
    insta::assert_snapshot!(parse("https://github.com/acme/ledger/pull/7/files?w=1#diff-0"), @"acme/ledger#7 on github.com");
    insta::assert_snapshot!(parse("https://www.github.com/acme/ledger/pull/7/"), @"acme/ledger#7 on github.com");
    insta::assert_snapshot!(parse("https://GitHub.com/acme/ledger/pull/7#issuecomment-1"), @"acme/ledger#7 on github.com");
    insta::assert_snapshot!(parse("https://api.github.com/repos/acme/ledger/pulls/7"), @"acme/ledger#7 on github.com");
    insta::assert_snapshot!(parse("https://git.acme.example/acme/ledger/pull/7/commits/4f5e"), @"acme/ledger#7 on git.acme.example");
    insta::assert_snapshot!(parse("https://git.acme.example/api/v3/repos/acme/ledger/pulls/7"), @"acme/ledger#7 on git.acme.example");
    insta::assert_snapshot!(parse("http://127.0.0.1:3000/acme/ledger/pull/7"), @"acme/ledger#7 on 127.0.0.1:3000");
    insta::assert_snapshot!(parse("http://[::1]:3000/acme/ledger/pull/7"), @"acme/ledger#7 on [::1]:3000");
}

#[test]
fn everything_else_is_told_what_to_write() {
    insta::assert_snapshot!(parse(""), @"error: the reference to a pull request is empty; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
    insta::assert_snapshot!(parse("#"), @"error: '#' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
    insta::assert_snapshot!(parse("not-a-reference"), @"error: 'not-a-reference' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
    insta::assert_snapshot!(parse("acme/ledger"), @"error: 'acme/ledger' names no pull request, only a repository; add its number, as in 'acme/ledger#12'");
    insta::assert_snapshot!(parse("acme/ledger#0"), @"error: '0' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("0"), @"error: '0' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("acme/ledger#x"), @"error: 'x' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("acme/ledger#-1"), @"error: '-1' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("acme/ledger#+1"), @"error: '+1' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("acme/ledger#2147483648"), @"error: '2147483648' is no number of a pull request; it must be between 1 and 2147483647");
    insta::assert_snapshot!(parse("a/b/c/d#1"), @"error: 'a/b/c/d#1' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
    insta::assert_snapshot!(parse("acme/..#1"), @"error: '..' is no repository name on GitHub; letters, digits, '-', '_' and '.' make one, 100 at most");
    insta::assert_snapshot!(parse("-x/ledger#1"), @"error: '-x' is no owner on GitHub; letters, digits, '-' and '_' make one, 100 at most");
    insta::assert_snapshot!(parse("acme/led\u{1b}[31mger#1"), @"error: 'led�[31mger' is no repository name on GitHub; letters, digits, '-', '_' and '.' make one, 100 at most");
    insta::assert_snapshot!(parse("https://example.com/"), @"error: 'https://example.com/' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
    insta::assert_snapshot!(parse("https://user:secret@github.com/acme/ledger/pull/7"), @"error: the URL carries a user name or password; leave the part before '@' out");
    insta::assert_snapshot!(parse("https://github.com:99999/acme/ledger/pull/7"), @"error: 'https://github.com:99999/acme/ledger/pull/7' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL");
}

#[test]
fn a_number_needs_a_repository() {
    let error = PrReference::parse("7", None).unwrap_err();
    insta::assert_snapshot!(error, @"'7' is a number without a repository; run inside a checkout, or write 'owner/repo#7'");
}

proptest! {
    #[test]
    fn the_normal_form_is_read_back(
        owner in "[A-Za-z0-9_][A-Za-z0-9_-]{0,38}",
        name in "[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}",
        number in 1u32..=2_147_483_647,
    ) {
        let reference = PrReference::new(Repository::new(&owner, &name).unwrap(), number).unwrap();
        prop_assert_eq!(&PrReference::parse(&reference.to_string(), None).unwrap(), &reference);
        let url = format!("https://git.example/{owner}/{name}/pull/{number}/files");
        let from_url = PrReference::parse(&url, None).unwrap();
        prop_assert_eq!(from_url.to_string(), reference.to_string());
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        let _ = PrReference::parse(&text, None);
    }

    /// Whatever is read is safe to put into a path or an argument.
    #[test]
    fn what_is_read_is_harmless(text in "[-a-z0-9/#.:_%$;` ]{1,40}") {
        if let Ok(found) = PrReference::parse(&text, None) {
            prop_assert!(!found.repository().owner().starts_with('-'));
            prop_assert!(found.to_string().chars().all(|c| c.is_ascii_alphanumeric() || "-_./#".contains(c)));
        }
    }
}
