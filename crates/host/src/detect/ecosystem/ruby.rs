//! Detects Ruby projects.

use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, Framework, PackageManagerName, Purpose, Source, TestingCommands,
};

use super::{Findings, framework, frameworks_of_dependencies, package_manager};
use crate::detect::parse;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, WithFallback, candidate};

const FRAMEWORKS: [(&str, &str); 5] = [
    ("rspec", "rspec"),
    ("rspec-rails", "rspec"),
    ("minitest", "minitest"),
    ("test-unit", "test-unit"),
    ("cucumber", "cucumber"),
];

const RAKEFILES: [&str; 3] = ["Rakefile", "rakefile", "Rakefile.rb"];

/// The specification's, for a project without a Rakefile.
const LAST_FALLBACK: &str = "ruby -Itest test/test_*.rb";

/// Whether a Gemfile brings a test framework (or a plugin of one).
pub(in crate::detect) fn gemfile_names_test_framework(files: &ProjectFiles, path: &str) -> bool {
    gems_of(files, path)
        .iter()
        .any(|gem| gem.starts_with("rspec") || gem.starts_with("minitest"))
}

pub(super) fn findings(surroundings: Surroundings<'_>) -> Findings {
    let files = surroundings.files;
    let gems = gems_of(files, "Gemfile");
    let test = tests(files, &gems);
    Findings {
        package_manager: files
            .has("Gemfile")
            .then(|| package_manager(PackageManagerName::Bundler, "there is Gemfile")),
        proposals: proposals(files, &gems, &test),
        testing: TestingCommands {
            test,
            build: None,
            forced_build: None,
        },
        frameworks: frameworks(files, &gems),
        suggestion: "Install dependencies with: gem install bundler && bundle install".to_owned(),
    }
}

fn gems_of(files: &ProjectFiles, path: &str) -> Vec<String> {
    files
        .text(path)
        .map(|text| parse::gems(&text))
        .unwrap_or_default()
}

/// Test configuration first (`.rspec`, a minitest project's Rakefile), then
/// the default. Both phases resolve alike here.
fn tests(files: &ProjectFiles, gems: &[String]) -> Vec<Candidate> {
    let mut test = Vec::new();
    let names = |name: &str| gems.iter().any(|gem| gem == name);
    let has_rspec = files.has(".rspec") || gems.iter().any(|gem| gem.starts_with("rspec"));
    if files.has(".rspec") {
        // Bundler does nothing without a Gemfile.
        let (command, reason) = if files.has("Gemfile") {
            ("bundle exec rspec", ".rspec configures rspec")
        } else {
            ("rspec", ".rspec configures rspec, and there is no Gemfile")
        };
        let file = ".rspec".to_owned();
        let source = Source::Configuration { file };
        test.push(with_fallbacks(files, candidate(command, source, reason)));
    }
    let unit = ["minitest", "test-unit"]
        .into_iter()
        .find(|name| names(name))
        .filter(|_| !has_rspec);
    if let Some(unit) = unit
        && let Some(file) = files.first(&RAKEFILES)
    {
        let source = Source::Configuration {
            file: file.to_owned(),
        };
        let reason = format!("Gemfile names {unit} and not rspec, and there is {file}");
        let command = format!("bundle exec {}", rake(files));
        test.push(with_fallbacks(files, candidate(command, source, reason)));
    }
    if !files.has(".rspec") {
        test.extend(without_bundler(files));
        let default = candidate(
            "bundle exec rspec",
            Source::LanguageDefault,
            "default of the language",
        );
        test.push(with_fallbacks(files, default));
    }
    test
}

/// Bundler refuses to start anything without a Gemfile.
fn without_bundler(files: &ProjectFiles) -> Option<Candidate> {
    if files.has("Gemfile") {
        return None;
    }
    if let Some(file) = files.first(&RAKEFILES) {
        let source = Source::Configuration {
            file: file.to_owned(),
        };
        let reason = format!("there is {file}, and no Gemfile");
        return Some(candidate(rake(files), source, reason).or(LAST_FALLBACK));
    }
    let specs = files.names_in("spec");
    let has_specs = specs.iter().any(|name| name.ends_with("_spec.rb"));
    has_specs.then(|| {
        let reason = "default of the language; there are specs, and no Gemfile";
        candidate("rspec", Source::LanguageDefault, reason).or(LAST_FALLBACK)
    })
}

