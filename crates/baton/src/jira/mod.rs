//! How Jira is reached from here: through which MCP server, or on which site
//! with which login.

mod agent_settings;
mod relaxed_json;

use std::path::{Path, PathBuf};

use baton_host::cmd::{Cmd, Environment};
use baton_remote::http::{Credential, Credentials, Secret, Settings};
use baton_remote::jira::{Jira, McpJira, McpServer, Reached, RestJira, Site};

use self::agent_settings::{Configured, Owner};
use crate::config::Config;
use crate::environment::{self, HOME, JIRA_API_TOKEN, JIRA_MCP_TOKEN};
use crate::github::{USER_AGENT, network};

/// `Ok(None)`: nothing is configured. The error is a sentence.
///
/// The MCP server that the user configured comes first, then Jira's own API.
pub(crate) fn access(
    config: &Config,
    environment: &Environment,
    repository: &Path,
) -> Result<Option<Jira>, String> {
    let route = config.get("jira.route").map_or("auto", |value| &value.text);
    let access = Access {
        config,
        environment,
        repository,
    };
    if route != "rest"
        && let Some(server) = access.mcp_server()?
    {
        let site = config.get("jira.url").map(|url| url.text.clone());
        return Ok(Some(Jira::Mcp(McpJira::new(server, site))));
    }
    if route == "mcp" {
        return Err("jira.route is mcp, but no Atlassian MCP server is configured".to_owned());
    }
    access.rest()
}

struct Access<'a> {
    config: &'a Config,
    environment: &'a Environment,
    repository: &'a Path,
}

impl Access<'_> {
    fn rest(&self) -> Result<Option<Jira>, String> {
        let Some(url) = self.config.get("jira.url") else {
            return Ok(None);
        };
        let Some(token) = environment::text(self.environment, JIRA_API_TOKEN) else {
            return Err("Jira has a URL but no token; set JIRA_API_TOKEN".to_owned());
        };
        let token = Secret::new(token.trim());
        // A personal access token of Data Center needs no user.
        let credential = match self.config.get("jira.username") {
            Some(user) => Credential::basic(&user.text, &token),
            None => Credential::bearer(&token),
        };
        let credential = credential.map_err(|error| format!("JIRA_API_TOKEN: {error}"))?;
        let site = Site::new(&url.text);
        let mut settings = self.networked(site.settings(USER_AGENT))?;
        settings.credentials = Credentials::Fixed(credential);
        RestJira::new(&site, settings)
            .map(|jira| Some(Jira::Rest(jira)))
            .map_err(|error| format!("Jira cannot be asked: {error}"))
    }

    fn mcp_server(&self) -> Result<Option<McpServer>, String> {
        if let Some(server) = self.own_server()? {
            return Ok(Some(server));
        }
        let wanted = self.config.get("jira.mcp_server");
        let servers = self.found();
        let server = match wanted {
            Some(name) => servers.into_iter().find(|server| server.name == name.text),
            None => servers.into_iter().find(Configured::is_atlassian),
        };
        match (server, wanted) {
            (Some(server), _) => self.prepared(server).map(Some),
            (None, Some(name)) => Err(format!(
                "no settings of an agent have the MCP server `{}` that jira.mcp_server names",
                name.text
            )),
            (None, None) => Ok(None),
        }
    }

    /// The one in baton's own configuration.
    fn own_server(&self) -> Result<Option<McpServer>, String> {
        let found_in = "baton's configuration".to_owned();
        if let Some(command) = self.config.get("jira.mcp_command") {
            let cmd = Cmd::shell(&command.text, self.home(), self.environment);
            return Ok(Some(McpServer {
                name: "jira.mcp_command".to_owned(),
                found_in,
                reached: Reached::Program(cmd),
            }));
        }
        let Some(url) = self.config.get("jira.mcp_url") else {
            return Ok(None);
        };
        let token = environment::text(self.environment, JIRA_MCP_TOKEN);
        let headers = token.map(|token| {
            let value = Secret::new(format!("Bearer {}", token.trim()));
            ("Authorization".to_owned(), value)
        });
        Ok(Some(McpServer {
            name: "jira.mcp_url".to_owned(),
            found_in,
            reached: Reached::Http {
                settings: self.networked(Settings::new(&url.text, USER_AGENT))?,
                headers: headers.into_iter().collect(),
            },
        }))
    }

    /// Those in the settings of agents. A repository's own files name programs
    /// to run, so that they count only where the user says so.
    fn found(&self) -> Vec<Configured> {
        let with_repository = self.config.flag("jira.mcp_project_files").unwrap_or(false);
        let variable = |name: &str| environment::text(self.environment, name).map(str::to_owned);
        agent_settings::FILES
            .iter()
            .filter(|file| with_repository || file.owner == Owner::User)
            .filter_map(|file| {
                let folder = match file.owner {
                    Owner::User => self.home(),
                    Owner::Repository => self.repository.to_owned(),
                };
                let text = agent_settings::read(&folder.join(file.path))?;
                Some(file.servers(&text, self.repository, &variable))
            })
            .flatten()
            .collect()
    }

    fn prepared(&self, server: Configured) -> Result<McpServer, String> {
        let Configured {
            name,
            file,
            start,
            owner,
        } = server;
        let found_in = match owner {
            Owner::User => format!("~/{file}"),
            Owner::Repository => file.to_owned(),
        };
        let start = start.map_err(|reason| {
            format!("the MCP server `{name}` in {found_in} cannot be used: {reason}")
        })?;
        let reached = match start {
            agent_settings::Start::Program { command, args, env } => {
                // Not in the repository unless that is whose server it is: a
                // folder on a program's search path could hold anything.
                let folder = match owner {
                    Owner::User => self.home(),
                    Owner::Repository => self.repository.to_owned(),
                };
                let cmd = Cmd::new(command, folder, self.environment).args(args);
                let cmd = env
                    .into_iter()
                    .fold(cmd, |cmd, (name, value)| cmd.secret_env(name, value));
                Reached::Program(cmd)
            }
            agent_settings::Start::Http { url, headers } => Reached::Http {
                settings: self.networked(Settings::new(url, USER_AGENT))?,
                headers: headers
                    .into_iter()
                    .map(|(name, value)| (name, Secret::new(value)))
                    .collect(),
            },
        };
        Ok(McpServer {
            name,
            found_in,
            reached,
        })
    }

    fn home(&self) -> PathBuf {
        let home = environment::get(self.environment, HOME);
        home.map_or_else(|| PathBuf::from("/"), PathBuf::from)
    }

    fn networked(&self, mut settings: Settings) -> Result<Settings, String> {
        settings.proxy = network::proxy(self.environment);
        settings.trust = network::trust(self.environment).map_err(|error| error.to_string())?;
        Ok(settings)
    }
}
