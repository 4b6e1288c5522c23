//! Whether a text can be a secret at all, or is a placeholder for one.

/// Words that people write in place of a secret. Five letters at least: shorter
/// ones turn up in random text by chance.
const STAND_INS: [&str; 34] = [
    "example",
    "sample",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "dummy",
    "xxxx",
    "your_",
    "your-",
    "yourkey",
    "yourtoken",
    "insert",
    "replace",
    "redacted",
    "notreal",
    "not_real",
    "invalid",
    "foobar",
    "deadbeef",
    "12345678",
    "abcdefgh",
    "00000000",
    "fakefake",
    "fake_",
    "fake-",
    "test_",
    "test-",
    "mysecret",
    "my_secret",
    "mypassword",
    "my_password",
    "secretsecret",
    "goes_here",
];

/// Parts of names whose values are secrets.
const SECRET_NAMES: [&str; 12] = [
    "key",
    "token",
    "secret",
    "auth",
    "pass",
    "pwd",
    "cred",
    "pat",
    "signature",
    "license",
    "webhook",
    "master",
];

/// What a candidate must be like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    /// Bits for each character, at least.
    entropy: f64,
}

impl Demand {
    /// Eight different characters have three bits each; so has a random token of sixteen, mostly.
    const USUAL: f64 = 3.0;

    pub(super) fn for_token(entropy: Option<f64>) -> Self {
        Self {
            entropy: entropy.unwrap_or(Self::USUAL),
        }
    }

    pub(super) fn met_by(self, body: &[u8]) -> bool {
        // Sixteen symbols cannot reach what sixty-four can.
        let hexadecimal = body
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
        let demanded = if hexadecimal {
            self.entropy.min(2.7)
        } else {
            self.entropy
        };
        // Short bodies cannot have more than this, however random.
        #[expect(clippy::cast_precision_loss, reason = "tokens are short")]
        let possible = (body.len() as f64).log2() * 0.85;
        entropy(body) >= demanded.min(possible)
            && !is_stand_in(body)
            && !is_a_sequence(body)
            && has_mixture(body)
    }
}

/// Bits for each byte, by how often each occurs.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    if bytes.is_empty() {
        return 0.0;
    }
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "windows are short")]
    let length = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}

pub(super) fn is_stand_in(bytes: &[u8]) -> bool {
    let text = bytes.to_ascii_lowercase();
    STAND_INS
        .iter()
        .any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
        || is_interpolated(bytes)
}

/// `${TOKEN}`, `{{ token }}`, `%s`, `<token>`: filled in elsewhere.
pub(super) fn is_interpolated(bytes: &[u8]) -> bool {
    let has = |part: &str| memchr::memmem::find(bytes, part.as_bytes()).is_some();
    has("${")
        || has("{{")
        || has("#{")
        || has("%s")
        || has("%(")
        || has("$(")
        || has("...")
        || (bytes.first() == Some(&b'<') && bytes.last() == Some(&b'>'))
        || (bytes.first() == Some(&b'{') && bytes.last() == Some(&b'}'))
        || (bytes.first() == Some(&b'%') && bytes.last() == Some(&b'%'))
        || bytes.first() == Some(&b'$')
}

/// `abcdef…`, `012345…`, `aaaa…`: typed, not drawn.
pub(super) fn is_a_sequence(bytes: &[u8]) -> bool {
    let steady = bytes
        .windows(2)
        .filter(|pair| pair[1].abs_diff(pair[0]) <= 1)
        .count();
    bytes.len() >= 8 && steady * 5 > bytes.len() * 2
}

/// Random text has digits, or both cases; words have neither.
fn has_mixture(bytes: &[u8]) -> bool {
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let upper = bytes.iter().any(u8::is_ascii_uppercase);
    let lower = bytes.iter().any(u8::is_ascii_lowercase);
    digit || (upper && lower)
}

/// Whether a name means a secret, and not of a part of the provider's address.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES
        .iter()
        .any(|part| memchr::memmem::find(&name, part.as_bytes()).is_some())
}
