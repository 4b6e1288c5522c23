//! What the coding agents and project commands of a run may reach.
//!
//! [`Confinement::start`] makes a sandbox for one program or several: it fills
//! the private home folder, builds the policy, starts the proxy, and watches.
//! [`Confinement::finish`] reports what was noticed.

mod caches;
mod home;
mod hosts;
mod policy;
mod prepared;
mod stand_ins;
mod toolchains;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_sandbox::proxy::{INNER_PORT, Proxy};
use baton_sandbox::{HomeWatch, Isolation, Level, Limits, Network, Support};
use tempfile::TempDir;

use crate::cmd::{DiskLimits, Environment, Incidents, Means, Sandbox};
use caches::CacheLock;
pub use prepared::remove_layers;
pub use stand_ins::Decoy;
use stand_ins::StandIns;

/// Who is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A coding agent that changes the worktree.
    Writer,
    /// A coding agent that reads it.
    Reader,
    /// Commands that install what the project needs, before any agent has
    /// worked.
    Prepare,
    /// Commands that install again, after an agent has worked: they reach what
    /// they install from, and share nothing with other runs.
    Install,
    /// The project's other commands: build, tests, formatter, linter.
    Command,
}

/// What a user decides about sandboxes.
#[derive(Clone, Debug)]
pub struct SandboxSettings {
    pub means: Means,
    /// A program that coding agents may start as a server of tools: baton itself.
    pub tool_server: Option<PathBuf>,
    pub support: Support,
    /// For coding agents that write.
    pub writer: Level,
    /// For coding agents that read.
    pub reader: Level,
    /// For the project's commands.
    pub commands: Level,
    /// Further paths that may be read.
    pub readable: Vec<PathBuf>,
    /// Further paths that may be changed.
    pub writable: Vec<PathBuf>,
    /// Further hosts that may be reached; `*` alone: all.
    pub hosts: Vec<String>,
    pub limits: Limits,
    pub disk: DiskLimits,
}

impl SandboxSettings {
    /// No sandbox for anything.
    pub fn off() -> Self {
        Self {
            means: Means::Launcher(PathBuf::new()),
            tool_server: None,
            support: Support {
                isolation: None,
                layers: false,
                missing: Vec::new(),
            },
            writer: Level::Off,
            reader: Level::Off,
            commands: Level::Off,
            readable: Vec::new(),
            writable: Vec::new(),
            hosts: Vec::new(),
            limits: Limits::default(),
            disk: DiskLimits::default(),
        }
    }

    pub fn level(&self, role: Role) -> Level {
        match role {
            Role::Writer => self.writer,
            Role::Reader => self.reader,
            Role::Prepare | Role::Install | Role::Command => self.commands,
        }
    }

    pub fn is_off(&self, role: Role) -> bool {
        self.level(role) == Level::Off
    }

    /// Whether programs of the role leave what was prepared as it is, whatever
    /// they do.
    pub fn keeps_prepared(&self, role: Role) -> bool {
        !self.is_off(role)
            && self.support.isolation == Some(Isolation::Namespaces)
            && prepared::are_possible(self, Isolation::Namespaces)
    }

    /// What a user should know about the sandboxes of a run, in a line each.
    pub fn shortcomings(&self) -> Vec<String> {
        let levels = [self.writer, self.reader, self.commands];
        if levels.iter().all(|level| *level == Level::Off) {
            return vec!["the sandbox is off".to_owned()];
        }
        self.support
            .missing
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

/// The folders of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunFolders<'a> {
    /// Where the work is done.
    pub worktree: &'a Path,
    /// For everything that is removed with the run. Programs see only parts of it.
    pub private: &'a Path,
    /// Below it: the home folder, temporary files and changes to caches of the
    /// programs in this sandbox. Programs with another folder do not see them.
    pub own: &'a Path,
    /// What was made before any agent worked, for all who come later.
    pub prepared: Option<Prepared<'a>>,
    /// Paths that the worktree's repository borrows from.
    pub borrowed: &'a [PathBuf],
    /// Paths of the worktree that only baton changes.
    pub protected: &'a [PathBuf],
    /// Folders in whose place programs see a stand-in, where the system can show
    /// one. What of them is borrowed, readable or writable is seen inside of it.
    pub decoys: &'a [Decoy],
    /// Caches that the runs of one repository share, if they do.
    pub caches: Option<&'a Path>,
    /// Files of the user's home folder that a program needs to log in, relative
    /// to it.
    pub logins: &'a [&'a str],
    /// Further programs that are run, by their files.
    pub programs: &'a [PathBuf],
    /// Texts of the user's that may name hosts, such as arguments of an agent.
    pub named: &'a [String],
    /// Who commits, as `git config` has it.
    pub committer: Option<(&'a str, &'a str)>,
}

