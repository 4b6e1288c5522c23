//! Whether the workspace can be worked in: dependencies, generated code, build,
//! server.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{Outcome, ShellVerdict};
use baton_host::detect::parse;
use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, LanguageCommands, PackageManagerName, Project, Purpose, Source,
};

use super::environment::{self, Made};
use crate::AgentStep;
use crate::DevServer;
use crate::confine;
use crate::project_command::{self, Ran};
use crate::step_error::StepError;

/// What a check came to: the word for the handoff, or what went wrong. `None`:
/// there is nothing to check.
pub(super) type Checked = Option<Result<&'static str, Ran>>;

/// Dependencies, as the lockfile has them.
pub(super) async fn install(
    step: &AgentStep<'_>,
    folder: &Path,
    project: &Project,
    made: &Made,
) -> Result<Checked, StepError> {
    let mut checked = None;
    for language in &project.languages {
        let Some(candidate) = language.validation.first(Purpose::Install) else {
            continue;
        };
        if language.language == Language::Python && made.is_complete {
            checked = Some(Ok("installed"));
            continue;
        }
        let candidate = &environment::with_extras(folder, candidate);
        let manager = language
            .package_manager
            .as_ref()
            .map(|manager| manager.name);
        // Bundler has no flag for it that is not out of date.
        let variables = match manager {
            Some(PackageManagerName::Bundler) if folder.join("Gemfile.lock").exists() => {
                vec![("BUNDLE_FROZEN", "true".to_owned())]
            }
            _ => Vec::new(),
        };
        let ran = project_command::run(step, folder, candidate, &variables).await?;
        if !ran.success() {
            return Ok(Some(Err(with_suggestion(ran, language))));
        }
        checked = Some(Ok("installed"));
    }
    Ok(checked)
}

/// Code that is written by a command, where the project declares one.
pub(super) async fn generate(
    step: &AgentStep<'_>,
    folder: &Path,
    project: &Project,
) -> Result<Checked, StepError> {
    let configured = step.place.settings.generate.as_deref();
    let command = match configured {
        Some(command) => Some(command.to_owned()),
        None => declared_generation(folder, project),
    };
    let Some(command) = command else {
        return Ok(None);
    };
    let candidate = project_command::configured(&command);
    let ran = project_command::run(step, folder, &candidate, &[]).await?;
    Ok(Some(verdict(ran, "generated")))
}

const GENERATORS: &[&str] = &["codegen", "generate"];

fn declared_generation(folder: &Path, project: &Project) -> Option<String> {
    /// Far more than any real one has.
    const MAX_BYTES: u64 = 1 << 20;
    let read = |name: &str| {
        let path = folder.join(name);
        let facts = std::fs::metadata(&path).ok()?;
        (facts.is_file() && facts.len() <= MAX_BYTES).then(|| std::fs::read_to_string(path).ok())?
    };
    let among = |names: &[String]| {
        GENERATORS
            .iter()
            .find(|wanted| names.iter().any(|name| name == **wanted))
    };
    if let Some(package) = read("package.json").and_then(|text| parse::json(&text).ok()) {
        let scripts = package
            .get("scripts")
            .and_then(|scripts| scripts.as_object());
        let names: Vec<String> = scripts
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect();
        if let Some(script) = among(&names) {
            let mut managers = project
                .languages
                .iter()
                .filter_map(|one| one.package_manager.as_ref());
            let runner = match managers.next().map(|manager| manager.name) {
                Some(PackageManagerName::Pnpm) => "pnpm",
                Some(PackageManagerName::YarnBerry | PackageManagerName::YarnClassic) => "yarn",
                Some(PackageManagerName::Bun) => "bun",
                _ => "npm",
            };
            return Some(format!("{runner} run {script}"));
        }
    }
    let makefile = read("Makefile").map(|text| parse::makefile_targets(&text));
    if let Some(target) = makefile.as_deref().and_then(among) {
        return Some(format!("make {target}"));
    }
    let justfile = read("justfile").map(|text| parse::callable_recipes(&text));
    let recipe = justfile.as_deref().and_then(among)?;
    Some(format!("just {recipe}"))
}

pub(super) async fn build(
    step: &AgentStep<'_>,
    folder: &Path,
    project: &Project,
) -> Result<Checked, StepError> {
    let candidate = match &step.place.settings.preferred.build {
        Some(command) => Some(project_command::configured(command)),
        None => detected_build(project),
    };
    let Some(candidate) = candidate else {
        return Ok(None);
    };
    let ran = project_command::run(step, folder, &candidate, &[]).await?;
    let language = project.language().and_then(|name| project.commands(name));
    // A command of the project or the user may lack any program; its own output says which.
    let language = language.filter(|_| candidate.source == Source::LanguageDefault);
    let verdict = verdict(ran, "passing");
    Ok(Some(match language {
        Some(language) => verdict.map_err(|ran| with_suggestion(ran, language)),
        None => verdict,
    }))
}

/// Says how to get the program where there is none: what the shell says does not.
fn with_suggestion(mut ran: Ran, language: &LanguageCommands) -> Ran {
    if ran.outcome.shell_verdict() == Some(ShellVerdict::NotFound) {
        ran.said.clone_from(&language.suggestion);
    }
    ran
}

