//! MCP servers in the settings of coding agents. Every agent has its own file
//! and nearly the same words in it. All of it is foreign text: what is not
//! understood is passed over.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::relaxed_json;

/// A file in which an agent looks for servers.
pub(super) struct SettingsFile {
    /// Below the user's home, or below the repository.
    pub(super) path: &'static str,
    pub(super) owner: Owner,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Repository,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `mcpServers`, and the same below `projects` for single folders.
    Claude,
    /// `mcp_servers`, in TOML.
    Codex,
    /// `mcpServers`, where an address of streamable HTTP is `httpUrl`.
    Gemini,
    /// `servers`, or `mcp.servers` in the settings of the editor.
    VsCode,
}

/// In the order in which they are looked at.
pub(super) const FILES: [SettingsFile; 10] = [
    file(".claude.json", Owner::User, Format::Claude),
    file(".codex/config.toml", Owner::User, Format::Codex),
    file(".gemini/settings.json", Owner::User, Format::Gemini),
    file(".config/Code/User/mcp.json", Owner::User, Format::VsCode),
    file(
        ".config/Code/User/settings.json",
        Owner::User,
        Format::VsCode,
    ),
    file(
        "Library/Application Support/Code/User/mcp.json",
        Owner::User,
        Format::VsCode,
    ),
    file(".mcp.json", Owner::Repository, Format::Claude),
    file(".codex/config.toml", Owner::Repository, Format::Codex),
    file(".gemini/settings.json", Owner::Repository, Format::Gemini),
    file(".vscode/mcp.json", Owner::Repository, Format::VsCode),
];

const fn file(path: &'static str, owner: Owner, format: Format) -> SettingsFile {
    SettingsFile {
        path,
        owner,
        format,
    }
}

/// Some agents keep their whole history in their settings.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// The text of a settings file that is one.
pub(super) fn read(path: &Path) -> Option<String> {
    // A pipe would be waited for.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    let read = file.take(MAX_FILE_BYTES).read_to_string(&mut text);
    match read {
        Ok(_) => Some(text),
        Err(error) => {
            tracing::debug!(%error, path = %path.display(), "settings that cannot be read");
            None
        }
    }
}

/// A server as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configured {
    pub(super) name: String,
    pub(super) file: &'static str,
    pub(super) owner: Owner,
    /// The error is a reason why it cannot be used.
    pub(super) start: Result<Start, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Program {
        command: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
    },
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
}

impl Configured {
    /// Whether it is a server for Jira, by its name or by what is started.
    pub(super) fn is_atlassian(&self) -> bool {
        let name = self.name.to_lowercase();
        if ["atlassian", "jira"].iter().any(|word| name.contains(word)) {
            return true;
        }
        match &self.start {
            Ok(Start::Program { command, args, .. }) => {
                let mut words = std::iter::once(command).chain(args);
                words.any(|word| word.contains("mcp-atlassian") || word.contains("mcp_atlassian"))
            }
            Ok(Start::Http { url, .. }) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
                host == "atlassian.com" || host.ends_with(".atlassian.com")
            }
            Err(_) => false,
        }
    }
}

/// The value of an environment variable.
type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

impl SettingsFile {
    /// The servers in the file's text, those for the repository's folder first.
    pub(super) fn servers(
        &self,
        text: &str,
        repository: &Path,
        variable: Variable<'_>,
    ) -> Vec<Configured> {
        let settings = match self.format {
            Format::Codex => text
                .parse::<toml::Table>()
                .ok()
                .and_then(|table| serde_json::to_value(table).ok()),
            Format::Claude | Format::Gemini | Format::VsCode => relaxed_json::parse(text),
        };
        let Some(settings) = settings else {
            tracing::debug!(file = self.path, "settings that are not understood");
            return Vec::new();
        };
        let repository = repository.to_string_lossy();
        let tables: Vec<&Value> = match self.format {
            Format::Claude => vec![
                &settings["projects"][&*repository]["mcpServers"],
                &settings["mcpServers"],
            ],
            Format::Codex => vec![&settings["mcp_servers"]],
            Format::Gemini => vec![&settings["mcpServers"]],
            Format::VsCode => vec![&settings["servers"], &settings["mcp"]["servers"]],
        };
        tables
            .into_iter()
            .filter_map(Value::as_object)
            .flatten()
            .filter(|(_, entry)| entry["enabled"] != false && entry["disabled"] != true)
            .map(|(name, entry)| Configured {
                name: name.clone(),
                file: self.path,
                owner: self.owner,
                start: start(entry, variable),
            })
            .collect()
    }
}

