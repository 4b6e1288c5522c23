//! What a pull request would say, from what the commits say.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use baton_host::git::{Git, GitError, LogEntry, LogRange};

/// Title and text, before anybody has changed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) title: String,
    pub(super) body: String,
}

/// More than anybody reads in a description.
const MAX_COMMITS: usize = 100;

/// The commits of the branch that its base does not have, oldest first.
pub(super) async fn commits(
    git: &Git,
    base: &str,
    branch: &str,
) -> Result<Vec<LogEntry>, GitError> {
    // What the remote has counts; a local branch may be old.
    let remote = format!("refs/remotes/origin/{base}");
    let local = format!("refs/heads/{base}");
    let base = match git.find_commit(&remote).await? {
        Some(commit) => Some(commit),
        None => git.find_commit(&local).await?,
    };
    let Some(base) = base else {
        return Ok(Vec::new());
    };
    let head = format!("refs/heads/{branch}");
    let base = base.to_string();
    let range = LogRange {
        from: Some(&base),
        to: &head,
    };
    let mut commits = git.log(range, MAX_COMMITS).await?;
    commits.reverse();
    Ok(commits)
}

impl Draft {
    /// One commit speaks for itself; of several, the branch says what they are
    /// about.
    pub(super) fn from_commits(branch: &str, messages: &[&str]) -> Self {
        if let [only] = messages {
            let (subject, body) = parted(only);
            let body = if body.is_empty() { subject } else { body };
            return Self {
                title: subject.to_owned(),
                body: body.to_owned(),
            };
        }
        let subjects = messages.iter().map(|message| parted(message).0);
        let lines: Vec<String> = subjects.map(|subject| format!("- {subject}")).collect();
        Self {
            title: in_words(branch),
            body: lines.join("\n"),
        }
    }

    /// The repository's template first: it asks for what people forget.
    pub(super) fn with_template(mut self, template: &str) -> Self {
        let template = template.trim_end();
        self.body = if self.body.is_empty() {
            template.to_owned()
        } else {
            format!("{template}\n\n{}", self.body)
        };
        self
    }
}

fn parted(message: &str) -> (&str, &str) {
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    (subject.trim(), body.trim())
}

/// `Add login` of `feature/PROJ-12-add-login`.
fn in_words(branch: &str) -> String {
    let name = branch.rsplit('/').next().unwrap_or(branch);
    let name = match jira_key(name) {
        Some(key) => name.replacen(&key, "", 1),
        None => name.to_owned(),
    };
    let words: Vec<&str> = name
        .split(['-', '_', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => branch.to_owned(),
    }
}

/// The first word that is the key of a Jira issue, such as `PROJ-123`. Some
/// names look just like one and never are.
pub(super) fn jira_key(text: &str) -> Option<String> {
    const NEVER: [&str; 8] = ["UTF", "SHA", "ISO", "RFC", "CVE", "AES", "HTTP", "COVID"];
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or(b' ');
    text.match_indices('-').find_map(|(dash, _)| {
        let letters = bytes[..dash].iter().rev();
        let letters = letters.take_while(|byte| byte.is_ascii_uppercase()).count();
        let digits = bytes[dash + 1..].iter();
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        let (start, end) = (dash - letters, dash + 1 + digits);
        let is_word = start == 0 || !at(start - 1).is_ascii_alphanumeric();
        let ends = !at(end).is_ascii_alphanumeric();
        let project = &text[start..dash];
        let fits = letters > 0 && digits > 0 && is_word && ends && !NEVER.contains(&project);
        fits.then(|| text[start..end].to_owned())
    })
}

/// Where repositories keep their template, in the order in which GitHub looks.
const TEMPLATES: [&str; 6] = [
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
];

/// GitHub takes no longer text.
const MAX_TEMPLATE_BYTES: u64 = 64 * 1024;

pub(super) fn template(root: &Path) -> Option<String> {
    TEMPLATES.iter().find_map(|path| {
        let path = root.join(path);
        // A link could lead to a file that is of no concern to others.
        let is_file = fs::symlink_metadata(&path).is_ok_and(|known| known.is_file());
        let mut text = String::new();
        let file = is_file.then(|| File::open(&path).ok()).flatten()?;
        file.take(MAX_TEMPLATE_BYTES)
            .read_to_string(&mut text)
            .ok()?;
        Some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_commit_speaks_for_itself() {
        let draft = Draft::from_commits("x", &["Fix the cart\n\nIt lost items."]);
        assert_eq!(
            (draft.title.as_str(), draft.body.as_str()),
            ("Fix the cart", "It lost items.")
        );
        let draft = Draft::from_commits("x", &["Fix the cart"]);
        assert_eq!(draft.body, "Fix the cart");
    }

    #[test]
    fn several_commits_are_a_list_under_the_branch_s_name() {
        let draft = Draft::from_commits(
            "feature/PROJ-12-add-login",
            &["Add a form\n\nx", "Check it"],
        );
        assert_eq!(
            (draft.title.as_str(), draft.body.as_str()),
            ("Add login", "- Add a form\n- Check it")
        );
        assert_eq!(Draft::from_commits("-", &[]).title, "-");
    }

    #[test]
    fn a_template_comes_first() {
        let draft = Draft::from_commits("x", &["Fix the cart"]).with_template("## What\n\n");
        assert_eq!(draft.body, "## What\n\nFix the cart");
    }

    #[test]
    fn keys_are_whole_words_in_capitals() {
        let key = jira_key;
        assert_eq!(
            key("feature/PROJ-456-refactor"),
            Some("PROJ-456".to_owned())
        );
        assert_eq!(key("fix(ABC-1): x"), Some("ABC-1".to_owned()));
        assert_eq!(key("use UTF-8, see ABC-2"), Some("ABC-2".to_owned()));
        for none in [
            "", "-", "proj-1", "xPROJ-1", "PROJ-1a", "PROJ-", "-1", "ü-1", "SHA-256",
        ] {
            assert_eq!(key(none), None, "{none}");
        }
    }
}
