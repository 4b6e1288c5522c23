//! Branches, folders and files.

use askama::Template;
use axum::Router;
use axum::extract::Path;
use axum::routing::get;
use baton_host::git::Oid;

use super::commits::CommitRow;
use super::html::{Html, in_path, visible};
use super::icon::Icon;
use super::markdown::{self, Place};
use super::visit::{Chrome, Masthead, Tab, Visit, home_of};
use super::{Page, PageError};
use crate::app::App;
use crate::error::ApiError;
use crate::git::{EntryKind, GitRepository, HistoryRange, TreeEntry};
use crate::store::repositories::Repository;

/// Of a file.
const MOST_BYTES: u64 = 1 << 20;
const SHOWN_BRANCHES: usize = 12;
const SHOWN_COMMITS: usize = 5;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}", get(overview))
        .route("/{owner}/{name}/tree/{*place}", get(folder))
        .route("/{owner}/{name}/blob/{*place}", get(file))
        .route("/{owner}/{name}/branches", get(branches))
}

#[derive(Template)]
#[template(path = "repository.html")]
struct Overview {
    chrome: Chrome,
    repo: Masthead,
    description: Option<String>,
    clone_url: String,
    default_branch: String,
    /// None in an empty repository.
    content: Option<Content>,
}

struct Content {
    branch: String,
    entries: Vec<Entry>,
    readme: Option<Readme>,
    commits: Vec<CommitRow>,
    branches: Vec<Branch>,
    more_branches: usize,
}

struct Readme {
    name: String,
    body: Html,
}

struct Entry {
    icon: Icon,
    name: String,
    address: String,
    size: Option<String>,
}

struct Branch {
    name: String,
    address: String,
    is_default: bool,
}

async fn overview(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Page<Overview>, PageError> {
    // What git is given also leads here in a browser.
    if let Some(name) = name.strip_suffix(".git") {
        let repository = visit.repository(&owner, name)?;
        return Err(PageError::Moved(home_of(&repository)));
    }
    let repository = visit.repository(&owner, &name)?;
    let content = match visit.head(&repository).await? {
        Some(head) => Some(content(&visit, &repository, &head).await?),
        None => None,
    };
    let full_name = repository.full_name();
    Ok(Page(Overview {
        chrome: visit.chrome(full_name.clone()),
        repo: visit.masthead(&repository, Tab::Code)?,
        clone_url: visit.app.urls().page(&format!("/{full_name}.git")),
        description: repository.description.clone(),
        default_branch: repository.default_branch.clone(),
        content,
    }))
}

async fn content(visit: &Visit, repository: &Repository, head: &Oid) -> Result<Content, PageError> {
    let git = visit.git(repository);
    let home = home_of(repository);
    let branch = &repository.default_branch;
    let tree = git.tree(head, false).await?.unwrap_or_default();
    let range = HistoryRange {
        limit: Some(SHOWN_COMMITS),
        ..HistoryRange::of(head)
    };
    let commits = git.commits(&git.history(&range).await?).await?;
    let commits = commits
        .iter()
        .map(|commit| CommitRow::new(visit, &home, commit));
    let mut all = branch_list(&git, repository).await?;
    let more_branches = all.len().saturating_sub(SHOWN_BRANCHES);
    all.truncate(SHOWN_BRANCHES);
    Ok(Content {
        readme: readme(
            &git,
            &tree,
            &home,
            &format!("{home}/blob/{}", in_path(branch)),
        )
        .await?,
        entries: entries(&tree, &home, branch, ""),
        commits: commits.collect(),
        branches: all,
        more_branches,
        branch: branch.clone(),
    })
}

#[derive(Template)]
#[template(path = "folder.html")]
struct Folder {
    chrome: Chrome,
    repo: Masthead,
    reference: String,
    trail: Vec<Crumb>,
    entries: Vec<Entry>,
    readme: Option<Readme>,
}

/// A step on the way from the root to what is shown.
struct Crumb {
    name: String,
    address: String,
}

async fn folder(
    visit: Visit,
    Path((owner, name, place)): Path<(String, String, String)>,
) -> Result<Page<Folder>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let git = visit.git(&repository);
    let (reference, commit, path) = resolve(&git, &place).await?;
    let tree = if path.is_empty() {
        Some(commit.clone())
    } else {
        let entry = git.entry(&commit, &path).await?;
        entry
            .filter(|entry| entry.kind == EntryKind::Folder)
            .map(|entry| entry.oid)
    };
    let tree = tree.ok_or(ApiError::NotFound)?;
    let tree = git.tree(&tree, false).await?.ok_or(ApiError::NotFound)?;
    let home = home_of(&repository);
    let folder = format!("{home}/blob/{}/{}", in_path(&reference), in_path(&path));
    let folder = folder.trim_end_matches('/').to_owned();
    Ok(Page(Folder {
        chrome: visit.chrome(format!(
            "{path} at {reference} · {}",
            repository.full_name()
        )),
        repo: visit.masthead(&repository, Tab::Code)?,
        trail: trail(&home, &reference, &path),
        entries: entries(&tree, &home, &reference, &path),
        readme: readme(&git, &tree, &home, &folder).await?,
        reference,
    }))
}

#[derive(Template)]
#[template(path = "file.html")]
struct File {
    chrome: Chrome,
    repo: Masthead,
    reference: String,
    trail: Vec<Crumb>,
    size: String,
    /// With their numbers.
    lines: Vec<(usize, String)>,
    rendered: Option<Html>,
    note: Option<&'static str>,
}

