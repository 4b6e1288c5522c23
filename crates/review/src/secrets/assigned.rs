//! `password = "…"` and similar: a name of a secret, and a value that is not a placeholder.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::plausible::{entropy, is_stand_in};
use super::{Certainty, Hit};
use crate::budget::Budget;
use crate::finding::Severity;

/// Around a keyword, far enough for a name and its value.
const REACH: usize = 240;

const REMEDY: &str =
    "Read it from the environment or a secret store, and change the one that was published.";

static KEYWORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "password",
            "passwd",
            "pwd",
            "passphrase",
            "secret",
            "token",
            "apikey",
            "api_key",
            "api-key",
            "accesskey",
            "access_key",
            "access-key",
            "auth_key",
            "authkey",
            "private_key",
            "privatekey",
            "encryption_key",
            "encryptionkey",
            "signing_key",
            "signingkey",
            "credential",
        ])
        .expect("a fixed list of words")
});

/// A name, perhaps with a type, and a quoted value.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?P<name>[a-z0-9_.$-]{0,60})["'\]]{0,2}\s{0,3}(?:: ?[a-z&<>'?]{1,24}\s{0,2})?(?:=>|:=|={1,3}|:)\s{0,3}(?:"(?P<a>[^"\n]{4,200})"|'(?P<b>[^'\n]{4,200})'|`(?P<c>[^`\n]{4,200})`)"#,
    )
});

/// In files of settings, values need no quotes.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^\s{0,20}(?:export |- )?(?P<name>[a-z0-9_.-]{1,80})\s{0,2}[=:]\s{0,2}(?P<a>[^\s"'#]{6,200})\s*$"#,
    )
});

fn compile(source: &str) -> Regex {
    RegexBuilder::new(source)
        .unicode(false)
        .case_insensitive(true)
        .build()
        .expect("a fixed pattern")
}

pub(super) fn hits(bytes: &[u8], path: &str, budget: &Budget) -> Vec<Hit> {
    let settings = is_settings(path);
    let mut hits: Vec<Hit> = Vec::new();
    let mut searched = 0;
    for keyword in KEYWORDS.find_iter(bytes) {
        if keyword.start() < searched {
            continue;
        }
        let line = line_around(bytes, keyword.range());
        searched = line.end;
        if !budget.spend(line.len()) {
            break;
        }
        let from = line.start;
        let text = &bytes[line];
        let quoted = QUOTED
            .captures_iter(text)
            .filter_map(|found| judge(&found, from));
        hits.extend(quoted);
        if settings && hits.last().is_none_or(|hit| hit.range.start < from) {
            hits.extend(BARE.captures(text).and_then(|found| judge(&found, from)));
        }
    }
    hits
}

fn line_around(bytes: &[u8], keyword: Range<usize>) -> Range<usize> {
    let from = keyword.start.saturating_sub(REACH);
    let start =
        memchr::memrchr(b'\n', &bytes[from..keyword.start]).map_or(from, |at| from + at + 1);
    let limit = bytes.len().min(keyword.end + REACH);
    let end =
        memchr::memchr(b'\n', &bytes[keyword.end..limit]).map_or(limit, |at| keyword.end + at);
    start..end
}

fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = [
        ".env",
        ".properties",
        ".yml",
        ".yaml",
        ".ini",
        ".cfg",
        ".conf",
        ".toml",
        ".tfvars",
    ];
    name.starts_with(".env") || ending.iter().any(|ending| name.ends_with(ending))
}

fn judge(found: &Captures<'_>, from: usize) -> Option<Hit> {
    let name = String::from_utf8_lossy(found.name("name")?.as_bytes()).into_owned();
    let value = ["a", "b", "c"].iter().find_map(|group| found.name(group))?;
    let text = value.as_bytes();
    let sort = Sort::from_name(&name)?;
    if !is_literal(text) || !sort.accepts(&name, text) {
        return None;
    }
    Some(Hit {
        severity: sort.severity(text),
        ..sort.hit(from + value.start()..from + value.end())
    })
}

/// One hit of each sort, to be explained.
pub(super) fn kinds() -> [Hit; 2] {
    [Sort::Password, Sort::Key].map(|sort| sort.hit(0..0))
}

/// The kind of value that the name suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Password,
    Key,
}

