//! One module per ecosystem, all of the same shape: `findings` looks at the
//! folder and returns what the language knows about it.

pub(super) mod go;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;

use baton_protocol::Language;
use baton_protocol::detection::{
    Framework, LanguageCommands, PackageManager, PackageManagerName, TestingCommands,
};

use super::proposal::{Proposal, Surroundings, rank};
use super::task_runner;

/// What an ecosystem found.
pub(super) struct Findings {
    pub(super) package_manager: Option<PackageManager>,
    /// For validation, in any order of tiers.
    pub(super) proposals: Vec<Proposal>,
    pub(super) testing: TestingCommands,
    pub(super) frameworks: Vec<Framework>,
    pub(super) suggestion: String,
}

pub(super) struct Survey {
    pub(super) commands: LanguageCommands,
    pub(super) frameworks: Vec<Framework>,
}

pub(super) fn survey(surroundings: Surroundings<'_>, language: Language) -> Survey {
    let findings = match language {
        Language::JavaScript | Language::TypeScript => javascript::findings(surroundings, language),
        Language::Python => python::findings(surroundings),
        Language::Go => go::findings(surroundings),
        Language::Ruby => ruby::findings(surroundings),
        Language::Rust => rust::findings(surroundings),
        Language::Java => java::findings(surroundings),
    };
    let mut proposals = findings.proposals;
    proposals.extend(task_runner::proposals(surroundings, language));
    Survey {
        commands: LanguageCommands {
            language,
            package_manager: findings.package_manager,
            testing: findings.testing,
            validation: rank(proposals),
            suggestion: findings.suggestion,
        },
        frameworks: findings.frameworks,
    }
}

fn package_manager(name: PackageManagerName, reason: impl Into<String>) -> PackageManager {
    PackageManager {
        name,
        reason: reason.into(),
    }
}

/// Frameworks that a dependency gives away: `(dependency, framework)`.
fn frameworks_of_dependencies<'a>(
    language: Language,
    file: &str,
    dependencies: impl IntoIterator<Item = &'a str>,
    known: &[(&str, &str)],
) -> Vec<Framework> {
    let mut found: Vec<Framework> = Vec::new();
    for dependency in dependencies {
        for (name, framework) in known {
            if *name == dependency && found.iter().all(|known| known.name != *framework) {
                found.push(Framework {
                    name: (*framework).to_owned(),
                    language,
                    evidence: format!("{file} depends on {dependency}"),
                });
            }
        }
    }
    found
}

fn framework(language: Language, name: &str, evidence: impl Into<String>) -> Framework {
    Framework {
        name: name.to_owned(),
        language,
        evidence: evidence.into(),
    }
}
