//! Every configuration key, declared once.

use std::sync::LazyLock;

use baton_ops::validation::UnchosenTools;
use baton_protocol::{Field, FieldKind};

use crate::environment;

#[derive(Clone, Copy)]
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
    /// A whole number, at least one.
    Count,
    /// A number above zero, such as `2.50`.
    Amount,
    /// Several texts: an array in a file, a JSON array or words on the command
    /// line.
    List,
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
    /// say where credentials are sent, where baton writes, which programs it
    /// starts or how much a person has a say.
    UserOnly,
    /// The person who runs baton; a repository may only choose a stricter word,
    /// which stands further back in the list.
    Tighten,
}

/// All keys, and those that the requests of operations declare as preferences.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = Vec::from(OWN_KEYS);
    for operation in baton_ops::operations() {
        for field in operation.fields() {
            keys.extend(preference(operation.meta.name, &field));
        }
    }
    keys
});

const OWN_KEYS: [Key; 59] = [
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
    own(
        "git.hooks",
        Kind::Flag,
        "let the checkout's own hooks and git configuration act when you push with `baton pr create` or `baton phase pr`",
    ),
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
        path: "jira.route",
        kind: Kind::Word(&["auto", "mcp", "rest"]),
        variable: None,
        trust: Trust::UserOnly,
        about: "how to reach Jira: mcp, rest, or auto, which is an MCP server where there is one",
    },
    Key {
        path: "jira.mcp_command",
        kind: Kind::Text,
        variable: None,
        trust: Trust::UserOnly,
        about: "the command that starts an Atlassian MCP server",
    },
    Key {
        path: "jira.mcp_url",
        kind: Kind::Url,
        variable: None,
        trust: Trust::UserOnly,
        about: "an Atlassian MCP server; JIRA_MCP_TOKEN is its token",
    },
    Key {
        path: "jira.mcp_server",
        kind: Kind::Text,
        variable: None,
        trust: Trust::UserOnly,
        about: "the name of an MCP server in the settings of Claude, Codex, Gemini or VS Code",
    },
    Key {
        path: "jira.mcp_project_files",
        kind: Kind::Flag,
        variable: None,
        trust: Trust::UserOnly,
        about: "take MCP servers from the repository's own files, too, such as .mcp.json; they name programs to run",
    },
    Key {
        path: "pr.template",
        kind: Kind::Flag,
        variable: None,
        trust: Trust::Anyone,
        about: "begin the text of a pull request with the repository's template",
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
        about: "the coding agent to use: claude, codex, gemini, goose, opencode or aider",
    },
    Key {
        path: "agent.reviewer",
        kind: Kind::Text,
        variable: None,
        trust: Trust::Anyone,
        about: "a coding agent that reads every change, too; `none` for the review engine alone",
    },
    own(
        "agent.driver",
        Kind::Word(&["acp", "cli", "exec"]),
        "how to talk to the agent: acp, cli or exec (the prompt on its standard input)",
    ),
    own(
        "agent.program",
        Kind::Text,
        "an agent's program, where it is not found by its name",
    ),
    own(
        "agent.args",
        Kind::List,
        "arguments for agent.program, such as `[\"acp\"]`",
    ),
    own(
        "agent.environment",
        Kind::List,
        "names of variables that agents get besides the usual ones; `NAME_*` for all that look like no secret",
    ),
    own(
        "run.mode",
        Kind::Word(&["autonomous", "semi", "supervised"]),
        "when a person is asked: autonomous, semi (before pull request and merge) or supervised",
    ),
    own(
        "run.budget_minutes",
        Kind::Count,
        "how long the steps of a run may take together before it asks",
    ),
    own(
        "run.budget_turns",
        Kind::Count,
        "how many turns agents may take in a run before it asks",
    ),
    own(
        "run.budget_dollars",
        Kind::Amount,
        "what agents may cost in a run before it asks",
    ),
    own(
        "run.in_place",
        Kind::Flag,
        "work in the checkout itself instead of a worktree beside it",
    ),
    Key {
        path: "run.merge",
        kind: Kind::Word(&["auto", "human"]),
        variable: None,
        trust: Trust::Tighten,
        about: "who merges what a run has made ready: auto (the run) or human",
    },
    Key {
        path: "run.merge_method",
        kind: Kind::Word(&["squash", "merge", "rebase"]),
        variable: None,
        trust: Trust::Anyone,
        about: "how pull requests are merged: squash, merge or rebase",
    },
    Key {
        path: "run.ci_minutes",
        kind: Kind::Count,
        variable: None,
        trust: Trust::Anyone,
        about: "how long to wait for CI before asking",
    },
    Key {
        path: "run.health_path",
        kind: Kind::Text,
        variable: None,
        trust: Trust::Anyone,
        about: "what commands.serve is asked for once it runs, such as /health",
    },
    own(
        "run.environment",
        Kind::List,
        "names of variables that a project's commands get besides the usual ones, as in agent.environment",
    ),
    own(
        "run.require_ci",
        Kind::Flag,
        "whether a run merges only where there is CI; without it, tests that baton ran itself are enough",
    ),
    own(
        "run.max_file_mb",
        Kind::Count,
        "how large a file may be that a run publishes, in megabytes",
    ),
    own(
        "run.max_files",
        Kind::Count,
        "how many new versions of files a run may publish",
    ),
    own(
        "run.first_port",
        Kind::Count,
        "the first of the hundred ports that runs are given",
    ),
    own(
        "notify.command",
        Kind::List,
        "run when a run asks or ends, with the run as JSON on its standard input",
    ),
    own(
        "notify.webhook",
        Kind::Url,
        "gets a POST with the run as JSON when it asks or ends",
    ),
    level(
        "sandbox.level",
        "how strictly coding agents and project commands of runs are restricted: off, standard or strict",
    ),
    level(
        "sandbox.agent",
        "the same for coding agents that write, where it differs",
    ),
    level(
        "sandbox.reviewer",
        "the same for coding agents that read, where it differs",
    ),
    level(
        "sandbox.commands",
        "the same for the project's commands, where it differs",
    ),
    own(
        "sandbox.hosts",
        Kind::List,
        "hosts that sandboxed programs may reach besides registries and model providers, as in `[\"npm.example.com\", \"*.corp.example\"]`; `*` for all",
    ),
    own(
        "sandbox.readable",
        Kind::List,
        "further paths that sandboxed programs may read",
    ),
    own(
        "sandbox.writable",
        Kind::List,
        "further paths that sandboxed programs may change",
    ),
    own(
        "sandbox.max_processes",
        Kind::Count,
        "how many processes and threads a sandboxed program may have at a time",
    ),
    own(
        "sandbox.max_disk_gb",
        Kind::Count,
        "how many gigabytes a sandboxed program may have on the disk",
    ),
    own(
        "sandbox.image",
        Kind::Text,
        "a container image in which sandboxed programs run, by podman or docker",
    ),
    Key {
        path: "state.dir",
        kind: Kind::Folder,
        variable: Some(environment::BATON_STATE_DIR),
        trust: Trust::UserOnly,
        about: "where baton keeps what it remembers between calls",
    },
    Key {
        path: "validation.unchosen_tools",
        kind: Kind::Word(UnchosenTools::NAMES),
        variable: None,
        trust: Trust::Anyone,
        about: "what a formatter or linter counts that no file of the project names: pass (nothing) or default (it is run)",
    },
    Key {
        path: "testing.flaky",
        kind: Kind::Word(&["pass", "warn", "fail"]),
        variable: None,
        trust: Trust::Anyone,
        about: "what a pass is worth in which a test failed at first: pass, warn or fail",
    },
    own(
        "readiness.optional_checks",
        Kind::Word(&["block", "ignore"]),
        "whether a check that no rule requires stands in the way of a merge when it fails or has not ended: block or ignore",
    ),
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
    Key {
        path: "review.sarif",
        kind: Kind::List,
        variable: None,
        trust: Trust::Anyone,
        about: "SARIF files of other scanners that join the review, relative to the project's folder",
    },
    command("commands.install", "installs the dependencies"),
    command("commands.format", "formats the code"),
    command("commands.lint", "checks the code"),
    command("commands.build", "builds the project"),
    command("commands.test", "runs the tests"),
    command(
        "commands.generate",
        "writes code that the build needs, where that cannot be seen from the files",
    ),
    command(
        "commands.serve",
        "starts the project's server at the port in PORT, to see that it starts",
    ),
];

