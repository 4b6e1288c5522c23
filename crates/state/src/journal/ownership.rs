//! Leases of runs, and slots shared by runs.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::reading::stored;
use super::{Fault, Journal};

/// An owner, and when its lease expires.
#[derive(Debug, Clone, Copy)]
pub struct Lease<'a> {
    pub owner: &'a str,
    pub now: Timestamp,
    pub until: Timestamp,
}

impl Journal<'_> {
    /// Takes the lease of a run that has no owner, or whose owner `is_dead` or
    /// has not renewed it for too long. Returns the owner; `None` if there is
    /// no such run.
    pub fn take(
        &self,
        run: &str,
        lease: &Lease<'_>,
        is_dead: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, Fault> {
        let found: Option<(i64, Option<String>, i64)> = self
            .transaction
            .prepare("SELECT id, owner, leased_until FROM run WHERE name = ?1")?
            .query_row([run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((id, owner, until)) = found else {
            return Ok(None);
        };
        if let Some(owner) = owner
            && owner != lease.owner
            && until > stored(lease.now)
            && !is_dead(&owner)
        {
            return Ok(Some(owner));
        }
        self.transaction
            .prepare("UPDATE run SET owner = ?2, leased_until = ?3 WHERE id = ?1")?
            .execute(params![id, lease.owner, stored(lease.until)])?;
        Ok(Some(lease.owner.to_owned()))
    }

    /// A sign of life: prolongs everything that the owner has.
    pub fn renew(&self, lease: &Lease<'_>) -> Result<(), Fault> {
        let prolong = params![lease.owner, stored(lease.until)];
        self.transaction
            .prepare("UPDATE run SET leased_until = ?2 WHERE owner = ?1 AND ended IS NULL")?
            .execute(prolong)?;
        self.transaction
            .prepare("UPDATE place SET leased_until = ?2 WHERE owner = ?1")?
            .execute(prolong)?;
        Ok(())
    }

    /// Gives a run up, if it is the owner's.
    pub fn release(&self, run: &str, owner: &str) -> Result<(), Fault> {
        self.transaction
            .prepare("UPDATE run SET owner = NULL WHERE name = ?1 AND owner = ?2")?
            .execute([run, owner])?;
        Ok(())
    }

    /// Takes one of `limit` places of a kind for `holder`, or keeps the one it
    /// has. Returns whether there was one.
    pub fn occupy(
        &self,
        kind: &str,
        holder: &str,
        limit: usize,
        lease: &Lease<'_>,
        is_dead: &dyn Fn(&str) -> bool,
    ) -> Result<bool, Fault> {
        self.vacate_the_dead(kind, lease, is_dead)?;
        self.vacate(kind, holder)?;
        let taken: u64 = self
            .transaction
            .prepare("SELECT count(*) FROM place WHERE kind = ?1")?
            .query_row([kind], |row| row.get(0))?;
        if usize::try_from(taken).is_ok_and(|taken| taken < limit) {
            self.transaction
                .prepare(
                    "INSERT INTO place (kind, holder, owner, leased_until) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![kind, holder, lease.owner, stored(lease.until)])?;
            return Ok(true);
        }
        Ok(false)
    }

    pub fn vacate(&self, kind: &str, holder: &str) -> Result<(), Fault> {
        self.transaction
            .prepare("DELETE FROM place WHERE kind = ?1 AND holder = ?2")?
            .execute([kind, holder])?;
        Ok(())
    }

    /// Leaves all places that are held for steps of a run.
    pub fn vacate_all(&self, run: &str, owner: &str) -> Result<(), Fault> {
        self.transaction
            .prepare("DELETE FROM place WHERE owner = ?2 AND substr(holder, 1, length(?1) + 1) = ?1 || '/'")?
            .execute([run, owner])?;
        Ok(())
    }

    fn vacate_the_dead(
        &self,
        kind: &str,
        lease: &Lease<'_>,
        is_dead: &dyn Fn(&str) -> bool,
    ) -> Result<(), Fault> {
        let mut statement = self
            .transaction
            .prepare("SELECT DISTINCT owner FROM place WHERE kind = ?1 AND owner <> ?2")?;
        let owners = statement.query_map([kind, lease.owner], |row| row.get(0))?;
        let owners: Vec<String> = owners.collect::<Result<_, _>>()?;
        for owner in owners.iter().filter(|owner| is_dead(owner)) {
            self.transaction
                .prepare("DELETE FROM place WHERE owner = ?1")?
                .execute([owner])?;
        }
        self.transaction
            .prepare("DELETE FROM place WHERE kind = ?1 AND leased_until <= ?2")?
            .execute(params![kind, stored(lease.now)])?;
        Ok(())
    }

    /// The row and last number of a run that is the owner's, and whether it has
    /// ended.
    pub(super) fn owned(&self, run: &str, owner: &str) -> Result<Option<(i64, u64, bool)>, Fault> {
        let found = self
            .transaction
            .prepare("SELECT id, last, ended IS NOT NULL FROM run WHERE name = ?1 AND owner = ?2")?
            .query_row([run, owner], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        Ok(found)
    }
}
