//! Gathers what is known about people and the changed files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use baton_host::git::{BlamedLines, ChangeKind, GitError, Hunk, LogRange};
use baton_protocol::Repository;
use baton_protocol::code_owners::{CODE_OWNERS_PATHS, CodeOwners};
use baton_remote::github::Fact;
use baton_remote::github::questions::file_histories::{FileHistories, FileHistory, SLOTS};
use baton_remote::github::questions::recently_closed_pulls::ClosedPulls;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::super::change::{Change, File};
use super::super::context::PullContext;
use super::reviewers::{Facts, Lines};
use crate::error::OpError;

/// Files whose lines are looked up; the largest changes say the most.
const MAX_BLAMED_FILES: usize = 30;
/// Processes of git at a time.
const AT_ONCE: usize = 4;
const NO_REPLY: &str = "@users.noreply.github.com";
const SUBMODULE: &str = "160000";

pub(super) async fn fetch(
    cx: &PullContext,
    repository: &Repository,
    change: &Change,
    closed: &ClosedPulls,
) -> Result<Facts, OpError> {
    let known = known_files(change);
    let paths: Vec<String> = known.iter().map(|(path, _)| path.clone()).collect();
    let asked: Vec<&str> = paths.iter().take(SLOTS).map(String::as_str).collect();
    let (histories, blamed, owners, now) = tokio::join!(
        histories(cx, repository, change, &asked),
        blamed(change, &known),
        owners(change),
        time_of_head(change),
    );
    let (histories, blamed) = (histories?, blamed?);
    let (histories, unreadable) = match histories {
        Fact::Known(found) => (found.files, found.unreadable),
        Fact::Unreadable(cause) => (Vec::new(), vec![cause]),
    };
    let logins = Logins::learn(&histories, &blamed);
    let pull = &change.overview.pull;
    let mut facts = Facts {
        author: pull.author.as_ref().map(|author| author.login.clone()),
        now: now?,
        paths: change.files.iter().map(|file| file.path.clone()).collect(),
        owners: owners?,
        all_lines: blamed.iter().map(|lines| lines.count).sum(),
        lines: logins.lines(&blamed),
        histories: histories.len(),
        unreadable,
        ..Facts::default()
    };
    add_changes(&mut facts, &histories);
    add_reviews(&mut facts, closed);
    for open in &closed.open_requests {
        if open.number != pull.number {
            for login in &open.logins {
                *facts.load.entry(login.clone()).or_default() += 1;
            }
        }
    }
    Ok(facts)
}

/// Files that were there before, by their name then, the largest changes first.
fn known_files(change: &Change) -> Vec<(String, &File)> {
    let was_there = |file: &&File| {
        !matches!(file.diff.kind, ChangeKind::Added)
            && !file.is_generated()
            && file.diff.old_mode != SUBMODULE
    };
    let mut files: Vec<&File> = change.files.iter().filter(was_there).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.changed_lines()));
    files
        .into_iter()
        .map(|file| {
            let before = file.previous_path();
            (before.unwrap_or_else(|| file.path.clone()), file)
        })
        .collect()
}

async fn histories(
    cx: &PullContext,
    repository: &Repository,
    change: &Change,
    paths: &[&str],
) -> Result<Fact<FileHistories>, OpError> {
    if paths.is_empty() {
        return Ok(Fact::Known(FileHistories::default()));
    }
    let found = cx
        .github
        .file_histories(repository, &change.merge_base, paths)
        .await;
    Ok(Fact::from_answer(found)?)
}

/// Who wrote the lines that the change touches.
async fn blamed(change: &Change, known: &[(String, &File)]) -> Result<Vec<BlamedLines>, OpError> {
    let with_lines: Vec<(PathBuf, Vec<RangeInclusive<u32>>)> = known
        .iter()
        .filter(|(_, file)| !file.diff.is_binary)
        .map(|(path, file)| (PathBuf::from(path), touched(file)))
        .filter(|(_, ranges)| !ranges.is_empty())
        .take(MAX_BLAMED_FILES)
        .collect();
    let blame = |(path, ranges): (PathBuf, Vec<RangeInclusive<u32>>)| async move {
        match change
            .objects
            .git
            .blame(&change.merge_base, &path, &ranges)
            .await
        {
            // A file that cannot be blamed says nothing about people.
            Err(GitError::Failed { .. }) => Ok(Vec::new()),
            other => other,
        }
    };
    let found: Vec<Vec<BlamedLines>> = stream::iter(with_lines.into_iter().map(blame))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    Ok(found.into_iter().flatten().collect())
}

