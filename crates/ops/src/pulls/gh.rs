//! Commands of the `gh` program, printed for the caller to run.

use std::net::Ipv4Addr;

use baton_host::cmd::quote;

/// What stands in a command where the caller's own words go.
pub(super) const PLACEHOLDER: &str = "'YOUR_RESPONSE_HERE'";

/// A `gh` command for the server whose pages are at `web_url`, every word
/// quoted for a POSIX shell.
pub(super) fn command(web_url: &str, words: &[&str]) -> String {
    let mut command = match named_host(web_url) {
        Some(host) => format!("GH_HOST={host} gh"),
        None => "gh".to_owned(),
    };
    for word in words {
        command.push(' ');
        command += &quote(word);
    }
    command
}

/// A printed command for that server. Only those of `gh` name their host.
pub(super) fn on_host(web_url: &str, command: String) -> String {
    match named_host(web_url) {
        Some(host) if command.starts_with("gh ") => format!("GH_HOST={host} {command}"),
        _ => command,
    }
}

/// The host that `gh` has to be told of. It takes github.com for granted, and
/// knows no server by an address or a port.
fn named_host(web_url: &str) -> Option<&str> {
    let (_, host) = web_url.split_once("://")?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let named = !host.is_empty() && host.bytes().all(is_name);
    let known = host.eq_ignore_ascii_case("github.com") || host.parse::<Ipv4Addr>().is_ok();
    (named && !known).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_other_hosts_named() {
        let words = ["api", "a b", "$(reboot)"];
        assert_eq!(
            command("https://github.com", &words),
            "gh api 'a b' '$(reboot)'"
        );
        assert_eq!(
            command("https://git.example.com", &["api"]),
            "GH_HOST=git.example.com gh api"
        );
        assert_eq!(command("http://127.0.0.1:8080", &["api"]), "gh api");
        assert_eq!(command("http://127.0.0.1", &["api"]), "gh api");
    }

    #[test]
    fn only_commands_of_gh_get_a_host() {
        let on = |command: &str| on_host("https://git.example.com", command.to_owned());
        assert_eq!(on("gh pr view 1"), "GH_HOST=git.example.com gh pr view 1");
        assert_eq!(on("git push"), "git push");
        let known = on_host("https://github.com", "gh pr view 1".to_owned());
        assert_eq!(known, "gh pr view 1");
    }
}
