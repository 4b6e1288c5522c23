//! What baton found out about a project folder, and why: the output of
//! `baton detect --json`, and what the phases choose their commands from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Language;

/// The files that a failed detection reports as checked, in the order of the
/// specification. The indicator table knows more; these six are its summary.
pub const FILES_CHECKED: [&str; 6] = [
    "package.json",
    "pyproject.toml",
    "go.mod",
    "Gemfile",
    "Cargo.toml",
    "pom.xml",
];

/// Everything known about one folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Project {
    pub decision: Decision,
    /// Every indicator file in the folder, strongest evidence first.
    pub indicators: Vec<Indicator>,
    /// Commands for the language that was given, or else for every candidate.
    pub languages: Vec<LanguageCommands>,
    /// Where no language was found: the tasks that the project defines for make, just and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Commands>,
    pub frameworks: Vec<Framework>,
    pub workspaces: Vec<Workspace>,
    /// Tools that run tasks over the packages of a monorepo, such as turbo.
    pub orchestrators: Vec<Orchestrator>,
    /// What CI runs. Shown to people, never chosen.
    pub hints: Vec<Hint>,
    /// What could not be read or looks contradictory.
    pub notes: Vec<Note>,
}

impl Project {
    /// The language to work with, if there is exactly one.
    pub fn language(&self) -> Option<Language> {
        match self.decision {
            Decision::Given { language } | Decision::Detected { language, .. } => Some(language),
            Decision::Ambiguous { .. } | Decision::NotFound => None,
        }
    }

    /// The names of all indicator files, for an error's `found` list.
    pub fn found(&self) -> Vec<&str> {
        self.indicators
            .iter()
            .map(|indicator| indicator.file.as_str())
            .collect()
    }

    /// `None` for a language that was neither given nor a candidate.
    pub fn commands(&self, language: Language) -> Option<&LanguageCommands> {
        self.languages
            .iter()
            .find(|commands| commands.language == language)
    }

    /// The testing phase has its own resolution, see [`TestingCommands`].
    pub fn testing_commands(&self, language: Language) -> Option<&TestingCommands> {
        self.commands(language).map(|commands| &commands.testing)
    }

    /// The validation phase takes the repository's own commands first.
    pub fn validation_commands(&self, language: Language) -> Option<&Commands> {
        self.commands(language).map(|commands| &commands.validation)
    }
}

/// Which language the folder is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Decision {
    /// The caller said so; the files were not asked.
    Given {
        language: Language,
    },
    Detected {
        language: Language,
        confidence: Confidence,
        /// A sentence that names the most specific file.
        because: String,
    },
    /// More than one language at the same, highest confidence.
    Ambiguous {
        candidates: Vec<Language>,
    },
    NotFound,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Medium,
    High,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// A file that speaks for a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Indicator {
    pub file: String,
    pub language: Language,
    pub confidence: Confidence,
    pub reason: String,
}

/// Everything that depends on the language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageCommands {
    pub language: Language,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_manager: Option<PackageManager>,
    pub testing: TestingCommands,
    pub validation: Commands,
    /// What to tell a user whose machine lacks the language's tools.
    pub suggestion: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageManager {
    pub name: PackageManagerName,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PackageManagerName {
    Npm,
    YarnClassic,
    YarnBerry,
    Pnpm,
    Bun,
    Uv,
    Poetry,
    Pdm,
    Pipenv,
    Pip,
    Bundler,
    GoModules,
    Cargo,
    Maven,
    Gradle,
}

/// What the testing phase runs. Its specification resolves differently from
/// validation: a test script, then test configuration, then the language's
/// default; task runners such as make are not asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestingCommands {
    /// Best first, never empty.
    pub test: Vec<Candidate>,
    /// The build that runs when the caller asked for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Candidate>,
    /// The build that runs when the caller insists on one; absent for a
    /// language that has no build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_build: Option<Candidate>,
}

/// Candidates for each purpose, best first. An empty list means that there is
/// nothing to run for that purpose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Commands {
    pub install: Vec<Candidate>,
    pub format: Vec<Candidate>,
    pub format_fix: Vec<Candidate>,
    pub lint: Vec<Candidate>,
    pub lint_fix: Vec<Candidate>,
    pub build: Vec<Candidate>,
    pub test: Vec<Candidate>,
    pub start: Vec<Candidate>,
}

impl Commands {
    pub fn for_purpose(&self, purpose: Purpose) -> &[Candidate] {
        match purpose {
            Purpose::Install => &self.install,
            Purpose::Format => &self.format,
            Purpose::FormatFix => &self.format_fix,
            Purpose::Lint => &self.lint,
            Purpose::LintFix => &self.lint_fix,
            Purpose::Build => &self.build,
            Purpose::Test => &self.test,
            Purpose::Start => &self.start,
        }
    }

    pub fn for_purpose_mut(&mut self, purpose: Purpose) -> &mut Vec<Candidate> {
        match purpose {
            Purpose::Install => &mut self.install,
            Purpose::Format => &mut self.format,
            Purpose::FormatFix => &mut self.format_fix,
            Purpose::Lint => &mut self.lint,
            Purpose::LintFix => &mut self.lint_fix,
            Purpose::Build => &mut self.build,
            Purpose::Test => &mut self.test,
            Purpose::Start => &mut self.start,
        }
    }

    /// The candidate to run.
    pub fn first(&self, purpose: Purpose) -> Option<&Candidate> {
        self.for_purpose(purpose).first()
    }
}

