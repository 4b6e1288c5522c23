//! The two reviews: what the change brought, and what it did to the tests.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_host::cmd::Environment;
use baton_host::git::{ChangeKind, FileDiff, Hunk};
use baton_protocol::diagnostic::TextRange;
use baton_protocol::phase::validation_details::ReviewDetails;
use baton_protocol::review::{
    AcceptedFinding, FindingKind, FindingSeverity, ReviewFinding, ReviewReport, TraceStep,
};
use baton_review::{
    Baseline, ChangedFile, Finding, Kind, Options, Place, Review, Severity, Touched, Unread,
};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::Scope;
use super::base::Base;
use super::changed_files::{self, ChangedFiles};
use super::logs::{self, ScannerLog};
use super::reviewer::{ReviewedFile, Reviewer};
use super::scanners::{self, Scanned, Scanning};

/// A repository of a hundred thousand files takes less.
const MAX_DURATION: Duration = Duration::from_mins(10);

/// What both reviews found.
#[derive(Default)]
pub(super) struct Reviewed {
    pub(super) findings: Vec<Finding>,
    /// What could not be reviewed, and claims that did not hold.
    pub(super) notes: Vec<String>,
    pub(super) elapsed: Duration,
}

impl Reviewed {
    /// Nothing is known of the files.
    fn cancelled() -> Self {
        Self {
            notes: vec!["the review was cancelled before it had seen all files".to_owned()],
            ..Self::default()
        }
    }

    pub(super) fn security(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.kind == Kind::Security)
    }

    pub(super) fn code(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.kind != Kind::Security)
    }

    /// Takes out what a person has accepted, and says how much that is.
    pub(super) fn leave_out_known(&mut self, baseline: &Baseline) {
        match baseline.retain_new(&mut self.findings) {
            0 => {}
            1 => self.notes.push("the baseline knows 1 finding".to_owned()),
            known => self
                .notes
                .push(format!("the baseline knows {known} findings")),
        }
    }

    /// Takes out what people have accepted, and says what that is.
    pub(super) fn leave_out_accepted(&mut self, accepted: &AcceptedFindings) {
        for (finding, by) in accepted.take_accepted(&mut self.findings) {
            let id = finding.id();
            self.notes
                .push(format!("{id} is accepted by {by} ({finding})"));
        }
        self.notes.extend(accepted.notes(&self.findings));
    }

    /// For `--details`.
    pub(super) fn details(&self) -> [ReviewDetails; 2] {
        let details = |findings: Vec<ReviewFinding>| ReviewDetails {
            findings,
            notes: self.notes.clone(),
        };
        [
            details(self.code().map(on_the_wire).collect()),
            details(self.security().map(on_the_wire).collect()),
        ]
    }
}

/// What a review looks at: content, before and after, and what was touched.
#[derive(Default)]
struct Material {
    files: Vec<MaterialFile>,
    /// Files that were there and could not be read.
    unreadable: Vec<String>,
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
    (scanning, logs): (Scanning<'_>, &[ScannerLog]),
) -> Reviewed {
    let started = Instant::now();
    let material = gather(folder, change, base, scanning.cancel).await;
    let claims = ask(reviewers, &material).await;
    let mut scanned = scanners::run(scanning, folder, &material.names()).await;
    logs::add(logs, &material.names(), &mut scanned);
    let options = Options {
        // Everything is told in the details; the threshold comes later.
        threshold: Severity::Low,
        everywhere: scope == Scope::Everything,
        is_change: base.is_some(),
        threads: threads(material.files.len()),
        ..Options::default()
    };
    let mut reviewed = judged(material, scanned, options, scanning.cancel).await;
    reviewed.findings.extend(claims.findings);
    reviewed.notes.extend(claims.notes);
    reviewed.elapsed = started.elapsed();
    reviewed
}

/// What `baton review` shows.
pub struct FilesReview {
    pub findings: Vec<Finding>,
    /// What was not reviewed, and why.
    pub notes: Vec<String>,
    /// How many were.
    pub files: usize,
    /// How many more findings a baseline knows.
    pub known: usize,
    /// Findings that a person has accepted.
    pub accepted: Vec<(Finding, AcceptedBy)>,
}

/// By whom a finding was accepted for the repository, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedBy {
    pub reason: String,
    pub author: String,
    /// Absent: it holds until it is removed.
    pub expires: Option<Timestamp>,
}

