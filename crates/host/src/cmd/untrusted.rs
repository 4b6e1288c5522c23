//! Selects the variables for programs that are not trusted with the caller's
//! secrets: coding agents, a project's own commands, notifications.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use super::environment::Environment;
use super::redact::Redactor;

/// Passed by their exact names, which were looked at one by one: what they hold
/// is no secret, even where the name contains a word such as `AUTH`.
const NAMES: &[&str] = &[
    // The person and the terminal.
    "CI",
    "COLUMNS",
    "FORCE_COLOR",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOGNAME",
    "NO_COLOR",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "USER",
    // Certificates to trust.
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    // Whose commits they are, and where git's settings are. Settings that are
    // given in variables (`GIT_CONFIG_VALUE_0`) may hold a login.
    "EMAIL",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    // Toolchains.
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "AR",
    "CC",
    "CFLAGS",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "CONDA_PREFIX",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "FC",
    "GO111MODULE",
    "GOARCH",
    "GOBIN",
    "GOCACHE",
    "GOENV",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOINSECURE",
    "GOMAXPROCS",
    "GOMODCACHE",
    "GONOPROXY",
    "GONOSUMDB",
    "GOOS",
    "GOPATH",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTOOLCHAIN",
    "GOWORK",
    "JAVA_HOME",
    "JDK_HOME",
    "LD",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "M2_HOME",
    "MAKEFLAGS",
    "RUSTFLAGS",
    "SDKROOT",
    // Whose child a process is.
    super::MARKER,
];

/// Passed by how they begin, unless the rest looks like a secret.
const PREFIXES: &[&str] = &[
    "BUNDLE_",
    "BUN_",
    "CARGO_",
    "CGO_",
    "CMAKE_",
    "COREPACK_",
    "DENO_",
    "DOTNET_",
    "DYLD_",
    "GEM_",
    "GRADLE_",
    "LC_",
    "MAVEN_",
    "NIX_",
    "NODE_",
    "NPM_CONFIG_",
    "NVM_",
    "PIP_",
    "PKG_CONFIG_",
    "PNPM_",
    "POETRY_",
    "PYENV_",
    "PYTHON",
    "RBENV_",
    "RUBY",
    "RUSTC",
    "RUSTUP_",
    "UV_",
    "VOLTA_",
    "XDG_",
    "YARN_",
    "npm_config_",
];

/// Begin like allowed names but are withheld.
const WITHHELD: &[&str] = &[
    // Its settings may be `access-tokens = …`.
    "NIX_CONFIG",
    // Sockets: the session bus, the keyring, containers.
    "XDG_RUNTIME_DIR",
];

/// Words that make a name look like that of a secret.
const SECRET_WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "CREDENTIAL",
    "PASS",
    "PRIVATE",
    "SECRET",
    "SIGNING",
    "TOKEN",
];

/// In the options of a tool, as in `-Drepository.password=…`.
const SECRET_OPTIONS: &[&str] = &["pass=", "passphrase=", "password=", "secret=", "token="];

const PROXIES: &[&str] = &[
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

impl Environment {
    /// What a program gets that is not trusted with what its caller knows: the
    /// variables that are known to be needed and harmless, and no others.
    ///
    /// A name in `extra` passes as it is. One that ends with `*` matches all
    /// that begin so and do not look like secrets.
    #[must_use]
    pub fn for_untrusted(&self, extra: &[String]) -> Self {
        let mut passed: Self = self
            .iter()
            .filter(|(name, value)| is_passed(name, value, extra))
            .collect();
        if let Some(path) = self.get("PATH") {
            passed.set("PATH", absolute_entries(path));
        }
        passed
    }

    /// Adds the proxies of another environment, without the logins in them:
    /// for children that reach the network by themselves.
    #[must_use]
    pub fn with_proxies_of(mut self, other: &Self) -> Self {
        let proxies = other
            .iter()
            .filter(|(name, _)| name.to_str().is_some_and(is_proxy));
        for (name, value) in proxies {
            self.set(name, without_login(value));
        }
        self
    }
}

fn is_passed(name: &OsStr, value: &OsStr, extra: &[String]) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    if extra.iter().any(|extra| extra == name) {
        return true;
    }
    let wildcards = extra.iter().filter_map(|extra| extra.strip_suffix('*'));
    let mut prefixes = PREFIXES.iter().copied().chain(wildcards);
    let is_known = NAMES.contains(&name)
        || (prefixes.any(|prefix| !prefix.is_empty() && name.starts_with(prefix))
            && !is_withheld(name));
    is_known && !holds_secret(value)
}

