//! The environment variables that baton reads, declared once.

use std::ffi::OsStr;

use baton_host::cmd::Environment;
use baton_host::own_process;

pub(crate) const GITHUB_TOKEN: &str = "GITHUB_TOKEN";
pub(crate) const GH_TOKEN: &str = "GH_TOKEN";
/// For Enterprise servers, in the words of `gh`.
pub(crate) const GH_ENTERPRISE_TOKEN: &str = "GH_ENTERPRISE_TOKEN";
pub(crate) const GITHUB_ENTERPRISE_TOKEN: &str = "GITHUB_ENTERPRISE_TOKEN";
/// A PEM file with the only certificates to trust, as in OpenSSL.
pub(crate) const SSL_CERT_FILE: &str = "SSL_CERT_FILE";
pub(crate) const JIRA_URL: &str = "JIRA_URL";
pub(crate) const JIRA_USERNAME: &str = "JIRA_USERNAME";
pub(crate) const JIRA_API_TOKEN: &str = "JIRA_API_TOKEN";
/// What the MCP server at `jira.mcp_url` wants shown.
pub(crate) const JIRA_MCP_TOKEN: &str = "JIRA_MCP_TOKEN";
pub(crate) const BATON_GITHUB_API_URL: &str = "BATON_GITHUB_API_URL";
pub(crate) const BATON_STATE_DIR: &str = "BATON_STATE_DIR";
/// What clients of `baton serve` have to show.
pub(crate) const BATON_SERVE_TOKEN: &str = "BATON_SERVE_TOKEN";
pub(crate) const BATON_AGENT: &str = "BATON_AGENT";
/// What processes carry that baton started: whose child they are.
pub(crate) const BATON_CHILD: &str = "BATON_CHILD";
/// What people write with; the first is for terminals that can show more.
pub(crate) const VISUAL: &str = "VISUAL";
pub(crate) const EDITOR: &str = "EDITOR";
pub(crate) const HOME: &str = "HOME";
/// The login name, as POSIX and as most shells say it.
pub(crate) const LOGNAME: &str = "LOGNAME";
pub(crate) const USER: &str = "USER";
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
pub(crate) const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// How wide the output is to be, where no terminal says it.
pub(crate) const COLUMNS: &str = "COLUMNS";
/// What kind of terminal it is; a `dumb` one knows no escape sequences.
pub(crate) const TERM: &str = "TERM";

/// Proxies go by two names each; where both are set, most programs take the
/// small one.
pub(crate) const HTTP_PROXY: [&str; 2] = ["http_proxy", "HTTP_PROXY"];
pub(crate) const HTTPS_PROXY: [&str; 2] = ["https_proxy", "HTTPS_PROXY"];
pub(crate) const ALL_PROXY: [&str; 2] = ["all_proxy", "ALL_PROXY"];
pub(crate) const NO_PROXY: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Secrets of baton's own: no child gets them unless it needs them, and they are
/// not to be read in the environment of a process that lives for long.
pub(crate) const TOKENS: [&str; 7] = [
    BATON_SERVE_TOKEN,
    GH_ENTERPRISE_TOKEN,
    GH_TOKEN,
    GITHUB_ENTERPRISE_TOKEN,
    GITHUB_TOKEN,
    JIRA_API_TOKEN,
    JIRA_MCP_TOKEN,
];

/// Read once at the start and handed down from there.
pub(crate) fn current() -> Environment {
    std::env::vars_os().collect()
}

/// The same for a verb that lives beside programs that others wrote: they could
/// read its tokens in `/proc` or in its memory. With a token set, this starts
/// the program again.
pub(crate) fn without_traces_of_tokens() -> Environment {
    let (environment, done) = own_process::environment_without_traces(&TOKENS);
    if let Err(error) = done.and_then(|()| own_process::forbid_inspection()) {
        tracing::warn!(%error, "other processes of this user may see baton's tokens");
    }
    environment
}

/// A variable that is set and not empty.
pub(crate) fn get<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsStr> {
    environment.get(name).filter(|value| !value.is_empty())
}

/// The same as text; other bytes are as good as nothing.
pub(crate) fn text<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
    get(environment, name)?.to_str()
}