/// What people have accepted for a repository, by the fingerprints of findings.
#[derive(Clone, Debug, Default)]
pub struct AcceptedFindings {
    pub valid: BTreeMap<String, AcceptedBy>,
    /// These do not count any more.
    pub expired: BTreeMap<String, AcceptedBy>,
}

impl AcceptedFindings {
    /// Takes out what is accepted.
    fn take_accepted(&self, findings: &mut Vec<Finding>) -> Vec<(Finding, AcceptedBy)> {
        let mut accepted = Vec::new();
        for finding in std::mem::take(findings) {
            match self.valid.get(&finding.fingerprint) {
                Some(by) => accepted.push((finding, by.clone())),
                None => findings.push(finding),
            }
        }
        accepted
    }

    /// Says which of these findings were accepted once.
    fn notes(&self, findings: &[Finding]) -> Vec<String> {
        let notes = findings.iter().filter_map(|finding| {
            let by = self.expired.get(&finding.fingerprint)?;
            Some(format!(
                "{} had accepted {}, which expired on {}",
                by.author,
                finding.id(),
                by.expires.map(day).unwrap_or_default()
            ))
        });
        notes.collect()
    }
}

impl fmt::Display for AcceptedBy {
    /// `Ann until 2031-05-06: reason`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.author)?;
        if let Some(expires) = self.expires {
            write!(f, " until {}", day(expires))?;
        }
        write!(f, ": {}", self.reason)
    }
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

impl FilesReview {
    /// Leaves what is new.
    #[must_use]
    pub fn without(mut self, baseline: &Baseline) -> Self {
        self.known += baseline.retain_new(&mut self.findings);
        self
    }

    /// Sets apart what people have accepted.
    #[must_use]
    pub fn setting_apart(mut self, accepted: &AcceptedFindings) -> Self {
        self.accepted = accepted.take_accepted(&mut self.findings);
        self.notes.extend(accepted.notes(&self.findings));
        self
    }

    pub fn report(&self) -> ReviewReport {
        ReviewReport {
            version: 1,
            findings: self.findings.iter().map(on_the_wire).collect(),
            files: self.files as u64,
            known: self.known as u64,
            accepted: self
                .accepted
                .iter()
                .map(|(finding, by)| AcceptedFinding {
                    finding: on_the_wire(finding),
                    reason: by.reason.clone(),
                    author: by.author.clone(),
                    expires: by.expires.map(|at| at.to_string()),
                })
                .collect(),
            notes: self.notes.clone(),
        }
    }
}

/// Who looks at files besides the engine.
#[derive(Clone, Copy, Default)]
pub struct Others<'a> {
    pub scanning: Option<Scanning<'a>>,
    /// What other programs have found before.
    pub logs: &'a [ScannerLog],
    /// What they say counts only where the lines they quote stand.
    pub reviewers: &'a [&'a dyn Reviewer],
}

/// Where a change began.
#[derive(Clone, Copy)]
pub struct Since<'a> {
    /// Absent: where the branch left the trunk.
    pub commit: Option<&'a str>,
    /// For git.
    pub environment: &'a Environment,
}

/// Reviews whole files, or what they are different in. Answers at once when it is
/// cancelled, without what was found so far; the notes say so.
pub async fn review_files(
    folder: &Path,
    names: &[String],
    since: Option<Since<'_>>,
    options: Options,
    others: Others<'_>,
    cancel: &CancellationToken,
) -> FilesReview {
    let change = ChangedFiles::sort_out(folder, names);
    let options = Options {
        is_change: since.is_some(),
        ..options
    };
    let base = match since {
        Some(since) => Base::find(folder, since.environment, cancel, since.commit).await,
        None => None,
    };
    let material = gather(folder, &change, base.as_ref(), cancel).await;
    let files = material.files.len();
    let told = change.left_out.iter().map(|file| file.message.clone());
    let claims = ask(others.reviewers, &material).await;
    let mut scanned = match others.scanning {
        Some(scanning) => scanners::run(scanning, folder, &material.names()).await,
        None => Scanned::default(),
    };
    logs::add(others.logs, &material.names(), &mut scanned);
    let mut reviewed = judged(material, scanned, options, cancel).await;
    reviewed.findings.extend(claims.findings);
    reviewed.notes.extend(claims.notes);
    FilesReview {
        notes: told.chain(reviewed.notes).collect(),
        findings: reviewed.findings,
        files,
        known: 0,
        accepted: Vec::new(),
    }
}

