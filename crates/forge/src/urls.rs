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
