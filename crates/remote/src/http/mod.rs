//! One request, asked well: limits, safe retries, quotas, conditional
//! requests, redaction.
//!
//! An [`Http`] is made once from [`Settings`] and is cheap to clone. A [`Call`]
//! is a value that says what is asked and, by its [`Safety`], what may be asked
//! twice. Whatever happens is an [`Event`]; whatever goes wrong is an
//! [`HttpError`], which shows no credentials.
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
pub(crate) mod shown;
mod system_verifier;
mod trouble;

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
pub use failure::{Cause, Class, Failure, Phase, RedirectTrouble, Refusal};
pub use pages::{Listed, PageLimits, Pages};
pub use path::Path;
pub use rate_limit::{RateLimit, RateLimitKind};
pub use reply::Reply;
pub use retry::RetryPolicy;
pub use secret::Secret;
pub use settings::{Limits, Observer, PlainHttp, ProxySettings, Settings, SettingsError, Trust};
