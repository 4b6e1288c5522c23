//! Events of the GitHub client that HTTP does not know of.

use std::fmt;
use std::sync::Arc;

use baton_protocol::Repository;
use jiff::Timestamp;

#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The cost of a GraphQL query, and the remaining points of the hour.
    PointsSpent {
        document: &'static str,
        cost: u64,
        remaining: u64,
        reset: Option<Timestamp>,
    },
    /// The repository was renamed. The answer is that of the new name.
    RepositoryMoved {
        repository: &'a Repository,
        to: &'a str,
    },
}

/// Sees every event. It is called on the runtime and must not block.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Observe>>);

type Observe = dyn Fn(&Event<'_>) + Send + Sync;

impl Observer {
    pub fn new(observe: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observe)))
    }

    pub(super) fn see(&self, event: &Event<'_>) {
        if let Some(observe) = &self.0 {
            observe(event);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Observer(set)"
        } else {
            "Observer(none)"
        })
    }
}
