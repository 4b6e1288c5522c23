use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::model::Tool;
use rmcp::task_manager::TaskManager;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::offer::Offer;
use super::parked::Parked;
use super::schemas;

/// How long operations may take to clean up when the server ends.
const GRACE: Duration = Duration::from_secs(10);

/// The tools and what is under way with them. Clones are the same server.
#[derive(Clone)]
pub struct Server(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) offers: Vec<Offer>,
    /// The same as clients see them, made when somebody first asks.
    tools: OnceLock<Vec<Tool>>,
    /// What version of baton this is.
    pub(super) version: String,
    pub(super) prefer: Option<Prefer>,
    pub(super) parked: Parked,
    pub(super) tasks: TaskManager,
    pub(super) calls: TaskTracker,
    pub(super) cancel: CancellationToken,
}

/// Fills in what the user prefers and a call left open.
type Prefer = Box<dyn Fn(&str, &mut Value) + Send + Sync>;

impl Server {
    pub fn new(version: impl Into<String>, offers: Vec<Offer>) -> Self {
        Self(Arc::new(Shared {
            offers,
            tools: OnceLock::new(),
            version: version.into(),
            prefer: None,
            parked: Parked::default(),
            tasks: TaskManager::new(),
            calls: TaskTracker::new(),
            cancel: CancellationToken::new(),
        }))
    }

    /// `prefer` is given a tool's name and its input, before anything else
    /// looks at it. To be called before the server is used.
    #[must_use]
    pub fn preferring(mut self, prefer: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> Self {
        let shared = Arc::get_mut(&mut self.0).expect("a server is set up before it is shared");
        shared.prefer = Some(Box::new(prefer));
        self
    }

    /// Cancels whatever is under way, and waits a little while it cleans up.
    pub async fn end(&self) {
        self.0.cancel.cancel();
        self.0.parked.clear();
        self.0.calls.close();
        if tokio::time::timeout(GRACE, self.0.calls.wait())
            .await
            .is_err()
        {
            tracing::warn!(calls = self.0.calls.len(), "calls did not end in time");
        }
        self.0.tasks.shutdown();
    }

    pub(super) fn tools(&self) -> &[Tool] {
        let make = || self.0.offers.iter().map(schemas::tool).collect();
        self.0.tools.get_or_init(make)
    }

    pub(super) fn offer(&self, name: &str) -> Option<&Offer> {
        self.0.offers.iter().find(|offer| offer.name == name)
    }
}
