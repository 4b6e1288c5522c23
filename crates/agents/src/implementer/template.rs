//! The repository's own form for the text of a pull request, filled in.

use std::path::Path;

use crate::issue_manager::request::without_comments;
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// Where GitHub looks for it.
const PATHS: &[&str] = &[
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
];
/// A form that is longer than this is not filled in by anyone.
const MAX_LEN: usize = 20_000;

/// What a part of the text is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Issue,
    Purpose,
    Changes,
    Tests,
}

/// A part of the text, with the heading that it has where there is no form.
pub(super) struct Part {
    pub(super) topic: Topic,
    pub(super) heading: Option<&'static str>,
    pub(super) text: String,
}

/// The form as it was before the work began: an agent cannot change it.
pub(super) async fn find(workspace: &Workspace) -> Result<Option<String>, StepError> {
    for path in PATHS {
        let begun = workspace.begun.as_str();
        let Some(bytes) = workspace.git.file_at(begun, Path::new(path)).await? else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        if !text.trim().is_empty() && text.len() <= MAX_LEN {
            return Ok(Some(text.into_owned()));
        }
    }
    Ok(None)
}

/// The parts in their own order, under their own headings.
pub(super) fn without_form(parts: &[Part]) -> String {
    let blocks: Vec<String> = parts.iter().map(Part::with_heading).collect();
    blocks.join("\n\n")
}

/// The parts in the sections of the form that ask for them. The rest of the form stays, with its
/// boxes unticked; what it does not ask for stands above it.
pub(super) fn fill(form: &str, parts: &[Part]) -> String {
    let form = without_comments(form);
    let mut filled = Vec::new();
    let mut used = Vec::new();
    for section in sections(&form) {
        let topic = section.heading.and_then(topic_of);
        let asked = parts
            .iter()
            .find(|part| Some(part.topic) == topic && !used.contains(&part.topic));
        match (asked, section.heading) {
            (Some(part), Some(heading)) => {
                used.push(part.topic);
                let boxes: String = section
                    .lines
                    .iter()
                    .filter(|line| is_box(line))
                    .copied()
                    .collect();
                filled.push(format!(
                    "{}\n\n{}\n\n{boxes}",
                    heading.trim_end(),
                    part.text.trim_end()
                ));
            }
            (_, heading) => {
                let lines = heading.into_iter().chain(section.lines);
                filled.push(lines.map(disarmed).collect());
            }
        }
    }
    let above = parts.iter().filter(|part| !used.contains(&part.topic));
    let blocks: Vec<String> = above.map(Part::with_heading).chain(filled).collect();
    let blocks = blocks
        .iter()
        .map(|block| block.trim())
        .filter(|block| !block.is_empty());
    blocks.collect::<Vec<_>>().join("\n\n")
}

impl Part {
    fn with_heading(&self) -> String {
        let text = self.text.trim_end();
        match self.heading {
            Some(heading) => format!("## {heading}\n\n{text}"),
            None => text.to_owned(),
        }
    }
}

/// A heading, and the lines up to the next one. What stands above all headings has none.
struct Section<'a> {
    heading: Option<&'a str>,
    lines: Vec<&'a str>,
}

fn sections(form: &str) -> Vec<Section<'_>> {
    let mut sections = vec![Section {
        heading: None,
        lines: Vec::new(),
    }];
    let mut in_code = false;
    for line in form.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        let text = line.trim_start_matches('#');
        let is_heading = !in_code && text.len() < line.len() && text.starts_with(' ');
        if is_heading {
            sections.push(Section {
                heading: Some(line),
                lines: Vec::new(),
            });
        } else if let Some(last) = sections.last_mut() {
            last.lines.push(line);
        }
    }
    sections
}

/// What a heading asks for. One about kinds of changes has boxes to tick, which is not ours to do.
fn topic_of(heading: &str) -> Option<Topic> {
    const WORDS: &[(Topic, &[&str])] = &[
        (
            Topic::Tests,
            &[
                "test",
                "tests",
                "testing",
                "tested",
                "verification",
                "verified",
            ],
        ),
        (
            Topic::Issue,
            &["issue", "issues", "ticket", "tickets", "closes", "fixes"],
        ),
        (
            Topic::Purpose,
            &[
                "purpose",
                "why",
                "motivation",
                "context",
                "summary",
                "description",
                "overview",
                "background",
                "problem",
            ],
        ),
        (
            Topic::Changes,
            &["change", "changes", "changed", "what", "how", "solution"],
        ),
    ];
    const NOT_OURS: &[&str] = &["type", "types", "checklist", "breaking", "screenshots"];
    let heading = heading.to_lowercase();
    let words: Vec<&str> = heading
        .split(|letter: char| !letter.is_alphanumeric())
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if has(NOT_OURS) {
        return None;
    }
    WORDS
        .iter()
        .find(|(_, wanted)| has(wanted))
        .map(|(topic, _)| *topic)
}

fn is_box(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- [") || line.starts_with("* [")
}

/// An example such as `Fixes #123` must not close an issue.
fn disarmed(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('#') {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        text.push('#');
        rest = &behind[1..];
        if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
            // A space without width: the forge then sees no number.
            text.push('\u{200B}');
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Vec<Part> {
        let part = |topic, heading, text: &str| Part {
            topic,
            heading,
            text: text.to_owned(),
        };
        vec![
            part(Topic::Issue, None, "Closes #12"),
            part(Topic::Purpose, Some("What it is for"), "- names are found"),
            part(Topic::Changes, Some("What changes"), "2 files"),
            part(Topic::Tests, Some("Tests"), "`pytest` passed"),
        ]
    }

    #[test]
    fn without_a_form_the_text_has_its_own_headings() {
        insta::assert_snapshot!(without_form(&parts()), @r"
        Closes #12

        ## What it is for

        - names are found

        ## What changes

        2 files

        ## Tests

        `pytest` passed
        ");
    }

    #[test]
    fn a_form_is_filled_in_where_it_asks_and_no_box_is_ticked() {
        let form = "<!-- Thank you! -->\n## Summary\n\nSay what it does.\n\n## Type of change\n\n- [ ] Bug fix\n- [ ] Feature\n\n\
                    ## How has this been tested?\n\nDescribe it.\n- [ ] unit tests\n\n## Notes\n\nExample: Fixes #123\n";
        insta::assert_snapshot!(fill(form, &parts()).replace('\u{200B}', "~"), @r"
        Closes #12

        ## What changes

        2 files

        ## Summary

        - names are found

        ## Type of change

        - [ ] Bug fix
        - [ ] Feature

        ## How has this been tested?

        `pytest` passed

        - [ ] unit tests

        ## Notes

        Example: Fixes #~123
        ");
    }

    #[test]
    fn a_form_without_headings_stands_below() {
        let filled = fill(
            "Please sign the agreement.\n```\n# not a heading\n```\n",
            &parts()[..1],
        );
        assert_eq!(
            filled,
            "Closes #12\n\nPlease sign the agreement.\n```\n# not a heading\n```"
        );
    }
}
