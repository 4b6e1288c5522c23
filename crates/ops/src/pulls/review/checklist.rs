//! Questions that follow from what the change contains.

use std::collections::BTreeMap;

use baton_protocol::tools::analyze_pr_impact::ImpactCategory as Area;
use baton_protocol::tools::get_review_suggestions::{
    BreakingChange, ChecklistItem, ChecklistSection,
};
use baton_review::Finding;

use super::super::areas;
use super::super::change::{File, file_name};
use super::super::signals::{self, Topic};
use super::Clues;
use super::focus::Focus;

const MAX_PLACES: usize = 5;
const MAX_RULES: usize = 8;

/// What was seen, and where.
struct Seen<'a> {
    files: &'a [File],
    places: BTreeMap<Topic, Vec<String>>,
}

pub(super) fn build(files: &[File], clues: &Clues, focus: &Focus) -> Vec<ChecklistSection> {
    let mut seen = Seen {
        files,
        places: BTreeMap::new(),
    };
    for file in files {
        for signal in signals::in_file(file) {
            let place = format!("{}:{}", file.path, signal.line);
            seen.places.entry(signal.topic).or_default().push(place);
        }
    }
    let mut sections = vec![
        section("findings", findings(&clues.findings)),
        section("correctness", correctness(&seen)),
    ];
    for (topic, question) in TOPICS {
        let places = seen.places.get(topic);
        if places.is_some() || focus.wants(*topic) {
            let guidance = match places {
                Some(places) => format!("Look at {}.", listed(places)),
                None => "No line of the change has one of the words that usually tell; read with it in mind.".to_owned(),
            };
            sections.push(section(topic.name(), vec![item(question, guidance)]));
        }
    }
    sections.push(section("compatibility", compatibility(&clues.broken)));
    sections.push(section("tests", tests(&seen)));
    sections.push(section("dependencies", dependencies(&seen)));
    let asked = focus.others.iter().map(|other| {
        item(
            &format!("Is it right as far as {other} is concerned?"),
            "Asked for by the caller; nothing in the change was looked up for it.".to_owned(),
        )
    });
    sections.push(section("asked for", asked.collect()));
    sections.retain(|section| !section.items.is_empty());
    sections
}

const TOPICS: &[(Topic, &str)] = &[
    (
        Topic::Security,
        "Can foreign input, or someone without rights, do harm here?",
    ),
    (
        Topic::Data,
        "Does it work while old and new programs run side by side, and can it be taken back?",
    ),
    (
        Topic::Concurrency,
        "What happens when two of these run at the same time, or one is cancelled halfway?",
    ),
    (
        Topic::ErrorHandling,
        "Does every failure reach someone who can act on it?",
    ),
    (
        Topic::Performance,
        "How does it behave with a thousand times the data?",
    ),
    (
        Topic::Deployment,
        "Does what is deployed or run in CI still come from where it should, with no more rights than it needs?",
    ),
    (Topic::Unfinished, "Is what is left to do meant to be left?"),
];

/// One question for each rule, the gravest first.
fn findings(found: &[Finding]) -> Vec<ChecklistItem> {
    let mut by_rule: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in found {
        let key = (std::cmp::Reverse(finding.severity), &finding.rule);
        by_rule.entry(key).or_default().push(finding);
    }
    by_rule
        .values()
        .take(MAX_RULES)
        .map(|findings| {
            let first = findings[0];
            let places: Vec<String> = findings
                .iter()
                .map(|finding| format!("{}:{}", finding.place.path, finding.place.start_line))
                .collect();
            item(
                &format!("{}: is it so, and does it matter here?", first.what),
                format!(
                    "{} at {}: {}. If so: {}",
                    first.severity,
                    listed(&places),
                    first.why.trim_end_matches('.'),
                    first.remedy
                ),
            )
        })
        .collect()
}

fn correctness(seen: &Seen<'_>) -> Vec<ChecklistItem> {
    let code: Vec<String> = paths_in_areas(seen, &[Area::Backend, Area::Frontend, Area::Database]);
    if code.is_empty() {
        return Vec::new();
    }
    vec![item(
        "Does the change do what its description says, and nothing else?",
        format!("{} of code: {}.", files(code.len()), listed(&code)),
    )]
}

