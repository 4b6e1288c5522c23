//! What a pull request touches, how risky that is, and who knows the code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RiskLevel, UnreadablePart};
use crate::request::{pull_request, request, required, unlisted_default, word};

request! {
    pub struct AnalyzePrImpactInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// How much to tell (default: summary).
        depth: ImpactDepth = unlisted_default(ImpactDepth::Summary, word()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImpactDepth {
    Summary,
    Detailed,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyzePrImpactOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub changes: ChangeCounts,
    pub impact_areas: Vec<ImpactArea>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_reviewers: Option<Vec<SuggestedReviewer>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar_prs: Option<Vec<SimilarPr>>,
    /// How risky the whole is, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskAssessment>,
    /// The packages that change, and those that depend on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<Vec<ImpactedPackage>>,
    /// Teams that own changed files: who is in them is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owning_teams: Option<Vec<OwningTeam>>,
    /// What there is to know beside the lists: that they were cut, that
    /// something could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RiskAssessment {
    pub level: RiskLevel,
    /// Each with what it was seen in.
    pub reasons: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactedPackage {
    pub name: String,
    /// `cargo`, `npm`, `go`, `python`, `maven`, `gradle` or `bundler`.
    pub ecosystem: String,
    /// The file that describes it.
    pub manifest: String,
    /// Changed files that are more than tests and documents.
    pub source_files: u64,
    /// Packages of the repository that need it, the nearest first.
    pub dependents: Vec<DependentPackage>,
    /// Dependents that are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_dependents: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DependentPackage {
    pub name: String,
    /// 1: it names the package in its own manifest.
    pub distance: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwningTeam {
    /// `organisation/team`
    pub team: String,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeCounts {
    pub files_changed: u64,
    pub additions: u64,
    pub deletions: u64,
    pub commits: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImpactArea {
    pub category: ImpactCategory,
    pub files: Vec<String>,
    pub risk_level: RiskLevel,
    /// Why it is as risky as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Files that are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_files: Option<u64>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ImpactCategory {
    Frontend,
    Backend,
    Database,
    Infrastructure,
    Tests,
    Docs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedReviewer {
    pub username: String,
    pub reason: String,
    /// Between 0 and 1.
    pub confidence: f64,
    /// The proof of each part of the reason: a line of CODEOWNERS, commits,
    /// pull requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarPr {
    pub number: u64,
    pub title: String,
    /// Between 0 and 1.
    pub similarity_score: f64,
    pub outcome: PrOutcome,
    /// Files that both change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_files: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PrOutcome {
    Merged,
    Closed,
}