/// What commands installed and built before any agent worked. Programs see it
/// through a layer of their own and cannot change it for others.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    /// [`RunFolders::own`] of those commands.
    pub own: &'a Path,
    pub folders: &'a [PathBuf],
}

/// A sandbox in use.
#[derive(Debug)]
pub struct Confinement {
    environment: Environment,
    active: Option<Active>,
}

#[derive(Debug)]
struct Active {
    sandbox: Sandbox,
    isolation: Isolation,
    incidents: Incidents,
    proxy: Option<Proxy>,
    watch: HomeWatch,
    home: home::PrivateHome,
    _cache_lock: Option<CacheLock>,
    /// For sockets, whose paths have to be short, and reports.
    _short: TempDir,
}

/// A sandbox that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfinementError {
    #[error("cannot {doing}")]
    File {
        doing: &'static str,
        #[source]
        source: io::Error,
    },
    #[error(
        "this system offers no sandbox as strict as asked for ({missing}); allow namespaces for users, or set `sandbox.level` to `standard` in your own configuration"
    )]
    TooWeak { missing: String },
}

impl Confinement {
    /// Must be called within a tokio runtime. Blocks for a moment.
    pub fn start(
        settings: &SandboxSettings,
        role: Role,
        folders: &RunFolders<'_>,
        environment: &Environment,
    ) -> Result<Self, ConfinementError> {
        let level = settings.level(role);
        if level == Level::Off {
            return Ok(Self {
                environment: environment.clone(),
                active: None,
            });
        }
        let isolation = isolation(settings, level)?;
        let doing = |doing| move |source| ConfinementError::File { doing, source };
        let short = TempDir::with_prefix("baton-").map_err(doing("make a folder for sockets"))?;
        let home = home::PrivateHome::fill(folders, environment)
            .map_err(doing("fill the private home folder"))?;
        let (layers, cache_lock) = caches::layers(settings, role, folders, environment)
            .map_err(doing("prepare the caches"))?;
        let prepared = prepared::layers(settings, isolation, folders, environment)
            .map_err(doing("prepare layers"))?;
        let texts: Vec<String> = home.texts.iter().chain(folders.named).cloned().collect();
        let hosts = hosts::allowed(settings, role, level, environment, &texts);
        let proxy = match hosts {
            hosts::Allowed::Some(list) => {
                let socket = short.path().join("proxy");
                let upstream = hosts::upstream(environment);
                let proxy = Proxy::start(&socket, list, upstream);
                Some(proxy.map_err(doing("start the proxy"))?)
            }
            hosts::Allowed::None | hosts::Allowed::All => None,
        };
        let network = match (&hosts_all(settings), &proxy) {
            (true, _) => Network::All,
            (false, Some(proxy)) => Network::Proxy {
                socket: proxy.socket().to_owned(),
                ports: proxy.allowed().loopback_ports(),
            },
            (false, None) => Network::None,
        };
        let mut stand_ins = StandIns::make(folders, isolation).map_err(doing("make stand-ins"))?;
        let policy = policy::build(&mut policy::Request {
            settings,
            role,
            level,
            isolation,
            network,
            folders,
            environment,
            home: &home,
            layers,
            prepared: &prepared,
            stand_ins: &mut stand_ins,
        });
        stand_ins.fill(&policy).map_err(doing("fill stand-ins"))?;
        let watch = HomeWatch::start(
            &home.folder,
            &stand_ins.to_watch(),
            stand_ins.process.as_deref(),
        )
        .map_err(doing("watch the home folder"))?;
        let incidents = Incidents::default();
        let reports = short.path().join("reports");
        fs::create_dir(&reports).map_err(doing("make a folder for reports"))?;
        let sandbox = Sandbox::new(settings.means.clone(), policy, &reports, settings.disk)
            .with_incidents(incidents.clone());
        let inner = inner_environment(environment, isolation, proxy.is_some());
        Ok(Self {
            environment: inner.in_sandbox(sandbox.clone()),
            active: Some(Active {
                sandbox,
                isolation,
                incidents,
                proxy,
                watch,
                home,
                _cache_lock: cache_lock,
                _short: short,
            }),
        })
    }

