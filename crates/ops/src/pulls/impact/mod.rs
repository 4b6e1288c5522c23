//! What a pull request touches, how risky that is, and who knows the code.

mod packages;
mod people;
mod reviewers;
mod risk;
mod similar;

use std::collections::BTreeMap;
use std::path::Path;

use baton_protocol::tools::UnreadablePart;
use baton_protocol::tools::analyze_pr_impact::{
    AnalyzePrImpactInput, AnalyzePrImpactOutput, ChangeCounts, DependentPackage, ImpactArea,
    ImpactDepth, ImpactedPackage,
};
use baton_remote::github::Fact;
use baton_remote::github::questions::recently_closed_pulls::ClosedPulls;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::areas;
use super::breaking;
use super::change::{self, Change, File};
use super::context::PullContext;
use super::unreadable;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use packages::{Graph, Package};

pub struct AnalyzePrImpact;

impl Operation for AnalyzePrImpact {
    const META: Meta = Meta {
        name: "analyze_pr_impact",
        title: "Analyze the impact of a pull request",
        about: "What does it touch, how risky is that, and who knows the code?",
        description: "Sorts the changed files into areas with an explained risk, follows the package graph (cargo, npm, \
            go, python, maven, gradle, bundler) to what depends on them, suggests reviewers with proof (code owners, \
            blame of the touched lines, earlier changes and reviews, load) and finds similar earlier pull requests \
            with their outcome. Call it before asking for a review or deciding how much testing a change needs.",
        input: "analyze_pr_impact.input",
        output: "analyze_pr_impact.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = AnalyzePrImpactInput;
    type Output = AnalyzePrImpactOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(analyze(&cx, &input)).await
    }
}

/// Of closed pull requests, fifty each.
const PAGES: usize = 2;
/// A repository with more packages is not followed to its end.
const MAX_MANIFESTS: usize = 300;
/// Processes of git at a time.
const AT_ONCE: usize = 8;

/// How much is told.
struct Limits {
    files: usize,
    dependents: usize,
    packages: usize,
    reviewers: usize,
}

const SUMMARY: Limits = Limits {
    files: 20,
    dependents: 10,
    packages: 20,
    reviewers: 3,
};
const DETAILED: Limits = Limits {
    files: 200,
    dependents: 50,
    packages: 100,
    reviewers: 8,
};

async fn analyze(
    cx: &PullContext,
    input: &AnalyzePrImpactInput,
) -> Result<AnalyzePrImpactOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let repository = reference.repository();
    let limits = match input.depth {
        ImpactDepth::Detailed => DETAILED,
        ImpactDepth::Summary => SUMMARY,
    };
    let (change, closed) = tokio::join!(
        change::fetch(cx, &reference),
        cx.recently_closed_pulls(repository, PAGES),
    );
    let change = change?;
    let closed = match closed? {
        Fact::Known(closed) => closed,
        Fact::Unreadable(cause) => ClosedPulls {
            unreadable: vec![cause],
            ..ClosedPulls::default()
        },
    };
    cx.tell("reading who wrote the touched lines");
    let (people, packages) = tokio::join!(
        people::fetch(cx, repository, &change, &closed),
        packages_at(&change),
    );
    let (people, (graph, is_cut)) = (people?, packages?);
    let broken = breaking::in_files(&change.files);
    let impacted = impacted(&graph, &change.files, &limits);
    let dependents = |part: &risk::Part<'_>| dependents_of(&graph, &part.files);
    let judged: Vec<(risk::Part<'_>, risk::Judged)> = risk::parts(&change.files)
        .into_iter()
        .map(|part| {
            let judged = risk::judge_part(&part, &broken, &dependents(&part));
            (part, judged)
        })
        .collect();
    let areas = judged
        .iter()
        .map(|(part, judged)| area(part, judged, &limits))
        .collect();
    let overall: Vec<_> = judged
        .into_iter()
        .map(|(part, judged)| (part.area, judged))
        .collect();
    let paths: Vec<&str> = change.files.iter().map(|file| file.path.as_str()).collect();
    let pull = &change.overview.pull;
    let teams = reviewers::teams(&people);
    let unread = change.overview.unreadable.iter();
    let unread = unread.chain(&closed.unreadable).chain(&people.unreadable);
    let unreadable = unreadable::parts(unread);
    Ok(AnalyzePrImpactOutput {
        pr: reference.to_string(),
        changes: ChangeCounts {
            files_changed: pull.changed_files,
            additions: pull.additions,
            deletions: pull.deletions,
            commits: change.overview.commits,
        },
        impact_areas: areas,
        suggested_reviewers: Some(reviewers::suggest(&people, limits.reviewers)),
        similar_prs: Some(similar::to(pull.number, &pull.title, &paths, &closed.pulls)),
        risk: Some(risk::judge_all(&overall)),
        packages: (!graph.is_empty()).then_some(impacted),
        owning_teams: (!teams.is_empty()).then_some(teams),
        message: message(is_cut, &unreadable),
        unreadable,
    })
}

