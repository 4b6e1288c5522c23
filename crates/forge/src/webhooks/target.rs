//! Where a webhook leads, and whether it may lead there.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::Uri;
use axum::http::uri::Authority;
use tokio::net::lookup_host;

/// The parts of a hook's URL.
pub(super) struct Target {
    pub(super) uri: Uri,
    /// As the `Host` header has it.
    pub(super) authority: Authority,
    port: u16,
}

impl Target {
    /// Only with `http`, a host, and no credentials, which would be shown to
    /// anyone who may see the hook.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let authority = uri.authority()?.clone();
        if uri.scheme_str() != Some("http") || authority.as_str().contains('@') {
            return None;
        }
        let port = authority.port_u16().unwrap_or(80);
        (!authority.host().is_empty()).then_some(Self {
            uri,
            authority,
            port,
        })
    }

    fn host(&self) -> &str {
        self.authority.host().trim_matches(['[', ']'])
    }

    /// Whether its name alone says that it leads to this machine or its
    /// private networks.
    pub(super) fn is_plainly_private(&self) -> bool {
        if let Ok(address) = self.host().parse() {
            return !is_public(address);
        }
        let host = self.host().trim_end_matches('.').to_ascii_lowercase();
        host == "localhost" || host.ends_with(".localhost")
    }

    /// The addresses that may be connected to, in the resolver's order. They are
    /// what is connected to: a name that is looked up once more could by then
    /// lead elsewhere.
    pub(super) async fn addresses(&self, allow_private: bool) -> io::Result<Vec<SocketAddr>> {
        let found = lookup_host((self.host(), self.port)).await?;
        Ok(found
            .filter(|address| allow_private || is_public(address.ip()))
            .collect())
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By the IANA registry of addresses for special purposes.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // This network and reserved ones, with broadcast at their end; shared by
    // carriers; for protocols; for benchmarks.
    let is_special = matches!(
        (a, b, c),
        (0 | 240.., ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18 | 19, _)
    );
    !(is_special
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // IPv4 in other clothes: mapped, translated (NAT64), and 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => {
            is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        // Protocols (Teredo among them), and documentation.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        // All that is global so far; loopback, unique local, link local and
        // multicast addresses lie outside of it.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_without_credentials() {
        for url in [
            "http://127.0.0.1:8080/hook",
            "http://ci.example",
            "http://[::1]:9/x?y=z",
        ] {
            assert!(Target::parse(url).is_some(), "{url}");
        }
        for url in [
            "https://ci.example",
            "ftp://ci.example",
            "http://octo:secret@ci.example",
            "/hook",
            "http://",
            "not a url",
            "",
        ] {
            assert!(Target::parse(url).is_none(), "{url}");
        }
    }

    #[test]
    fn addresses_of_this_machine_and_its_networks_are_private() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().expect(address)), "{address}");
        }
        for address in [
            "1.1.1.1",
            "100.63.0.1",
            "140.82.121.4",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "::ffff:140.82.121.4",
            "64:ff9b::8c52:7904",
            "2002:8c52:7904::1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(address.parse().expect(address)), "{address}");
        }
    }

    #[test]
    fn some_names_say_that_they_are_private() {
        for url in [
            "http://localhost/",
            "http://LOCALHOST.:80/",
            "http://x.localhost",
            "http://127.0.0.1",
            "http://[::1]:80",
            "http://[::ffff:10.1.2.3]",
        ] {
            assert!(Target::parse(url).expect(url).is_plainly_private(), "{url}");
        }
        for url in [
            "http://ci.example",
            "http://140.82.121.4",
            "http://localhost.example",
        ] {
            assert!(
                !Target::parse(url).expect(url).is_plainly_private(),
                "{url}"
            );
        }
    }
}
