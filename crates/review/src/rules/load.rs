//! Finds rule files by language, and reads each only when it is needed.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::format::{ClassText, RuleFile};
use crate::finding::{Kind, Severity};
use crate::language::Language;

/// Every rule file: its name and its text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rule_files.rs"));

const CLASSES: &str = "classes";

/// The folders that belong to one language each.
const LANGUAGE_FOLDERS: [&str; 6] = ["go", "java", "javascript", "python", "ruby", "rust"];

/// A rule with its texts filled in.
#[derive(Debug, Clone)]
pub struct Rule {
    pub id: String,
    pub kind: Kind,
    pub class: String,
    pub cwe: Option<u32>,
    pub severity: Severity,
    pub what: String,
    pub why: String,
    pub remedy: String,
    pub file: RuleFile,
}

/// The rules and tables of one language.
#[derive(Debug, Default)]
pub struct RuleSet {
    pub rules: Vec<Rule>,
    /// Files without a class: what is known of frameworks.
    pub tables: Vec<RuleFile>,
}

impl RuleSet {
    /// Read at the first call for the language, kept from then on.
    pub fn for_language(language: Language) -> &'static Self {
        static SETS: [OnceLock<RuleSet>; 6] = [const { OnceLock::new() }; 6];
        let folder = language.rules();
        let index = LANGUAGE_FOLDERS
            .iter()
            .position(|name| *name == folder)
            .expect("every language has a folder");
        SETS[index].get_or_init(|| load(folder))
    }
}

/// Every rule of every language, in the order of their ids.
pub fn every_rule() -> Vec<Rule> {
    let classes = classes();
    FILES
        .iter()
        .filter(|(name, _)| *name != CLASSES)
        .filter_map(|(name, text)| with_texts(name, parse(name, text), &classes))
        .collect()
}

/// The names and texts of all rule files.
pub fn rule_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}

fn load(folder: &str) -> RuleSet {
    let classes = classes();
    let mut set = RuleSet::default();
    for (name, text) in FILES {
        let first = name.split('/').next().unwrap_or(name);
        if *name == CLASSES || (first != folder && LANGUAGE_FOLDERS.contains(&first)) {
            continue;
        }
        let file = parse(name, text);
        if first != folder && !file.languages.iter().any(|language| language == folder) {
            continue;
        }
        if file.class.is_none() {
            set.tables.push(file);
        } else if let Some(rule) = with_texts(name, file, &classes) {
            set.rules.push(rule);
        }
    }
    set
}

fn classes() -> HashMap<String, ClassText> {
    let text = FILES
        .iter()
        .find(|(name, _)| *name == CLASSES)
        .map_or("", |(_, text)| text);
    toml::from_str(text).unwrap_or_else(|error| panic!("rules/classes.toml: {error}"))
}

fn parse(name: &str, text: &str) -> RuleFile {
    // The files are part of the program and all read by its tests.
    toml::from_str(text).unwrap_or_else(|error| panic!("rules/{name}.toml: {error}"))
}

fn with_texts(name: &str, file: RuleFile, classes: &HashMap<String, ClassText>) -> Option<Rule> {
    let class = file.class.clone()?;
    let known = classes.get(&class);
    let pick = |own: &Option<String>, of_class: fn(&ClassText) -> &String| {
        own.clone()
            .or_else(|| known.map(|class| of_class(class).clone()))
            .unwrap_or_default()
    };
    Some(Rule {
        id: name.to_owned(),
        kind: file.kind,
        cwe: file.cwe.or_else(|| known.and_then(|class| class.cwe)),
        severity: file
            .severity
            .or_else(|| known.map(|class| class.severity))
            .unwrap_or(Severity::Medium),
        what: pick(&file.what, |class| &class.what),
        why: pick(&file.why, |class| &class.why),
        remedy: pick(&file.remedy, |class| &class.remedy),
        class,
        file,
    })
}