fn is_withheld(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    WITHHELD.contains(&name.as_str())
        || SECRET_WORDS.iter().any(|word| name.contains(word))
        || name.ends_with("_KEY")
        || name.ends_with("_PROXY")
        || is_bundler_login(&name)
}

/// Bundler reads the login of a server from a variable that is named after its
/// host, with two underscores for a dot: `BUNDLE_GEMS__EXAMPLE__COM`.
fn is_bundler_login(name: &str) -> bool {
    const SETTINGS: [&str; 3] = ["BUILD__", "LOCAL__", "MIRROR__"];
    name.strip_prefix("BUNDLE_").is_some_and(|rest| {
        rest.contains("__") && !SETTINGS.iter().any(|setting| rest.starts_with(setting))
    })
}

/// A login in a URL, or in an option.
fn holds_secret(value: &OsStr) -> bool {
    let text = value.to_string_lossy().to_ascii_lowercase();
    Redactor::default().redact_os(value) != value
        || SECRET_OPTIONS.iter().any(|option| text.contains(option))
}

fn is_proxy(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    PROXIES.contains(&upper.as_str())
        || (upper.ends_with("_PROXY") && PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// A relative entry would name a program of the folder that a command runs in.
fn absolute_entries(path: &OsStr) -> OsString {
    let entries: Vec<_> = path
        .as_bytes()
        .split(|&byte| byte == b':')
        .filter(|entry| Path::new(OsStr::from_bytes(entry)).is_absolute())
        .collect();
    OsString::from_vec(entries.join(&b':'))
}

/// `http://user:password@proxy:3128` as `http://proxy:3128`; the scheme may be
/// missing.
fn without_login(value: &OsStr) -> OsString {
    let bytes = value.as_bytes();
    let start = bytes
        .windows(3)
        .position(|window| window == b"://")
        .map_or(0, |position| position + 3);
    let Some(at) = bytes.iter().rposition(|&byte| byte == b'@') else {
        return value.to_owned();
    };
    let host = &bytes[(at + 1).max(start)..];
    OsString::from_vec([&bytes[..start], host].concat())
}

#[cfg(test)]
mod tests {
    use super::Environment;

    fn passes(name: &str, value: &str) -> bool {
        let all: Environment = [(name, value)].into_iter().collect();
        all.for_untrusted(&[]).get(name).is_some()
    }

    #[test]
    fn hostile_variables_do_not_pass() {
        for (name, value) in [
            ("DATABASE_URL", "postgres://app:hunter2@db/app"),
            ("DATABASE_URL", "postgres://db/app"),
            ("GH_TOKEN", "ghp_1"),
            ("GITHUB_TOKEN", "ghp_1"),
            ("AWS_ACCESS_KEY_ID", "AKIA"),
            ("AWS_PROFILE", "prod"),
            ("KUBECONFIG", "/home/me/.kube/config"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("SSH_ASKPASS", "/bin/ask"),
            ("GIT_DIR", "/repo/.git"),
            ("GIT_CONFIG_VALUE_0", "AUTHORIZATION: basic eDp5"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
            ("DOCKER_HOST", "unix:///run/docker.sock"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("VIRTUAL_ENV", "/home/me/venv"),
            ("BATON_STATE_DIR", "/home/me/state"),
            ("BATON_SERVE_TOKEN", "1"),
            ("HTTPS_PROXY", "http://proxy:3128"),
            ("npm_config_https_proxy", "http://proxy:3128"),
            // Below a prefix that passes.
            ("npm_config_token", "1"),
            ("npm_config_//registry.npmjs.org/:_authToken", "npm_1"),
            ("npm_config__auth", "1"),
            ("npm_config_key", "-----BEGIN"),
            ("NPM_CONFIG_REGISTRY", "https://npm_1@registry.example"),
            ("NODE_AUTH_TOKEN", "npm_1"),
            ("CARGO_REGISTRY_TOKEN", "c_1"),
            ("CARGO_REGISTRIES_OWN_TOKEN", "c_1"),
            ("PIP_INDEX_URL", "https://me:hunter2@pypi.example/simple"),
            ("PIP_EXTRA_INDEX_URL", "https://a/ https://x:y@b/simple"),
            ("UV_INDEX_OWN_PASSWORD", "hunter2"),
            ("POETRY_HTTP_BASIC_OWN_PASSWORD", "hunter2"),
            ("POETRY_PYPI_TOKEN_PYPI", "pypi-1"),
            ("BUNDLE_GEMS__CONTRIBSYS__COM", "me:hunter2"),
            ("BUNDLE_GITHUB__COM", "x-access:1"),
            ("GEM_HOST_API_KEY", "rubygems_1"),
            ("MAVEN_GPG_PASSPHRASE", "hunter2"),
            ("MAVEN_OPTS", "-Xmx1g -Drepo.password=hunter2"),
            ("GRADLE_ENCRYPTION_KEY", "1"),
            ("GOPROXY", "https://me:hunter2@go.example,direct"),
            ("NIX_CONFIG", "access-tokens = github.com=ghp_1"),
            ("COREPACK_NPM_PASSWORD", "hunter2"),
        ] {
            assert!(!passes(name, value), "{name}={value} passed");
        }
    }

    #[test]
    fn honest_variables_pass() {
        for (name, value) in [
            ("HOME", "/home/me"),
            ("TMPDIR", "/tmp"),
            ("LANG", "de_DE.UTF-8"),
            ("LC_ALL", "C"),
            ("CI", "1"),
            ("SSL_CERT_FILE", "/etc/ca.pem"),
            ("NODE_EXTRA_CA_CERTS", "/etc/ca.pem"),
            ("PIP_CERT", "/etc/ca.pem"),
            ("CARGO_HTTP_CAINFO", "/etc/ca.pem"),
            ("GIT_AUTHOR_NAME", "Octo"),
            ("JAVA_HOME", "/opt/java"),
            ("MAVEN_OPTS", "-Xmx1g"),
            ("GRADLE_USER_HOME", "/home/me/.gradle"),
            ("GOFLAGS", "-mod=vendor"),
            ("GOPROXY", "https://go.example,direct"),
            ("CGO_ENABLED", "0"),
            ("CARGO_HOME", "/home/me/.cargo"),
            ("RUSTUP_HOME", "/home/me/.rustup"),
            ("RUSTFLAGS", "-Dwarnings"),
            ("RUSTC_WRAPPER", "sccache"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("npm_config_registry", "https://registry.example"),
            ("NVM_DIR", "/home/me/.nvm"),
            ("PIP_INDEX_URL", "https://pypi.example/simple"),
            ("UV_CACHE_DIR", "/home/me/.cache/uv"),
            ("PYTHONPATH", "src"),
            ("PYENV_ROOT", "/home/me/.pyenv"),
            ("GEM_HOME", "/home/me/.gem"),
            ("BUNDLE_BUILD__NOKOGIRI", "--use-system-libraries"),
            ("BUNDLE_PATH", "vendor"),
            ("RUBYOPT", "-W0"),
            ("DOTNET_ROOT", "/opt/dotnet"),
            ("CC", "clang"),
            ("PKG_CONFIG_PATH", "/opt/lib/pkgconfig"),
            ("LD_LIBRARY_PATH", "/opt/lib"),
            ("XDG_CACHE_HOME", "/home/me/.cache"),
            ("BATON_CHILD", "1-0-2a"),
        ] {
            assert!(passes(name, value), "{name}={value} did not pass");
        }
    }

    #[test]
    fn only_absolute_entries_of_the_path_pass() {
        let all: Environment = [("PATH", "/usr/bin:.::node_modules/.bin:/bin")]
            .into_iter()
            .collect();
        let path = all.for_untrusted(&[]).get("PATH").map(ToOwned::to_owned);
        assert_eq!(path.as_deref(), Some("/usr/bin:/bin".as_ref()));
    }

    #[test]
    fn named_variables_pass_as_they_are_and_wildcards_without_secrets() {
        let all: Environment = [
            ("MY_API_KEY", "1"),
            ("AIDER_MODEL", "large"),
            ("AIDER_API_KEY", "1"),
            ("OTHER", "1"),
        ]
        .into_iter()
        .collect();
        let extra = ["MY_API_KEY", "AIDER_*", "*"].map(str::to_owned);
        let passed = all.for_untrusted(&extra);
        let names: Vec<_> = passed.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["AIDER_MODEL", "MY_API_KEY"]);
    }

    #[test]
    fn proxies_pass_without_their_logins() {
        let all: Environment = [
            ("HTTP_PROXY", "http://me:hunter2@proxy:3128"),
            ("https_proxy", "me:hunter2@proxy:3128"),
            ("no_proxy", "localhost,.example"),
            ("npm_config_proxy", "http://proxy:3128"),
            ("MY_PROXY", "1"),
        ]
        .into_iter()
        .collect();
        let passed = Environment::default().with_proxies_of(&all);
        let passed: Vec<_> = passed.iter().collect();
        let expected = [
            ("HTTP_PROXY", "http://proxy:3128"),
            ("https_proxy", "proxy:3128"),
            ("no_proxy", "localhost,.example"),
            ("npm_config_proxy", "http://proxy:3128"),
        ];
        let expected = expected.map(|(name, value)| (name.as_ref(), value.as_ref()));
        assert_eq!(passed, expected);
    }
}
