//! The hosts that a proxy reaches.

use std::collections::BTreeSet;
use std::net::IpAddr;

/// Which hosts may be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: BTreeSet<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    host: String,
    /// With all names below it.
    is_suffix: bool,
    port: Option<u16>,
}

impl AllowList {
    /// Adds `example.com`, `*.example.com`, `127.0.0.1:8080` or `[::1]:8080`;
    /// returns whether it is any of those. Without a port, the usual ones of
    /// the web are meant.
    pub fn add(&mut self, entry: &str) -> bool {
        let (host, port) = match split_port(entry.trim()) {
            Some((host, port)) => (host, Some(port)),
            None => (entry.trim(), None),
        };
        let (host, is_suffix) = match host.strip_prefix("*.") {
            Some(host) => (host, true),
            None => (host, false),
        };
        let host = plain(host);
        let is_host = !host.is_empty()
            && host
                .chars()
                .all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_' | ':'));
        if is_host {
            self.entries.insert(Entry {
                host,
                is_suffix,
                port,
            });
        }
        is_host
    }

    pub fn allows(&self, host: &str, port: u16) -> bool {
        let host = plain(host);
        self.entries.iter().any(|entry| {
            let is_host = if entry.is_suffix {
                host.strip_suffix(&entry.host)
                    .is_some_and(|rest| rest.ends_with('.'))
            } else {
                host == entry.host
            };
            is_host
                && match entry.port {
                    Some(only) => port == only,
                    None => matches!(port, 80 | 443),
                }
        })
    }

    /// Ports of this machine that the list names.
    pub fn loopback_ports(&self) -> Vec<u16> {
        let entries = self.entries.iter();
        entries
            .filter(|entry| is_loopback(&entry.host))
            .filter_map(|entry| entry.port)
            .collect()
    }
}

impl<S: AsRef<str>> Extend<S> for AllowList {
    fn extend<I: IntoIterator<Item = S>>(&mut self, entries: I) {
        for entry in entries {
            self.add(entry.as_ref());
        }
    }
}

/// `host:port`, and `[address]:port` for an address with colons.
pub(super) fn split_port(text: &str) -> Option<(&str, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let is_whole = !host.contains(':') || host.ends_with(']');
    (is_whole && !host.is_empty())
        .then(|| port.parse().ok())?
        .map(|port| (host, port))
}

/// A name as it is compared: small letters, no brackets, no final dot.
pub(super) fn plain(host: &str) -> String {
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

pub(super) fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> AllowList {
        let mut list = AllowList::default();
        list.extend(entries);
        list
    }

    #[test]
    fn a_list_allows_what_it_names_and_nothing_else() {
        let list = list(&[
            "Example.com",
            "*.mirror.org",
            "127.0.0.1:8080",
            "[::1]:81",
            "x.y:22",
        ]);
        for (host, port, allowed) in [
            ("example.com", 443, true),
            ("EXAMPLE.com.", 80, true),
            ("example.com", 22, false),
            ("www.example.com", 443, false),
            ("evil-example.com", 443, false),
            ("a.mirror.org", 443, true),
            ("a.b.mirror.org", 443, true),
            ("mirror.org", 443, false),
            ("evilmirror.org", 443, false),
            ("127.0.0.1", 8080, true),
            ("127.0.0.1", 8081, false),
            ("[::1]", 81, true),
            ("x.y", 22, true),
            ("x.y", 443, false),
        ] {
            assert_eq!(list.allows(host, port), allowed, "{host}:{port}");
        }
        assert_eq!(list.loopback_ports(), [8080, 81]);
    }

    #[test]
    fn what_is_no_host_is_not_added() {
        let mut list = AllowList::default();
        for entry in ["", "*.", "a b", "https://example.com", "a/b", "*"] {
            assert!(!list.add(entry), "{entry}");
        }
        assert_eq!(list, AllowList::default());
    }
}