/// What a tool does where its call says nothing: `tools.TOOL.FIELD`.
fn preference(tool: &str, field: &Field) -> Option<Key> {
    let about = field.preference?;
    Some(Key {
        // There are a handful, made once.
        path: format!("tools.{tool}.{}", field.name).leak(),
        kind: match field.kind {
            FieldKind::Switch => Kind::Flag,
            FieldKind::Word(words) => Kind::Word(words),
            FieldKind::Number => Kind::Count,
            FieldKind::List => Kind::List,
            FieldKind::PullRequest | FieldKind::Text => Kind::Text,
        },
        variable: None,
        trust: Trust::Anyone,
        about,
    })
}

/// What only the person who runs baton decides.
/// The words of a sandbox, the strictest last.
pub(super) const LEVELS: &[&str] = &["off", "standard", "strict"];

const fn level(path: &'static str, about: &'static str) -> Key {
    Key {
        path,
        kind: Kind::Word(LEVELS),
        variable: None,
        trust: Trust::Tighten,
        about,
    }
}

const fn own(path: &'static str, kind: Kind, about: &'static str) -> Key {
    Key {
        path,
        kind,
        variable: None,
        trust: Trust::UserOnly,
        about,
    }
}

/// Commands are the repository's own affair: running its tests runs its
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
    KEYS.iter().find(|key| key.path == path)
}