fn with_fallbacks(files: &ProjectFiles, test: Candidate) -> Candidate {
    test.or_each(&[rake(files), LAST_FALLBACK])
}

/// How rake runs the tests. `rake test` succeeds without running anything where the
/// Rakefile has no such task and there is a folder of that name.
fn rake(files: &ProjectFiles) -> &'static str {
    let rakefile = files.first(&RAKEFILES).and_then(|file| files.text(file));
    let text = rakefile.as_deref().unwrap_or_default();
    let defines = |task: &str| {
        let names = [
            format!(":{task}"),
            format!("\"{task}\""),
            format!("'{task}'"),
        ];
        let is_named = |line: &str| {
            names.iter().any(|name| line.contains(name.as_str()))
                || line.contains(&format!(" {task}:"))
        };
        text.lines()
            .filter(|line| line.contains("task") || line.contains("Task"))
            .any(is_named)
    };
    // Their tasks are called `test` unless something else is said.
    let has_test = defines("test") || text.contains("TestTask.");
    if has_test || text.is_empty() {
        "rake test"
    } else if defines("spec") {
        "rake spec"
    } else if defines("default") {
        "rake"
    } else {
        "rake test"
    }
}

fn proposals(files: &ProjectFiles, gems: &[String], tests: &[Candidate]) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    if files.has("Gemfile") {
        proposals.push(Proposal::configured(
            Purpose::Install,
            "bundle install",
            "Gemfile",
            "Gemfile lists the dependencies",
        ));
    }
    let names = |name: &str| gems.iter().any(|gem| gem == name);
    if names("standard") {
        proposals.extend(linter("bundle exec standardrb", "--fix", "Gemfile"));
    }
    if names("rubocop") {
        proposals.extend(linter("bundle exec rubocop", "-a", "Gemfile"));
    } else if files.has(".rubocop.yml") {
        proposals.extend(linter("rubocop", "-a", ".rubocop.yml"));
    }
    for (purpose, command) in [
        (Purpose::Format, "rubocop -a"),
        (Purpose::FormatFix, "rubocop -a"),
        (Purpose::Lint, "rubocop"),
        (Purpose::LintFix, "rubocop -a"),
    ] {
        proposals.push(Proposal::default(
            purpose,
            command,
            "default of the language",
        ));
    }
    for test in tests {
        proposals.push(Proposal::from_candidate(Purpose::Test, test.clone()));
    }
    for (file, command) in [("bin/dev", "bin/dev"), ("bin/rails", "bin/rails server")] {
        if files.is_executable(file) {
            proposals.push(Proposal::configured(
                Purpose::Start,
                command,
                file,
                format!("there is {file}"),
            ));
        }
    }
    proposals
}

fn linter(command: &str, fix: &str, file: &str) -> Vec<Proposal> {
    let reason = format!("{file} names the linter");
    let fixing = format!("{command} {fix}");
    [
        (Purpose::Format, fixing.as_str()),
        (Purpose::FormatFix, fixing.as_str()),
        (Purpose::Lint, command),
        (Purpose::LintFix, fixing.as_str()),
    ]
    .into_iter()
    .map(|(purpose, command)| Proposal::configured(purpose, command, file, reason.as_str()))
    .collect()
}

fn frameworks(files: &ProjectFiles, gems: &[String]) -> Vec<Framework> {
    let mut found = frameworks_of_dependencies(
        Language::Ruby,
        "Gemfile",
        gems.iter().map(String::as_str),
        &FRAMEWORKS,
    );
    let has_rspec = found.iter().any(|known| known.name == "rspec");
    if files.has(".rspec") && !has_rspec {
        found.push(framework(Language::Ruby, "rspec", ".rspec configures it"));
    }
    found
}
