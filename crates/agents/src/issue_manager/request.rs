//! A request in someone's words, and the issue that is made of it.

use super::words::specific;

/// A request with fewer words of its own cannot be acted on.
pub(super) const MIN_WORDS: usize = 2;
/// What GitHub takes is 65,536 characters; the rest of the issue needs some.
const MAX_REQUEST: usize = 50_000;
const MAX_TITLE: usize = 80;
const MAX_REQUIREMENTS: usize = 20;
const MAX_REQUIREMENT: usize = 300;

/// What is asked for, with what was added when it was too vague.
pub(super) struct Request {
    pub(super) text: String,
    pub(super) clarifications: Vec<String>,
}

impl Request {
    /// Everything that was said.
    pub(super) fn all(&self) -> String {
        let mut all = self.text.clone();
        for more in &self.clarifications {
            all.push_str("\n\n");
            all.push_str(more);
        }
        all
    }

    /// A line that says it in short.
    pub(super) fn title(&self) -> String {
        let said = [&self.text].into_iter().chain(&self.clarifications);
        let said = said.flat_map(|text| text.lines()).map(plain);
        let lines: Vec<String> = said.filter(|line| !line.is_empty()).collect();
        // What had to be clarified is no title, where the clarification is one.
        let clear = lines.iter().find(|line| specific(line) >= MIN_WORDS);
        let line = clear.or(lines.first());
        let line = line.map_or("Request without words", String::as_str);
        let title = first_sentence(line);
        let title = shortened(
            title.trim_end_matches(['.', '!', ':', ';', ',', ' ']),
            MAX_TITLE,
        );
        let mut characters = title.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).collect()
    }

    /// The text of an issue, in sections.
    pub(super) fn body(&self, requirements: &[String], related: &[u32]) -> String {
        let end = self.text.floor_char_boundary(MAX_REQUEST);
        let quoted = |text: &str| {
            let lines = text.lines().map(|line| format!("> {line}"));
            let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
            lines.join("\n")
        };
        let listed: Vec<String> = requirements
            .iter()
            .map(|one| format!("- [ ] {one}"))
            .collect();
        let mut body = format!(
            "## Summary\n\n{}\n\n## Requirements\n\n{}\n\n## Request\n\n{}\n",
            self.title(),
            listed.join("\n"),
            quoted(self.text[..end].trim()),
        );
        for more in &self.clarifications {
            section(&mut body, "Clarification", &quoted(more.trim()));
        }
        if !related.is_empty() {
            let related: Vec<String> = related.iter().map(|number| format!("#{number}")).collect();
            section(&mut body, "Related", &related.join(", "));
        }
        body
    }
}

fn section(body: &mut String, title: &str, text: &str) {
    for part in ["\n## ", title, "\n\n", text, "\n"] {
        body.push_str(part);
    }
}

/// What is asked for, point by point: the points of a list where there is one,
/// else the sentences.
pub(crate) fn requirements(title: &str, text: &str) -> Vec<String> {
    let text = without_code(&without_comments(text));
    let mut found: Vec<String> = text.lines().filter_map(list_item).collect();
    if found.is_empty() {
        // A heading or an empty line ends a sentence as well.
        let ends = |line: &str| line.is_empty() || line.starts_with(['#', '>', '|']);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for paragraph in lines.split(|line| ends(line)) {
            found.extend(sentences(&paragraph.join(" ")).map(plain));
        }
    }
    found.retain(|point| point.chars().filter(|c| c.is_alphanumeric()).count() >= 3);
    found.dedup();
    found.truncate(MAX_REQUIREMENTS);
    for point in &mut found {
        *point = shortened(point, MAX_REQUIREMENT);
    }
    if found.is_empty() {
        found.push(plain(title));
    }
    found
}

fn list_item(line: &str) -> Option<String> {
    let line = line.trim_start();
    let bullet = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(". ").or(rest.strip_prefix(") ")))?
    };
    let item = bullet.or_else(numbered)?.trim_start();
    let item = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|check| item.strip_prefix(check))
        .unwrap_or(item);
    Some(plain(item))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', ';'])
        .flat_map(|piece| piece.split("。"))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

/// A full stop within a name or number, such as `main.rs`, ends nothing.
fn first_sentence(line: &str) -> &str {
    let ends = line
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '!' | '?'));
    let mut ends = ends.filter(|(at, _)| {
        let rest = &line[at + 1..];
        rest.is_empty() || rest.starts_with(char::is_whitespace)
    });
    ends.next().map_or(line, |(at, _)| &line[..at])
}

/// Without control characters, markup at its ends and more than one space.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_matches(['#', '*', '_', ' ', '>']).to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(most - 1)
        .map_or(text.len(), |(at, _)| at);
    let end = text[..end]
        .rfind(' ')
        .filter(|&at| at > end / 2)
        .unwrap_or(end);
    format!("{}…", text[..end].trim_end())
}

/// What people see of a text.
pub(crate) fn without_comments(text: &str) -> String {
    let mut seen = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        seen.push_str(&rest[..start]);
        let Some(length) = rest[start..].find("-->") else {
            return seen;
        };
        rest = &rest[start + length + 3..];
    }
    seen.push_str(rest);
    seen
}

fn without_code(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !inside && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Request {
        Request {
            text: text.to_owned(),
            clarifications: Vec::new(),
        }
    }

    #[test]
    fn a_title_is_the_first_sentence() {
        insta::assert_snapshot!(request("add rate limiting to src/login.rs. It is abused!").title(), @"Add rate limiting to src/login.rs");
        insta::assert_snapshot!(request("\n## Dark mode\n\nmore").title(), @"Dark mode");
        insta::assert_snapshot!(request(&"word ".repeat(40)).title(), @"Word word word word word word word word word word word word word word word…");
        insta::assert_snapshot!(request(" \u{7}").title(), @"Request without words");
    }

    #[test]
    fn requirements_are_points_or_sentences() {
        let list = "Login is weak.\n\n1. Five tries\n2) then a pause\n- [ ] told to the user\n";
        insta::assert_snapshot!(requirements("T", list).join("\n"), @"
        Five tries
        then a pause
        told to the user
        ");
        let prose = "Users log in with a password. Tokens expire; after 1 hour.\n```\n- code\n```";
        insta::assert_snapshot!(requirements("T", prose).join("\n"), @"
        Users log in with a password.
        Tokens expire;
        after 1 hour.
        ");
        assert_eq!(
            requirements("The title", "<!-- only this -->"),
            ["The title"]
        );
    }

    #[test]
    fn the_body_has_all_there_is() {
        let request = Request {
            text: "Add dark mode.\nIt hurts.".to_owned(),
            clarifications: vec!["Only for the settings page".to_owned()],
        };
        let requirements = requirements("Add dark mode", &request.all());
        insta::assert_snapshot!(request.body(&requirements, &[3, 9]), @"
        ## Summary

        Add dark mode

        ## Requirements

        - [ ] Add dark mode.
        - [ ] It hurts.
        - [ ] Only for the settings page

        ## Request

        > Add dark mode.
        > It hurts.

        ## Clarification

        > Only for the settings page

        ## Related

        #3, #9
        ");
    }
}
