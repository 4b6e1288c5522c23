//! Addresses of things, as they stand in answers.

/// Made from the forge's public address.
#[derive(Debug, Clone)]
pub(crate) struct Urls {
    root: String,
}

impl Urls {
    pub(crate) fn new(root: impl Into<String>) -> Self {
        Self { root: root.into() }
    }

    /// For people: `http://HOST/octo/demo/pull/1`. `path` starts with a slash.
    pub(crate) fn page(&self, path: &str) -> String {
        format!("{}{path}", self.root)
    }

    /// For programs: `http://HOST/api/v3/repos/octo/demo`. `path` starts with a slash.
    pub(crate) fn api(&self, path: &str) -> String {
        format!("{}/api/v3{path}", self.root)
    }

    pub(crate) fn graphql(&self) -> String {
        format!("{}/api/graphql", self.root)
    }
}

/// A name as one part of a path: everything but letters, digits and `-._~` is
/// written as its bytes.
pub(crate) fn encoded(name: &str) -> String {
    use std::fmt::Write as _;
    name.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// A path in a tree: its parts encoded, its slashes kept.
pub(crate) fn encoded_path(path: &str) -> String {
    path.split('/').map(encoded).collect::<Vec<_>>().join("/")
}
