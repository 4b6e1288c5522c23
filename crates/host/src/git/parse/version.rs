//! Parses `git version`.

use std::fmt;

/// A version of git.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Reads `git version`. Vendors add words and further numbers after the version
/// proper.
pub fn version(bytes: &[u8]) -> Option<Version> {
    let text = str::from_utf8(bytes).ok()?;
    let number = text
        .strip_prefix("git version ")?
        .split_whitespace()
        .next()?;
    let mut parts = number.split(['.', '-']);
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    // A release candidate has `rc0` here, a build from source may have nothing.
    let patch = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    Some(Version {
        major,
        minor,
        patch,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_understood() {
        for (text, expected) in [
            ("git version 2.47.3\n", "2.47.3"),
            ("git version 2.39.5 (Apple Git-154)\n", "2.39.5"),
            ("git version 2.45.1.windows.1\n", "2.45.1"),
            ("git version 2.50.0-rc1\n", "2.50.0"),
            ("git version 2.43.0.rc0.12.gabcdef\n", "2.43.0"),
            ("git version 2.40\n", "2.40.0"),
        ] {
            assert_eq!(version(text.as_bytes()).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn anything_else_is_no_version() {
        assert_eq!(version(b"git version next\n"), None);
        assert_eq!(version(b"hub version 2.14\n"), None);
        assert_eq!(version(b""), None);
    }
}