fn compatibility(broken: &[BreakingChange]) -> Vec<ChecklistItem> {
    if broken.is_empty() {
        return Vec::new();
    }
    let what: Vec<String> = broken
        .iter()
        .map(|change| match &change.path {
            Some(path) => format!("{} ({path})", change.what),
            None => change.what.clone(),
        })
        .collect();
    vec![item(
        "Who uses what is gone or changed, and is it announced?",
        format!("{}.", listed(&what)),
    )]
}

fn tests(seen: &Seen<'_>) -> Vec<ChecklistItem> {
    let tests = paths_in_areas(seen, &[Area::Tests]);
    let code = paths_in_areas(seen, &[Area::Backend, Area::Frontend, Area::Database]);
    let mut items = Vec::new();
    if !code.is_empty() && tests.is_empty() {
        items.push(item(
            "Which test would fail without this change?",
            format!("No test changes, and {} of code do.", files(code.len())),
        ));
    } else if !tests.is_empty() && !code.is_empty() {
        items.push(item(
            "Would the tests fail without the change?",
            format!("{} of tests: {}.", files(tests.len()), listed(&tests)),
        ));
    }
    let gone: Vec<String> = seen
        .files
        .iter()
        .filter(|file| file.is_deleted() && areas::is_test(&file.path))
        .map(|file| file.path.clone())
        .collect();
    if !gone.is_empty() {
        items.push(item(
            "Is what the deleted tests held held elsewhere?",
            format!("{}.", listed(&gone)),
        ));
    }
    if let Some(places) = seen.places.get(&Topic::Testing) {
        items.push(item(
            "Why do these tests no longer run?",
            format!("Look at {}.", listed(places)),
        ));
    }
    items
}

fn dependencies(seen: &Seen<'_>) -> Vec<ChecklistItem> {
    const MANIFESTS: [&str; 9] = [
        "Cargo.toml",
        "package.json",
        "go.mod",
        "pyproject.toml",
        "requirements.txt",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "Gemfile",
    ];
    let changed: Vec<String> = seen
        .files
        .iter()
        .filter(|file| MANIFESTS.contains(&file_name(&file.path)))
        .map(|file| file.path.clone())
        .collect();
    if changed.is_empty() {
        return Vec::new();
    }
    vec![item(
        "Is each new or raised dependency needed, kept up and allowed?",
        format!("{}.", listed(&changed)),
    )]
}

fn paths_in_areas(seen: &Seen<'_>, wanted: &[Area]) -> Vec<String> {
    let files = seen.files.iter();
    files
        .filter(|file| wanted.contains(&areas::classify(file)))
        .map(|file| file.path.clone())
        .collect()
}

fn section(category: &str, items: Vec<ChecklistItem>) -> ChecklistSection {
    ChecklistSection {
        category: category.to_owned(),
        items,
    }
}

fn item(question: &str, guidance: String) -> ChecklistItem {
    ChecklistItem {
        question: question.to_owned(),
        guidance,
    }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_PLACES).map(String::as_str).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn files(count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} file{s}")
}

#[cfg(test)]
mod tests_of_the_list {
    use super::super::super::change::samples;
    use super::*;

    #[test]
    fn questions_follow_from_the_change() {
        let files = [
            samples::file("Cargo.toml", "@@ -0,0 +1,1 @@\n+serde = \"1\"\n"),
            samples::file("src/a.rs", "@@ -0,0 +1,1 @@\n+let a = b.unwrap();\n"),
        ];
        let focus = Focus::new(&["performance".to_owned(), "naming".to_owned()]);
        let shown = build(&files, &Clues::default(), &focus)
            .into_iter()
            .flat_map(|section| {
                let category = section.category;
                section
                    .items
                    .into_iter()
                    .map(move |item| format!("{category}: {} {}", item.question, item.guidance))
            });
        insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @"
        correctness: Does the change do what its description says, and nothing else? 1 file of code: src/a.rs.
        error handling: Does every failure reach someone who can act on it? Look at src/a.rs:1.
        performance: How does it behave with a thousand times the data? No line of the change has one of the words that usually tell; read with it in mind.
        tests: Which test would fail without this change? No test changes, and 1 file of code do.
        dependencies: Is each new or raised dependency needed, kept up and allowed? Cargo.toml.
        asked for: Is it right as far as naming is concerned? Asked for by the caller; nothing in the change was looked up for it.
        ");
        assert!(build(&[], &Clues::default(), &Focus::default()).is_empty());
    }
}
