//! The two reviews: what the change brought, and what it did to the tests.

use std::path::Path;
use std::time::{Duration, Instant};

use baton_host::git::{ChangeKind, FileDiff};
use baton_protocol::diagnostic::TextRange;
use baton_protocol::phase::validation_details::ReviewDetails;
use baton_protocol::review::{
    FindingKind, FindingSeverity, ReviewFinding, ReviewReport, TraceStep,
};
use baton_review::{ChangedFile, Finding, Kind, Options, Place, Review, Severity, Touched};

use super::Scope;
use super::base::Base;
use super::changed_files::{self, ChangedFiles};
use super::reviewer::{Claim, ReviewedFile, Reviewer};

/// Both reviews, apart.
pub(super) struct Reviewed {
    pub(super) code: ReviewDetails,
    pub(super) security: ReviewDetails,
    pub(super) elapsed: Duration,
}

/// What a review looks at: content, before and after, and what was touched.
#[derive(Default)]
struct Material {
    files: Vec<MaterialFile>,
}

struct MaterialFile {
    path: String,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    touched: Touched,
}

pub(super) async fn run(
    folder: &Path,
    change: &ChangedFiles,
    base: Option<&Base>,
    scope: Scope,
    reviewers: &[&dyn Reviewer],
) -> Reviewed {
    let started = Instant::now();
    let material = gather(folder, change, base).await;
    let claims = ask(reviewers, &material).await;
    let options = Options {
        // Everything is told in the details; the threshold comes later.
        threshold: Severity::Low,
        everywhere: scope == Scope::Everything,
        threads: threads(material.files.len()),
    };
    let review = tokio::task::spawn_blocking(move || judge(&material, &options)).await;
    let (findings, mut notes) = match review {
        Ok(review) => (review.findings, review.notes),
        Err(stopped) => (Vec::new(), vec![format!("the review stopped: {stopped}")]),
    };
    let mut reviewed = Reviewed {
        code: ReviewDetails::default(),
        security: ReviewDetails::default(),
        elapsed: Duration::ZERO,
    };
    notes.extend(claims.notes);
    for finding in findings.into_iter().chain(claims.accepted) {
        match finding.kind {
            FindingKind::Security => reviewed.security.findings.push(finding),
            FindingKind::Quality | FindingKind::Tamper => reviewed.code.findings.push(finding),
        }
    }
    reviewed.code.notes.clone_from(&notes);
    reviewed.security.notes = notes;
    reviewed.elapsed = started.elapsed();
    reviewed
}

/// Reviews whole files, or what differs from a base: `baton review`.
pub async fn review_files(
    folder: &Path,
    names: &[String],
    base: Option<(&baton_host::cmd::Environment, &str)>,
    options: Options,
) -> ReviewReport {
    let change = ChangedFiles::sort_out(folder, names);
    let base = match base {
        Some((environment, commit)) => {
            let cancel = tokio_util::sync::CancellationToken::new();
            Base::find(folder, environment, &cancel, Some(commit)).await
        }
        None => None,
    };
    let material = gather(folder, &change, base.as_ref()).await;
    let files = material.files.len() as u64;
    let told = change.left_out.iter().map(|file| file.message.clone());
    let mut notes: Vec<String> = told.collect();
    let judged = tokio::task::spawn_blocking(move || judge(&material, &options)).await;
    let findings = match judged {
        Ok(judged) => {
            notes.extend(judged.notes);
            judged.findings
        }
        Err(stopped) => {
            notes.push(format!("the review stopped: {stopped}"));
            Vec::new()
        }
    };
    ReviewReport {
        version: 1,
        findings,
        files,
        notes,
    }
}

/// One is enough for a handful of files.
fn threads(files: usize) -> usize {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    (files / 8).clamp(1, most)
}

async fn gather(folder: &Path, change: &ChangedFiles, base: Option<&Base>) -> Material {
    let differences = match base {
        Some(base) => base.differences().await.unwrap_or_default(),
        None => Vec::new(),
    };
    let mut material = Material::default();
    let reviewable = change.present.iter().filter(|file| file.is_reviewable);
    let paths = reviewable.map(|file| &file.path).chain(&change.deleted);
    for path in paths {
        let difference = differences.iter().find(|(name, _)| name == path);
        let before = match (base, difference) {
            (Some(base), Some((_, file))) => base.content(file).await,
            _ => None,
        };
        material.files.push(MaterialFile {
            path: path.clone(),
            before,
            after: changed_files::read(&folder.join(path)).ok(),
            touched: difference.map_or(Touched::All, |(_, file)| touched(file)),
        });
    }
    material
}

