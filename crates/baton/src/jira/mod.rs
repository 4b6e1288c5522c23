//! How Jira is reached from here: which site, and with which login.

use baton_host::cmd::Environment;
use baton_remote::http::{Credential, Credentials, Secret};
use baton_remote::jira::{Jira, RestJira, Site};

use crate::config::Config;
use crate::environment::{self, JIRA_API_TOKEN};
use crate::github::network;

/// `Ok(None)`: nothing is configured. The error is a sentence.
pub(crate) fn access(config: &Config, environment: &Environment) -> Result<Option<Jira>, String> {
    let Some(url) = config.get("jira.url") else {
        return Ok(None);
    };
    let Some(token) = environment::text(environment, JIRA_API_TOKEN) else {
        return Err("Jira has a URL but no token; set JIRA_API_TOKEN".to_owned());
    };
    let token = Secret::new(token.trim());
    // A personal access token of Data Center needs no user.
    let credential = match config.get("jira.username") {
        Some(user) => Credential::basic(&user.text, &token),
        None => Credential::bearer(&token),
    };
    let credential = credential.map_err(|error| format!("JIRA_API_TOKEN: {error}"))?;
    let site = Site::new(&url.text);
    let mut settings = site.settings(crate::github::USER_AGENT);
    settings.credentials = Credentials::Fixed(credential);
    settings.proxy = network::proxy(environment);
    settings.trust = network::trust(environment).map_err(|error| error.to_string())?;
    RestJira::new(&site, settings)
        .map(|jira| Some(Jira::Rest(jira)))
        .map_err(|error| format!("Jira cannot be asked: {error}"))
}
