use rusqlite::Connection;

use crate::app::App;
use crate::error::ApiError;
use crate::store::repositories::Repository;
use crate::urls::Urls;

/// What a row needs to become JSON: the rows around it, and addresses.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) urls: &'a Urls,
}

impl View<'_> {
    /// An address in the API below a repository. `path` is empty or begins
    /// with a slash.
    pub(crate) fn api(&self, repository: &Repository, path: &str) -> String {
        let name = repository.full_name();
        self.urls.api(&format!("/repos/{name}{path}"))
    }

    /// The same for people.
    pub(crate) fn page(&self, repository: &Repository, path: &str) -> String {
        self.urls
            .page(&format!("/{}{path}", repository.full_name()))
    }
}

impl App {
    /// Looks at one state of affairs, to show it.
    pub(crate) fn show<T>(
        &self,
        look: impl FnOnce(View<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        self.read(|connection| {
            look(View {
                connection,
                urls: self.urls(),
            })
        })
    }
}
