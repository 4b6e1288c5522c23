//! What people have accepted for a repository, signed with the key that only
//! people have. A row that is not signed does not count.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_state::acceptances::AcceptanceRow;
use baton_state::{DATABASE_NAME, State};
use jiff::Timestamp;

use crate::error::EngineError;
use crate::people::PeopleKey;

/// A piece of evidence that a person has accepted for a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The same for the same evidence.
    pub fingerprint: String,
    pub rule: String,
    /// The text that was displayed to the person.
    pub text: String,
    pub reason: String,
    /// Who accepted it.
    pub author: String,
    pub accepted: Timestamp,
    /// Absent: it holds until it is removed.
    pub expires: Option<Timestamp>,
}

/// What is accepted for one repository at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acceptances {
    valid: BTreeMap<String, Acceptance>,
    expired: BTreeMap<String, Acceptance>,
    unsigned: Vec<String>,
}

impl Acceptances {
    /// The acceptance of a piece of evidence, if it counts.
    pub fn find(&self, fingerprint: &str) -> Option<&Acceptance> {
        self.valid.get(fingerprint)
    }

    /// One that counted once, and has expired.
    pub fn find_expired(&self, fingerprint: &str) -> Option<&Acceptance> {
        self.expired.get(fingerprint)
    }

    /// Those that count.
    pub fn valid(&self) -> impl Iterator<Item = &Acceptance> {
        self.valid.values()
    }

    pub fn expired(&self) -> impl Iterator<Item = &Acceptance> {
        self.expired.values()
    }

    /// The fingerprints of rows that no person signed.
    pub fn unsigned(&self) -> &[String] {
        &self.unsigned
    }

    pub(crate) fn check(rows: Vec<AcceptanceRow>, key: Option<&PeopleKey>, now: Timestamp) -> Self {
        let mut acceptances = Self::default();
        for row in rows {
            let is_signed = key.is_some_and(|key| {
                with_signed_parts(&row, |parts| key.verify(parts, &row.signature))
            });
            if !is_signed {
                acceptances.unsigned.push(row.fingerprint);
                continue;
            }
            let list = match row.expires {
                Some(expires) if expires <= now => &mut acceptances.expired,
                _ => &mut acceptances.valid,
            };
            list.insert(
                row.fingerprint.clone(),
                Acceptance {
                    fingerprint: row.fingerprint,
                    rule: row.rule,
                    text: row.text,
                    reason: row.reason,
                    author: row.author,
                    accepted: row.accepted,
                    expires: row.expires,
                },
            );
        }
        acceptances
    }
}

/// Reads what is accepted for a repository. Nothing is created where nothing was
/// ever kept. All calls block.
pub fn read_acceptances(
    state_folder: &Path,
    repository: &str,
    now: Timestamp,
) -> Result<Acceptances, EngineError> {
    if !state_folder.join(DATABASE_NAME).exists() {
        return Ok(Acceptances::default());
    }
    let state = State::open(state_folder).map_err(Arc::new)?;
    let rows = state.acceptances(repository).map_err(Arc::new)?;
    let key = PeopleKey::load(state_folder).ok();
    Ok(Acceptances::check(rows, key.as_ref(), now))
}

/// Records acceptances and removes them, for a person: it takes their key.
pub struct AcceptanceWriter {
    state_folder: PathBuf,
    key: PeopleKey,
}

impl AcceptanceWriter {
    /// An error where this process cannot see the key of people.
    pub fn open(state_folder: &Path) -> Result<Self, EngineError> {
        Ok(Self {
            state_folder: state_folder.to_owned(),
            key: PeopleKey::load(state_folder)?,
        })
    }

    /// Makes the key where there is none: a person may accept a finding before
    /// the first run.
    pub fn create(state_folder: &Path) -> Result<Self, EngineError> {
        PeopleKey::ensure(state_folder)?;
        Self::open(state_folder)
    }

    pub fn record(&self, repository: &str, acceptances: &[Acceptance]) -> Result<(), EngineError> {
        let rows: Vec<_> = acceptances
            .iter()
            .map(|acceptance| self.signed(repository, acceptance))
            .collect();
        let mut state = State::open(&self.state_folder).map_err(Arc::new)?;
        Ok(state.put_acceptances(&rows).map_err(Arc::new)?)
    }

    /// Returns whether there was one.
    pub fn remove(&self, repository: &str, fingerprint: &str) -> Result<bool, EngineError> {
        let mut state = State::open(&self.state_folder).map_err(Arc::new)?;
        let removed = state.remove_acceptance(repository, fingerprint);
        Ok(removed.map_err(Arc::new)?)
    }

