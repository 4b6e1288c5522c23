//! What each run has for itself of the tools' own state, so that neither other
//! runs nor the user's own work see what it installs and builds.
//!
//! A Python project gets a virtual environment per run: an editable install in a
//! shared one makes the tests of another run import this run's code. Cargo builds
//! below the workspace, whatever `CARGO_TARGET_DIR` says. `node_modules` is in the
//! workspace by itself. Caches that are addressed by content or version (npm, Go,
//! Gradle, gems) stay shared: an entry, once there, never changes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::detect::parse;
use baton_host::git::Git;
use baton_ops::Preferred;
use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, LanguageCommands, PackageManagerName, Project, Purpose, Source,
};

use super::kept_environment::{self, Key};
use super::prepared::not_committed;
use crate::AgentStep;
use crate::claim;
use crate::project_command::{self, Ran};
use crate::step_error::StepError;

/// Written when an environment is whole: a process may die while it is made.
const READY: &str = ".baton-ready";

/// Makes an environment with pip, in a quarter of the time of `python3 -m venv`.
const MAKE: &str = include_str!("make_environment.py");

/// Gives the environment what the user's own interpreter has and the project does
/// not declare.
const BORROW: &str = include_str!("borrow_packages.py");

/// Entries of these that lie in the user's checkout mean the same place in the
/// workspace.
const PATH_LISTS: [&str; 4] = ["PATH", "PYTHONPATH", "NODE_PATH", "GOWORK"];

/// They name the folder of another project, or of another environment.
const OTHERS: [&str; 9] = [
    "BUNDLE_GEMFILE",
    "CARGO_BUILD_TARGET_DIR",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "NPM_CONFIG_LOCAL_PREFIX",
    "PYTHONHOME",
    "UV_PROJECT_ENVIRONMENT",
    "VIRTUAL_ENV",
    "npm_config_local_prefix",
];

/// Where a run works, and what it has for itself.
pub(crate) struct RunEnvironment {
    checkout: PathBuf,
    workspace: PathBuf,
    virtual_env: Option<PathBuf>,
    /// Folders of programs that belong to other virtual environments.
    other_bins: Vec<PathBuf>,
}

impl RunEnvironment {
    /// As `prepare` has left it.
    pub(crate) fn find(step: &AgentStep<'_>, workspace: &Path) -> Self {
        let place = step.place;
        let inside = (!place.settings.in_place).then(|| workspace.join(".venv"));
        let virtual_env = inside
            .into_iter()
            .chain([tools_folder(step).join("venv")])
            .find(|folder| folder.join(READY).exists());
        let path = place.environment.get("PATH").unwrap_or_default();
        let conda = place.git_environment.get("CONDA_PREFIX");
        let conda = conda.map(|prefix| Path::new(prefix).join("bin"));
        Self {
            checkout: place.checkout.clone(),
            workspace: workspace.to_owned(),
            virtual_env,
            other_bins: std::env::split_paths(path)
                .filter(|bin| bin.with_file_name("pyvenv.cfg").exists())
                .chain(conda)
                .collect(),
        }
    }

    /// The variables of a command in the workspace.
    pub(crate) fn for_workspace(&self, base: &Environment) -> Environment {
        let mut variables = base.clone();
        for name in OTHERS {
            variables.remove(name);
        }
        for name in PATH_LISTS {
            if let Some(list) = base.get(name) {
                variables.set(name, self.moved(list));
            }
        }
        if imports_from_folder(&self.workspace) {
            let known = variables.get("PYTHONPATH").unwrap_or_default().to_owned();
            let paths = std::env::split_paths(&known).filter(|path| !path.as_os_str().is_empty());
            let paths = [self.workspace.clone()].into_iter().chain(paths);
            variables.set("PYTHONPATH", joined(paths));
        }
        if base.get("CARGO_TARGET_DIR").is_some() && self.workspace != self.checkout {
            variables.set("CARGO_TARGET_DIR", self.workspace.join("target"));
        }
        if let Some(folder) = &self.virtual_env {
            let path = variables.get("PATH").unwrap_or_default().to_owned();
            let others = std::env::split_paths(&path).filter(|bin| !self.other_bins.contains(bin));
            let bins = [folder.join("bin")].into_iter().chain(others);
            variables.set("PATH", joined(bins));
            variables.set("VIRTUAL_ENV", folder);
            variables.set("UV_PROJECT_ENVIRONMENT", folder);
        }
        variables
    }

