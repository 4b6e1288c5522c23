//! The id of a git object, in full and as people see it.

use std::fmt;

use serde::de::{Deserializer, Error as _, Unexpected};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// As many digits as git and GitHub show by default.
const SHORT_LEN: usize = 7;

/// The full id of a git object, most often of a commit: 40 or 64 hexadecimal digits in lower
/// case. It can be passed to a program without being mistaken for an option.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(String);

impl Oid {
    /// Reads either case, as git does.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (matches!(text.len(), 40 | 64) && is_hex).then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The beginning that people see.
    pub fn short(&self) -> &str {
        short(&self.0)
    }

    /// The id that git uses for "no object".
    pub fn is_zero(&self) -> bool {
        self.0.bytes().all(|byte| byte == b'0')
    }
}

/// The beginning of a commit id that people see.
pub fn short(commit: &str) -> &str {
    commit.get(..SHORT_LEN).unwrap_or(commit)
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"a full commit id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_all_hexadecimal() {
        assert!(Oid::parse(&"a1".repeat(20)).is_some());
        assert!(Oid::parse(&"a1".repeat(32)).is_some());
        assert!(Oid::parse(&"a1".repeat(19)).is_none());
        assert!(Oid::parse(&"g1".repeat(20)).is_none());
        assert_eq!(
            Oid::parse(&"A1".repeat(20)).unwrap().as_str(),
            "a1".repeat(20)
        );
        assert!(Oid::parse(&"0".repeat(40)).unwrap().is_zero());
    }

    #[test]
    fn people_see_seven_digits() {
        assert_eq!(short("0123456789abcdef"), "0123456");
        assert_eq!(short("0123"), "0123");
    }

    #[test]
    fn an_id_is_text_on_the_wire() {
        let id = Oid::parse(&"a1".repeat(20)).unwrap();
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!(text, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<Oid>(&text).unwrap(), id);
        insta::assert_snapshot!(
            serde_json::from_str::<Oid>("\"main\"").unwrap_err(),
            @r#"invalid value: string "main", expected a full commit id"#
        );
    }
}
