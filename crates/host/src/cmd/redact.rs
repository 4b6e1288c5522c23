//! Removes secrets from text.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Replaces a secret.
const MASK: &[u8] = b"***";

/// A shorter value would also be found by chance in ordinary text, which would
/// both damage the text and reveal the secret.
const MIN_SECRET: usize = 6;

/// Takes secrets out of text that people or logs will see: registered values,
/// and the credentials in URLs such as `https://user:password@host/`.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that a secret that contains another goes as a whole.
    secrets: Vec<Vec<u8>>,
}

impl Redactor {
    /// Registers a value. One of fewer than six bytes is not looked for.
    pub fn add(&mut self, secret: impl AsRef<OsStr>) {
        let secret = secret.as_ref().as_bytes();
        if secret.len() < MIN_SECRET || self.secrets.iter().any(|known| known == secret) {
            return;
        }
        self.secrets.push(secret.to_vec());
        self.secrets
            .sort_by_key(|known| std::cmp::Reverse(known.len()));
    }

    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    pub fn redact_os<'a>(&self, text: &'a OsStr) -> Cow<'a, OsStr> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(OsString::from_vec(bytes)),
        }
    }

    pub fn redact_bytes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut clean = Vec::new();
        let mut copied = 0;
        let mut position = 0;
        while position < text.len() {
            match self.secret_at(text, position) {
                Some(length) => {
                    clean.extend_from_slice(&text[copied..position]);
                    clean.extend_from_slice(MASK);
                    position += length;
                    copied = position;
                }
                None => position += 1,
            }
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        clean.extend_from_slice(&text[copied..]);
        Cow::Owned(clean)
    }

    /// The length of the secret that begins at `position`.
    fn secret_at(&self, text: &[u8], position: usize) -> Option<usize> {
        let rest = &text[position..];
        self.secrets
            .iter()
            .find(|secret| rest.starts_with(secret))
            .map(Vec::len)
            .or_else(|| userinfo_at(text, position))
    }
}

/// Secrets have no place in a debug line either.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

/// The length of the credentials that begin at `position`, which is right after
/// `scheme://`.
///
/// A name alone is a secret over HTTP, where tokens are passed that way, but
/// not in `ssh://git@host`.
fn userinfo_at(text: &[u8], position: usize) -> Option<usize> {
    let before = text[..position].strip_suffix(b"://")?;
    let scheme_length = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    let scheme = &before[before.len() - scheme_length..];
    if scheme.is_empty() {
        return None;
    }
    let authority = text[position..]
        .split(|byte| byte.is_ascii_whitespace() || b"/?#\\\"'<>`".contains(byte))
        .next()?;
    let length = authority.iter().rposition(|&byte| byte == b'@')?;
    let is_http = scheme.to_ascii_lowercase().ends_with(b"http")
        || scheme.to_ascii_lowercase().ends_with(b"https");
    let is_secret = is_http || authority[..length].contains(&b':');
    (length > 0 && is_secret).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::Redactor;
    use proptest::prelude::*;

    #[test]
    fn registered_values_are_replaced_wherever_they_stand() {
        let mut redactor = Redactor::default();
        redactor.add("hunter22");
        redactor.add("hunter22-and-more");
        assert_eq!(
            redactor.redact("a=hunter22;b=hunter22-and-more"),
            "a=***;b=***"
        );
    }

    #[test]
    fn a_short_value_would_damage_ordinary_text() {
        let mut redactor = Redactor::default();
        redactor.add("error");
        assert_eq!(redactor.redact("an error"), "an error");
    }

    #[test]
    fn credentials_in_urls_are_replaced() {
        let redactor = Redactor::default();
        for (text, clean) in [
            ("https://me:pw@host/x", "https://***@host/x"),
            ("https://token@host/x", "https://***@host/x"),
            ("to 'http://a:p@ss@host'.", "to 'http://***@host'."),
            ("ssh://git@host/x", "ssh://git@host/x"),
            ("ssh://git:pw@host/x", "ssh://***@host/x"),
            ("https://host/a@b", "https://host/a@b"),
            ("git@host:x", "git@host:x"),
            ("https://@host", "https://@host"),
            ("://a:b@c", "://a:b@c"),
        ] {
            assert_eq!(redactor.redact(text), clean);
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let mut redactor = Redactor::default();
        redactor.add("hunter22");
        assert_eq!(format!("{redactor:?}"), "Redactor(1 secrets)");
    }

    proptest! {
        #[test]
        fn no_secret_survives(before in ".*", secret in "[a-z0-9]{6,12}", after in ".*") {
            let mut redactor = Redactor::default();
            redactor.add(&secret);
            let text = format!("{before}{secret}{after}");
            prop_assert!(!redactor.redact(&text).contains(&secret));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let mut redactor = Redactor::default();
            redactor.add("secret");
            redactor.redact_bytes(&bytes);
        }
    }
}
