//! What a server refused a short while ago, so that it is not asked for again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::pruning::Cuts;

/// A token may be given more scopes and a server may be updated while this process runs.
const REMEMBERED: Duration = Duration::from_mins(10);

/// The fields that a server refuses to a token, by the name of the document.
#[derive(Debug, Default)]
pub(in crate::github) struct RefusedFields(Mutex<HashMap<&'static str, Refused>>);

#[derive(Debug)]
struct Refused {
    cuts: Cuts,
    since: Timestamp,
}

impl RefusedFields {
    pub(in crate::github) fn in_document(&self, name: &'static str, now: Timestamp) -> Cuts {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(name);
        let is_recent = |refused: &Refused| {
            let age = now.duration_since(refused.since);
            age.unsigned_abs() < REMEMBERED
        };
        match known {
            Some(refused) if is_recent(refused) => refused.cuts.clone(),
            Some(_) => {
                all.remove(name);
                Cuts::new()
            }
            None => Cuts::new(),
        }
    }

    /// Adds to what is known of the document.
    pub(in crate::github) fn remember(&self, name: &'static str, cuts: Cuts, now: Timestamp) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(name).or_insert_with(|| Refused {
            cuts: Cuts::new(),
            since: now,
        });
        known.cuts.extend(cuts);
    }
}
