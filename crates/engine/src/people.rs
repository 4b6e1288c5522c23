//! The key that people have and coding agents do not. It is in the state folder,
//! which a run's sandbox hides. Answers and cancellations are signed with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_state::key_file::{self, SecretKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::EngineError;

/// Below the state folder.
pub const PEOPLE_KEY_NAME: &str = "people.key";

#[derive(Clone)]
pub(crate) struct PeopleKey(SecretKey);

impl PeopleKey {
    /// The key of a state folder; an error where this process cannot see it.
    pub(crate) fn load(state_folder: &Path) -> Result<Self, EngineError> {
        let path = path(state_folder);
        match key_file::read(&path) {
            Ok(Some(key)) => Ok(Self(key)),
            Ok(None) => Err(EngineError::OnlyPeople { path, source: None }),
            Err(error) => Err(EngineError::OnlyPeople {
                path,
                source: Some(Arc::new(error)),
            }),
        }
    }

    pub(crate) fn ensure(state_folder: &Path) -> Result<(), EngineError> {
        let path = path(state_folder);
        key_file::read_or_create(&path)
            .map(drop)
            .map_err(|source| EngineError::Folder {
                path,
                source: Arc::new(source),
            })
    }

    /// The signature of a list of texts, each with its length, so that no two
    /// lists look the same.
    pub(crate) fn sign(&self, parts: &[&str]) -> String {
        use std::fmt::Write as _;
        let bytes = self.mac(parts).finalize().into_bytes();
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes all text");
            text
        })
    }

    pub(crate) fn verify(&self, parts: &[&str], signature: &str) -> bool {
        let digits = signature.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = digits
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        bytes.is_some_and(|bytes| self.mac(parts).verify_slice(&bytes).is_ok())
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of every length");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

fn path(state_folder: &Path) -> PathBuf {
    state_folder.join(PEOPLE_KEY_NAME)
}
