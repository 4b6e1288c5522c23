//! Large files, many files and compiled programs in a change.

use std::collections::BTreeMap;

use baton_host::git::{Call, ChangeKind, FileDiff, Git, Oid};
use baton_workflow::Objection;

use super::{RULE, told};
use crate::acceptance::objection;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::place::Publishing;

/// What compiled programs begin with: ELF, Mach-O (and Java's classes, which
/// share a mark with it), Windows.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ\x90\x00",
];

/// Files above the limits, in any commit of the branch.
pub(super) async fn too_large(
    git: &Git,
    fork: &str,
    limits: &Publishing,
) -> Result<Vec<Objection>, StepError> {
    let call = Call::read("list what the branch adds")
        .args(["rev-list", "--objects", "HEAD"])
        .arg(format!("^{fork}"));
    let listed = git.call(call).await?.success()?.stdout;
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let text = String::from_utf8_lossy(&listed);
    for line in text.lines() {
        if let Some((id, name)) = line.split_once(' ') {
            names.insert(id, name);
        }
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let asked: String = names.keys().flat_map(|id| [id, "\n"]).collect();
    let call = Call::read("look at sizes")
        .args([
            "cat-file",
            "--batch-check=%(objectname) %(objecttype) %(objectsize)",
        ])
        .stdin(asked.into_bytes());
    let sizes = git.call(call).await?.success()?.stdout;
    let (mut wrong, mut files) = (Vec::new(), 0);
    for line in String::from_utf8_lossy(&sizes).lines() {
        let mut words = line.split(' ');
        let (Some(id), Some("blob"), Some(size)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        files += 1;
        let size: u64 = size.parse().unwrap_or(u64::MAX);
        if size > limits.file_bytes {
            let name = one_line(names.get(id).copied().unwrap_or(id), 100);
            wrong.push(told(&format!(
                "{name} has {} MB, and `run.max_file_mb` is {}",
                size >> 20,
                limits.file_bytes >> 20
            )));
        }
    }
    if files > limits.files {
        wrong.push(told(&format!(
            "it has {files} new versions of files, and `run.max_files` is {}",
            limits.files
        )));
    }
    Ok(wrong)
}

/// New files that are compiled programs, whatever their names. One that is
/// accepted is so with its content.
pub(super) async fn programs(git: &Git, changed: &[FileDiff]) -> Result<Vec<Objection>, StepError> {
    const MAX_BYTES: usize = 64 << 20;
    const TOGETHER: usize = 256 << 20;
    let new: Vec<&FileDiff> = changed
        .iter()
        .filter(|file| file.kind == ChangeKind::Added && file.is_binary)
        .collect();
    let ids: Vec<&Oid> = new.iter().map(|file| &file.new).collect();
    let contents = git.blobs(ids, MAX_BYTES, TOGETHER).await?;
    let is_program = |file: &&&FileDiff| {
        let content = contents.get(&file.new);
        content.is_some_and(|bytes| PROGRAMS.iter().any(|mark| bytes.starts_with(mark)))
    };
    let objected = |file: &&FileDiff| {
        let name = one_line(&file.path.to_string_lossy(), 100);
        let text = format!("{name} is a compiled program");
        objection(RULE, &format!("{text} {}", file.new), &text)
    };
    Ok(new.iter().filter(is_program).map(objected).collect())
}
