//! Detects the package manager of a JavaScript project.

use baton_protocol::detection::{PackageManager, PackageManagerName, Purpose, WorkspaceKind};
use serde_json::Value;

use crate::detect::ecosystem::package_manager;
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::Proposal;
use PackageManagerName::{Bun, Npm, Pnpm, YarnBerry, YarnClassic};

/// Lockfiles and their package managers. Where there are several, the earlier
/// row wins: a stray package-lock.json is the most common leftover.
const LOCKFILES: [(&str, PackageManagerName); 6] = [
    ("pnpm-lock.yaml", Pnpm),
    ("yarn.lock", YarnClassic),
    ("bun.lock", Bun),
    ("bun.lockb", Bun),
    ("package-lock.json", Npm),
    ("npm-shrinkwrap.json", Npm),
];

/// Settings that only one package manager reads. They decide where there is
/// neither a declaration nor a lockfile.
const SETTINGS: [(&str, PackageManagerName); 3] = [
    ("pnpm-workspace.yaml", Pnpm),
    (".yarnrc.yml", YarnBerry),
    ("bunfig.toml", Bun),
];

/// The package manager, and how it runs things.
pub(in crate::detect) struct Runner {
    pub(in crate::detect) package_manager: PackageManager,
    has_lockfile: bool,
}

impl Runner {
    /// The `packageManager` field is the project's choice, and Corepack
    /// enforces it; without one the lockfile decides, and without that it is
    /// npm.
    pub(super) fn for_project(files: &ProjectFiles, package: &Value) -> Self {
        let locks: Vec<(&str, PackageManagerName)> = LOCKFILES
            .into_iter()
            .filter(|(file, _)| files.has(file))
            .map(|(file, name)| (file, yarn_generation(files, name)))
            .collect();
        let declared = declared(package);
        let package_manager = match (&declared, locks.first()) {
            (Some((name, field)), lock) => {
                if let Some((file, other)) = lock
                    && !same_program(*name, *other)
                {
                    files.note(
                        file,
                        format!("package.json declares {field}, but there is {file}"),
                    );
                }
                package_manager(*name, format!("package.json declares {field}"))
            }
            (None, Some((file, name))) => {
                if let Some((other, _)) = locks.iter().find(|(_, lock)| !same_program(*lock, *name))
                {
                    files.note(
                        other,
                        format!("both {file} and {other} are there; going by {file}"),
                    );
                }
                package_manager(*name, format!("there is {file}"))
            }
            (None, None) => SETTINGS
                .into_iter()
                .find(|(file, _)| files.has(file))
                .map_or_else(
                    || package_manager(Npm, "no lockfile says otherwise"),
                    |(file, name)| package_manager(name, format!("there is {file}")),
                ),
        };
        let has_lockfile = locks
            .iter()
            .any(|(_, lock)| same_program(*lock, package_manager.name));
        Self {
            package_manager,
            has_lockfile,
        }
    }

