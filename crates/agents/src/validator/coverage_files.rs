//! The coverage reports that the tests of this validation wrote.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use baton_protocol::handoff::Percentage;

use crate::coverage::{self, PLACES};

/// Larger ones are not read.
const LARGEST: u64 = 64 << 20;

/// The first report that is newer than the beginning of the validation: an
/// older one tells of other code.
pub(super) fn find(folder: &Path, since: SystemTime) -> Option<Percentage> {
    PLACES.iter().find_map(|(name, format)| {
        let path = folder.join(name);
        let facts = fs::symlink_metadata(&path).ok()?;
        if !facts.is_file() || facts.len() > LARGEST || facts.modified().ok()? < since {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(&path)
            .ok()?
            .take(LARGEST)
            .read_to_end(&mut bytes)
            .ok()?;
        coverage::read(*format, &bytes)?.percentage()
    })
}
