//! What `prepare` makes is no part of any change: installed packages, metadata of
//! an editable install, lockfiles that the project did not have, builds. It is
//! listed in git's own `info/exclude`, and exactly that.

use std::fs;
use std::io;
use std::path::PathBuf;

use baton_host::git::{Call, Git};

use crate::AgentStep;
use crate::step_error::StepError;
use crate::workspace::{self, CheckoutLock};

/// Excludes all that is there and not committed, before anyone works here.
pub(super) async fn exclude(step: &AgentStep<'_>, git: &Git) -> Result<(), StepError> {
    let call = Call::read("list what is not committed")
        .args(["ls-files", "--others", "--exclude-standard"])
        .args(["--directory", "-z"]);
    let reply = git.call(call).await?.success()?;
    let names = reply.stdout.split(|byte| *byte == 0);
    let patterns: Vec<String> = names
        .filter_map(|name| str::from_utf8(name).ok())
        .filter(|name| !name.is_empty() && !name.contains(['\n', '\r']))
        .map(pattern)
        .collect();
    if patterns.is_empty() {
        return Ok(());
    }
    change(step, git, &patterns).await
}

/// Takes the list out again.
pub(super) async fn forget(step: &AgentStep<'_>) -> Result<(), StepError> {
    // Otherwise it is in the run's own repository, which goes with the run.
    if !step.place.settings.in_place {
        return Ok(());
    }
    let git = workspace::git(step).await?;
    change(step, &git, &[]).await
}

async fn change(step: &AgentStep<'_>, git: &Git, patterns: &[String]) -> Result<(), StepError> {
    let path = git.facts().await?.common_dir.join("info/exclude");
    let _lock = CheckoutLock::take(step).await?;
    let run = step.call.run().as_str();
    rewrite(&path, run, patterns)
        .map_err(|error| StepError::file(format_args!("write {}", path.display()), &error))
}

fn rewrite(path: &PathBuf, run: &str, patterns: &[String]) -> io::Result<()> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let changed = with_section(&text, run, patterns);
    if changed == text {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("new");
    fs::write(&new, changed)?;
    fs::rename(&new, path)
}

/// The file with the section of a run as it is to be; none where it is empty.
/// What is there already and still excluded stays: a second look does not see it.
fn with_section(text: &str, run: &str, patterns: &[String]) -> String {
    let (first, last) = (
        format!("# baton: made for the run {run}"),
        format!("# baton: end of the run {run}"),
    );
    let (mut rest, mut known) = (Vec::new(), Vec::new());
    let mut is_inside = false;
    for line in text.lines() {
        if line == first {
            is_inside = true;
        } else if line == last {
            is_inside = false;
        } else if is_inside {
            known.push(line);
        } else {
            rest.push(line);
        }
    }
    if !patterns.is_empty() {
        rest.push(&first);
        rest.extend(known);
        rest.extend(patterns.iter().map(String::as_str));
        rest.push(&last);
    }
    let mut changed = rest.join("\n");
    if !changed.is_empty() {
        changed.push('\n');
    }
    changed
}

/// Matches this path and no other.
fn pattern(path: &str) -> String {
    let mut pattern = String::from("/");
    for character in path.chars() {
        if matches!(character, '\\' | '*' | '?' | '[' | ' ') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_grows_and_goes() {
        let one = with_section("*.bak\n", "r-1", &[pattern("src/shop.egg-info/")]);
        insta::assert_snapshot!(one, @"
        *.bak
        # baton: made for the run r-1
        /src/shop.egg-info/
        # baton: end of the run r-1
        ");
        let both = with_section(&one, "r-2", &[pattern("a [b]*.txt")]);
        let more = with_section(&both, "r-1", &[pattern("uv.lock")]);
        insta::assert_snapshot!(more, @r"
        *.bak
        # baton: made for the run r-2
        /a\ \[b]\*.txt
        # baton: end of the run r-2
        # baton: made for the run r-1
        /src/shop.egg-info/
        /uv.lock
        # baton: end of the run r-1
        ");
        let gone = with_section(&with_section(&more, "r-1", &[]), "r-2", &[]);
        assert_eq!(gone, "*.bak\n");
    }
}