/// What a command is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Install,
    /// The formatter as the project runs it; it may write.
    Format,
    /// What repairs the tree when `Format` only checks.
    FormatFix,
    Lint,
    LintFix,
    Build,
    Test,
    /// The development server.
    Start,
}

impl Purpose {
    pub const ALL: [Self; 8] = [
        Self::Install,
        Self::Format,
        Self::FormatFix,
        Self::Lint,
        Self::LintFix,
        Self::Build,
        Self::Test,
        Self::Start,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Format => "format",
            Self::FormatFix => "format_fix",
            Self::Lint => "lint",
            Self::LintFix => "lint_fix",
            Self::Build => "build",
            Self::Test => "test",
            Self::Start => "start",
        }
    }
}

/// A command line for `sh -c` in the project's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    pub command: String,
    pub source: Source,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
}

/// Where a command comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// The project defines the command: a script, target, recipe, hook or session.
    Task { file: String, key: String },
    /// The project configures the tool.
    Configuration { file: String },
    /// Nothing in the project says otherwise.
    LanguageDefault,
}

/// Another command to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fallback {
    pub command: String,
    pub when: FallbackWhen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FallbackWhen {
    /// The command does not exist on this machine. Never because it failed.
    NotFound,
    /// The Go toolchain says that it cannot detect races here.
    RaceUnsupported,
}

/// A test framework and what gave it away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Framework {
    pub name: String,
    pub language: Language,
    pub evidence: String,
}

/// A set of packages that are developed together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Workspace {
    pub kind: WorkspaceKind,
    /// The file that lists the members.
    pub source: String,
    pub packages: Vec<Package>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceKind {
    Npm,
    Yarn,
    Pnpm,
    Bun,
    Lerna,
    Cargo,
    Go,
    Uv,
    Poetry,
    Maven,
    Gradle,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Package {
    /// Relative to the project, with `/` between folders.
    pub path: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Run in the project's folder, for this package alone. Empty when the
    /// package's name cannot safely stand in a command.
    pub commands: Vec<PackageCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageCommand {
    pub purpose: Purpose,
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Orchestrator {
    pub name: String,
    pub file: String,
}

/// A command that a CI workflow runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    pub file: String,
    /// The first line of the step, shortened.
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
}

/// Something a person should know about the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub file: String,
    /// A sentence that names the file.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(command: &str, source: Source) -> Candidate {
        Candidate {
            command: command.to_owned(),
            source,
            reason: "because".to_owned(),
            fallbacks: vec![Fallback {
                command: "go test ./...".to_owned(),
                when: FallbackWhen::RaceUnsupported,
            }],
        }
    }

    fn project() -> Project {
        let task = Source::Task {
            file: "Makefile".to_owned(),
            key: "test".to_owned(),
        };
        Project {
            decision: Decision::Detected {
                language: Language::Go,
                confidence: Confidence::High,
                because: "go.mod defines a Go module".to_owned(),
            },
            indicators: vec![Indicator {
                file: "go.mod".to_owned(),
                language: Language::Go,
                confidence: Confidence::High,
                reason: "defines a Go module".to_owned(),
            }],
            languages: vec![LanguageCommands {
                language: Language::Go,
                package_manager: None,
                testing: TestingCommands {
                    test: vec![candidate("go test -race ./...", Source::LanguageDefault)],
                    build: None,
                    forced_build: None,
                },
                validation: Commands {
                    test: vec![candidate("make test", task)],
                    ..Commands::default()
                },
                suggestion: "Install Go".to_owned(),
            }],
            tasks: None,
            frameworks: Vec::new(),
            workspaces: Vec::new(),
            orchestrators: Vec::new(),
            hints: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_answer_fits_its_schema() {
        let schema = serde_json::to_value(schemars::schema_for!(Project)).unwrap();
        let answer = serde_json::to_value(project()).unwrap();
        jsonschema::validate(&schema, &answer).unwrap();
        assert!(!jsonschema::is_valid(
            &schema,
            &serde_json::json!({"decision": 1})
        ));
    }

    #[test]
    fn the_answer_on_the_wire() {
        let answer = serde_json::to_value(project()).unwrap();
        insta::assert_snapshot!(answer["decision"], @r#"{"outcome":"detected","language":"go","confidence":"high","because":"go.mod defines a Go module"}"#);
        insta::assert_snapshot!(answer["languages"][0]["testing"], @r#"{"test":[{"command":"go test -race ./...","source":{"kind":"language_default"},"reason":"because","fallbacks":[{"command":"go test ./...","when":"race_unsupported"}]}]}"#);
        insta::assert_snapshot!(answer["languages"][0]["validation"]["test"], @r#"[{"command":"make test","source":{"kind":"task","file":"Makefile","key":"test"},"reason":"because","fallbacks":[{"command":"go test ./...","when":"race_unsupported"}]}]"#);
    }

    #[test]
    fn every_purpose_has_its_list() {
        let mut commands = Commands::default();
        for purpose in Purpose::ALL {
            let command = candidate(purpose.name(), Source::LanguageDefault);
            commands.for_purpose_mut(purpose).push(command);
        }
        for purpose in Purpose::ALL {
            assert_eq!(commands.first(purpose).unwrap().command, purpose.name());
            assert_eq!(commands.for_purpose(purpose).len(), 1);
        }
    }
}
