//! Finds the last commit of each line.

use std::ops::RangeInclusive;
use std::path::Path;

use super::call::Call;
use super::names::check_revision;
use super::{BlamedLines, Git, GitError, parse};

impl Git {
    /// Who last wrote the given lines (counted from 1) of a file, as it is in
    /// a commit. No range: all of it.
    pub async fn blame(
        &self,
        revision: &str,
        path: &Path,
        ranges: &[RangeInclusive<u32>],
    ) -> Result<Vec<BlamedLines>, GitError> {
        let mut call = Call::read(format!("see who wrote {}", path.display())).args([
            "blame",
            "--incremental",
            "-w",
        ]);
        for range in ranges {
            call = call.arg(format!("-L{},{}", range.start(), range.end()));
        }
        let call = call.arg(check_revision(revision)?).arg("--").arg(path);
        let reply = self.call(call).await?.success()?;
        Ok(parse::blame(&reply.stdout))
    }
}
