//! What the user and the system say about sandboxes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use baton_host::cmd::{DiskLimits, Environment, Means};
use baton_host::sandbox::SandboxSettings;
use baton_sandbox::{Engine, Level, Limits, Support, choose_launcher};

use crate::config::Config;
use crate::error::CommandError;

/// How people spell gigabytes.
const GIGABYTE: u64 = 1 << 30;

pub(crate) fn settings(
    config: &Config,
    environment: &Environment,
) -> Result<SandboxSettings, CommandError> {
    let level = |key: &str| {
        let value = config.get(key).or_else(|| config.get("sandbox.level"));
        value
            .and_then(|value| Level::from_name(&value.text))
            .unwrap_or(Level::Standard)
    };
    let paths = |key: &str| config.list(key).into_iter().map(PathBuf::from).collect();
    let limits = Limits::default();
    let disk = DiskLimits::default();
    Ok(SandboxSettings {
        means: means(config, environment)?,
        tool_server: Some(own_program()?),
        support: support(environment)?,
        writer: level("sandbox.agent"),
        reader: level("sandbox.reviewer"),
        commands: level("sandbox.commands"),
        readable: paths("sandbox.readable"),
        writable: paths("sandbox.writable"),
        hosts: config.list("sandbox.hosts"),
        limits: Limits {
            processes: config
                .count("sandbox.max_processes")
                .unwrap_or(limits.processes),
            ..limits
        },
        disk: DiskLimits {
            used: config
                .count("sandbox.max_disk_gb")
                .map_or(disk.used, |count| u64::from(count) * GIGABYTE),
            ..disk
        },
    })
}

/// What this system offers; found out once.
pub(crate) fn support(environment: &Environment) -> Result<Support, CommandError> {
    static SUPPORT: OnceLock<Support> = OnceLock::new();
    if let Some(known) = SUPPORT.get() {
        return Ok(known.clone());
    }
    let found = Support::detect(&launcher()?, &environment.temporary_folder());
    let found = found.map_err(|error| {
        CommandError::missing("cannot find out which sandboxes this system offers").because(error)
    })?;
    Ok(SUPPORT.get_or_init(|| found).clone())
}

fn means(config: &Config, environment: &Environment) -> Result<Means, CommandError> {
    let Some(image) = config.get("sandbox.image") else {
        return Ok(Means::Launcher(launcher()?));
    };
    let engine = Engine::ALL
        .into_iter()
        .find(|engine| environment.find_program(engine.program()).is_some());
    let engine = engine.ok_or_else(|| {
        CommandError::missing("sandbox.image is set, and neither podman nor docker is on the PATH")
            .hint("Install one of them, or remove sandbox.image from your configuration.")
    })?;
    Ok(Means::Container {
        engine,
        image: image.text.clone(),
    })
}

/// The program that restricts others; chosen once.
fn launcher() -> Result<PathBuf, CommandError> {
    static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();
    let own = own_program()?;
    Ok(LAUNCHER.get_or_init(|| choose_launcher(&own)).clone())
}

fn own_program() -> Result<PathBuf, CommandError> {
    let own = std::env::current_exe().ok();
    own.filter(|path| Path::exists(path)).ok_or_else(|| {
        CommandError::missing("baton's own program is not there any more")
            .hint("It was replaced while it ran: start it again.")
    })
}
