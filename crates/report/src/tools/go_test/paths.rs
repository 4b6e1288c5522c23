//! Collects packages into sessions, and completes the bare file names that Go
//! prints with the folder of their package.

use crate::session::{Evidence, Failure, Session, Sessions};

use super::package::Outcome;

#[derive(Default)]
pub(super) struct Report {
    sessions: Vec<Session>,
    /// For each session, the packages of its failures.
    owners: Vec<Vec<String>>,
    packages: Vec<String>,
}

impl Report {
    /// Packages whose lines follow each other belong to one run.
    pub(super) fn add(
        &mut self,
        package: &str,
        outcome: Outcome,
        lines: (u64, u64),
        evidence: Evidence,
    ) {
        const MAX_PACKAGES: usize = 5_000;
        /// Lines between two packages of one run, such as a compiler's.
        const GAP: u64 = 20;
        if self.packages.len() < MAX_PACKAGES && !package.is_empty() {
            self.packages.push(package.to_owned());
        }
        let follows = |last: &Session| {
            last.framework == "go-test" && !last.broke && lines.0 <= last.lines.1 + GAP
        };
        // A package that broke gets its own session: the rest of its run may
        // have passed.
        if outcome.broke || !self.sessions.last().is_some_and(follows) {
            self.push(Session::new("go-test", lines.0));
        }
        let (Some(session), Some(owners)) = (self.sessions.last_mut(), self.owners.last_mut())
        else {
            return;
        };
        session.lines.1 = session.lines.1.max(lines.1);
        session.evidence = session.evidence.max(evidence);
        session.broke = outcome.broke;
        let (sum, counts) = (&mut session.counts, outcome.counts);
        sum.run += counts.run;
        sum.passed += counts.passed;
        sum.failed += counts.failed;
        sum.skipped += counts.skipped;
        for failure in outcome.failures {
            session.add(failure);
        }
        owners.resize(session.failures.len(), package.to_owned());
    }

    /// Adds a session that replaces everything reported since the last such one.
    pub(super) fn replace(&mut self, session: Session) {
        let first = self.sessions.first().map_or(session.lines.0, |s| s.lines.0);
        self.sessions.clear();
        self.owners.clear();
        self.push(Session {
            lines: (first.min(session.lines.0), session.lines.1),
            ..session
        });
    }

    pub(super) fn push(&mut self, session: Session) {
        self.owners.push(Vec::new());
        self.sessions.push(session);
    }

    pub(super) fn publish(self, sessions: &mut Sessions) {
        let root = common_root(&self.packages);
        for (mut session, owners) in self.sessions.into_iter().zip(self.owners) {
            for (failure, package) in session.failures.iter_mut().zip(&owners) {
                place_below(failure, package, &root);
            }
            sessions.push(session);
        }
    }
}

fn place_below(failure: &mut Failure, package: &str, root: &[&str]) {
    let Some(file) = &mut failure.file else {
        return;
    };
    let mut folders = package.split('/');
    for part in root {
        if folders.next() != Some(part) {
            return;
        }
    }
    let folders: Vec<&str> = folders.collect();
    if !file.contains('/') && !folders.is_empty() && !root.is_empty() {
        *file = format!("{}/{file}", folders.join("/"));
    }
}

/// The folders that all packages share: the module, or a part of it. Paths
/// without it are still correct, but shorter.
fn common_root(packages: &[String]) -> Vec<&str> {
    let Some((first, rest)) = packages.split_first() else {
        return Vec::new();
    };
    let mut root: Vec<&str> = first.split('/').collect();
    for package in rest {
        let shared = root
            .iter()
            .zip(package.split('/'))
            .take_while(|(a, b)| **a == *b)
            .count();
        root.truncate(shared);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::{common_root, place_below};
    use crate::session::Failure;

    #[test]
    fn files_get_the_folder_of_their_package() {
        let packages = ["example.org/app/a", "example.org/app/b/c"].map(str::to_owned);
        let root = common_root(&packages);
        let file = |name: &str, package: &str| {
            let mut failure = Failure::named("TestX").at(name, None);
            place_below(&mut failure, package, &root);
            failure.file.unwrap()
        };
        assert_eq!(file("x_test.go", "example.org/app/b/c"), "b/c/x_test.go");
        assert_eq!(
            file("/src/x_test.go", "example.org/app/a"),
            "/src/x_test.go"
        );
        assert_eq!(file("x_test.go", "example.org/app"), "x_test.go");
    }
}