    fn signed(&self, repository: &str, acceptance: &Acceptance) -> AcceptanceRow {
        let acceptance = acceptance.clone();
        let mut row = AcceptanceRow {
            repository: repository.to_owned(),
            fingerprint: acceptance.fingerprint,
            rule: acceptance.rule,
            text: acceptance.text,
            reason: acceptance.reason,
            author: acceptance.author,
            accepted: acceptance.accepted,
            expires: acceptance.expires,
            signature: String::new(),
        };
        row.signature = with_signed_parts(&row, |parts| self.key.sign(parts));
        row
    }
}

fn with_signed_parts<T>(row: &AcceptanceRow, use_parts: impl FnOnce(&[&str]) -> T) -> T {
    // The database keeps microseconds.
    let accepted = row.accepted.as_microsecond().to_string();
    let expires = row.expires.map(|at| at.as_microsecond().to_string());
    use_parts(&[
        "acceptance",
        &row.repository,
        &row.fingerprint,
        &row.rule,
        &row.text,
        &row.reason,
        &row.author,
        &accepted,
        expires.as_deref().unwrap_or("never"),
    ])
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn acceptance(fingerprint: &str) -> Acceptance {
        Acceptance {
            fingerprint: fingerprint.to_owned(),
            rule: "tamper/test-deleted".to_owned(),
            text: "Test `a` deleted".to_owned(),
            reason: "it checked nothing".to_owned(),
            author: "Ann <ann@example.com>".to_owned(),
            accepted: NOW,
            expires: Some(NOW + SignedDuration::from_hours(1)),
        }
    }

    #[test]
    fn what_a_person_accepts_counts_until_it_expires() {
        let folder = tempfile::tempdir().unwrap();
        let writer = AcceptanceWriter::create(folder.path()).unwrap();
        writer.record("a", &[acceptance("1")]).unwrap();
        let read =
            |repository: &str, now| read_acceptances(folder.path(), repository, now).unwrap();
        assert_eq!(read("a", NOW).find("1"), Some(&acceptance("1")));
        assert_eq!(read("b", NOW), Acceptances::default());
        let later = read("a", NOW + SignedDuration::from_hours(1));
        assert_eq!(later.find("1"), None);
        assert_eq!(later.find_expired("1"), Some(&acceptance("1")));
        assert!(writer.remove("a", "1").unwrap());
        assert_eq!(read("a", NOW), Acceptances::default());
    }

    #[test]
    fn nothing_is_made_where_nothing_was_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let none = read_acceptances(&folder.path().join("state"), "a", NOW).unwrap();
        assert_eq!(none, Acceptances::default());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let refused = AcceptanceWriter::open(folder.path()).err().unwrap();
        assert!(matches!(refused, EngineError::OnlyPeople { .. }));
    }

    #[test]
    fn a_row_that_no_person_signed_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let writer = AcceptanceWriter::create(folder.path()).unwrap();
        let signed = writer.signed("a", &acceptance("1"));
        let mut state = State::open(folder.path()).unwrap();
        let mut forged = |change: fn(&mut AcceptanceRow)| {
            let mut row = signed.clone();
            change(&mut row);
            let (repository, fingerprint) = (row.repository.clone(), row.fingerprint.clone());
            state.put_acceptances(&[row]).unwrap();
            let read = read_acceptances(folder.path(), &repository, NOW).unwrap();
            (
                read.find(&fingerprint).is_some(),
                read.unsigned().contains(&fingerprint),
            )
        };
        assert_eq!(forged(|_| {}), (true, false));
        let changes: [fn(&mut AcceptanceRow); 8] = [
            |row| row.repository = "b".to_owned(),
            |row| row.fingerprint = "2".to_owned(),
            |row| row.rule.push('x'),
            |row| row.text.push('x'),
            |row| row.reason.push('x'),
            |row| row.author.push('x'),
            |row| row.expires = None,
            |row| row.signature = String::new(),
        ];
        for change in changes {
            assert_eq!(forged(change), (false, true));
        }
        // A key made by another program does not make it a person's.
        forged(|_| {});
        std::fs::remove_file(folder.path().join("people.key")).unwrap();
        AcceptanceWriter::create(folder.path()).unwrap();
        let read = read_acceptances(folder.path(), "a", NOW).unwrap();
        assert_eq!(read.find("1"), None);
    }
}
