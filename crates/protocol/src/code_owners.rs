//! The file `CODEOWNERS`: who answers for which part of the code.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

/// Where GitHub looks for the file, in this order; the first one counts.
pub const CODE_OWNERS_PATHS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// GitHub ignores a file above this size.
pub const MAX_CODE_OWNERS_LEN: usize = 3 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct CodeOwners {
    lines: Vec<CodeOwnersLine>,
    /// One pattern for each line.
    patterns: GlobSet,
}

#[derive(Clone, Debug)]
pub struct CodeOwnersLine {
    /// As it is written.
    pub pattern: String,
    /// Counted from 1.
    pub number: usize,
    /// Empty: the path has no owner.
    pub owners: Vec<Owner>,
    /// A file of this name matches, and not only a folder.
    matches_files: bool,
    /// Everything below a folder of this name matches.
    matches_folders: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    User(String),
    /// `organization/team`
    Team(String),
    /// An address. Only the forge knows whose it is.
    Email(String),
}

impl CodeOwners {
    /// Lines that GitHub does not read are skipped, as GitHub does. `None` if the file is too
    /// large or has too many wildcards to be matched in reasonable memory.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_CODE_OWNERS_LEN {
            return None;
        }
        let mut lines = Vec::new();
        let mut patterns = GlobSetBuilder::new();
        for (index, text) in text.lines().enumerate() {
            let mut words = words(text).into_iter();
            let Some(pattern) = words.next().filter(|pattern| is_supported(pattern)) else {
                continue;
            };
            let Ok(glob) = GlobBuilder::new(&anchored(&pattern))
                .literal_separator(true)
                .backslash_escape(true)
                .build()
            else {
                continue;
            };
            patterns.add(glob);
            lines.push(CodeOwnersLine::new(pattern, index + 1, words));
        }
        let patterns = patterns.build().ok()?;
        Some(Self { lines, patterns })
    }

    /// The last line that matches a path counts.
    pub fn line_for(&self, path: &str) -> Option<&CodeOwnersLine> {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        let in_folder = folders.filter_map(|folder| {
            self.last_match(folder, |line: &CodeOwnersLine| line.matches_folders)
        });
        let itself = self.last_match(path, |line| line.matches_files);
        in_folder.chain(itself).max().map(|line| &self.lines[line])
    }

    fn last_match(&self, path: &str, is_meant: impl Fn(&CodeOwnersLine) -> bool) -> Option<usize> {
        let matches = self.patterns.matches_candidate(&Candidate::new(path));
        let meant = matches
            .into_iter()
            .filter(|line| is_meant(&self.lines[*line]));
        meant.max()
    }
}

impl CodeOwnersLine {
    fn new(pattern: String, number: usize, owners: impl Iterator<Item = String>) -> Self {
        let bare = pattern.trim_end_matches('/');
        let name = bare.rsplit_once('/').map(|(_, name)| name);
        Self {
            matches_files: bare.len() == pattern.len(),
            // `docs/*` and `src/*.js` mean the files in the folder and nothing deeper.
            matches_folders: name.is_none_or(|name| name == "**" || !name.contains('*')),
            owners: owners.filter_map(Owner::parse).collect(),
            pattern,
            number,
        }
    }
}

impl Owner {
    fn parse(word: String) -> Option<Self> {
        match word.strip_prefix('@') {
            Some(team) if team.contains('/') => Some(Self::Team(team.to_owned())),
            Some(user) if !user.is_empty() => Some(Self::User(user.to_owned())),
            None if word.contains('@') => Some(Self::Email(word)),
            _ => None,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::User(name) | Self::Team(name) | Self::Email(name) => name,
        }
    }
}