/// One is enough for a handful of files.
fn threads(files: usize) -> usize {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    (files / 8).clamp(1, most)
}

/// Reads the files, and what they were before. When it is cancelled, only those that
/// were read by then.
async fn gather(
    folder: &Path,
    change: &ChangedFiles,
    base: Option<&Base>,
    cancel: &CancellationToken,
) -> Material {
    let differences = match base {
        Some(base) => base.differences().await.unwrap_or_default(),
        None => Vec::new(),
    };
    let mut material = Material::default();
    let reviewable = change.present.iter().filter(|file| file.is_reviewable);
    let paths = reviewable.map(|file| &file.path).chain(&change.deleted);
    for path in paths {
        // Reading blocks, and signals arrive on the same thread.
        tokio::task::yield_now().await;
        if cancel.is_cancelled() {
            break;
        }
        let difference = differences.iter().find(|(name, _)| name == path);
        let before = match (base, difference) {
            (Some(base), Some((_, file))) => base.content(file).await,
            _ => None,
        };
        let after = match changed_files::read(&folder.join(path)) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let note = format!("{path} could not be read and was not reviewed: {error}");
                material.unreadable.push(note);
                continue;
            }
        };
        material.files.push(MaterialFile {
            path: path.clone(),
            before,
            after,
            touched: difference.map_or(Touched::All, |(_, file)| touched(file)),
        });
    }
    material
}

fn touched(file: &FileDiff) -> Touched {
    if file.kind == ChangeKind::Added {
        return Touched::All;
    }
    Touched::Lines(file.hunks.iter().filter_map(Hunk::new_range).collect())
}

/// Ends at once when it is cancelled, and soon when it takes too long; what was not
/// reviewed is in the notes.
async fn judged(
    material: Material,
    scanned: Scanned,
    options: Options,
    cancel: &CancellationToken,
) -> Reviewed {
    if cancel.is_cancelled() {
        return Reviewed::cancelled();
    }
    let stop = options.stop.clone();
    let unreadable = material.unreadable.clone();
    let mut judging = tokio::task::spawn_blocking(move || {
        let files = material.as_changed_files();
        let review = baton_review::review_with(&files, &scanned.findings, &options);
        (review, scanned.notes)
    });
    let judged = tokio::select! {
        judged = &mut judging => judged,
        () = cancel.cancelled() => {
            // No one reads the answer. The threads end by themselves, and their
            // trees take a while to be freed.
            stop.set();
            return Reviewed::cancelled();
        }
        () = tokio::time::sleep(MAX_DURATION) => {
            stop.set();
            judging.await
        }
    };
    match judged {
        Ok((review, told)) => Reviewed {
            notes: notes(&review)
                .into_iter()
                .chain(unreadable)
                .chain(told)
                .collect(),
            findings: review.findings,
            elapsed: Duration::ZERO,
        },
        Err(stopped) => Reviewed {
            notes: vec![format!("the review stopped: {stopped}")],
            ..Reviewed::default()
        },
    }
}

impl Material {
    /// The files that are there.
    fn names(&self) -> Vec<String> {
        let present = self.files.iter().filter(|file| file.after.is_some());
        present.map(|file| file.path.clone()).collect()
    }

    fn as_changed_files(&self) -> Vec<ChangedFile<'_>> {
        let files = self.files.iter().map(|file| ChangedFile {
            path: &file.path,
            before: file.before.as_deref(),
            after: file.after.as_deref(),
            touched: file.touched.clone(),
        });
        files.collect()
    }
}

