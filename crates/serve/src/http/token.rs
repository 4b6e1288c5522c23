//! The token of the HTTP server.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

/// The token that a client sends. It allows running the project's commands, so it
/// is never displayed by accident.
#[derive(Clone)]
pub struct Token(String);

/// A short token could be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token is shorter than {SHORTEST} characters, or has others than visible ASCII ones")]
pub struct TooShort;

const SHORTEST: usize = 16;

impl Token {
    pub fn new(text: &str) -> Result<Self, TooShort> {
        if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TooShort);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn generate() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        Self(bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes all text");
            text
        }))
    }

    /// The token itself, for the one person who may see it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Digests are compared, so that the time it takes does not reveal how much
    /// of a guess was right.
    pub(super) fn is(&self, shown: &str) -> bool {
        Sha256::digest(&self.0) == Sha256::digest(shown)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}