/// The key that a misspelt one most likely meant.
pub(crate) fn nearest(path: &str) -> Option<&'static str> {
    const CLOSE_ENOUGH: f64 = 0.8;
    // A section alone most likely means the first thing that it is about.
    let is_section = |key: &&Key| key.path.split('.').next() == Some(path);
    if let Some(key) = KEYS.iter().find(is_section) {
        return Some(key.path);
    }
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
pub(crate) fn complaint(key: &Key, text: &str) -> Option<String> {
    let fits = match key.kind {
        Kind::Text => !text.trim().is_empty(),
        Kind::Url => text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')),
        Kind::Folder => text.starts_with('/'),
        Kind::Flag => matches!(text, "true" | "false"),
        Kind::Count => text.parse::<u32>().is_ok_and(|count| count > 0),
        Kind::Amount => amount(text).is_some(),
        Kind::List => list(text).is_some_and(|words| !words.is_empty()),
        Kind::Word(words) => words.contains(&text),
        Kind::Words(words) => listed(text).all(|word| words.contains(&word)),
    };
    if fits {
        return None;
    }
    let told = match key.kind {
        Kind::Text => "must not be empty",
        Kind::Url => "must be a URL that begins with https:// or http://",
        Kind::Folder => "must be an absolute path",
        Kind::Flag => "must be true or false",
        Kind::Count => "must be a whole number, at least 1",
        Kind::Amount => "must be a number above 0, such as 2.50",
        Kind::List => "must be a list of texts, such as [\"acp\"]",
        Kind::Words(words) => return Some(format!("may only name {}", words.join(", "))),
        Kind::Word(words) => return Some(format!("must be one of {}", words.join(", "))),
    };
    Some(told.to_owned())
}

/// The texts of a list: a JSON array, or words.
pub(super) fn list(text: &str) -> Option<Vec<String>> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    Some(text.split_whitespace().map(str::to_owned).collect())
}

/// Above zero, and less than anybody has.
pub(super) fn amount(text: &str) -> Option<f64> {
    const MAX_AMOUNT: f64 = 1e9;
    let amount: f64 = text.parse().ok()?;
    (amount > 0.0 && amount < MAX_AMOUNT).then_some(amount)
}