/// Compiles the tests where that takes long, so that agents and commands find it
/// done: none of them sees what another one compiled. Whether they compile is
/// for the validator to say.
pub(super) async fn compile_tests(
    step: &AgentStep<'_>,
    folder: &Path,
    project: &Project,
) -> Result<(), StepError> {
    let language = project.language();
    let tests = language.and_then(|language| project.commands(language)?.testing.test.first());
    let Some(command) = tests.and_then(|tests| compile_only(&tests.command)) else {
        return Ok(());
    };
    let candidate = project_command::configured(&command);
    let ran = project_command::run(step, folder, &candidate, &[]).await;
    ran.map(drop)
}

/// The same command without running a test; `None` where nothing is known to
/// compile only.
fn compile_only(command: &str) -> Option<String> {
    let is_plain = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./ =".contains(c))
    };
    if let Some(rest) = command
        .strip_prefix("go test ")
        .filter(|rest| is_plain(rest))
    {
        return Some(format!("go test -run '^$' {rest}"));
    }
    let is_cargo = command == "cargo test" || command.starts_with("cargo test --workspace");
    if is_cargo && is_plain(command) {
        return Some(format!("{command} --no-run"));
    }
    let program = command.strip_suffix(" test")?;
    let goal = match program {
        "mvn" | "./mvnw" | "sh mvnw" => "test-compile",
        "gradle" | "./gradlew" | "sh gradlew" => "testClasses",
        _ => return None,
    };
    Some(format!("{program} {goal}"))
}

fn detected_build(project: &Project) -> Option<Candidate> {
    let commands = project.commands(project.language()?)?;
    commands.validation.first(Purpose::Build).cloned()
}

fn verdict(ran: Ran, word: &'static str) -> Result<&'static str, Ran> {
    if ran.success() { Ok(word) } else { Err(ran) }
}

/// Starts the server, waits until it answers, and ends it.
pub(super) async fn dev_server(
    step: &AgentStep<'_>,
    folder: &Path,
    server: &DevServer,
    port: u16,
) -> Result<Checked, StepError> {
    step.context
        .say(&format!("$ {} (on port {port})", server.command));
    let variables = [("PORT", port.to_string())];
    let own = project_command::variables(step, folder);
    let confinement = confine::for_server(step, folder, &own).await?;
    let environment = confinement.environment();
    let cmd = project_command::cmd(step, folder, &server.command, environment, &variables);
    let cancel = step.context.cancel.child_token();
    let mut running = Box::pin(cmd.run(&cancel));
    let (ran, answered) = tokio::select! {
        ran = &mut running => (ran, false),
        answered = wait_for_answer(step, port, &server.path, server.patience) => {
            cancel.cancel();
            (running.await, answered)
        }
    };
    confine::tell(step, "the server", confinement);
    step.go_on()?;
    let ran = ran?;
    if answered {
        return Ok(Some(Ok("verified")));
    }
    let said = match ran.outcome {
        // It was we who ended it.
        Outcome::Cancelled => format!(
            "it did not answer on port {port} within {:?}\n{}",
            server.patience,
            ran.stdout.text()
        ),
        _ => ran.stdout.text(),
    };
    Ok(Some(Err(Ran {
        command: server.command.clone(),
        outcome: ran.outcome,
        said,
    })))
}

async fn wait_for_answer(step: &AgentStep<'_>, port: u16, path: &str, patience: Duration) -> bool {
    const INTERVAL: Duration = Duration::from_millis(100);
    let deadline = tokio::time::Instant::now() + patience;
    while tokio::time::Instant::now() < deadline && !step.context.cancel.is_cancelled() {
        step.context.tick();
        let path = path.to_owned();
        let asked = tokio::task::spawn_blocking(move || answers(port, &path)).await;
        if asked.unwrap_or(false) {
            return true;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    false
}

/// Whether something speaks HTTP there and does not report trouble of its own.
fn answers(port: u16, path: &str) -> bool {
    const LIMIT: Duration = Duration::from_secs(2);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let ask = || -> std::io::Result<[u8; 12]> {
        let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        let path: String = path.chars().filter(char::is_ascii_graphic).collect();
        let request = format!(
            "GET /{} HTTP/1.0\r\nHost: localhost\r\n\r\n",
            path.trim_start_matches('/')
        );
        stream.write_all(request.as_bytes())?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(status)
    };
    ask().is_ok_and(|status| status.starts_with(b"HTTP/1.") && matches!(status[9], b'1'..=b'4'))
}

#[cfg(test)]
mod tests {
    use super::compile_only;

    #[test]
    fn only_what_compiles_long_is_compiled_ahead() {
        let shown = |command: &str| compile_only(command).unwrap_or_default();
        assert_eq!(
            shown("go test -race ./..."),
            "go test -run '^$' -race ./..."
        );
        assert_eq!(shown("cargo test"), "cargo test --no-run");
        assert_eq!(
            shown("cargo test --workspace"),
            "cargo test --workspace --no-run"
        );
        assert_eq!(shown("./mvnw test"), "./mvnw test-compile");
        assert_eq!(shown("gradle test"), "gradle testClasses");
        for other in [
            "pytest",
            "npm test",
            "go test ./... | tee log",
            "cargo test -- --ignored",
            "mvn -Pslow test",
        ] {
            assert_eq!(shown(other), "", "{other}");
        }
    }
}
