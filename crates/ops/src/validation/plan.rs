//! Which commands are run, and why, decided before anything is.

use std::fs;
use std::path::PathBuf;

use baton_host::cmd::Environment;
use baton_host::detect::{self, Options};
use baton_protocol::Language;
use baton_protocol::detection::{Candidate, Decision, Project, Purpose, Source};
use baton_protocol::phase::validation::{ValidationInput, working_directory_message};

use super::{Check, UnchosenTools};
use crate::settings::Preferred;

pub(super) struct Plan {
    pub(super) folder: PathBuf,
    pub(super) language: Option<Language>,
    pub(super) language_reason: Option<String>,
    pub(super) format: Choice,
    pub(super) format_fix: Option<Candidate>,
    pub(super) lint: Choice,
    pub(super) lint_fix: Option<Candidate>,
    pub(super) build: Choice,
    pub(super) test: Choice,
    /// What to tell a user whose machine lacks the language's tools.
    pub(super) suggestion: String,
    /// What installs the packages that the project needs.
    pub(super) install: Option<String>,
}

/// What is to be done for a check.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    Run(Candidate),
    /// Nothing, and that is fine: it was asked for, or there is no such thing
    /// in the language.
    Skip,
    /// Nothing, because the project never chose a tool for it; the note says
    /// what would make it count.
    NotChosen(String),
    /// Nothing, because it is not known what; the message says what to do.
    Unknown(String),
}

/// Where the folder cannot be worked in, the reason.
pub(super) fn make(
    input: &ValidationInput,
    environment: &Environment,
    options: &super::Options<'_>,
) -> Result<Plan, String> {
    let folder = PathBuf::from(&input.working_directory);
    let exists = folder.exists();
    if !fs::metadata(&folder).is_ok_and(|facts| facts.is_dir()) {
        return Err(working_directory_message(&input.working_directory, exists));
    }
    let on_path = |program: &str| environment.find_program(program).is_some();
    let wanted = Options {
        language: input.language,
        on_path: &on_path,
        by_sources: options.by_sources,
    };
    let project = detect::detect(&folder, &wanted);
    let mut plan = choose(input, &options.preferred, &project, options.unchosen);
    plan.folder = folder;
    Ok(plan)
}

fn not_chosen(check: Check, usual: &str) -> String {
    let key = match check {
        Check::Formatter => "format",
        _ => "lint",
    };
    format!(
        "The project has chosen no {}. `{usual}` will count once a file of the project names its tool \
         (configuration, script, dependency or hook), or with `commands.{key}`.",
        check.name()
    )
}

fn choose(
    input: &ValidationInput,
    preferred: &Preferred,
    project: &Project,
    unchosen: UnchosenTools,
) -> Plan {
    let language = project.language();
    let commands = language.and_then(|language| project.commands(language));
    let found = |purpose: Purpose| {
        let commands = commands.map(|commands| &commands.validation);
        commands.or(project.tasks.as_ref())?.first(purpose).cloned()
    };
    let asked_for = |given: &Option<String>, configured: &Option<String>| {
        // A shell would call a blank command a success.
        let given = given.as_ref().filter(|command| !command.trim().is_empty());
        given
            .map(|command| chosen(command, "given by the caller"))
            .or_else(|| {
                let command = configured.as_ref()?;
                Some(chosen(command, "baton's configuration says so"))
            })
    };
    let first = |given: &Option<String>, configured: &Option<String>, purpose: Purpose| {
        asked_for(given, configured).or_else(|| found(purpose))
    };
    let or_unknown = |candidate: Option<Candidate>, check: Check| match candidate {
        Some(candidate) => Choice::Run(candidate),
        None => Choice::Unknown(unknown(check, project)),
    };
    let tool = |asked_for: Option<Candidate>, purpose: Purpose, check: Check| {
        if let Some(candidate) = asked_for {
            return Choice::Run(candidate);
        }
        match found(purpose) {
            Some(usual)
                if unchosen == UnchosenTools::Pass && usual.source == Source::LanguageDefault =>
            {
                Choice::NotChosen(not_chosen(check, &usual.command))
            }
            candidate => or_unknown(candidate, check),
        }
    };
    let build = first(&input.build_command, &preferred.build, Purpose::Build);
    let test = first(&input.test_command, &preferred.test, Purpose::Test);
    Plan {
        folder: PathBuf::new(),
        language,
        language_reason: language_reason(project),
        format: tool(
            asked_for(&input.format_command, &preferred.format),
            Purpose::Format,
            Check::Formatter,
        ),
        format_fix: found(Purpose::FormatFix),
        lint: tool(
            asked_for(&input.lint_command, &preferred.lint),
            Purpose::Lint,
            Check::Linter,
        ),
        lint_fix: found(Purpose::LintFix),
        build: match (input.skip_build, build) {
            (true, _) => Choice::Skip,
            (false, Some(candidate)) => Choice::Run(candidate),
            // A language without a build, or a project that has none.
            (false, None) if language.is_some() || project.tasks.is_some() => Choice::Skip,
            (false, None) => Choice::Unknown(unknown(Check::Build, project)),
        },
        test: if input.skip_tests {
            Choice::Skip
        } else {
            or_unknown(test, Check::Tests)
        },
        install: found(Purpose::Install).map(|install| install.command),
        suggestion: commands.map(|c| c.suggestion.clone()).unwrap_or_default(),
    }
}

fn chosen(command: &str, reason: &str) -> Candidate {
    Candidate {
        command: command.to_owned(),
        source: Source::LanguageDefault,
        reason: reason.to_owned(),
        fallbacks: Vec::new(),
    }
}

fn language_reason(project: &Project) -> Option<String> {
    match &project.decision {
        Decision::Detected { because, .. } => Some(because.clone()),
        Decision::Given { .. } => Some("given by the caller".to_owned()),
        Decision::Ambiguous { .. } | Decision::NotFound => None,
    }
}

fn unknown(check: Check, project: &Project) -> String {
    let field = match check {
        Check::Formatter => "format_command",
        Check::Linter => "lint_command",
        Check::Build => "build_command",
        Check::Tests | Check::CodeReview | Check::SecurityReview => "test_command",
    };
    let key = field.trim_end_matches("_command");
    let next = format!("Give `language` or `{field}`, or configure `commands.{key}`.");
    match &project.decision {
        Decision::Ambiguous { candidates } => {
            let names: Vec<&str> = candidates.iter().map(|language| language.name()).collect();
            format!(
                "No {} was run: the project is in {}, and none of them comes first. {next}",
                check.name(),
                names.join(" and ")
            )
        }
        _ => format!(
            "No {} was run: no language was found in the working directory. {next}",
            check.name()
        ),
    }
}