impl Sort {
    fn from_name(name: &str) -> Option<Self> {
        let name = snake_case(name);
        let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
        let last = *words.last()?;
        // These words mean that the value describes the secret and is not the secret.
        let numbered = last.bytes().all(|byte| byte.is_ascii_digit());
        let last = if numbered {
            words.get(words.len().checked_sub(2)?)?
        } else {
            last
        };
        let before = words
            .iter()
            .rev()
            .nth(1 + usize::from(numbered))
            .copied()
            .unwrap_or("");
        match last {
            "password" | "passwd" | "pwd" | "passphrase" | "pass" | "pw" => Some(Self::Password),
            "secret" | "token" | "apikey" | "secretkey" | "authtoken" | "accesskey"
            | "credential" | "credentials" => Some(Self::Key),
            "key" => matches!(
                before,
                "api"
                    | "access"
                    | "secret"
                    | "auth"
                    | "private"
                    | "encryption"
                    | "signing"
                    | "master"
                    | "service"
                    | "jwt"
                    | "app"
            )
            .then_some(Self::Key),
            "base" => name.ends_with("secret_key_base").then_some(Self::Key),
            _ => None,
        }
    }

    fn accepts(self, name: &str, value: &[u8]) -> bool {
        let (digit, letter) = (
            value.iter().any(u8::is_ascii_digit),
            value.iter().any(u8::is_ascii_alphabetic),
        );
        match self {
            Self::Password => {
                let sign = value
                    .iter()
                    .any(|byte| byte.is_ascii_punctuation() && !b"_-./:".contains(byte));
                value.len() >= 6 && letter && (digit || sign) && !repeats_name(name, value)
            }
            Self::Key => {
                let token_like = value
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+/=_.-~!@#$%^&*".contains(byte));
                value.len() >= 16 && digit && letter && token_like && looks_drawn(value)
            }
        }
    }

    fn hit(self, range: Range<usize>) -> Hit {
        Hit {
            rule: format!("secrets/{}", self.rule()),
            what: format!("hard-coded {}", self.what()),
            remedy: REMEDY.to_owned(),
            severity: Severity::High,
            range,
            certainty: Certainty::Name,
        }
    }

    fn severity(self, value: &[u8]) -> Severity {
        match self {
            Self::Password if value.len() < 12 => Severity::Medium,
            Self::Password | Self::Key => Severity::High,
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "generic-key",
        }
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "key or token",
        }
    }
}

/// Drawn at random rather than made of words: `user-service-token-2` is not.
fn looks_drawn(value: &[u8]) -> bool {
    let hexadecimal = value.iter().all(u8::is_ascii_hexdigit);
    let demanded = if hexadecimal { 3.0 } else { 3.5 };
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = value
        .windows(2)
        .filter(|pair| kind_of(pair[0]) != kind_of(pair[1]))
        .count();
    entropy(value) >= demanded && digits >= 2 && changes * 4 >= value.len()
}

fn kind_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// A value that is written out, and not a reference, address, name or hash.
fn is_literal(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let reference = [
        "http://",
        "https://",
        "/",
        "./",
        "../",
        "~/",
        "arn:",
        "vault:",
        "enc[",
        "enc(",
        "ssm:",
        "kms:",
        "env:",
        "file:",
        "!vault",
        "secretsmanager",
        "{",
        "$2a$",
        "$2b$",
        "$2y$",
        "$argon2",
        "pbkdf2",
        "sha1",
        "sha256",
        "sha512",
        "md5",
        "ssh-rsa",
        "op://",
        "@",
    ];
    let folded = text.to_ascii_lowercase();
    let named = !text.bytes().any(|byte| byte.is_ascii_lowercase()) && text.contains('_');
    let called = folded.contains("environ")
        || folded.contains("getenv")
        || folded.contains("process.env")
        || text.contains("()")
        || text.contains("](")
        || text.contains("=>");
    let stand_in = [
        "test",
        "fake",
        "demo",
        "secret123",
        "password",
        "p@ss",
        "passw0rd",
        "todo",
        "null",
        "undefined",
    ];
    !value.iter().any(u8::is_ascii_whitespace)
        && !reference.iter().any(|start| folded.starts_with(start))
        && !named
        && !called
        && !is_stand_in(value)
        && !stand_in
            .iter()
            .any(|word| folded.contains(word) && folded.len() < 24)
}

/// `passwordField: "user_password"` names a field.
fn repeats_name(name: &str, value: &[u8]) -> bool {
    let value = String::from_utf8_lossy(value).to_ascii_lowercase();
    value.contains(&name.to_ascii_lowercase())
}

/// `dbPassword`, `db-password` and `DB.Password` are one name.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && lower_before {
            snake.push('_');
        }
        lower_before = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        if letter.is_ascii_alphanumeric() {
            snake.push(letter.to_ascii_lowercase());
        } else {
            snake.push('_');
        }
    }
    snake
}