/// Up to a comment. A backslash keeps a space within a word.
fn words(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        let last = found.last_mut().expect("there is always one");
        match character {
            '#' if last.is_empty() => break,
            '\\' => {
                last.push('\\');
                last.extend(characters.next());
            }
            blank if blank.is_whitespace() => found.push(String::new()),
            other => last.push(other),
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

/// Of the patterns of `.gitignore` files, GitHub leaves out negation, sets of characters and an
/// escaped `#` at the beginning.
fn is_supported(pattern: &str) -> bool {
    !pattern.starts_with('!') && !pattern.starts_with(r"\#") && !pattern.contains(['[', ']'])
}

/// The pattern from the root of the repository on, in the syntax of `globset`.
fn anchored(pattern: &str) -> String {
    let bare = pattern.trim_end_matches('/');
    // A name without a folder may be anywhere.
    let anywhere = if bare.contains('/') { "" } else { "**/" };
    let path = bare.strip_prefix('/').unwrap_or(bare);
    // Braces are plain characters on GitHub.
    anywhere.to_owned() + &path.replace('{', r"\{").replace('}', r"\}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, cases: &[(&str, &str)]) {
        let owners = CodeOwners::parse(text).unwrap();
        for (path, expected) in cases {
            let line = owners.line_for(path);
            let shown = line.map_or("-".to_owned(), |line| {
                let names: Vec<_> = line.owners.iter().map(Owner::name).collect();
                format!("{}: {}", line.number, names.join(" "))
            });
            assert_eq!(shown, *expected, "{path}");
        }
    }

    /// After the example of GitHub's documentation.
    #[test]
    fn the_last_line_that_matches_counts() {
        check(
            "# everything\n\
             *       @global-owner1 @global-owner2\n\
             *.js    @js-owner # scripts\n\
             *.go docs@example.com\n\
             *.txt @octo-org/octocats\n\
             /build/logs/ @doctocat\n\
             docs/* docs@example.com\n\
             apps/ @octocat\n\
             /scripts/ @doctocat @octocat\n\
             **/logs @octocat\n\
             /apps/ @octocat\n\
             /apps/github\n",
            &[
                ("README.md", "2: global-owner1 global-owner2"),
                ("src/deep/a.js", "3: js-owner"),
                ("main.go", "4: docs@example.com"),
                ("notes/a.txt", "5: octo-org/octocats"),
                ("docs/getting-started.md", "7: docs@example.com"),
                (
                    "docs/build-app/troubleshooting.md",
                    "2: global-owner1 global-owner2",
                ),
                ("x/apps/main.rs", "8: octocat"),
                ("scripts/deep/x.sh", "9: doctocat octocat"),
                ("build/logs/today.md", "10: octocat"),
                ("deeply/nested/logs/x", "10: octocat"),
                ("apps/main.rs", "11: octocat"),
                ("apps/github/main.rs", "12: "),
                ("apps", "2: global-owner1 global-owner2"),
            ],
        );
    }

    #[test]
    fn patterns_are_those_of_gitignore_files() {
        check(
            "/build/logs/ @root\n\
             with\\ space/a\\ b.md @spaced\n\
             src/*.js @direct\n\
             /only @root\n\
             lib/**/deep @deep\n\
             tools/** @tools\n\
             a?c @one\n\
             x{1,2} @braces\n",
            &[
                ("build/logs/today.txt", "1: root"),
                ("a/build/logs/today.txt", "-"),
                ("with space/a b.md", "2: spaced"),
                ("src/a.js", "3: direct"),
                ("src/deep/a.js", "-"),
                ("src/odd.js/readme.md", "-"),
                ("other/src/a.js", "-"),
                ("only", "4: root"),
                ("only/below", "4: root"),
                ("x/only", "-"),
                ("lib/deep", "5: deep"),
                ("lib/a/b/deep/file", "5: deep"),
                ("tools/a/b", "6: tools"),
                ("tools", "-"),
                ("x/abc", "7: one"),
                ("a/c", "-"),
                ("x{1,2}", "8: braces"),
                ("x1", "-"),
            ],
        );
        check("** @all\n", &[("a", "1: all"), ("a/b/c", "1: all")]);
    }

    #[test]
    fn lines_that_github_does_not_read_are_skipped() {
        check(
            "* @all\n\
             !secret @none\n\
             [ab].rs @none\n\
             \\#hash @none\n\
             \n\
             # a comment\n\
             plain @ octo @reviewer\n",
            &[
                ("secret", "1: all"),
                ("a.rs", "1: all"),
                ("#hash", "1: all"),
                ("plain", "7: reviewer"),
            ],
        );
        check("", &[("a", "-")]);
    }

    #[test]
    fn a_file_that_is_too_large_is_none() {
        assert!(CodeOwners::parse(&"a @b\n".repeat(MAX_CODE_OWNERS_LEN / 4)).is_none());
        let lines: Vec<String> = (0..20_000)
            .map(|number| format!("a/*b?{number}*c*/d/*/e @b"))
            .collect();
        let hostile = lines.join("\n");
        assert!(CodeOwners::parse(&hostile).is_none());
    }
}
