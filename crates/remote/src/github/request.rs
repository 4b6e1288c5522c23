//! A call together with its purpose.

use std::borrow::Cow;
use std::fmt::Display;

use serde_json::Value;

use super::errand::Errand;
use crate::http::Call;

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) call: Call,
    pub(super) errand: Errand,
}

impl Request {
    pub(super) fn new(call: Call, errand: Errand) -> Self {
        Self {
            call: call.accept("application/vnd.github+json"),
            errand,
        }
    }

    pub(super) fn query(self, name: &'static str, value: impl Display) -> Self {
        self.map(|call| call.query(name, value))
    }

    pub(super) fn query_if_some(self, name: &'static str, value: Option<impl Display>) -> Self {
        self.map(|call| call.query_if_some(name, value))
    }

    pub(super) fn json(self, body: &Value) -> Self {
        self.map(|call| call.json(body))
    }

    pub(super) fn accept(self, media_type: impl Into<Cow<'static, str>>) -> Self {
        self.map(|call| call.accept(media_type))
    }

    pub(super) fn size_cap(self, bytes: u64) -> Self {
        self.map(|call| call.size_cap(bytes))
    }

    pub(super) fn resource(self, resource: &'static str) -> Self {
        self.map(|call| call.resource(resource))
    }

    fn map(self, change: impl FnOnce(Call) -> Call) -> Self {
        Self {
            call: change(self.call),
            errand: self.errand,
        }
    }
}
