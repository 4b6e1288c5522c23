//! The settings of operations, from the configuration.

use baton_host::cmd::Environment;
use baton_ops::testing::FlakyPolicy;
use baton_ops::validation::{Scanner, UnchosenTools};
use baton_ops::{ConfiguredCommand, Settings, pr};
use baton_protocol::detection::Purpose;
use baton_review::Severity;

use crate::config::{Config, listed};

pub(crate) fn from_config(config: &Config, environment: &Environment) -> Settings {
    let text = |key| config.get(key).map(|value| value.text.as_str());
    Settings {
        commands: commands(config),
        state_dir: config.state_dir(environment),
        flaky: match text("testing.flaky") {
            Some("pass") => FlakyPolicy::Pass,
            Some("fail") => FlakyPolicy::Fail,
            _ => FlakyPolicy::Warn,
        },
        unchosen: text("validation.unchosen_tools")
            .and_then(UnchosenTools::from_name)
            .unwrap_or(UnchosenTools::Pass),
        threshold: match text("review.threshold") {
            Some("low") => Severity::Low,
            Some("high") => Severity::High,
            Some("critical") => Severity::Critical,
            _ => Severity::Medium,
        },
        scanners: text("review.scanners")
            .into_iter()
            .flat_map(listed)
            .filter_map(Scanner::from_name)
            .collect(),
        pr: pr::Settings {
            adopt_existing: config.flag("pr.adopt_existing").unwrap_or(false),
            acronyms: text("jira.review_acronyms")
                .into_iter()
                .flat_map(listed)
                .map(str::to_owned)
                .collect(),
            hooks: config.flag("git.hooks").unwrap_or(true),
            ..pr::Settings::default()
        },
    }
}

fn commands(config: &Config) -> Vec<ConfiguredCommand> {
    let keys = [
        ("commands.install", Purpose::Install),
        ("commands.format", Purpose::Format),
        ("commands.lint", Purpose::Lint),
        ("commands.build", Purpose::Build),
        ("commands.test", Purpose::Test),
    ];
    keys.into_iter()
        .filter_map(|(key, purpose)| {
            let value = config.get(key)?;
            Some(ConfiguredCommand {
                purpose,
                command: value.text.clone(),
                key,
                source: value.source.to_string(),
            })
        })
        .collect()
}
