//! What happens while an operation runs.

use std::sync::Arc;

use crate::{pr, testing, validation};

#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// For people, in a few words.
    Message(&'a str),
    Testing(testing::Event<'a>),
    Validation(validation::Event<'a>),
    Pr(pr::Event<'a>),
}

impl Event<'_> {
    /// For people, in a few words; `None` for what would be too much.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Message(text) => Some((*text).to_owned()),
            Self::Testing(event) => event.message(),
            Self::Validation(event) => event.message(),
            Self::Pr(event) => Some(event.message()),
        }
    }
}

impl<'a> From<testing::Event<'a>> for Event<'a> {
    fn from(event: testing::Event<'a>) -> Self {
        Self::Testing(event)
    }
}

impl<'a> From<validation::Event<'a>> for Event<'a> {
    fn from(event: validation::Event<'a>) -> Self {
        Self::Validation(event)
    }
}

impl<'a> From<pr::Event<'a>> for Event<'a> {
    fn from(event: pr::Event<'a>) -> Self {
        Self::Pr(event)
    }
}

/// Receives the events of an operation. The default ignores them.
#[derive(Clone, Default)]
pub struct EventSink(Option<Arc<Receive>>);

type Receive = dyn Fn(Event<'_>) + Send + Sync;

impl EventSink {
    pub fn new(receive: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Receives events as messages.
    pub fn for_messages(receive: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self::new(move |event| {
            if let Some(message) = event.message() {
                receive(message);
            }
        })
    }

    pub fn emit<'a>(&self, event: impl Into<Event<'a>>) {
        if let Some(receive) = &self.0 {
            receive(event.into());
        }
    }
}