fn start(entry: &Value, variable: Variable<'_>) -> Result<Start, String> {
    let text = |name: &str| entry[name].as_str();
    let filled = |text: &str| filled_in(text, variable);
    if let Some(command) = text("command") {
        let args = entry["args"].as_array().into_iter().flatten();
        let args = args.filter_map(Value::as_str).map(filled);
        return Ok(Start::Program {
            command: filled(command)?,
            args: args.collect::<Result<_, _>>()?,
            env: pairs(entry["env"].as_object(), variable)?,
        });
    }
    // An address that may be either is streamable HTTP, unless it says otherwise.
    let Some(url) = text("httpUrl").or_else(|| text("url")) else {
        return Err("it has neither a command nor an address".to_owned());
    };
    if text("type") == Some("sse") {
        return Err("it speaks the old HTTP with server-sent events".to_owned());
    }
    let given = entry["headers"].as_object();
    let mut headers = pairs(
        given.or_else(|| entry["http_headers"].as_object()),
        variable,
    )?;
    if let Some(name) = text("bearer_token_env_var") {
        let token = variable(name).ok_or_else(|| format!("the variable {name} is not set"))?;
        headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    Ok(Start::Http {
        url: filled(url)?,
        headers,
    })
}

fn pairs(
    table: Option<&Map<String, Value>>,
    variable: Variable<'_>,
) -> Result<Vec<(String, String)>, String> {
    let texts = table.into_iter().flatten();
    let texts = texts.filter_map(|(name, value)| Some((name, value.as_str()?)));
    texts
        .map(|(name, value)| Ok((name.clone(), filled_in(value, variable)?)))
        .collect()
}

/// Text with `${NAME}`, `${NAME:-default}`, `${env:NAME}` and, as the whole of
/// it, `$NAME` filled in. What an editor would ask for cannot be.
fn filled_in(text: &str, variable: Variable<'_>) -> Result<String, String> {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let value =
        |name: &str| variable(name).ok_or_else(|| format!("the variable {name} is not set"));
    if let Some(name) = text.strip_prefix('$').filter(|name| is_name(name)) {
        return value(name);
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((reference, after)) = after.split_once('}') else {
            filled.push_str("${");
            rest = after;
            break;
        };
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference.strip_prefix("env:").unwrap_or(reference), None),
        };
        if !is_name(name) {
            return Err(format!("`${{{reference}}}` is known to the agent alone"));
        }
        match default {
            Some(default) => filled.push_str(&variable(name).unwrap_or_else(|| default.to_owned())),
            None => filled.push_str(&value(name)?),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(format: Format, text: &str) -> String {
        let file = file("settings", Owner::User, format);
        let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
        let servers = file.servers(text, Path::new("/checkouts/app"), &variable);
        let shown = servers.iter().map(|server| {
            let mark = if server.is_atlassian() { "*" } else { " " };
            format!("{mark} {}: {:?}\n", server.name, server.start)
        });
        shown.collect()
    }

    #[test]
    fn claude() {
        let text = r#"{
            "numStartups": 3,
            "mcpServers": {
                "files": { "command": "npx", "args": ["server-filesystem"] },
                "atlassian": { "type": "http", "url": "https://mcp.atlassian.com/v1/mcp",
                    "headers": { "Authorization": "Basic ${TOKEN}", "X": "${OTHER:-none}" } },
                "old": { "type": "sse", "url": "https://mcp.atlassian.com/v1/sse" }
            },
            "projects": { "/checkouts/app": { "mcpServers": {
                "issues": { "command": "uvx", "args": ["mcp-atlassian"], "env": { "JIRA_API_TOKEN": "${TOKEN}" } }
            } } }
        }"#;
        insta::assert_snapshot!(read_as(Format::Claude, text), @r#"
        * issues: Ok(Program { command: "uvx", args: ["mcp-atlassian"], env: [("JIRA_API_TOKEN", "secret")] })
          files: Ok(Program { command: "npx", args: ["server-filesystem"], env: [] })
        * atlassian: Ok(Http { url: "https://mcp.atlassian.com/v1/mcp", headers: [("Authorization", "Basic secret"), ("X", "none")] })
          old: Err("it speaks the old HTTP with server-sent events")
        "#);
    }

    #[test]
    fn codex() {
        let text = r#"
            model = "m"
            [mcp_servers.jira]
            command = "uvx"
            args = ["mcp-atlassian"]
            env = { JIRA_URL = "https://jira.example" }
            [mcp_servers.remote]
            url = "https://mcp.atlassian.com/v1/mcp"
            bearer_token_env_var = "TOKEN"
            [mcp_servers.jira_off]
            command = "x"
            enabled = false
        "#;
        insta::assert_snapshot!(read_as(Format::Codex, text), @r#"
        * jira: Ok(Program { command: "uvx", args: ["mcp-atlassian"], env: [("JIRA_URL", "https://jira.example")] })
        * remote: Ok(Http { url: "https://mcp.atlassian.com/v1/mcp", headers: [("Authorization", "Bearer secret")] })
        "#);
    }

    #[test]
    fn gemini_and_vs_code() {
        let gemini = r#"{ "mcpServers": { "jira": { "httpUrl": "http://127.0.0.1:9000/mcp",
            "headers": { "Authorization": "$TOKEN" } } } }"#;
        insta::assert_snapshot!(read_as(Format::Gemini, gemini), @r#"* jira: Ok(Http { url: "http://127.0.0.1:9000/mcp", headers: [("Authorization", "secret")] })"#);
        let code = r#"{ // asked for when it starts
            "inputs": [{ "id": "token", "type": "promptString" }],
            "servers": {
                "jira": { "type": "stdio", "command": "uvx", "args": ["mcp-atlassian"],
                    "env": { "JIRA_API_TOKEN": "${input:token}" } },
                "jira2": { "command": "uvx", "env": { "JIRA_API_TOKEN": "${env:TOKEN}" }, },
            },
        }"#;
        insta::assert_snapshot!(read_as(Format::VsCode, code), @r#"
        * jira: Err("`${input:token}` is known to the agent alone")
        * jira2: Ok(Program { command: "uvx", args: [], env: [("JIRA_API_TOKEN", "secret")] })
        "#);
        let settings =
            r#"{ "mcp": { "servers": { "jira": { "url": "http://127.0.0.1:1/mcp" } } } }"#;
        insta::assert_snapshot!(read_as(Format::VsCode, settings), @r#"* jira: Ok(Http { url: "http://127.0.0.1:1/mcp", headers: [] })"#);
    }

    #[test]
    fn what_is_not_understood_is_passed_over() {
        for text in [
            "",
            "[]",
            "null",
            "{\"mcpServers\": []}",
            "{\"servers\": {\"a\": 1}}",
            "mcp_servers = 1",
        ] {
            for format in [
                Format::Claude,
                Format::Codex,
                Format::Gemini,
                Format::VsCode,
            ] {
                let read = read_as(format, text);
                assert!(!read.contains("Ok("), "{text}: {read}");
            }
        }
    }

    #[test]
    fn a_host_that_only_looks_like_atlassians_is_not() {
        let server = |url: &str| Configured {
            name: "x".to_owned(),
            file: "settings",
            owner: Owner::User,
            start: Ok(Start::Http {
                url: url.to_owned(),
                headers: Vec::new(),
            }),
        };
        assert!(server("https://mcp.atlassian.com/v1/mcp").is_atlassian());
        assert!(!server("https://mcp.atlassian.com.evil.example/").is_atlassian());
        assert!(!server("https://notatlassian.com/").is_atlassian());
    }
}
