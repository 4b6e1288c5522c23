//! An HTTP client with limits, safe retries, quotas, conditional requests and
//! redaction.
//!
//! An [`Http`] is made once from [`Settings`] and is cheap to clone. A [`Call`]
//! is a value that describes the request and, by its [`Safety`], whether it may
//! be sent twice. Progress is reported as [`Event`]s, and errors as
//! [`HttpError`]s, which contain no credentials.
//!
//! It knows HTTP APIs of GitHub's kind (`Link` pages, `x-ratelimit-…`, `ETag`)
//! and none of their resources.

mod asking;
mod body;
mod budget;
mod cache;
mod call;
mod client;
mod clock;
mod connecting;
mod credential;
mod deadline;
pub(crate) mod display;
mod download;
mod error;
mod event;
mod exchange;
mod failure;
mod json;
pub mod link;
mod pages;
mod path;
mod preparing;
mod rate_limit;
mod redaction;
mod redirect;
mod reply;
mod retry;
pub mod retry_after;
mod secret;
mod settings;
mod system_verifier;
mod transport_error;
mod wait_limit;

pub use reqwest::Method;
pub use reqwest::header;

pub use budget::BudgetPolicy;
pub use cache::Cache;
pub use call::{Call, Judge, Safety};
pub use client::Http;
pub(crate) use client::client_for;
pub use clock::Clock;
pub use credential::{
    Credential, Credentials, NoCredential, ProvideCredential, UnsendableCredential,
};
pub use download::{Download, Overflow};
pub use error::HttpError;
pub use event::{Event, Quota, Requested, WaitReason};
pub use failure::{Cause, Class, Failure, Phase, RedirectError, Refusal};
pub use pages::{Listed, PageLimits, Pages};
pub use path::Path;
pub use rate_limit::{RateLimit, RateLimitKind};
pub use reply::Reply;
pub use retry::RetryPolicy;
pub use secret::Secret;
pub use settings::{Limits, Observer, PlainHttp, ProxySettings, Settings, SettingsError, Trust};
pub use wait_limit::WaitLimit;
