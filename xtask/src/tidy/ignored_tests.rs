//! A test that does not run says why.

use super::Source;

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let rust = sources.iter().filter(|source| {
        std::path::Path::new(&source.path)
            .extension()
            .is_some_and(|extension| extension == "rs")
    });
    rust.flat_map(|source| {
        let lines = (1..).zip(source.text.lines());
        lines
            .filter(|(_, line)| is_ignored_without_reason(line))
            .map(|(number, _)| {
                format!(
                    "{}:{number}: an ignored test needs its reason: #[ignore = \"…\"]",
                    source.path
                )
            })
    })
    .collect()
}

fn is_ignored_without_reason(line: &str) -> bool {
    let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    ["#[ignore]", "#[ignore=\"\"]"]
        .iter()
        .any(|attribute| compact.starts_with(attribute))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn only_a_bare_ignore_is_found() {
        let sources = [
            source(
                "a.rs",
                "#[test]\n#[ignore]\nfn a() {}\n    #[ignore = \"\"]\n#[ignore = \"needs a display\"]\n",
            ),
            source("notes.md", "#[ignore]\n"),
        ];
        insta::assert_snapshot!(check(&sources).join("\n"), @r##"
        a.rs:2: an ignored test needs its reason: #[ignore = "…"]
        a.rs:4: an ignored test needs its reason: #[ignore = "…"]
        "##);
    }
}