fn touched(file: &File) -> Vec<RangeInclusive<u32>> {
    file.hunks().iter().filter_map(Hunk::old_range).collect()
}

/// As the base branch has it, which is what counts.
async fn owners(change: &Change) -> Result<Option<CodeOwners>, OpError> {
    let base = change.overview.pull.base_ref_oid.as_str();
    for place in CODE_OWNERS_PATHS {
        let file = change.objects.git.file_at(base, Path::new(place)).await?;
        if let Some(content) = file {
            let text = String::from_utf8_lossy(&content);
            return Ok(CodeOwners::parse(&text));
        }
    }
    Ok(None)
}

async fn time_of_head(change: &Change) -> Result<i64, OpError> {
    let range = LogRange {
        from: None,
        to: &change.head,
    };
    let newest = change.objects.git.log(range, 1).await?;
    Ok(newest.first().map_or(0, |commit| commit.committer.time))
}

fn add_changes(facts: &mut Facts, histories: &[FileHistory]) {
    for history in histories {
        for change in &history.changes {
            let user = change
                .author
                .as_ref()
                .and_then(|author| author.user.as_ref());
            let Some(user) = user else { continue };
            if user.is_bot() {
                facts.bots.insert(user.login.clone());
            }
            let changed = facts.changes.entry(user.login.clone()).or_default();
            changed.insert(history.path.clone());
        }
    }
}

fn add_reviews(facts: &mut Facts, closed: &ClosedPulls) {
    let own: BTreeSet<&String> = facts.paths.iter().collect();
    for pull in &closed.pulls {
        if !pull.paths.iter().any(|path| own.contains(path)) {
            continue;
        }
        let author = pull.facts.author.as_ref().map(|author| &author.login);
        for reviewer in &pull.reviewers {
            // Answering comments on one's own work is no review.
            if Some(&reviewer.login) == author {
                continue;
            }
            if reviewer.is_bot() {
                facts.bots.insert(reviewer.login.clone());
            }
            let reviewed = facts.reviews.entry(reviewer.login.clone()).or_default();
            reviewed.insert(pull.facts.number);
        }
    }
}

/// git knows addresses, the forge knows accounts; commits that both know tell
/// which address is whose.
struct Logins {
    by_commit: BTreeMap<String, String>,
    by_email: BTreeMap<String, String>,
}

impl Logins {
    fn learn(histories: &[FileHistory], blamed: &[BlamedLines]) -> Self {
        let mut by_commit = BTreeMap::new();
        for change in histories.iter().flat_map(|history| &history.changes) {
            let user = change
                .author
                .as_ref()
                .and_then(|author| author.user.as_ref());
            if let Some(user) = user {
                by_commit.insert(change.oid.as_str().to_owned(), user.login.clone());
            }
        }
        let mut by_email = BTreeMap::new();
        for lines in blamed {
            if let Some(login) = by_commit.get(lines.commit.as_str()) {
                by_email.insert(lines.email.to_ascii_lowercase(), login.clone());
            }
        }
        Self {
            by_commit,
            by_email,
        }
    }

    fn login(&self, lines: &BlamedLines) -> Option<String> {
        let email = lines.email.to_ascii_lowercase();
        let known = self.by_commit.get(lines.commit.as_str());
        let known = known.or_else(|| self.by_email.get(&email));
        known.cloned().or_else(|| {
            let name = email.strip_suffix(NO_REPLY)?;
            Some(
                name.split_once('+')
                    .map_or(name, |(_, login)| login)
                    .to_owned(),
            )
        })
    }

    fn lines(&self, blamed: &[BlamedLines]) -> Vec<Lines> {
        let known_authors = blamed.iter().filter_map(|lines| {
            Some(Lines {
                login: self.login(lines)?,
                commit: lines.commit.to_string(),
                time: lines.time,
                count: lines.count,
            })
        });
        known_authors.collect()
    }
}
