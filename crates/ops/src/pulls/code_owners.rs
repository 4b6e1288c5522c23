//! The file `CODEOWNERS`: who answers for which part of the code.

use super::glob::Glob;

#[derive(Clone, Debug, Default)]
pub(super) struct CodeOwners {
    entries: Vec<Entry>,
}

/// A line of the file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// As it is written.
    pub(super) pattern: String,
    /// Counted from 1.
    pub(super) line: usize,
    /// None: the path belongs to nobody.
    pub(super) owners: Vec<Owner>,
    glob: Glob,
    /// A file of this name matches, and not only a folder.
    files: bool,
    /// All that is below a folder of this name matches.
    folders: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    User(String),
    /// `organisation/team`
    Team(String),
    /// An address, which only the forge can tell the account of.
    Email(String),
}

impl Owner {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::User(name) | Self::Team(name) | Self::Email(name) => name,
        }
    }
}

impl CodeOwners {
    /// Lines that say nothing are passed over.
    pub(super) fn parse(text: &str) -> Self {
        let lines = text.lines().enumerate();
        let entries = lines.filter_map(|(index, line)| entry(index + 1, line));
        Self {
            entries: entries.collect(),
        }
    }

    /// The last line that is about a path counts.
    pub(super) fn of(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.matches(path))
    }
}

impl Entry {
    fn matches(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        (self.files && self.glob.matches(path))
            || (self.folders && folders.any(|folder| self.glob.matches(folder)))
    }
}

fn entry(line: usize, text: &str) -> Option<Entry> {
    let mut words = words(text).into_iter();
    let pattern = words.next()?;
    let owners = words.filter_map(|word| match word.strip_prefix('@') {
        Some(team) if team.contains('/') => Some(Owner::Team(team.to_owned())),
        Some(user) if !user.is_empty() => Some(Owner::User(user.to_owned())),
        None if word.contains('@') => Some(Owner::Email(word)),
        _ => None,
    });
    let bare = pattern.trim_end_matches('/');
    let below = bare.strip_prefix('/').unwrap_or(bare);
    // A name without a folder may stand anywhere.
    let glob = if bare.contains('/') {
        Glob::new(below)
    } else {
        Glob::new(&format!("**/{below}"))
    };
    Some(Entry {
        files: bare.len() == pattern.len(),
        // `docs/*` means the files of the folder and nothing deeper.
        folders: !bare.ends_with("/*"),
        owners: owners.collect(),
        pattern,
        line,
        glob,
    })
}

/// Up to a comment. A backslash keeps a space within a word.
fn words(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut characters = text.trim().chars();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_about_a_path_counts() {
        let owners = CodeOwners::parse(
            "# all\n\
             *            @octo\n\
             *.js         @reviewer # scripts\n\
             /build/logs/ @ci-bot\n\
             docs/*       docs@example.com\n\
             apps/        @octo @acme/apps\n\
             apps/free\n\
             with\\ space @reviewer\n",
        );
        let names = |path: &str| {
            let entry = owners.of(path).unwrap();
            let names: Vec<_> = entry.owners.iter().map(Owner::name).collect();
            format!("{}: {}", entry.line, names.join(" "))
        };
        let cases = [
            ("README.md", "2: octo"),
            ("src/deep/a.js", "3: reviewer"),
            ("build/logs/today.txt", "4: ci-bot"),
            ("a/build/logs/today.txt", "2: octo"),
            ("docs/start.md", "5: docs@example.com"),
            ("docs/more/start.md", "2: octo"),
            ("x/apps/main.rs", "6: octo acme/apps"),
            ("apps/free/main.rs", "7: "),
            ("with space", "8: reviewer"),
        ];
        for (path, expected) in cases {
            assert_eq!(names(path), expected, "{path}");
        }
        assert!(CodeOwners::parse("").of("a").is_none());
    }
}
