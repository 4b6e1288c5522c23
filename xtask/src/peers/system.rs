//! Peers that come from the system's package manager: languages, and what has
//! no package of its own elsewhere.

use std::path::Path;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::program::Program;

pub(super) struct Tool {
    pub(super) name: &'static str,
    /// All of them have to be on PATH.
    programs: &'static [&'static str],
    /// All of them have to be there: what comes without a program.
    files: &'static [&'static str],
    /// The packages of Debian and Ubuntu.
    packages: &'static [&'static str],
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "xmllint",
        programs: &["xmllint"],
        files: &[],
        packages: &["libxml2-utils"],
    },
    Tool {
        name: "gh",
        programs: &["gh"],
        files: &[],
        packages: &["gh"],
    },
    Tool {
        name: "strace",
        programs: &["strace"],
        files: &[],
        packages: &["strace"],
    },
    Tool {
        name: "go",
        programs: &["go"],
        files: &[],
        packages: &["golang-go"],
    },
    Tool {
        name: "ruby",
        programs: &["ruby", "rspec", "rake", "rubocop"],
        files: &[],
        packages: &["ruby", "ruby-rspec", "ruby-minitest", "rake", "rubocop"],
    },
    Tool {
        name: "maven",
        programs: &["javac", "mvn"],
        // Debian's own repository, which Maven can use without a network.
        files: &[
            "/usr/share/maven-repo/junit/junit",
            "/usr/share/maven-repo/org/apache/maven/plugins/maven-compiler-plugin",
            "/usr/share/maven-repo/org/apache/maven/plugins/maven-resources-plugin",
            "/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin",
        ],
        packages: &[
            "default-jdk-headless",
            "maven",
            "junit4",
            "libmaven-compiler-plugin-java",
            "libmaven-resources-plugin-java",
            "libsurefire-java",
        ],
    },
];

impl Tool {
    /// Finds it. Only a CI machine that runs as root is changed to have it.
    pub(super) fn ensure(&self, environment: &Environment) -> Result<(), Failure> {
        if self.missing(environment).is_empty() {
            return Ok(());
        }
        if environment.ci && environment.find_on_path("apt-get").is_some() && is_root() {
            println!("  installing the Debian packages of {} …", self.name);
            let install = || {
                apt_get(
                    &["install", "--yes", "--no-install-recommends"],
                    self.packages,
                )
            };
            // A machine that has never asked for the package lists knows no packages.
            install().or_else(|_| {
                apt_get(&["update"], &[])?;
                install()
            })?;
        }
        let missing = self.missing(environment);
        if missing.is_empty() {
            return Ok(());
        }
        Err(
            Failure::new(format!("there is no {}", missing.join(", "))).next(format!(
                "install it (Debian and Ubuntu: {})",
                self.packages.join(" ")
            )),
        )
    }

    fn missing(&self, environment: &Environment) -> Vec<&'static str> {
        let programs = self
            .programs
            .iter()
            .filter(|program| environment.find_on_path(program).is_none());
        let files = self.files.iter().filter(|file| !Path::new(file).exists());
        programs.chain(files).copied().collect()
    }
}

fn apt_get(args: &[&str], packages: &[&str]) -> Result<(), Failure> {
    Program::new("apt-get")
        .args(args)
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run_quietly()
        .map(drop)
}

fn is_root() -> bool {
    Program::new("id")
        .args(["-u"])
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
