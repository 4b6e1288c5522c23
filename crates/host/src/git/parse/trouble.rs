//! Finds the reason of a failed remote call in git's standard error.

use crate::git::RemoteTrouble;

/// Why git could not use a remote, from the messages of git, curl, ssh and the
/// host. The first match decides, so the precise ones come first: ssh ends
/// every failure with the same general message.
pub fn remote_trouble(stderr: &str) -> RemoteTrouble {
    const SIGNS: [(&str, RemoteTrouble); 40] = [
        ("host key verification failed", RemoteTrouble::HostKey),
        (
            "remote host identification has changed",
            RemoteTrouble::HostKey,
        ),
        ("certificate problem", RemoteTrouble::HostKey),
        ("certificate verification failed", RemoteTrouble::HostKey),
        ("permission denied (", RemoteTrouble::Authentication),
        ("authentication failed", RemoteTrouble::Authentication),
        ("invalid username or", RemoteTrouble::Authentication),
        ("could not read username", RemoteTrouble::Authentication),
        ("could not read password", RemoteTrouble::Authentication),
        ("returned error: 401", RemoteTrouble::Authentication),
        (
            "too many authentication failures",
            RemoteTrouble::Authentication,
        ),
        ("returned error: 403", RemoteTrouble::Permission),
        (" denied to ", RemoteTrouble::Permission),
        ("returned error: 404", RemoteTrouble::NotFound),
        ("repository not found", RemoteTrouble::NotFound),
        ("couldn't find remote ref", RemoteTrouble::NotFound),
        (
            "does not appear to be a git repository",
            RemoteTrouble::NotFound,
        ),
        ("no such remote", RemoteTrouble::NotFound),
        ("does not exist", RemoteTrouble::NotFound),
        ("' not found", RemoteTrouble::NotFound),
        ("could not resolve host", RemoteTrouble::Network),
        ("connection refused", RemoteTrouble::Network),
        ("connection reset", RemoteTrouble::Network),
        ("connection timed out", RemoteTrouble::Network),
        ("connection closed", RemoteTrouble::Network),
        ("operation timed out", RemoteTrouble::Network),
        ("network is unreachable", RemoteTrouble::Network),
        ("no route to host", RemoteTrouble::Network),
        ("failed to connect", RemoteTrouble::Network),
        ("couldn't connect to server", RemoteTrouble::Network),
        (
            "temporary failure in name resolution",
            RemoteTrouble::Network,
        ),
        ("early eof", RemoteTrouble::Network),
        ("ssl_error_syscall", RemoteTrouble::Network),
        ("returned error: 5", RemoteTrouble::Server),
        ("returned error: 429", RemoteTrouble::Server),
        ("internal server error", RemoteTrouble::Server),
        (
            "the remote end hung up unexpectedly",
            RemoteTrouble::Network,
        ),
        // git's own messages for a response that never came, or came in part.
        ("rpc failed; curl", RemoteTrouble::Network),
        ("unexpected disconnect", RemoteTrouble::Network),
        ("remote failed to report status", RemoteTrouble::Network),
    ];
    let text = stderr.to_lowercase();
    SIGNS
        .iter()
        .find(|(sign, _)| text.contains(sign))
        .map_or(RemoteTrouble::Other, |&(_, trouble)| trouble)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precise_sign_decides() {
        for (stderr, expected) in [
            (
                "git@example.invalid: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                RemoteTrouble::Authentication,
            ),
            (
                "Host key verification failed.\nfatal: Could not read from remote repository.",
                RemoteTrouble::HostKey,
            ),
            (
                "fatal: could not read Username for 'https://example.invalid': terminal prompts disabled",
                RemoteTrouble::Authentication,
            ),
            (
                "ssh: Could not resolve hostname example.invalid: Name or service not known",
                RemoteTrouble::Network,
            ),
            (
                "fatal: unable to access 'https://x/': The requested URL returned error: 502",
                RemoteTrouble::Server,
            ),
            (
                "fatal: couldn't find remote ref nothing",
                RemoteTrouble::NotFound,
            ),
            ("fatal: something new", RemoteTrouble::Other),
        ] {
            assert_eq!(remote_trouble(stderr), expected, "{stderr}");
        }
    }
}
