//! Addresses with a password in them: `postgres://app:…@db.acme.io/app`.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::plausible::{is_a_sequence, is_stand_in};
use super::{Certainty, Hit};
use crate::budget::Budget;
use crate::finding::Severity;

/// A scheme is short, and a login with its host fits into a few hundred bytes.
const BEFORE: usize = 20;
const AFTER: usize = 300;

static LOGIN: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r#"(?i:[a-z][a-z0-9+.-]{1,18})://(?P<user>[^\s:/@"'<>?#,]{0,80}):(?P<secret>[^\s:/@"'<>?#,]{3,120})@(?P<host>[A-Za-z0-9._-]{1,120})"#,
    )
    .unicode(false)
    .build()
    .expect("a fixed pattern")
});

/// These are not reachable from outside, or are placeholders.
const HARMLESS_HOSTS: [&str; 9] = [
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "example",
    "host",
    "hostname",
    "proxy",
    "server",
    "db",
];

pub(super) fn hits(bytes: &[u8], budget: &Budget) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for at in memmem::find_iter(bytes, b"://") {
        let from = at.saturating_sub(BEFORE);
        let end = bytes.len().min(at + AFTER);
        if !budget.spend(end - from) {
            break;
        }
        let Some(found) = LOGIN.captures(&bytes[from..end]) else {
            continue;
        };
        let secret = found.name("secret").expect("the pattern has it");
        let host = found.name("host").expect("the pattern has it").as_bytes();
        let user = found.name("user").expect("the pattern has it").as_bytes();
        let range = from + secret.start()..from + secret.end();
        let known = hits.last().is_some_and(|last| last.range == range);
        if known
            || is_harmless(&String::from_utf8_lossy(host))
            || is_placeholder(user, secret.as_bytes())
        {
            continue;
        }
        hits.push(hit(range));
    }
    hits
}

pub(super) fn hit(range: Range<usize>) -> Hit {
    Hit {
        rule: "secrets/login-in-address".to_owned(),
        what: "password in an address".to_owned(),
        remedy: "Read the address from the environment or a secret store, and change the password."
            .to_owned(),
        severity: Severity::High,
        range,
        certainty: Certainty::Format,
    }
}

fn is_harmless(host: &str) -> bool {
    // A name without a dot is one of a private network: a container, a service.
    !host.contains('.')
        || HARMLESS_HOSTS.contains(&host)
        || host.contains("example")
        || [".local", ".test", ".invalid", ".localhost", ".internal"]
            .iter()
            .any(|ending| host.ends_with(ending))
        || ["127.", "10.", "192.168.", "0."]
            .iter()
            .any(|net| host.starts_with(net))
}

/// What documentation writes in the place of a password.
fn is_placeholder(user: &[u8], secret: &[u8]) -> bool {
    let secret_text = String::from_utf8_lossy(secret).to_ascii_lowercase();
    let words = [
        "pass", "secret", "token", "pwd", "xxx", "***", "key", "user", "test",
    ];
    is_stand_in(secret)
        || is_a_sequence(secret)
        || is_stand_in(user)
        || user.eq_ignore_ascii_case(secret)
        || words.iter().any(|word| secret_text.contains(word))
        || secret.iter().all(|byte| !byte.is_ascii_alphanumeric())
        || secret.first() == Some(&b'$')
        || secret.contains(&b'{')
        || secret.contains(&b'(')
}