async fn file(
    visit: Visit,
    Path((owner, name, place)): Path<(String, String, String)>,
) -> Result<Page<File>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let git = visit.git(&repository);
    let (reference, commit, path) = resolve(&git, &place).await?;
    let entry = git.entry(&commit, &path).await?;
    let entry = entry
        .filter(|entry| entry.kind == EntryKind::File)
        .ok_or(ApiError::NotFound)?;
    let size = entry.size.unwrap_or_default();
    let bytes = if size <= MOST_BYTES {
        git.blob(&entry.oid).await?
    } else {
        None
    };
    let (text, note) = match bytes {
        None => (
            String::new(),
            Some("This file is too large to be shown here."),
        ),
        Some(bytes) if bytes.contains(&0) => (String::new(), Some("This is a binary file.")),
        Some(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), None),
    };
    let home = home_of(&repository);
    let address = format!("{home}/blob/{}/{}", in_path(&reference), in_path(&path));
    let place = Place {
        home: &home,
        folder: address.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let lines = text.lines().map(visible);
    Ok(Page(File {
        chrome: visit.chrome(format!(
            "{path} at {reference} · {}",
            repository.full_name()
        )),
        repo: visit.masthead(&repository, Tab::Code)?,
        trail: trail(&home, &reference, &path),
        size: size_for_people(size),
        lines: lines
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .collect(),
        rendered: (is_markdown(&path) && note.is_none()).then(|| markdown::render(&text, place)),
        note,
        reference,
    }))
}

#[derive(Template)]
#[template(path = "branches.html")]
#[expect(clippy::struct_field_names, reason = "templates read well with it")]
struct Branches {
    chrome: Chrome,
    repo: Masthead,
    branches: Vec<Branch>,
}

async fn branches(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Page<Branches>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    Ok(Page(Branches {
        chrome: visit.chrome(format!("Branches · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Code)?,
        branches: branch_list(&visit.git(&repository), &repository).await?,
    }))
}

/// The default one first.
async fn branch_list(
    git: &GitRepository,
    repository: &Repository,
) -> Result<Vec<Branch>, PageError> {
    let home = home_of(repository);
    let refs = git.refs(&["refs/heads"]).await?;
    let mut branches: Vec<Branch> = refs
        .iter()
        .filter_map(|found| found.name.strip_prefix("refs/heads/"))
        .map(|name| Branch {
            name: name.to_owned(),
            address: format!("{home}/tree/{}", in_path(name)),
            is_default: name == repository.default_branch,
        })
        .collect();
    branches.sort_by_key(|branch| !branch.is_default);
    Ok(branches)
}

/// A branch, tag or commit, and a path below it. Names of branches have
/// slashes, too: the longest that fits is meant.
async fn resolve(git: &GitRepository, place: &str) -> Result<(String, Oid, String), PageError> {
    let place = place.trim_matches('/');
    let refs = git.refs(&["refs/heads", "refs/tags"]).await?;
    let below = |name: &str| {
        let rest = place.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
    };
    let best = refs
        .iter()
        .filter_map(|found| {
            let short = found.name.strip_prefix("refs/heads/");
            let short = short.or_else(|| found.name.strip_prefix("refs/tags/"))?;
            Some((short, found.peeled.clone(), below(short)?))
        })
        .max_by_key(|(name, ..)| name.len());
    if let Some((name, oid, path)) = best {
        return Ok((name.to_owned(), oid, path));
    }
    let (first, path) = place.split_once('/').unwrap_or((place, ""));
    let commit = git.resolve_commit(first).await?.ok_or(ApiError::NotFound)?;
    Ok((first.to_owned(), commit, path.to_owned()))
}

/// Folders first.
fn entries(tree: &[TreeEntry], home: &str, reference: &str, folder: &str) -> Vec<Entry> {
    let mut entries: Vec<&TreeEntry> = tree.iter().collect();
    entries.sort_by_key(|entry| entry.kind != EntryKind::Folder);
    let shown = entries.into_iter().map(|entry| {
        let name = entry.name();
        let path = if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        };
        let (icon, kind) = match entry.kind {
            EntryKind::Folder => (Icon::Folder, "tree"),
            EntryKind::File if entry.is_symlink() => (Icon::Link, "blob"),
            EntryKind::File => (Icon::File, "blob"),
            EntryKind::Submodule => (Icon::Commit, "tree"),
        };
        Entry {
            icon,
            name: name.to_owned(),
            address: format!("{home}/{kind}/{}/{}", in_path(reference), in_path(&path)),
            size: entry.size.map(size_for_people),
        }
    });
    shown.collect()
}

fn trail(home: &str, reference: &str, path: &str) -> Vec<Crumb> {
    let mut so_far = String::new();
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| {
            if !so_far.is_empty() {
                so_far.push('/');
            }
            so_far.push_str(segment);
            Crumb {
                name: segment.to_owned(),
                address: format!("{home}/tree/{}/{}", in_path(reference), in_path(&so_far)),
            }
        })
        .collect()
}

async fn readme(
    git: &GitRepository,
    tree: &[TreeEntry],
    home: &str,
    folder: &str,
) -> Result<Option<Readme>, PageError> {
    let found = tree.iter().find(|entry| {
        let name = entry.name().to_ascii_lowercase();
        entry.kind == EntryKind::File
            && matches!(name.as_str(), "readme.md" | "readme" | "readme.txt")
            && entry.size.is_some_and(|size| size <= MOST_BYTES)
    });
    let Some(entry) = found else {
        return Ok(None);
    };
    let Some(bytes) = git.blob(&entry.oid).await? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&bytes);
    let name = entry.name().to_owned();
    let body = if is_markdown(&name) {
        markdown::render(&text, Place { home, folder })
    } else {
        Html::preformatted(&text)
    };
    Ok(Some(Readme { name, body }))
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
}

fn size_for_people(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}
