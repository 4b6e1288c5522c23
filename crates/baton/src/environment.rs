//! The environment variables that baton reads, declared once.

use std::ffi::OsStr;

use baton_host::cmd::Environment;

pub(crate) const GITHUB_TOKEN: &str = "GITHUB_TOKEN";
pub(crate) const GH_TOKEN: &str = "GH_TOKEN";
pub(crate) const JIRA_URL: &str = "JIRA_URL";
pub(crate) const JIRA_USERNAME: &str = "JIRA_USERNAME";
pub(crate) const JIRA_API_TOKEN: &str = "JIRA_API_TOKEN";
pub(crate) const BATON_GITHUB_API_URL: &str = "BATON_GITHUB_API_URL";
pub(crate) const BATON_STATE_DIR: &str = "BATON_STATE_DIR";
pub(crate) const BATON_AGENT: &str = "BATON_AGENT";
pub(crate) const HOME: &str = "HOME";
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
pub(crate) const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Read once at the start and handed down from there.
pub(crate) fn of_this_process() -> Environment {
    std::env::vars_os().collect()
}

/// A variable that is set and not empty.
pub(crate) fn get<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsStr> {
    environment.get(name).filter(|value| !value.is_empty())
}

/// The same as text; other bytes are as good as nothing.
pub(crate) fn text<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
    get(environment, name)?.to_str()
}
