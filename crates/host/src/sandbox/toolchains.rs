//! Where tools, their caches and their settings are in a home folder.

/// Programs and libraries: read only.
pub(super) const PROGRAMS: &[&str] = &[
    ".rustup",
    ".pyenv",
    ".rbenv",
    ".nodenv",
    ".goenv",
    ".jenv",
    ".nvm",
    ".fnm",
    ".volta",
    ".asdf",
    ".sdkman",
    ".dotnet",
    ".deno",
    ".opencode",
    ".claude/local",
    ".nix-profile",
    ".npm-global",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/claude",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/uv",
    "go/bin",
    "miniconda3",
    "miniforge3",
    "anaconda3",
];

/// What tools keep in order not to fetch it again: read, with changes kept
/// aside.
pub(super) struct Cache {
    /// Below the home folder.
    pub(super) path: &'static str,
    /// Files by which a project is known to use it.
    pub(super) manifests: &'static [&'static str],
}

/// Names of files, or `*` and how they end.
const RUST: &[&str] = &["Cargo.toml"];
const NODE: &[&str] = &["package.json", "deno.json", "deno.jsonc"];
const JAVA: &[&str] = &[
    "pom.xml",
    "mvnw",
    "gradlew",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "build.sbt",
    "build.xml",
];
const RUBY: &[&str] = &["Gemfile", "gems.rb", "Rakefile", "*.gemspec", "*.rb"];
const DOTNET: &[&str] = &["*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx"];
const GO: &[&str] = &["go.mod", "go.work", "*.go"];
const PYTHON: &[&str] = &[
    "*.py",
    "pyproject.toml",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "tox.ini",
];
const HOOKS: &[&str] = &[
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "prek.toml",
];
const BROWSERS: &[&str] = &["package.json", "*.py", "pom.xml", "*.csproj"];

pub(super) const CACHES: &[Cache] = &[
    cache(".cargo", RUST),
    cache(".npm", NODE),
    cache(".m2", JAVA),
    cache(".gradle", JAVA),
    cache(".ivy2", JAVA),
    cache(".bundle", RUBY),
    cache(".gem", RUBY),
    cache(".nuget", DOTNET),
    cache(".yarn", NODE),
    cache(".bun", NODE),
    cache("go/pkg", GO),
    cache(".cache/pip", PYTHON),
    cache(".cache/uv", PYTHON),
    cache(".cache/pypoetry", PYTHON),
    cache(".cache/pdm", PYTHON),
    cache(".cache/pre-commit", HOOKS),
    cache(".cache/prek", HOOKS),
    cache(".cache/yarn", NODE),
    cache(".cache/pnpm", NODE),
    cache(".cache/node", NODE),
    cache(".cache/node-gyp", NODE),
    cache(".cache/go-build", GO),
    cache(".cache/golangci-lint", GO),
    cache(".cache/ms-playwright", BROWSERS),
    cache(".cache/Cypress", BROWSERS),
    cache(".cache/puppeteer", BROWSERS),
    cache(".cache/deno", NODE),
    cache(".local/share/pnpm", NODE),
];

const fn cache(path: &'static str, manifests: &'static [&'static str]) -> Cache {
    Cache { path, manifests }
}

/// Secrets among those, which are hidden.
pub(super) const SECRETS: &[&str] = &[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    MAVEN_SETTINGS,
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".gem/credentials",
    ".bundle/config",
    ".nuget/NuGet/NuGet.Config",
    ".yarn/.yarnrc.yml",
];

/// Settings that say where packages come from. Lines that hold a secret are
/// left out of the copy that programs see.
pub(super) const SETTINGS: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".config/uv/uv.toml",
    ".config/pypoetry/config.toml",
    ".condarc",
    ".gemrc",
    ".config/go/env",
];

/// The same among caches: hidden files, in place of which a copy is mounted.
pub(super) const HIDDEN_SETTINGS: &[&str] = &[MAVEN_SETTINGS, ".gradle/gradle.properties"];

/// Its logins are a section of their own.
pub(super) const MAVEN_SETTINGS: &str = ".m2/settings.xml";

/// Where programs of other roots look for the user's toolchains when the home
/// folder is another one.
pub(super) const HOME_VARIABLES: &[(&str, &str)] = &[
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("SDKMAN_DIR", ".sdkman"),
];

/// Folders of the system.
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/run/current-system",
    "/home/linuxbrew",
    "/sys/devices/system",
    "/System",
    "/Library",
];

/// Files of the system that only its administrator reads; baton may be run by
/// one.
pub(super) const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/ssh",
];

/// Variables with the folder of a toolchain, which is mounted read-only.
pub(super) const PROGRAM_VARIABLES: &[&str] = &[
    "RUSTUP_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "NVM_DIR",
    "VOLTA_HOME",
    "ASDF_DATA_DIR",
    "SDKMAN_DIR",
    "JAVA_HOME",
    "GOROOT",
    "DOTNET_ROOT",
    "CONDA_PREFIX",
    "M2_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "PIP_FIND_LINKS",
];

/// Variables that say where a cache is: layers, like those of the home folder.
pub(super) const CACHE_VARIABLES: &[&str] = &[
    "CARGO_HOME",
    "GOPATH",
    "GOMODCACHE",
    "GOCACHE",
    "npm_config_cache",
    "NPM_CONFIG_CACHE",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "POETRY_CACHE_DIR",
    "YARN_CACHE_FOLDER",
    "PNPM_HOME",
    "GRADLE_USER_HOME",
    "GEM_HOME",
    "BUNDLE_PATH",
];

/// Variables that lead to folders and files of the user's that a program does
/// not see; without them, it looks in its home folder.
pub(super) const HIDDEN_VARIABLES: &[&str] = &[
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "GIT_CONFIG_GLOBAL",
];