    fn moved(&self, list: &OsStr) -> OsString {
        joined(
            std::env::split_paths(list).map(|entry| match entry.strip_prefix(&self.checkout) {
                Ok(rest) if rest.as_os_str().is_empty() => self.workspace.clone(),
                Ok(rest) => self.workspace.join(rest),
                Err(_) => entry,
            }),
        )
    }
}

/// Whether the modules are imported from the project's folder, because nothing
/// installs them: there is no package, or only a list of requirements is
/// installed. `python -m pytest` finds them there by itself, and bare `pytest`
/// does not.
fn imports_from_folder(folder: &Path) -> bool {
    const PACKAGES: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
    const INSTALLERS: [&str; 5] = [
        "Pipfile",
        "Pipfile.lock",
        "pdm.lock",
        "poetry.lock",
        "uv.lock",
    ];
    let has_any = |names: &[&str]| names.iter().any(|name| folder.join(name).exists());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut modules = entries.filter(|entry| {
        let path = entry.path();
        path.extension() == Some(OsStr::new("py")) || path.join("__init__.py").is_file()
    });
    let is_listed_only = has_any(&["requirements.txt"]) && !has_any(&INSTALLERS);
    (is_listed_only || !has_any(&PACKAGES)) && modules.next().is_some()
}

/// What came out of a list of paths is fit for one.
fn joined(paths: impl Iterator<Item = PathBuf>) -> OsString {
    let paths: Vec<OsString> = paths.map(PathBuf::into_os_string).collect();
    paths.join(OsStr::new(":"))
}

/// What tools install for this run; they may write to it.
pub(crate) fn tools_folder(step: &AgentStep<'_>) -> PathBuf {
    private_folder(step).join("tools")
}

fn private_folder(step: &AgentStep<'_>) -> PathBuf {
    claim::private_folder(&step.place.checkout, step.call.run())
}

/// Removes what was installed for the run, to be installed again.
pub(super) fn remove_tools(step: &AgentStep<'_>) -> Result<(), StepError> {
    let folder = tools_folder(step);
    baton_host::git::remove_all(&folder)
        .map_err(|error| StepError::file(format_args!("remove {}", folder.display()), &error))
}

/// Removes what the run had for itself outside of its workspace.
pub(super) fn remove(step: &AgentStep<'_>) {
    let folder = private_folder(step);
    if let Err(error) = baton_host::sandbox::remove_layers(&folder) {
        step.context
            .say(&format!("cannot remove {}: {error}", folder.display()));
    }
    // The worktrees' folder goes with the last thing in it.
    if let Some(worktrees) = folder.parent() {
        let _ = fs::remove_dir(worktrees);
    }
}

/// What is known of a Python project.
struct Python<'a> {
    /// `None` where it is nothing but files.
    detected: Option<&'a LanguageCommands>,
}

impl<'a> Python<'a> {
    fn find(folder: &Path, project: &'a Project) -> Option<Self> {
        let mut languages = project.languages.iter();
        let detected = languages.find(|one| one.language == Language::Python);
        let is_script = |entry: fs::DirEntry| entry.path().extension() == Some(OsStr::new("py"));
        let has_scripts = || {
            let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.any(is_script)
        };
        (detected.is_some() || (project.languages.is_empty() && has_scripts()))
            .then_some(Self { detected })
    }

    fn install(&self) -> Option<&'a Candidate> {
        self.detected?.validation.first(Purpose::Install)
    }

    /// All that is installed with pip; `None` where something else installs.
    fn pip_commands(&self, folder: &Path) -> Option<Vec<String>> {
        let install = self.install()?;
        if !install.command.starts_with("pip install") {
            return None;
        }
        let first = with_extras(folder, install).command;
        Some([vec![first], more_installs(folder, self)].concat())
    }

    /// The programs that test the project, and that format and lint it by its own
    /// settings, without those that users replaced.
    fn tools(&self, preferred: &Preferred) -> Vec<&'static str> {
        const TOOLS: [&str; 5] = ["pytest", "black", "ruff", "flake8", "pylint"];
        let Some(detected) = self.detected else {
            // Nothing but files: their tests are looked for with pytest.
            return if preferred.test.is_none() {
                vec!["pytest"]
            } else {
                Vec::new()
            };
        };
        let chosen = |purpose: Purpose| {
            let candidate = detected.validation.first(purpose)?;
            let is_chosen = purpose == Purpose::Test || candidate.source != Source::LanguageDefault;
            let program = candidate.command.split(' ').next()?;
            TOOLS.into_iter().find(|tool| is_chosen && *tool == program)
        };
        let wanted = [
            (Purpose::Test, &preferred.test),
            (Purpose::Format, &preferred.format),
            (Purpose::Lint, &preferred.lint),
        ];
        let open = wanted.into_iter().filter(|(_, own)| own.is_none());
        let mut tools: Vec<&str> = open.filter_map(|(purpose, _)| chosen(purpose)).collect();
        tools.dedup();
        tools
    }

    fn is_of_uv(&self) -> bool {
        let manager = self.detected.and_then(|one| one.package_manager.as_ref());
        manager.is_some_and(|manager| manager.name == PackageManagerName::Uv)
    }
}

