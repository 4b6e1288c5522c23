//! The same policy as a profile of `sandbox-exec`, for macOS.
//!
//! Written after Apple's profiles and checked for its form only: no test has run
//! it on that system.

use std::fmt::Write as _;
use std::path::Path;

use crate::policy::{Access, Mount, Network, Policy, Source};

/// Takes a profile with `-p` and then the program with its arguments.
pub const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What every program needs to start.
const BASE: &str = "\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup
  (global-name \"com.apple.system.opendirectoryd.libinfo\")
  (global-name \"com.apple.trustd.agent\")
  (global-name \"com.apple.SecurityServer\"))
(allow ipc-posix-shm ipc-posix-sem)
(allow pseudo-tty)
(allow file-read-metadata)
(allow file-read* (literal \"/\") (subpath \"/System\") (subpath \"/usr/lib\") (subpath \"/private/var/db/timezone\"))
(allow file-read* file-write* (subpath \"/dev\"))
";

/// The profile of a policy. Folders cannot be mounted under another name there:
/// the environment has to name the real ones.
pub fn profile(policy: &Policy) -> String {
    let mut profile = BASE.to_owned();
    for Mount { source, at, access } in &policy.mounts {
        let path = match source {
            Source::Same | Source::View(_) => at,
            Source::Path(path) => path,
            Source::Layers { upper, .. } => upper,
        };
        let rights = match access {
            Access::Read => "file-read*",
            Access::Write => "file-read* file-write*",
        };
        line(
            &mut profile,
            &format!("(allow {rights} (subpath {}))", quoted(path)),
        );
    }
    match &policy.network {
        Network::None => line(&mut profile, "(allow network* (local ip \"localhost:*\"))"),
        Network::All => line(&mut profile, "(allow network*)"),
        Network::Proxy { socket, .. } => {
            line(&mut profile, "(allow network* (local ip \"localhost:*\"))");
            line(
                &mut profile,
                "(allow network-outbound (remote ip \"localhost:*\"))",
            );
            let socket = quoted(socket);
            line(
                &mut profile,
                &format!("(allow network-outbound (remote unix-socket (path-literal {socket})))"),
            );
        }
    }
    profile
}

fn line(profile: &mut String, text: &str) {
    writeln!(profile, "{text}").expect("writing to a string cannot fail");
}

/// A string as in Scheme.
fn quoted(path: &Path) -> String {
    let mut quoted = "\"".to_owned();
    for character in path.to_string_lossy().chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Level;

    #[test]
    fn a_policy_becomes_a_profile() {
        let mut policy = Policy::new(
            Level::Standard,
            Network::Proxy {
                socket: "/private/run/proxy.sock".into(),
                ports: Vec::new(),
            },
        );
        policy.show("/usr", Access::Read);
        policy.show_at("/runs/1/home", "/Users/ann", Access::Write);
        policy.show("/a\"b\\c", Access::Write);
        let own = profile(&policy);
        let own = own.strip_prefix(BASE).unwrap();
        insta::assert_snapshot!(own, @r#"
        (allow file-read* (subpath "/usr"))
        (allow file-read* file-write* (subpath "/runs/1/home"))
        (allow file-read* file-write* (subpath "/a\"b\\c"))
        (allow network* (local ip "localhost:*"))
        (allow network-outbound (remote ip "localhost:*"))
        (allow network-outbound (remote unix-socket (path-literal "/private/run/proxy.sock")))
        "#);
    }
}
