//! The hosts that programs of a run may reach.

use baton_sandbox::Level;
use baton_sandbox::proxy::{AllowList, Upstream};

use super::{Role, SandboxSettings};
use crate::cmd::Environment;

/// Matches every host.
pub(super) const ALL: &str = "*";

/// Most programs take the small ones where both are set.
pub(super) const PROXY_VARIABLES: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

const REGISTRIES: &str = include_str!("../../data/registries.txt");
const MODEL_PROVIDERS: &str = include_str!("../../data/model_providers.txt");

/// A configuration file has a handful.
const MAX_ADDRESSES: usize = 200;

pub(super) enum Allowed {
    None,
    Some(AllowList),
    All,
}

/// What the role needs, what the user named, and every host that the user's own
/// variables and configuration files name: a registry of a company, a model on
/// this machine. What the repository names does not count.
pub(super) fn allowed(
    settings: &SandboxSettings,
    role: Role,
    level: Level,
    environment: &Environment,
    texts: &[String],
) -> Allowed {
    if settings.hosts.iter().any(|host| host == ALL) {
        return Allowed::All;
    }
    let is_strict = level == Level::Strict;
    let (registries, models) = match role {
        Role::Writer => (!is_strict, true),
        Role::Reader => (false, true),
        Role::Prepare | Role::Install => (true, false),
        Role::Command => (!is_strict, false),
    };
    let mut list = AllowList::default();
    list.extend(&settings.hosts);
    if registries {
        list.extend(lines(REGISTRIES));
    }
    if models {
        list.extend(lines(MODEL_PROVIDERS));
    }
    if registries || models {
        let values = environment
            .iter()
            .filter(|(name, _)| !PROXY_VARIABLES.iter().any(|proxy| name == proxy))
            .filter_map(|(_, value)| value.to_str());
        for text in values.chain(texts.iter().map(String::as_str)) {
            list.extend(addresses(text));
        }
    }
    if list == AllowList::default() {
        Allowed::None
    } else {
        Allowed::Some(list)
    }
}

/// The proxy that this machine has to use itself.
pub(super) fn upstream(environment: &Environment) -> Option<Upstream> {
    let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
    let address = names
        .iter()
        .filter_map(|name| environment.get(name)?.to_str())
        .find(|value| !value.is_empty())?;
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('/').next()?;
    let (login, host) = match rest.rsplit_once('@') {
        Some((login, host)) => (Some(login), host),
        None => (None, rest),
    };
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (host, 80),
    };
    Some(Upstream {
        host: host.to_owned(),
        port,
        authorization: login.map(|login| format!("Basic {}", base64(login.as_bytes()))),
    })
}

fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The hosts, with ports where they are unusual, of all addresses in a text.
fn addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for scheme in ["https://", "http://"] {
        for (at, _) in text.match_indices(scheme).take(MAX_ADDRESSES) {
            let rest = &text[at + scheme.len()..];
            let end = rest
                .find(|one: char| !(one.is_ascii_alphanumeric() || "-._~:@[]%$".contains(one)))
                .unwrap_or(rest.len());
            let authority = &rest[..end];
            let host = authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host);
            if !host.is_empty() {
                found.push(host.trim_end_matches(['.', ':']).to_owned());
            }
        }
    }
    found
}

/// As in RFC 4648, for a login of one line.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut word = [0; 3];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes([0, word[0], word[1], word[2]]);
        for index in 0..4 {
            if index <= chunk.len() {
                let letter = (word >> (18 - 6 * index)) & 63;
                text.push(char::from(LETTERS[letter as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_any_text() {
        let text = "registry=https://npm.example.com/x/\nindex-url = https://u:p@pip.example.com:8443/simple\n{base_url=\"http://127.0.0.1:4000/v1\"} https:// http://[::1]:81/";
        assert_eq!(
            addresses(text),
            [
                "npm.example.com",
                "pip.example.com:8443",
                "127.0.0.1:4000",
                "[::1]:81"
            ]
        );
    }

    #[test]
    fn the_lists_hold_hosts_only() {
        let mut list = AllowList::default();
        for line in lines(REGISTRIES).chain(lines(MODEL_PROVIDERS)) {
            assert!(list.add(line), "{line}");
        }
    }

    #[test]
    fn a_proxy_of_this_machine_is_used_with_its_login() {
        let environment: Environment = [("HTTPS_PROXY", "http://user:pass@proxy.example.com:3128")]
            .into_iter()
            .collect();
        assert_eq!(
            upstream(&environment),
            Some(Upstream {
                host: "proxy.example.com".to_owned(),
                port: 3128,
                authorization: Some("Basic dXNlcjpwYXNz".to_owned()),
            })
        );
        assert_eq!(upstream(&Environment::default()), None);
        assert_eq!(base64(b"a"), "YQ==");
        assert_eq!(base64(b"ab"), "YWI=");
    }
}