    pub(super) fn test(&self) -> &'static str {
        match self.package_manager.name {
            YarnClassic | YarnBerry => "yarn test",
            Pnpm => "pnpm test",
            // `bun test` is bun's own test runner; the script needs `run`.
            Bun => "bun run test",
            _ => "npm test",
        }
    }

    pub(super) fn test_fallbacks(&self) -> &'static [&'static str] {
        match self.package_manager.name {
            YarnClassic | YarnBerry => &["npm test", "pnpm test"],
            Pnpm => &["npm test", "yarn test"],
            Bun => &["npm test", "yarn test", "pnpm test"],
            _ => &["yarn test", "pnpm test"],
        }
    }

    /// `script` is one of the names this crate looks for, never foreign text.
    pub(super) fn run_script(&self, script: &str) -> String {
        match script {
            "test" => self.test().to_owned(),
            _ => format!("{} run {script}", self.program()),
        }
    }

    /// Runs a tool of the project, fetching it where the package manager can.
    pub(super) fn exec(&self, binary: &str, package: &str, arguments: &str) -> String {
        match self.package_manager.name {
            YarnClassic | YarnBerry => format!("yarn run {binary} {arguments}"),
            Pnpm => format!("pnpm exec {binary} {arguments}"),
            Bun => format!("bunx {package} {arguments}"),
            _ => format!("npx {package} {arguments}"),
        }
    }

    /// Runs a tool only if the project has it installed: a tool whose package
    /// has another name must not be fetched by the name of its program.
    pub(super) fn exec_installed(&self, binary: &str) -> String {
        match self.package_manager.name {
            YarnClassic | YarnBerry => format!("yarn run {binary}"),
            Pnpm => format!("pnpm exec {binary}"),
            Bun => format!("bunx --no-install {binary}"),
            _ => format!("npx --no-install {binary}"),
        }
    }

    /// Installs exactly what is in the lockfile, where there is one.
    pub(super) fn install(&self, files: &ProjectFiles) -> Proposal {
        let command = match (self.package_manager.name, self.has_lockfile) {
            (YarnBerry, true) => "yarn install --immutable",
            (YarnClassic, true) => "yarn install --frozen-lockfile",
            (YarnBerry | YarnClassic, false) => "yarn install",
            (Pnpm, true) => "pnpm install --frozen-lockfile",
            (Pnpm, false) => "pnpm install",
            (Bun, true) => "bun install --frozen-lockfile",
            (Bun, false) => "bun install",
            (_, true) => "npm ci",
            (_, false) => "npm install",
        };
        let lockfile = LOCKFILES
            .into_iter()
            .find(|(file, name)| same_program(*name, self.package_manager.name) && files.has(file));
        match lockfile {
            Some((file, _)) => Proposal::configured(
                Purpose::Install,
                command,
                file,
                format!("{file} fixes the versions"),
            ),
            None => Proposal::default(Purpose::Install, command, "there is no lockfile"),
        }
    }

    pub(super) fn suggestion(&self) -> &'static str {
        match self.package_manager.name {
            YarnClassic | YarnBerry => {
                "Install Node.js and yarn (npm install --global corepack && corepack enable), then run: yarn install"
            }
            Pnpm => "Install Node.js and pnpm (npm install --global pnpm), then run: pnpm install",
            Bun => "Install bun (https://bun.sh) or Node.js with npm, then run: bun install",
            _ => "Install Node.js with npm (https://nodejs.org), then run: npm install",
        }
    }

    fn program(&self) -> &'static str {
        match self.package_manager.name {
            YarnClassic | YarnBerry => "yarn",
            Pnpm => "pnpm",
            Bun => "bun",
            _ => "npm",
        }
    }
}

/// Which of the package managers runs the workspaces of this package.json.
pub(in crate::detect) fn workspace_runner(files: &ProjectFiles, package: &Value) -> WorkspaceKind {
    match Runner::for_project(files, package).package_manager.name {
        YarnClassic | YarnBerry => WorkspaceKind::Yarn,
        Pnpm => WorkspaceKind::Pnpm,
        Bun => WorkspaceKind::Bun,
        _ => WorkspaceKind::Npm,
    }
}

/// `"packageManager": "pnpm@9.1.0"` or `"devEngines": {"packageManager": {"name": "pnpm"}}`.
fn declared(package: &Value) -> Option<(PackageManagerName, String)> {
    let field = package
        .get("packageManager")
        .and_then(Value::as_str)
        .or_else(|| package.pointer("/devEngines/packageManager/name")?.as_str())?;
    let (program, version) = field.split_once('@').unwrap_or((field, ""));
    let name = match program {
        "npm" => Npm,
        "pnpm" => Pnpm,
        "bun" => Bun,
        "yarn" if version.starts_with("1.") || version == "1" => YarnClassic,
        "yarn" => YarnBerry,
        _ => return None,
    };
    // Only the known word is repeated; the version is foreign text.
    Some((name, format!("the package manager {program}")))
}

fn yarn_generation(files: &ProjectFiles, name: PackageManagerName) -> PackageManagerName {
    let is_berry = name == YarnClassic
        && (files.has(".yarnrc.yml")
            || files
                .text("yarn.lock")
                .is_some_and(|lock| lock.contains("__metadata:")));
    if is_berry { YarnBerry } else { name }
}

fn same_program(one: PackageManagerName, other: PackageManagerName) -> bool {
    let is_yarn = |name| matches!(name, YarnClassic | YarnBerry);
    one == other || (is_yarn(one) && is_yarn(other))
}
