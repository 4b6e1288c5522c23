//! Paths on the machine that ran a job, as the repository has them.

use std::collections::BTreeSet;

use baton_protocol::Repository;

use super::found::Found;
use super::survey::Survey;
use crate::pulls::context::PullContext;

/// Folders that runners check out to, without a name in them.
const CHECKOUTS: &[&str] = &["/github/workspace/", "/home/circleci/project/"];
/// What is in such a folder belongs to a machine or to someone else, even
/// where the project has a file of the same name.
const FOREIGN: &[&str] = &[
    "usr",
    "lib",
    "nix",
    "rustc",
    "hostedtoolcache",
    "site-packages",
    "dist-packages",
    "node_modules",
    "registry",
    "vendor",
    "mod",
    "gems",
];

/// By the layouts that runners are known for: `_work/NAME/NAME`, containers'
/// `/__w/NAME/NAME`, Windows' `D:\a\NAME\NAME`, and baton's own forge with its
/// `actions/work/12`.
pub(super) fn by_layout(path: &str, repository: &str) -> String {
    let slashed = path.replace('\\', "/");
    let doubled = format!("/{repository}/{repository}/");
    let inner = slashed
        .split_once(&doubled)
        .map(|(_, inner)| inner)
        .or_else(|| CHECKOUTS.iter().find_map(|root| slashed.strip_prefix(root)))
        .or_else(|| in_numbered_work(&slashed));
    match inner {
        Some(inner) => inner.to_owned(),
        None if is_absolute(path) => path.to_owned(),
        None => slashed.trim_start_matches("./").to_owned(),
    }
}