/// The virtual environment of a Python project, as far as it is there.
#[derive(Default)]
pub(super) struct Made {
    /// All that the project declares is in it already.
    pub(super) is_complete: bool,
    /// Where it is kept for later runs once it is complete.
    keeps: Option<Keeps>,
}

struct Keeps {
    key: Key,
    venv: PathBuf,
    /// What lay in the workspace before anything was installed.
    before: Vec<PathBuf>,
}

impl Made {
    /// Keeps for later runs what was installed.
    pub(super) async fn keep(&self, step: &AgentStep<'_>, git: &Git) -> Result<(), StepError> {
        match &self.keeps {
            Some(Keeps { key, venv, before }) => {
                kept_environment::keep(step, git, key, venv, before).await
            }
            None => Ok(()),
        }
    }
}

/// Makes the virtual environment of a Python project, or takes the one that an
/// earlier run left. An error where the project declares dependencies and there is
/// no environment for them.
pub(super) async fn make(
    step: &AgentStep<'_>,
    git: &Git,
    folder: &Path,
    project: &Project,
) -> Result<Result<Made, Ran>, StepError> {
    let Some(python) = Python::find(folder, project) else {
        return Ok(Ok(Made::default()));
    };
    let venv = venv_folder(step, git);
    if venv.join(READY).exists() {
        return Ok(Ok(Made::default()));
    }
    let doing = |what: &str| format!("{what} {}", venv.display());
    match fs::remove_dir_all(&venv) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(StepError::file(doing("remove"), &error));
        }
        _ => {}
    }
    let mut made = Made::default();
    // uv has a cache of its own that is as quick.
    if let Some(commands) = python.pip_commands(folder)
        && let Some(key) = Key::find(step, git, &commands.join("\n")).await?
    {
        if kept_environment::put_in_place(step, &key, &venv, git.cwd()) {
            step.context.say("takes what an earlier run installed");
            made.is_complete = true;
            return Ok(Ok(made));
        }
        made.keeps = Some(Keeps {
            key,
            venv: venv.clone(),
            before: not_committed(git).await?,
        });
    }
    let declares = python.install().is_some();
    let ran = create(step, folder, &python, &venv).await?;
    if ran.success() {
        let ready = fs::write(venv.join(READY), "");
        ready.map_err(|error| StepError::file(doing("write to"), &error))?;
    } else if declares {
        return Ok(Err(ran));
    }
    Ok(Ok(made))
}

async fn create(
    step: &AgentStep<'_>,
    folder: &Path,
    python: &Python<'_>,
    venv: &Path,
) -> Result<Ran, StepError> {
    let has_uv = step.place.environment.find_program("uv").is_some();
    // Others install with pip, which uv leaves out. Where nothing is declared,
    // nothing is installed, and what the user has is what the project runs with.
    let command = match (python.is_of_uv() && has_uv, python.install().is_some()) {
        (true, _) => "uv venv --quiet \"$BATON_VENV\"",
        // Isolated: modules of the project shadow none of Python's own.
        (false, true) => "python3 -I -c \"$BATON_MAKE_VENV\" \"$BATON_VENV\" own",
        (false, false) => "python3 -I -c \"$BATON_MAKE_VENV\" \"$BATON_VENV\" system",
    };
    let variables = [
        ("BATON_VENV", venv.to_string_lossy().into_owned()),
        ("BATON_MAKE_VENV", MAKE.to_owned()),
    ];
    let candidate = project_command::configured(command);
    project_command::run(step, folder, &candidate, &variables).await
}

