//! Finds the reason of a failed remote call in git's standard error.

use crate::git::RemoteErrorKind;

/// Why git could not use a remote, from the messages of git, curl, ssh and the
/// host. The first match decides, so the precise ones come first: ssh ends
/// every failure with the same general message.
pub fn remote_error_kind(stderr: &str) -> RemoteErrorKind {
    const SIGNS: [(&str, RemoteErrorKind); 40] = [
        ("host key verification failed", RemoteErrorKind::HostKey),
        (
            "remote host identification has changed",
            RemoteErrorKind::HostKey,
        ),
        ("certificate problem", RemoteErrorKind::HostKey),
        ("certificate verification failed", RemoteErrorKind::HostKey),
        ("permission denied (", RemoteErrorKind::Authentication),
        ("authentication failed", RemoteErrorKind::Authentication),
        ("invalid username or", RemoteErrorKind::Authentication),
        ("could not read username", RemoteErrorKind::Authentication),
        ("could not read password", RemoteErrorKind::Authentication),
        ("returned error: 401", RemoteErrorKind::Authentication),
        (
            "too many authentication failures",
            RemoteErrorKind::Authentication,
        ),
        ("returned error: 403", RemoteErrorKind::Permission),
        (" denied to ", RemoteErrorKind::Permission),
        ("returned error: 404", RemoteErrorKind::NotFound),
        ("repository not found", RemoteErrorKind::NotFound),
        ("couldn't find remote ref", RemoteErrorKind::NotFound),
        (
            "does not appear to be a git repository",
            RemoteErrorKind::NotFound,
        ),
        ("no such remote", RemoteErrorKind::NotFound),
        ("does not exist", RemoteErrorKind::NotFound),
        ("' not found", RemoteErrorKind::NotFound),
        ("could not resolve host", RemoteErrorKind::Network),
        ("connection refused", RemoteErrorKind::Network),
        ("connection reset", RemoteErrorKind::Network),
        ("connection timed out", RemoteErrorKind::Network),
        ("connection closed", RemoteErrorKind::Network),
        ("operation timed out", RemoteErrorKind::Network),
        ("network is unreachable", RemoteErrorKind::Network),
        ("no route to host", RemoteErrorKind::Network),
        ("failed to connect", RemoteErrorKind::Network),
        ("couldn't connect to server", RemoteErrorKind::Network),
        (
            "temporary failure in name resolution",
            RemoteErrorKind::Network,
        ),
        ("early eof", RemoteErrorKind::Network),
        ("ssl_error_syscall", RemoteErrorKind::Network),
        ("returned error: 5", RemoteErrorKind::Server),
        ("returned error: 429", RemoteErrorKind::Server),
        ("internal server error", RemoteErrorKind::Server),
        (
            "the remote end hung up unexpectedly",
            RemoteErrorKind::Network,
        ),
        // git's own messages for a response that never came, or came in part.
        ("rpc failed; curl", RemoteErrorKind::Network),
        ("unexpected disconnect", RemoteErrorKind::Network),
        ("remote failed to report status", RemoteErrorKind::Network),
    ];
    let text = stderr.to_lowercase();
    SIGNS
        .iter()
        .find(|(sign, _)| text.contains(sign))
        .map_or(RemoteErrorKind::Other, |&(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precise_sign_decides() {
        for (stderr, expected) in [
            (
                "git@example.invalid: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                RemoteErrorKind::Authentication,
            ),
            (
                "Host key verification failed.\nfatal: Could not read from remote repository.",
                RemoteErrorKind::HostKey,
            ),
            (
                "fatal: could not read Username for 'https://example.invalid': terminal prompts disabled",
                RemoteErrorKind::Authentication,
            ),
            (
                "ssh: Could not resolve hostname example.invalid: Name or service not known",
                RemoteErrorKind::Network,
            ),
            (
                "fatal: unable to access 'https://x/': The requested URL returned error: 502",
                RemoteErrorKind::Server,
            ),
            (
                "fatal: couldn't find remote ref nothing",
                RemoteErrorKind::NotFound,
            ),
            ("fatal: something new", RemoteErrorKind::Other),
        ] {
            assert_eq!(remote_error_kind(stderr), expected, "{stderr}");
        }
    }
}
