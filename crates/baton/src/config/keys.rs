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
    /// One of these.
    Word(&'static [&'static str]),
}

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A repository's own file, too.
    Anyone,
    /// Only the person who runs baton. A cloned repository must not be able to
    /// say where credentials are sent or where baton writes.
    UserOnly,
}

pub(crate) const KEYS: [Key; 12] = [
    Key {
        path: "github.api_url",
        kind: Kind::Url,
        variable: Some(environment::BATON_GITHUB_API_URL),
        trust: Trust::UserOnly,
        about: "GitHub's API: github.com, an Enterprise server or a local forge",
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
    command("commands.install", "installs the dependencies"),
    command("commands.format", "formats the code"),
    command("commands.lint", "checks the code"),
    command("commands.build", "builds the project"),
    command("commands.test", "runs the tests"),
];

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

/// Why a text is no value for a key, if it is none.
pub(crate) fn complaint(key: &Key, text: &str) -> Option<&'static str> {
    let fits = match key.kind {
        Kind::Text => !text.trim().is_empty(),
        Kind::Url => text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')),
        Kind::Folder => text.starts_with('/'),
        Kind::Word(words) => words.contains(&text),
    };
    if fits {
        return None;
    }
    Some(match key.kind {
        Kind::Text => "must not be empty",
        Kind::Url => "must be a URL that begins with https:// or http://",
        Kind::Folder => "must be an absolute path",
        Kind::Word(_) => "is none of the words it may be; `baton config show` lists them",
    })
}
