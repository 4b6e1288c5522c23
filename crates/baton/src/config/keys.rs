//! Every configuration key, declared once.

use crate::environment;

pub(crate) struct Key {
    /// `section.name`, as in a file and on the command line.
    pub(crate) path: &'static str,
    pub(crate) kind: Kind,
    /// The environment variable that sets it.
    pub(crate) variable: Option<&'static str>,
    pub(crate) trust: Trust,
    pub(crate) about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// An `http` or `https` address.
    Url,
    /// An absolute path.
    Folder,
    /// `true` or `false`.
    Flag,
    /// One of these.
    Word(&'static [&'static str]),
    /// Some of these: a list in a file, with commas between them elsewhere.
    Words(&'static [&'static str]),
}

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A repository's own file, too.
    Anyone,
    /// Only the person who runs baton. A cloned repository must not be able to
    /// say where credentials are sent, where baton writes or what it starts
    /// besides the project's own commands.
    UserOnly,
}

pub(crate) const KEYS: [Key; 22] = [
    Key {
        path: "github.api_url",
        kind: Kind::Url,
        variable: Some(environment::BATON_GITHUB_API_URL),
        trust: Trust::UserOnly,
        about: "GitHub's API: github.com, an Enterprise server or a local forge",
    },
    Key {
        path: "github.allow_plain_http",
        kind: Kind::Flag,
        variable: None,
        trust: Trust::UserOnly,
        about: "ask a server over http:// that is not on this machine; the token can be read on the way",
    },
    Key {
        path: "jira.url",
        kind: Kind::Url,
        variable: Some(environment::JIRA_URL),
        trust: Trust::UserOnly,
        about: "the Jira site",
    },
    Key {
        path: "jira.username",
        kind: Kind::Text,
        variable: Some(environment::JIRA_USERNAME),
        trust: Trust::UserOnly,
        about: "the user whose Jira token JIRA_API_TOKEN is",
    },
    Key {
        path: "jira.review_acronyms",
        kind: Kind::Text,
        variable: None,
        trust: Trust::Anyone,
        about: "what transitions to code review are called for short, such as `CR, ICR`",
    },
    Key {
        path: "pr.adopt_existing",
        kind: Kind::Flag,
        variable: None,
        trust: Trust::Anyone,
        about: "update a branch's open pull request instead of refusing to open another",
    },
    Key {
        path: "agent.name",
        kind: Kind::Text,
        variable: Some(environment::BATON_AGENT),
        trust: Trust::Anyone,
        about: "the coding agent to use: claude, codex, gemini, goose or aider",
    },
    Key {
        path: "state.dir",
        kind: Kind::Folder,
        variable: Some(environment::BATON_STATE_DIR),
        trust: Trust::UserOnly,
        about: "where baton keeps what it remembers between calls",
    },
    Key {
        path: "testing.flaky",
        kind: Kind::Word(&["pass", "warn", "fail"]),
        variable: None,
        trust: Trust::Anyone,
        about: "what a pass is worth in which a test failed at first: pass, warn or fail",
    },
    Key {
        path: "review.threshold",
        kind: Kind::Word(&["low", "medium", "high", "critical"]),
        variable: None,
        trust: Trust::Anyone,
        about: "the least severity of a review finding that fails validation: low, medium, high or critical",
    },
    Key {
        path: "review.scanners",
        kind: Kind::Words(&["semgrep", "bandit", "gitleaks"]),
        variable: None,
        trust: Trust::UserOnly,
        about: "installed scanners whose findings join the review's: semgrep, bandit, gitleaks",
    },
    command("commands.install", "installs the dependencies"),
    command("commands.format", "formats the code"),
    command("commands.lint", "checks the code"),
    command("commands.build", "builds the project"),
    command("commands.test", "runs the tests"),
    preference(
        "tools.get_failing_tests.wait",
        Kind::Flag,
        "wait until CI has finished",
    ),
    preference(
        "tools.get_failing_tests.bail_on_first",
        Kind::Flag,
        "while waiting for CI, stop at the first failure",
    ),
    preference(
        "tools.find_unresolved_comments.include_bots",
        Kind::Flag,
        "list what bots said, too",
    ),
    preference(
        "tools.find_unresolved_comments.sort",
        Kind::Word(&["chronological", "by_file", "by_author"]),
        "the order of comments: chronological, by_file or by_author",
    ),
    preference(
        "tools.manage_stacked_prs.auto_fix",
        Kind::Flag,
        "plan to fix tests that a rebase breaks",
    ),
    preference(
        "tools.manage_stacked_prs.use_onto",
        Kind::Flag,
        "rebase with --onto, or never",
    ),
];

/// What a tool does where its call says nothing: `tools.TOOL.FIELD`.
const fn preference(path: &'static str, kind: Kind, about: &'static str) -> Key {
    Key {
        path,
        kind,
        variable: None,
        trust: Trust::Anyone,
        about,
    }
}

/// Commands are the repository's own affair: whoever runs its tests runs its
/// code anyway.
const fn command(path: &'static str, about: &'static str) -> Key {
    Key {
        path,
        kind: Kind::Text,
        variable: None,
        trust: Trust::Anyone,
        about,
    }
}

pub(crate) fn find(path: &str) -> Option<&'static Key> {
    const TABLE: &[Key] = &KEYS;
    TABLE.iter().find(|key| key.path == path)
}

/// The key that a misspelt one most likely meant.
pub(crate) fn nearest(path: &str) -> Option<&'static str> {
    const CLOSE_ENOUGH: f64 = 0.8;
    KEYS.iter()
        .map(|key| (strsim::jaro_winkler(path, key.path), key.path))
        .filter(|(score, _)| *score > CLOSE_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, key)| key)
}

/// The words of a value with several.
pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// Why a text is no value for a key, if it is none.
pub(crate) fn complaint(key: &Key, text: &str) -> Option<&'static str> {
    let fits = match key.kind {
        Kind::Text => !text.trim().is_empty(),
        Kind::Url => text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')),
        Kind::Folder => text.starts_with('/'),
        Kind::Flag => matches!(text, "true" | "false"),
        Kind::Word(words) => words.contains(&text),
        Kind::Words(words) => listed(text).all(|word| words.contains(&word)),
    };
    if fits {
        return None;
    }
    Some(match key.kind {
        Kind::Text => "must not be empty",
        Kind::Url => "must be a URL that begins with https:// or http://",
        Kind::Folder => "must be an absolute path",
        Kind::Flag => "must be true or false",
        Kind::Words(_) => "names what it may not; `baton config show` lists what it may",
        Kind::Word(_) => "is none of the words it may be; `baton config show` lists them",
    })
}