fn in_numbered_work(path: &str) -> Option<&str> {
    let (_, behind) = path.split_once("/actions/work/")?;
    let (number, inner) = behind.split_once('/')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(inner)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// Gives the failures whose paths no layout explains those of files that the
/// commit has. Nothing is asked for where there are none.
pub(super) async fn settle(
    cx: &PullContext,
    repository: &Repository,
    survey: &Survey,
    found: &mut [Found],
) {
    let is_open = |found: &Found| found.failure.file.as_deref().is_some_and(is_absolute);
    if !found.iter().any(is_open) {
        return;
    }
    let Some(files) = Files::fetch(cx, repository, survey).await else {
        return;
    };
    for failure in found.iter_mut().map(|found| &mut found.failure) {
        let Some(path) = failure.file.as_deref().filter(|path| is_absolute(path)) else {
            continue;
        };
        let Some(inner) = files.find(path) else {
            continue;
        };
        // pytest and others name tests by their file.
        if let Some(rest) = failure.name.strip_prefix(path) {
            failure.name = format!("{inner}{rest}");
        }
        failure.file = Some(inner);
    }
}

/// Files that a path may mean.
struct Files {
    paths: BTreeSet<String>,
    /// These are all that there are.
    are_all: bool,
}

impl Files {
    /// Those of the commit, where it is on this machine, and else those that
    /// the pull request changes. Whatever keeps them from being read, the
    /// answer is complete without them.
    async fn fetch(cx: &PullContext, repository: &Repository, survey: &Survey) -> Option<Self> {
        if let Ok(Some(objects)) = cx.workplace.at_hand(repository, &cx.call.cancel).await
            && let Ok(files) = objects.git.files_at(&survey.head).await
        {
            let paths = files.iter().filter_map(|path| path.to_str());
            return Some(Self {
                paths: paths.map(str::to_owned).collect(),
                are_all: true,
            });
        }
        let changed = cx.github.changed_files(repository, survey.number?).await;
        let changed = changed.ok()?.items.into_iter();
        Some(Self {
            paths: changed.map(|file| file.path).collect(),
            are_all: false,
        })
    }

    /// The file whose whole path the given one ends with, the longest of them;
    /// or else the only one that shares the most folders with it.
    fn find(&self, path: &str) -> Option<String> {
        let slashed = path.replace('\\', "/");
        let parts: Vec<&str> = slashed.split('/').filter(|part| !part.is_empty()).collect();
        let is_own = |before: usize| !parts[..before].iter().any(|part| FOREIGN.contains(part));
        let whole = (1..parts.len())
            .map(|before| (before, parts[before..].join("/")))
            .find(|(_, inner)| self.paths.contains(inner));
        if let Some((before, inner)) = whole {
            // A bare name is that of many a file elsewhere.
            let is_telling = inner.contains('/') || self.has_one_named(&inner);
            return (is_own(before) && is_telling).then_some(inner);
        }
        let (inner, shared) = self.nearest(&parts)?;
        is_own(parts.len() - shared).then_some(inner)
    }

    fn has_one_named(&self, name: &str) -> bool {
        let same = |path: &&String| path.rsplit('/').next() == Some(name);
        self.paths.iter().filter(same).count() == 1
    }

    /// Only part of the repository may have been on the machine. With how many
    /// names both have at their ends.
    fn nearest(&self, parts: &[&str]) -> Option<(String, usize)> {
        if !self.are_all {
            return None;
        }
        let shared = |path: &str| {
            let ends = path.rsplit('/').zip(parts.iter().rev());
            ends.take_while(|(one, other)| one == *other).count()
        };
        let most = self.paths.iter().map(|path| shared(path)).max()?;
        let mut nearest = self.paths.iter().filter(|path| shared(path) == most);
        match (nearest.next(), nearest.next()) {
            (Some(path), None) if most > 1 => Some((path.clone(), most)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_runners_become_those_of_the_repository() {
        for (path, expected) in [
            ("/home/runner/work/store/store/tests/a.py", "tests/a.py"),
            ("/opt/ci/_work/store/store/tests/a.py", "tests/a.py"),
            ("/__w/store/store/tests/a.py", "tests/a.py"),
            ("/github/workspace/tests/a.py", "tests/a.py"),
            ("/tmp/x/actions/work/12/tests/a.py", "tests/a.py"),
            (r"D:\a\store\store\tests\a.py", "tests/a.py"),
            (r"tests\a.py", "tests/a.py"),
            ("./tests/a.py", "tests/a.py"),
            (
                "/usr/lib/python3/unittest.py",
                "/usr/lib/python3/unittest.py",
            ),
            (r"C:\Python\unittest.py", r"C:\Python\unittest.py"),
        ] {
            assert_eq!(by_layout(path, "store"), expected, "{path}");
        }
    }

    fn found(paths: &[&str], are_all: bool, path: &str) -> String {
        let files = Files {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            are_all,
        };
        files.find(path).unwrap_or_else(|| "-".to_owned())
    }

    #[test]
    fn a_path_is_matched_by_its_longest_end() {
        let all = [
            "tests/a.py",
            "api/tests/a.py",
            "setup.py",
            "b/index.js",
            "index.js",
        ];
        for (path, expected) in [
            ("/ci/7/tests/a.py", "tests/a.py"),
            ("/ci/7/api/tests/a.py", "api/tests/a.py"),
            (r"E:\ci\api\tests\a.py", "api/tests/a.py"),
            ("/ci/7/setup.py", "setup.py"),
            // Two files have that name.
            ("/ci/7/index.js", "-"),
            ("/usr/lib/python3/tests/a.py", "-"),
            ("/ci/node_modules/x/setup.py", "-"),
            ("/ci/7/other.py", "-"),
        ] {
            assert_eq!(found(&all, true, path), expected, "{path}");
        }
    }

    #[test]
    fn a_part_of_the_repository_is_recognised_unless_two_are_alike() {
        let one = ["services/api/tests/a.py", "services/web/tests/b.py"];
        assert_eq!(found(&one, true, "/app/tests/a.py"), one[0]);
        // Others may have the same end where not all files are known.
        assert_eq!(found(&one, false, "/app/tests/a.py"), "-");
        let two = ["services/api/tests/a.py", "services/web/tests/a.py"];
        assert_eq!(found(&two, true, "/app/tests/a.py"), "-");
        assert_eq!(found(&two, true, "/app/web/tests/a.py"), two[1]);
    }
}
