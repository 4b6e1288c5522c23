//! The MCP server and its running calls.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use baton_ops::Context;
use rmcp::model::Tool;
use rmcp::task_manager::TaskManager;
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

use super::parked::Parked;
use super::schemas;
use super::tool_def::ToolDef;

/// How long operations may take to clean up when the server ends.
const GRACE: Duration = Duration::from_secs(10);

/// The tools and their running calls. Clones are the same server.
#[derive(Clone)]
pub struct Server(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) defs: Vec<ToolDef>,
    /// The same as clients see them, made on first use.
    tools: OnceLock<Vec<Tool>>,
    /// The version of baton.
    pub(super) version: String,
    pub(super) prefer: Option<Prefer>,
    withhold: Option<Withhold>,
    /// What `withhold` named.
    withheld: OnceCell<Vec<&'static str>>,
    pub(super) parked: Parked,
    pub(super) tasks: TaskManager,
    pub(super) calls: TaskTracker,
    /// What calls run in; its cancellation ends all of them.
    pub(super) base: Context,
}

/// Fills in the user's preferences where a call left them open.
type Prefer = Box<dyn Fn(&str, &mut Value) + Send + Sync>;

/// Names the tools that the user's token cannot use.
type Withhold =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Vec<&'static str>> + Send>> + Send + Sync>;

impl Server {
    /// Calls run in the environment of `base`, and end with its cancellation.
    pub fn new(version: impl Into<String>, defs: Vec<ToolDef>, base: Context) -> Self {
        Self(Arc::new(Shared {
            defs,
            tools: OnceLock::new(),
            version: version.into(),
            prefer: None,
            withhold: None,
            withheld: OnceCell::new(),
            parked: Parked::default(),
            tasks: TaskManager::new(),
            calls: TaskTracker::new(),
            base,
        }))
    }

    /// `prefer` gets a tool's name and its input before anything else reads it.
    /// Must be called before the server is used.
    #[must_use]
    pub fn preferring(mut self, prefer: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> Self {
        let shared = Arc::get_mut(&mut self.0).expect("a server is set up before it is shared");
        shared.prefer = Some(Box::new(prefer));
        self
    }

    /// `withhold` names the tools that cannot be used here. It is called once, when a client first
    /// lists the tools. Must be called before the server is used.
    #[must_use]
    pub fn withholding<F>(mut self, withhold: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Vec<&'static str>> + Send + 'static,
    {
        let shared = Arc::get_mut(&mut self.0).expect("a server is set up before it is shared");
        shared.withhold = Some(Box::new(move || Box::pin(withhold())));
        self
    }

    /// Cancels all running operations, and waits briefly for their cleanup.
    pub async fn end(&self) {
        self.0.base.cancel.cancel();
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
        let make = || self.0.defs.iter().map(schemas::tool).collect();
        self.0.tools.get_or_init(make)
    }

    /// The tools that can be used.
    pub(super) async fn offered(&self) -> Vec<Tool> {
        let ask = async || match &self.0.withhold {
            Some(withhold) => withhold().await,
            None => Vec::new(),
        };
        let withheld = self.0.withheld.get_or_init(ask).await;
        let is_offered = |tool: &&Tool| !withheld.iter().any(|name| tool.name == *name);
        self.tools().iter().filter(is_offered).cloned().collect()
    }

    pub(super) fn def(&self, name: &str) -> Option<&ToolDef> {
        self.0.defs.iter().find(|def| def.name() == name)
    }
}