/// `.venv` where the user has one as well, else outside of the workspace: tools
/// that look at all files, such as flake8, would look at those of the environment.
fn venv_folder(step: &AgentStep<'_>, git: &Git) -> PathBuf {
    let place = step.place;
    if place.checkout.join(".venv").is_dir() && !place.settings.in_place {
        git.cwd().join(".venv")
    } else {
        tools_folder(step).join("venv")
    }
}

/// Runs behind the installation: what tests need and the project does not
/// declare, and pytest of the user's own interpreter where there is none.
pub(super) async fn complete(
    step: &AgentStep<'_>,
    folder: &Path,
    project: &Project,
    made: &Made,
) -> Result<Option<Ran>, StepError> {
    let Some(python) = Python::find(folder, project) else {
        return Ok(None);
    };
    let commands = if made.is_complete {
        Vec::new()
    } else {
        more_installs(folder, &python)
    };
    for command in commands {
        let candidate = project_command::configured(&command);
        let ran = project_command::run(step, folder, &candidate, &[]).await?;
        if !ran.success() {
            return Ok(Some(ran));
        }
    }
    let Some(venv) = RunEnvironment::find(step, folder).virtual_env else {
        return Ok(None);
    };
    let declares = python.install().is_some();
    // The user's interpreter, in a folder where the project shadows no module.
    let environment = &step.place.environment;
    let cmd = baton_host::Cmd::new("python3", "/", environment)
        .arg("-c")
        .arg(BORROW)
        .arg(venv)
        .arg(if declares { "declared" } else { "undeclared" })
        .mark(&project_command::mark(step))
        .wall_limit(step.place.settings.command_limit);
    match cmd.run(&step.context.cancel).await {
        Ok(finished) if !finished.success() => {
            let said = finished.stderr.text();
            tracing::debug!(%said, "packages of the user's interpreter could not be borrowed");
        }
        // A machine may have no Python but that of uv.
        Ok(_) | Err(_) => {}
    }
    step.go_on()?;
    install_tools(step, folder, &python).await?;
    Ok(None)
}

/// Installs into the run's own environment what neither the project nor the user has:
/// pytest, where it is the language's default, and the formatter and linter that the
/// project has settings for. Otherwise a plain project could not be validated on a
/// machine that has only Python.
async fn install_tools(
    step: &AgentStep<'_>,
    folder: &Path,
    python: &Python<'_>,
) -> Result<(), StepError> {
    let environment = project_command::variables(step, folder);
    let mut missing = python.tools(&step.place.settings.preferred);
    missing.retain(|tool| environment.find_program(tool).is_none());
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let candidate = project_command::configured(&format!("pip install --retries 1 {names}"));
    let ran = project_command::run(step, folder, &candidate, &[]).await?;
    if !ran.success() {
        // Validation asks for what turns out to be needed.
        step.context.say(&format!("cannot install {names}"));
    }
    Ok(())
}

/// The same installation with what the project declares for its tests.
pub(super) fn with_extras(folder: &Path, install: &Candidate) -> Candidate {
    const EXTRAS: [&str; 4] = ["test", "tests", "testing", "dev"];
    let mut install = install.clone();
    if install.command != "pip install -e ." {
        return install;
    }
    let text = fs::read_to_string(folder.join("pyproject.toml")).unwrap_or_default();
    let pyproject = parse::toml(&text).unwrap_or_default();
    let extras = pyproject.pointer("/project/optional-dependencies");
    let is_declared = |name: &&str| extras.is_some_and(|extras| extras.get(name).is_some());
    let wanted: Vec<&str> = EXTRAS.into_iter().filter(is_declared).collect();
    if !wanted.is_empty() {
        install.command = format!("pip install -e '.[{}]'", wanted.join(","));
    }
    install
}