fn notes(review: &Review) -> Vec<String> {
    let unread = review
        .notes
        .iter()
        // A file in a language that is not read is nothing to speak of.
        .filter(|note| note.reason != Unread::UnknownLanguage)
        .map(|note| match note.reason {
            Unread::SyntaxError { .. } => format!(
                "{} {}; what is around it was reviewed as far as it could be read",
                note.path, note.reason
            ),
            Unread::TooInvolved | Unread::Stopped => format!("{} {}", note.path, note.reason),
            reason => format!("{} {reason} and was only searched for secrets", note.path),
        });
    let unused = review.unused_suppressions.iter().map(|unused| {
        format!(
            "{}:{}: nothing is found that this suppression of {} suppresses",
            unused.path, unused.line, unused.rule
        )
    });
    unread.chain(unused).collect()
}

pub(super) fn on_the_wire(finding: &Finding) -> ReviewFinding {
    let id = finding.id();
    let finding = finding.clone();
    ReviewFinding {
        id,
        rule: finding.rule,
        kind: match finding.kind {
            Kind::Security => FindingKind::Security,
            Kind::Quality => FindingKind::Quality,
            Kind::Tamper => FindingKind::Tamper,
        },
        class: finding.class,
        cwe: finding.cwe,
        severity: match finding.severity {
            Severity::Low => FindingSeverity::Low,
            Severity::Medium => FindingSeverity::Medium,
            Severity::High => FindingSeverity::High,
            Severity::Critical => FindingSeverity::Critical,
        },
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
    }
}

fn range(place: &Place) -> TextRange {
    let end = (place.end_line.into(), place.end_column.into());
    TextRange::between((place.start_line.into(), place.start_column.into()), end)
}

async fn ask(reviewers: &[&dyn Reviewer], material: &Material) -> Reviewed {
    let mut asked = Reviewed::default();
    if reviewers.is_empty() {
        return asked;
    }
    let files = readable(material);
    for reviewer in reviewers {
        let name = reviewer.name();
        let claims = match reviewer.review(&files).await {
            Ok(claims) => claims,
            Err(error) => {
                asked.notes.push(format!("{name} did not review: {error}"));
                continue;
            }
        };
        let judged = baton_review::accept_quoted(claims, &material.as_changed_files(), name);
        asked.findings.extend(judged.accepted);
        for (claim, why) in judged.rejected {
            asked.notes.push(format!(
                "{name} claims at {}:{} what is not believed, because {why}",
                claim.path, claim.line
            ));
        }
    }
    asked
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names: Vec<String> = (0..100).map(|number| format!("{number}.py")).collect();
        for name in &names {
            std::fs::write(folder.join(name), "eval(input())\n").unwrap();
        }
        names
    }

    #[tokio::test]
    async fn reading_files_leaves_room_for_a_cancellation() {
        let folder = tempfile::tempdir().unwrap();
        let change = ChangedFiles::sort_out(folder.path(), &names(folder.path()));
        let cancel = CancellationToken::new();
        // As a signal does: it comes while the one thread reads files.
        let signal = cancel.clone();
        tokio::spawn(async move { signal.cancel() });
        let material = gather(folder.path(), &change, None, &cancel).await;
        assert!(material.files.len() <= 1, "{}", material.files.len());
        let all = gather(folder.path(), &change, None, &CancellationToken::new()).await;
        assert_eq!(all.files.len(), 100);
    }

    #[tokio::test]
    async fn a_cancelled_review_finds_nothing_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let names = names(folder.path());
        let review = async |cancel: &CancellationToken| {
            let (options, others) = (Options::default(), Others::default());
            review_files(folder.path(), &names, None, options, others, cancel).await
        };
        let cancel = CancellationToken::new();
        assert!(!review(&cancel).await.findings.is_empty());
        cancel.cancel();
        let cancelled = review(&cancel).await;
        assert!(cancelled.findings.is_empty());
        insta::assert_snapshot!(cancelled.notes.join("\n"), @"the review was cancelled before it had seen all files");
    }
}
