//! The file `CODEOWNERS`: who has to approve changes of which files.

use super::glob::Glob;

/// Where it is looked for, in this order.
pub(crate) const PATHS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// GitHub ignores a file above this size.
pub(crate) const MAX_FILE_LEN: usize = 3 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct CodeOwners(Vec<Entry>);

#[derive(Debug, Clone)]
struct Entry {
    glob: Glob,
    /// Whether everything below a folder that matches is meant.
    folders: bool,
    /// Whether a file itself can match.
    files: bool,
    /// Logins without the at sign, addresses as they are. A team
    /// (`org/team`) is nobody here.
    owners: Vec<String>,
}

impl CodeOwners {
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(entry).collect())
    }

    /// The owners that the last line for this path names.
    pub(crate) fn of(&self, path: &str) -> &[String] {
        self.0
            .iter()
            .rev()
            .find(|entry| entry.matches(path))
            .map_or(&[], |entry| entry.owners.as_slice())
    }
}

impl Entry {
    fn matches(&self, path: &str) -> bool {
        if self.files && self.glob.matches(path) {
            return true;
        }
        self.folders
            && path
                .match_indices('/')
                .any(|(end, _)| self.glob.matches(&path[..end]))
    }
}

fn entry(line: &str) -> Option<Entry> {
    let line = line.trim_start();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let mut words = line.split_whitespace();
    let pattern = words.next()?;
    let owners = words
        .take_while(|word| !word.starts_with('#'))
        .map(|word| word.strip_prefix('@').unwrap_or(word).to_owned())
        .collect();
    let bare = pattern.trim_end_matches('/');
    let last = bare.rsplit('/').next().unwrap_or(bare);
    let path = bare.strip_prefix('/').unwrap_or(bare);
    let anchored = bare.contains('/');
    let glob = if anchored || path.starts_with("**/") {
        Glob::new(path)
    } else {
        Glob::new(&format!("**/{path}"))
    };
    Some(Entry {
        glob,
        // `docs/*` means the files in the folder, not what is deeper.
        folders: !(last.contains('*') && anchored && last != "**"),
        files: bare == pattern,
        owners,
    })
}

#[cfg(test)]
mod tests {
    use super::CodeOwners;

    #[test]
    fn the_last_match_wins() {
        let owners = CodeOwners::parse(
            "# everything\n\
             *           @octo\n\
             *.js        @reviewer # scripts\n\
             /build/logs/ @ci-bot\n\
             docs/*      docs@example.com\n\
             apps/       @octo @reviewer\n\
             apps/github\n",
        );
        let cases: [(&str, &[&str]); 10] = [
            ("README.md", &["octo"]),
            ("src/deep/a.js", &["reviewer"]),
            ("build/logs/today.txt", &["ci-bot"]),
            ("a/build/logs/today.txt", &["octo"]),
            ("docs/start.md", &["docs@example.com"]),
            ("docs/more/start.md", &["octo"]),
            ("x/apps/main.rs", &["octo", "reviewer"]),
            ("apps/github/main.rs", &[]),
            ("apps/main.rs", &["octo", "reviewer"]),
            ("apps", &["octo"]),
        ];
        for (path, expected) in cases {
            assert_eq!(owners.of(path), expected, "{path}");
        }
    }
}