    /// For everything that runs in the sandbox.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The same sandbox with other variables.
    pub fn wrap(&self, environment: &Environment) -> Environment {
        match &self.active {
            None => environment.clone(),
            Some(active) => {
                inner_environment(environment, active.isolation, active.proxy.is_some())
                    .in_sandbox(active.sandbox.clone())
            }
        }
    }

    /// What was noticed; foreign text. Takes over renewed logins.
    pub fn finish(self) -> Vec<String> {
        let Some(active) = self.active else {
            return Vec::new();
        };
        let mut noticed = active.incidents.take();
        noticed.extend(active.watch.finish().iter().map(ToString::to_string));
        if let Some(proxy) = active.proxy {
            let refused = proxy.take_refused().into_iter();
            noticed.extend(refused.map(|host| {
                format!(
                    "was not let through to {host}; if it is needed, add it to `sandbox.hosts` in your own configuration"
                )
            }));
        }
        active.home.return_logins();
        noticed
    }
}

fn hosts_all(settings: &SandboxSettings) -> bool {
    settings.hosts.iter().any(|host| host == hosts::ALL)
}

fn isolation(settings: &SandboxSettings, level: Level) -> Result<Isolation, ConfinementError> {
    let support = &settings.support;
    let missing = || {
        let missing = support.missing.iter().map(ToString::to_string);
        missing.collect::<Vec<_>>().join("; ")
    };
    if matches!(settings.means, Means::Container { .. }) {
        return Ok(Isolation::FilesOnly);
    }
    match support.isolation {
        Some(isolation) if support.is_complete() || level != Level::Strict => Ok(isolation),
        _ => Err(ConfinementError::TooWeak { missing: missing() }),
    }
}

/// Points programs to their proxy, and away from the user's folders.
fn inner_environment(
    environment: &Environment,
    isolation: Isolation,
    has_proxy: bool,
) -> Environment {
    let mut inner = environment.clone();
    for name in toolchains::HIDDEN_VARIABLES {
        inner.remove(name);
    }
    if isolation == Isolation::Namespaces {
        inner.set("TMPDIR", "/tmp");
        // Beside the ordinary place, where a stand-in for the user's own may
        // be: baton itself works in sandboxes, too, and remembers things.
        if let Some(home) = environment.get("HOME") {
            inner.set(
                "XDG_STATE_HOME",
                Path::new(home).join(".local/state-of-run"),
            );
        }
    }
    for name in hosts::PROXY_VARIABLES {
        inner.remove(name);
    }
    if has_proxy && isolation == Isolation::Namespaces {
        let address = format!("http://127.0.0.1:{INNER_PORT}");
        for name in hosts::PROXY_VARIABLES {
            if !name.eq_ignore_ascii_case("no_proxy") {
                inner.set(*name, &address);
            }
        }
        for name in ["no_proxy", "NO_PROXY"] {
            inner.set(name, "localhost,127.0.0.1,::1");
        }
        // Tools that do not look at those variables.
        inner.set("NODE_USE_ENV_PROXY", "1");
        for name in ["YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"] {
            inner.set(name, &address);
        }
        for name in ["MAVEN_OPTS", "GRADLE_OPTS"] {
            let before = inner.get(name).unwrap_or_default().to_string_lossy();
            let proxy = ["http", "https"].map(|scheme| {
                format!("-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={INNER_PORT}")
            });
            let value = format!("{before} {}", proxy.join(" "));
            inner.set(name, value.trim_start());
        }
    }
    inner
}