fn message(is_cut: bool, unreadable: &[UnreadablePart]) -> Option<String> {
    let cut = || {
        format!(
            "The repository has more than {MAX_MANIFESTS} packages; the first of them were followed."
        )
    };
    let parts = is_cut.then(cut).into_iter();
    let parts: Vec<String> = parts.chain(unreadable::in_words(unreadable)).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn area(part: &risk::Part<'_>, judged: &risk::Judged, limits: &Limits) -> ImpactArea {
    let files: Vec<String> = part
        .files
        .iter()
        .take(limits.files)
        .map(|file| file.path.clone())
        .collect();
    let more = part.files.len() - files.len();
    ImpactArea {
        category: part.area,
        files,
        risk_level: judged.level,
        reasons: judged.reasons.clone(),
        more_files: (more > 0).then_some(more as u64),
    }
}

/// The packages as the head has them, and whether there are more.
async fn packages_at(change: &Change) -> Result<(Graph, bool), OpError> {
    let git = &change.objects.git;
    let files = git.files_at(&change.head).await?;
    let mut manifests: Vec<String> = files
        .iter()
        .filter_map(|path| path.to_str())
        .filter(|path| packages::manifest(path).is_some())
        .map(str::to_owned)
        .collect();
    manifests.sort();
    let is_cut = manifests.len() > MAX_MANIFESTS;
    manifests.truncate(MAX_MANIFESTS);
    let read = |path: String| async move {
        let content = git.file_at(&change.head, Path::new(&path)).await?;
        let text = String::from_utf8_lossy(&content.unwrap_or_default()).into_owned();
        Ok::<Option<Package>, OpError>(packages::read(&path, &text))
    };
    let found: Vec<Option<Package>> = stream::iter(manifests.into_iter().map(read))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    Ok((Graph::new(found.into_iter().flatten().collect()), is_cut))
}

/// More than tests and documents.
fn is_source(file: &File) -> bool {
    use baton_protocol::tools::analyze_pr_impact::ImpactCategory as Area;
    !matches!(areas::classify(file), Area::Docs | Area::Tests)
}

fn impacted(graph: &Graph, files: &[File], limits: &Limits) -> Vec<ImpactedPackage> {
    let mut sources: BTreeMap<usize, u64> = BTreeMap::new();
    for file in files {
        for place in graph.owning(&file.path) {
            *sources.entry(place).or_default() += u64::from(is_source(file));
        }
    }
    let mut found: Vec<ImpactedPackage> = sources
        .into_iter()
        .map(|(place, source_files)| {
            let package = graph.package(place);
            // Tests and documents are nothing to those who depend on it.
            let dependents = match source_files {
                0 => Vec::new(),
                _ => graph.dependents(place),
            };
            let more = dependents.len().saturating_sub(limits.dependents);
            ImpactedPackage {
                name: package.name.clone(),
                ecosystem: package.ecosystem.name().to_owned(),
                manifest: package.manifest.clone(),
                source_files,
                dependents: dependents
                    .into_iter()
                    .take(limits.dependents)
                    .map(|(dependent, distance)| DependentPackage {
                        name: dependent.name.clone(),
                        distance,
                    })
                    .collect(),
                more_dependents: (more > 0).then_some(more as u64),
            }
        })
        .collect();
    found.truncate(limits.packages);
    found
}

/// Names of packages that need one of those that the files belong to.
fn dependents_of(graph: &Graph, files: &[&File]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for file in files {
        for place in graph.owning(&file.path) {
            for (dependent, _) in graph.dependents(place) {
                if !found.contains(&dependent.name) {
                    found.push(dependent.name.clone());
                }
            }
        }
    }
    found
}
