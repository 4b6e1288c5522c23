//! The language of a folder that no file speaks for, by the names of its sources.

use baton_protocol::Language;
use baton_protocol::detection::{Confidence, Decision};

use super::project_files::{ProjectFiles, inside};

/// Where the sources of a language lie in a folder without a manifest, and what they are called.
struct Row {
    language: Language,
    places: &'static [&'static str],
    is_meant: fn(&str) -> bool,
}

/// Languages whose tests run without a manifest.
const TABLE: [Row; 2] = [
    Row {
        language: Language::Python,
        places: &["", "tests", "test"],
        is_meant: |name| matches!(split(name), Some((_, "py"))),
    },
    Row {
        language: Language::Ruby,
        places: &["spec", "test"],
        is_meant: |name| {
            let is_test = |stem: &str| {
                stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_")
            };
            matches!(split(name), Some((stem, "rb")) if is_test(stem))
        },
    },
];

pub(super) fn decide(files: &ProjectFiles) -> Decision {
    let found: Vec<(Language, String)> = TABLE
        .iter()
        .filter_map(|row| Some((row.language, row.first_source(files)?)))
        .collect();
    match found.as_slice() {
        [] => Decision::NotFound,
        [(language, source)] => Decision::Detected {
            language: *language,
            confidence: Confidence::Medium,
            because: format!("{source} is one of its sources; no file names a language"),
        },
        several => Decision::Ambiguous {
            candidates: several.iter().map(|(language, _)| *language).collect(),
        },
    }
}

impl Row {
    fn first_source(&self, files: &ProjectFiles) -> Option<String> {
        self.places.iter().find_map(|place| {
            let names = files.names_in(place);
            let mut sources = names.iter().map(|name| (inside(place, name), name));
            sources
                .find(|(path, name)| (self.is_meant)(name) && files.has(path))
                .map(|(path, _)| path)
        })
    }
}

/// What is before the last dot of a name, and what is after it.
fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('.')
}
