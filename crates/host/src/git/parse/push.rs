//! Parses `git push --porcelain`.

use super::{lines, text};
use crate::git::Rejection;

/// What became of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushLine {
    pub flag: PushFlag,
    /// The full name of the ref on the remote.
    pub target: String,
    /// git's summary, such as `[rejected] (fetch first)`.
    pub summary: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushFlag {
    FastForward,
    Forced,
    Deleted,
    Created,
    Rejected,
    UpToDate,
}

/// Reads `git push --porcelain`: `<flag>\t<from>:<to>\t<summary>`.
pub fn push(bytes: &[u8]) -> Vec<PushLine> {
    lines(bytes).filter_map(push_line).collect()
}

fn push_line(line: &[u8]) -> Option<PushLine> {
    let line = text(line);
    let mut fields = line.splitn(3, '\t');
    let flag = match fields.next()? {
        " " => PushFlag::FastForward,
        "+" => PushFlag::Forced,
        "-" => PushFlag::Deleted,
        "*" => PushFlag::Created,
        "!" => PushFlag::Rejected,
        "=" => PushFlag::UpToDate,
        _ => return None,
    };
    // The names of refs have no colon.
    let (_, target) = fields.next()?.rsplit_once(':')?;
    Some(PushLine {
        flag,
        target: target.to_owned(),
        summary: fields.next().unwrap_or("").to_owned(),
    })
}

/// Why a ref was refused. git's summary names the general reason; the host's
/// own words, which are on standard error, name a more precise one.
pub fn rejection(summary: &str, stderr: &str) -> Rejection {
    let is_any = |signs: &[&str]| signs.iter().any(|sign| summary.contains(sign));
    if is_any(&["(stale info)", "(remote ref updated since checkout)"]) {
        Rejection::StaleLease
    } else if is_any(&["(non-fast-forward)", "(fetch first)", "(needs force)"]) {
        Rejection::NonFastForward
    } else if let Some(reason) = hosts_words(summary).or_else(|| hosts_words(stderr)) {
        reason
    } else if summary.contains("hook declined") {
        Rejection::HookDeclined
    } else {
        Rejection::Other
    }
}

/// Whether the remote never reported what became of the ref.
pub fn is_unanswered(summary: &str) -> bool {
    summary.contains("[remote failure]")
}

/// Why a push ended before any ref was reported, where that is a refusal.
pub fn rejection_before_transfer(stderr: &str) -> Option<Rejection> {
    const GITS_OWN: [&str; 4] = [
        "fatal:",
        "[rejected]",
        "RPC failed",
        "unexpected disconnect",
    ];
    if let Some(reason) = hosts_words(stderr) {
        return Some(reason);
    }
    // A `pre-push` hook prints anything, and then git prints only this.
    let is_silent = !GITS_OWN.iter().any(|words| stderr.contains(words));
    (is_silent && stderr.contains("error: failed to push some refs to"))
        .then_some(Rejection::HookDeclined)
}

/// What GitHub, GitLab, Gitea, Bitbucket and plain servers say.
fn hosts_words(text: &str) -> Option<Rejection> {
    const SIGNS: [(&str, Rejection); 17] = [
        ("exceeds github's file size limit", Rejection::TooLarge),
        ("gh001", Rejection::TooLarge),
        ("pack exceeds maximum allowed size", Rejection::TooLarge),
        ("exceeded the maximum allowed", Rejection::TooLarge),
        ("larger than the maximum", Rejection::TooLarge),
        ("http 413", Rejection::TooLarge),
        ("protected branch", Rejection::Protected),
        ("gh006", Rejection::Protected),
        ("gh013", Rejection::Protected),
        ("repository rule violations", Rejection::Protected),
        ("branch is protected", Rejection::Protected),
        ("insufficient permission", Rejection::Permission),
        (" denied to ", Rejection::Permission),
        ("not allowed to push", Rejection::Permission),
        (
            "unable to create temporary object directory",
            Rejection::Permission,
        ),
        (
            "write access to repository not granted",
            Rejection::Permission,
        ),
        ("returned error: 403", Rejection::Permission),
    ];
    let text = text.to_lowercase();
    SIGNS
        .iter()
        .find(|(sign, _)| text.contains(sign))
        .map(|&(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let report = "To https://example.invalid/x.git\n*\tabc:refs/heads/new\t[new branch]\n \tabc:refs/heads/main\t1234567..89abcde\n!\tabc:refs/heads/old\t[rejected] (fetch first)\nDone\n";
        let lines: Vec<_> = push(report.as_bytes())
            .into_iter()
            .map(|line| (line.flag, line.target, line.summary))
            .collect();
        let line =
            |flag, target: &str, summary: &str| (flag, target.to_owned(), summary.to_owned());
        assert_eq!(
            lines,
            [
                line(PushFlag::Created, "refs/heads/new", "[new branch]"),
                line(PushFlag::FastForward, "refs/heads/main", "1234567..89abcde"),
                line(
                    PushFlag::Rejected,
                    "refs/heads/old",
                    "[rejected] (fetch first)"
                ),
            ]
        );
    }

    #[test]
    fn the_hosts_words_are_more_precise_than_gits() {
        let declined = "[remote rejected] (pre-receive hook declined)";
        for (summary, stderr, expected) in [
            ("[rejected] (stale info)", "", Rejection::StaleLease),
            ("[rejected] (fetch first)", "", Rejection::NonFastForward),
            (
                "[rejected] (non-fast-forward)",
                "",
                Rejection::NonFastForward,
            ),
            (declined, "remote: tests must pass", Rejection::HookDeclined),
            (
                declined,
                "remote: error: GH001: Large files detected.",
                Rejection::TooLarge,
            ),
            (
                "[remote rejected] (protected branch hook declined)",
                "",
                Rejection::Protected,
            ),
            (
                declined,
                "remote: GitLab: You are not allowed to push code to this project.",
                Rejection::Permission,
            ),
            ("[remote rejected] (failed to lock)", "", Rejection::Other),
        ] {
            assert_eq!(rejection(summary, stderr), expected, "{summary} {stderr}");
        }
    }

    #[test]
    fn a_refusal_may_come_before_any_ref() {
        for (stderr, expected) in [
            (
                "remote: Permission to a/b.git denied to c.\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
                Some(Rejection::Permission),
            ),
            (
                "lint failed\nerror: failed to push some refs to '/x'",
                Some(Rejection::HookDeclined),
            ),
            (
                "fatal: 'nowhere' does not appear to be a git repository",
                None,
            ),
            (
                "error: RPC failed; HTTP 413 curl 22\nfatal: the remote end hung up unexpectedly",
                Some(Rejection::TooLarge),
            ),
        ] {
            assert_eq!(rejection_before_transfer(stderr), expected, "{stderr}");
        }
    }
}
