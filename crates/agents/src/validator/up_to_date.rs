//! Whether the base still fits, and bringing it in where a rule wants that.

use baton_host::git::{Call, MergeTree, Oid};
use baton_ops::Operation as _;
use baton_ops::pulls::CheckMergeReadiness;
use baton_protocol::MergeRule;
use baton_protocol::tools::check_merge_readiness::{
    CheckMergeReadinessInput, CheckMergeReadinessOutput, RuleStatus,
};

use super::failures::Failures;
use crate::AgentStep;
use crate::commits::TRAILER;
use crate::pull::Pull;
use crate::step_error::StepError;
use crate::tools;
use crate::workspace::Workspace;

pub(super) async fn bring(
    step: &AgentStep<'_>,
    pull: &Pull,
    workspace: &Workspace,
) -> Result<Failures, StepError> {
    let mut failures = Failures::default();
    let git = &workspace.git;
    let base = workspace.base_tip(step.place).await?;
    if git.is_ancestor(base.as_str(), "HEAD").await? {
        return Ok(failures);
    }
    let tried = git.merge_tree("HEAD", base.as_str()).await?;
    if !tried.clean {
        failures.add_conflict(base, &conflict(workspace, &tried));
        return Ok(failures);
    }
    let asked = ledger(step, pull).await?;
    let entries = asked.ledger.iter().flatten();
    let mut rules = entries.filter(|entry| entry.rule == MergeRule::UpToDate);
    if rules.any(|entry| entry.status != RuleStatus::Satisfied) {
        step.context
            .say(&format!("bringing {} up to date", workspace.branch));
        merge(step, workspace, &base).await?;
        workspace.push().await?;
    }
    Ok(failures)
}

pub(super) async fn ledger(
    step: &AgentStep<'_>,
    pull: &Pull,
) -> Result<CheckMergeReadinessOutput, StepError> {
    let input = CheckMergeReadinessInput {
        pr: pull.reference(step),
    };
    Ok(CheckMergeReadiness::run(&tools::context(step), input).await?)
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

async fn merge(step: &AgentStep<'_>, workspace: &Workspace, base: &Oid) -> Result<(), StepError> {
    let key = step.context.key();
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
