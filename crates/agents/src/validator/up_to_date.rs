//! Whether the base still fits, and bringing it in where a rule wants that.

use baton_host::git::{Call, MergeTree, Oid};
use baton_ops::pulls::Answer;
use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::{CheckMergeReadinessOutput, RuleStatus};
use serde_json::json;

use super::failures::Failures;
use crate::Errand;
use crate::commits::TRAILER;
use crate::failure::Setback;
use crate::pull::Pull;
use crate::tools;
use crate::workspace::Workspace;

pub(super) async fn bring(
    errand: &Errand<'_>,
    pull: &Pull,
    workspace: &Workspace,
) -> Result<Failures, Setback> {
    let mut failures = Failures::default();
    let git = &workspace.git;
    let base = workspace.base_tip(errand.place).await?;
    if git.is_ancestor(base.as_str(), "HEAD").await? {
        return Ok(failures);
    }
    let tried = git.merge_tree("HEAD", base.as_str()).await?;
    if !tried.clean {
        failures.add_conflict(base, &conflict(workspace, &tried));
        return Ok(failures);
    }
    let asked = ledger(errand, pull).await?;
    let entries = asked.ledger.iter().flatten();
    let mut rules = entries.filter(|entry| entry.rule == MergeRule::UpToDate);
    if rules.any(|entry| entry.status != RuleStatus::Satisfied) {
        errand
            .context
            .say(&format!("bringing {} up to date", workspace.branch));
        merge(errand, workspace, &base).await?;
        workspace.push().await?;
    }
    Ok(failures)
}

pub(super) async fn ledger(
    errand: &Errand<'_>,
    pull: &Pull,
) -> Result<Box<CheckMergeReadinessOutput>, Setback> {
    let input = json!({ "pr": pull.reference(errand) });
    match tools::ask(errand, "check_merge_readiness", &input).await? {
        Answer::MergeReadiness(output) => Ok(output),
        _ => Err(Setback::permanent(
            "check_merge_readiness gave the answer of another tool",
        )),
    }
}

/// In words that stay the same while the conflict does.
pub(super) fn conflict(workspace: &Workspace, tried: &MergeTree) -> String {
    let paths = tried
        .conflicts
        .iter()
        .map(|file| file.path.display().to_string());
    let mut files: Vec<String> = paths.collect();
    files.dedup();
    format!(
        "{} and {} conflict in {}",
        workspace.branch,
        workspace.base,
        files.join(", ")
    )
}

async fn merge(errand: &Errand<'_>, workspace: &Workspace, base: &Oid) -> Result<(), Setback> {
    let key = errand.context.key();
    let subject = format!("Merge {} into {}", workspace.base, workspace.branch);
    let message = format!("{subject}\n\n{TRAILER}: {key}\n");
    let call = Call::write("bring the base in")
        .args([
            "merge",
            "--quiet",
            "--no-ff",
            "--no-verify",
            "--no-gpg-sign",
        ])
        .args(["--cleanup=verbatim", "-m", &message, base.as_str()]);
    Ok(workspace.git.call(call).await?.success().map(drop)?)
}