fn touched(file: &FileDiff) -> Touched {
    if file.kind == ChangeKind::Added {
        return Touched::All;
    }
    let lines = file.hunks.iter().filter(|hunk| hunk.new_lines > 0);
    Touched::Lines(
        lines
            .map(|hunk| hunk.new_start..=hunk.new_start + hunk.new_lines - 1)
            .collect(),
    )
}

struct Judged {
    findings: Vec<ReviewFinding>,
    notes: Vec<String>,
}

fn judge(material: &Material, options: &Options) -> Judged {
    let files: Vec<ChangedFile<'_>> = material
        .files
        .iter()
        .map(|file| ChangedFile {
            path: &file.path,
            before: file.before.as_deref(),
            after: file.after.as_deref(),
            touched: file.touched.clone(),
        })
        .collect();
    let review = baton_review::review(&files, options);
    let notes = notes(&review);
    Judged {
        findings: review.findings.into_iter().map(on_the_wire).collect(),
        notes,
    }
}

fn notes(review: &Review) -> Vec<String> {
    let unread = review
        .notes
        .iter()
        // A file in a language that is not read is nothing to speak of.
        .filter(|note| note.reason != baton_review::Unread::UnknownLanguage)
        .map(|note| format!("{} was not reviewed: {}", note.path, note.reason));
    let unused = review.unused_suppressions.iter().map(|unused| {
        format!(
            "{}:{}: nothing is found that this suppression of {} suppresses",
            unused.path, unused.line, unused.rule
        )
    });
    unread.chain(unused).collect()
}

fn on_the_wire(finding: Finding) -> ReviewFinding {
    ReviewFinding {
        rule: finding.rule,
        kind: kind(finding.kind),
        class: finding.class,
        cwe: finding.cwe,
        severity: severity(finding.severity),
        range: range(&finding.place),
        file: finding.place.path,
        what: finding.what,
        why: finding.why,
        remedy: finding.remedy,
        trace: finding
            .trace
            .into_iter()
            .map(|step| TraceStep {
                range: range(&step.place),
                file: step.place.path,
                note: step.note,
            })
            .collect(),
        excerpt: finding.excerpt,
        fingerprint: finding.fingerprint,
        reviewer: None,
    }
}

fn range(place: &Place) -> TextRange {
    let end = (place.end_line.into(), place.end_column.into());
    TextRange::between((place.start_line.into(), place.start_column.into()), end)
}

fn kind(kind: Kind) -> FindingKind {
    match kind {
        Kind::Security => FindingKind::Security,
        Kind::Quality => FindingKind::Quality,
        Kind::Tamper => FindingKind::Tamper,
    }
}

pub(super) fn severity(severity: Severity) -> FindingSeverity {
    match severity {
        Severity::Low => FindingSeverity::Low,
        Severity::Medium => FindingSeverity::Medium,
        Severity::High => FindingSeverity::High,
        Severity::Critical => FindingSeverity::Critical,
    }
}

#[derive(Default)]
struct Claims {
    accepted: Vec<ReviewFinding>,
    notes: Vec<String>,
}

async fn ask(reviewers: &[&dyn Reviewer], material: &Material) -> Claims {
    let mut claims = Claims::default();
    if reviewers.is_empty() {
        return claims;
    }
    let files = readable(material);
    for reviewer in reviewers {
        match reviewer.review(&files).await {
            Ok(told) => {
                for claim in told {
                    claims.take(reviewer.name(), claim, &files);
                }
            }
            Err(error) => claims
                .notes
                .push(format!("{} did not review: {error}", reviewer.name())),
        }
    }
    claims
}

fn readable(material: &Material) -> Vec<ReviewedFile> {
    let present = material.files.iter().filter_map(|file| {
        Some(ReviewedFile {
            path: file.path.clone(),
            text: String::from_utf8(file.after.clone()?).ok()?,
            touched: match &file.touched {
                Touched::All => None,
                Touched::Lines(lines) => Some(lines.clone()),
            },
        })
    });
    present.collect()
}

impl Claims {
    fn take(&mut self, reviewer: &str, claim: Claim, files: &[ReviewedFile]) {
        if let Some(objection) = claim.objection(files) {
            self.notes.push(format!(
                "a claim of {reviewer} was not accepted, because {objection}: {}",
                claim.what
            ));
            return;
        }
        self.accepted.push(ReviewFinding {
            rule: format!("agent/{reviewer}"),
            kind: kind(claim.kind),
            class: "agent".to_owned(),
            cwe: None,
            severity: severity(claim.severity),
            fingerprint: format!("{}:{}", claim.path, claim.quote.trim()),
            range: TextRange::point(claim.line.into(), None),
            file: claim.path,
            what: claim.what,
            why: claim.why,
            remedy: claim.remedy,
            trace: Vec::new(),
            excerpt: claim.quote.trim().to_owned(),
            reviewer: Some(reviewer.to_owned()),
        });
    }
}