/// Detection names the one file that lists what the project runs with.
fn more_installs(folder: &Path, python: &Python<'_>) -> Vec<String> {
    const FILES: [&str; 4] = [
        "requirements-dev.txt",
        "requirements-test.txt",
        "dev-requirements.txt",
        "test-requirements.txt",
    ];
    let install = python.install();
    if !install.is_some_and(|install| install.command.starts_with("pip install")) {
        return Vec::new();
    }
    let files = FILES.iter().filter(|name| folder.join(name).is_file());
    files.map(|name| format!("pip install -r {name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(virtual_env: Option<&str>) -> RunEnvironment {
        RunEnvironment {
            checkout: "/home/me/shop".into(),
            workspace: "/home/me/shop.baton/fix-1".into(),
            virtual_env: virtual_env.map(PathBuf::from),
            other_bins: vec!["/home/me/venv/bin".into()],
        }
    }

    #[test]
    fn modules_that_are_not_installed_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = run(None);
        run.workspace = folder.path().to_owned();
        let base: Environment = [("PYTHONPATH", "/lib")].into_iter().collect();
        let shown = |run: &RunEnvironment| {
            let variables = run.for_workspace(&base);
            let path = variables.get("PYTHONPATH").unwrap_or_default();
            path.to_string_lossy()
                .replace(&*folder.path().to_string_lossy(), "HERE")
        };
        assert_eq!(shown(&run), "/lib");
        fs::write(folder.path().join("shop.py"), "").unwrap();
        assert_eq!(shown(&run), "HERE:/lib");
        fs::write(folder.path().join("pyproject.toml"), "").unwrap();
        assert_eq!(shown(&run), "/lib");
        fs::write(folder.path().join("requirements.txt"), "").unwrap();
        assert_eq!(shown(&run), "HERE:/lib");
        fs::write(folder.path().join("uv.lock"), "").unwrap();
        assert_eq!(shown(&run), "/lib");
    }

    #[test]
    fn a_run_shares_no_place_that_is_written_to() {
        let base: Environment = [
            (
                "PATH",
                "/home/me/venv/bin:/home/me/shop/node_modules/.bin:/usr/bin",
            ),
            ("VIRTUAL_ENV", "/home/me/venv"),
            ("CONDA_PREFIX", "/opt/conda"),
            ("PYTHONPATH", "/home/me/shop/src:/home/me/shopping:lib"),
            ("CARGO_TARGET_DIR", "/tmp/target"),
            ("npm_config_local_prefix", "/home/me/shop"),
            ("GOFLAGS", "-mod=vendor"),
            ("HOME", "/home/me"),
        ]
        .into_iter()
        .collect();
        let shown = |run: &RunEnvironment| {
            let variables = run.for_workspace(&base);
            let lines = variables.iter().map(|(name, value)| {
                format!("{}={}", name.to_string_lossy(), value.to_string_lossy())
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(shown(&run(Some("/private/venv"))), @"
        CARGO_TARGET_DIR=/home/me/shop.baton/fix-1/target
        GOFLAGS=-mod=vendor
        HOME=/home/me
        PATH=/private/venv/bin:/home/me/shop.baton/fix-1/node_modules/.bin:/usr/bin
        PYTHONPATH=/home/me/shop.baton/fix-1/src:/home/me/shopping:lib
        UV_PROJECT_ENVIRONMENT=/private/venv
        VIRTUAL_ENV=/private/venv
        ");
        // Without an environment of its own, the user's programs are what there is.
        insta::assert_snapshot!(shown(&run(None)), @"
        CARGO_TARGET_DIR=/home/me/shop.baton/fix-1/target
        GOFLAGS=-mod=vendor
        HOME=/home/me
        PATH=/home/me/venv/bin:/home/me/shop.baton/fix-1/node_modules/.bin:/usr/bin
        PYTHONPATH=/home/me/shop.baton/fix-1/src:/home/me/shopping:lib
        ");
    }

    #[tokio::test]
    async fn an_environment_has_pip_without_an_installation() {
        let folder = tempfile::tempdir().unwrap();
        let venv = folder.path().join("a folder/venv");
        // Modules of the project shadow none of Python's own.
        fs::write(folder.path().join("zipfile.py"), "raise SystemExit(3)").unwrap();
        let base: Environment = [("PATH", "/usr/bin:/bin:/usr/local/bin")]
            .into_iter()
            .collect();
        let run = async |program: &Path, args: &[&OsStr]| {
            let cmd = baton_host::Cmd::new(program, folder.path(), &base).args(args);
            cmd.run(&tokio_util::sync::CancellationToken::new()).await
        };
        let args = ["-I", "-c", MAKE].map(OsStr::new);
        let args = [&args[..], &[venv.as_os_str(), OsStr::new("own")]].concat();
        let Ok(made) = run(Path::new("python3"), &args).await else {
            return;
        };
        assert!(made.success(), "{}", made.stderr.text());
        if made.stderr.text().contains("could not be unpacked") {
            // This machine's Python comes without a wheel of pip.
            return;
        }
        for name in ["pip", "pip3"] {
            let asked = run(&venv.join("bin").join(name), &[OsStr::new("--version")]).await;
            let said = asked.unwrap().stdout.text();
            assert!(said.contains(&*venv.to_string_lossy()), "{said}");
        }
    }
}
