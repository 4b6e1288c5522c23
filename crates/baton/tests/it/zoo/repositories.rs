//! The hostile repositories. Each plants commands that leave a trace when they
//! run.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use baton_testkit::{Repo, Sandbox};

/// Where hostile things are planted.
pub(super) struct Ground<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) repo: Repo<'a>,
    /// A program that leaves a trace and passes its input on.
    pub(super) trap: String,
}

/// One kind of hostile repository.
pub(super) struct Hostile {
    pub(super) name: &'static str,
    /// Plants it, and says in which folder baton is called.
    plant: fn(&Ground<'_>) -> PathBuf,
}

const HOOKS: [&str; 12] = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "update",
];

pub(super) const ALL: &[Hostile] = &[
    hostile("core.fsmonitor", |g| g.set("core.fsmonitor", &g.trap)),
    hostile("every hook", |g| {
        g.plant_hooks(&g.repo.path().join(".git/hooks"));
        g.here()
    }),
    hostile("core.hooksPath", |g| {
        g.plant_hooks(&g.repo.path().join("githooks"));
        g.set("core.hooksPath", "githooks")
    }),
    hostile("clean filter", |g| g.set("filter.evil.clean", &g.trap)),
    hostile("smudge filter", |g| g.set("filter.evil.smudge", &g.trap)),
    hostile("process filter", |g| {
        g.set("filter.evil.required", "true");
        g.set("filter.evil.process", &g.trap)
    }),
    hostile("textconv", |g| g.set("diff.evil.textconv", &g.trap)),
    hostile("diff driver", |g| g.set("diff.evil.command", &g.trap)),
    hostile("diff.external", |g| g.set("diff.external", &g.trap)),
    hostile("merge driver", |g| g.set("merge.evil.driver", &g.trap)),
    hostile("core.worktree elsewhere", |g| {
        let elsewhere = g.sandbox.folder("elsewhere");
        fs::write(elsewhere.join("file"), "elsewhere\n").unwrap();
        g.set("filter.evil.clean", &g.trap);
        g.set("core.worktree", elsewhere.to_str().unwrap())
    }),
    hostile("embedded bare repository", embedded_bare),
    hostile(".git file to a hostile folder", |g| {
        let inside = g.repo.path().join("vendor/lib");
        fs::create_dir_all(&inside).unwrap();
        g.set("core.fsmonitor", &g.trap);
        fs::write(inside.join(".git"), "gitdir: ../../.git\n").unwrap();
        inside
    }),
    hostile("include.path", |g| {
        let more = format!("[core]\n\tfsmonitor = {}\n", g.trap);
        let more = g.repo.write("more.config", more);
        let condition = format!("includeIf.gitdir:{}/.path", g.repo.path().display());
        g.set(&condition, more.to_str().unwrap());
        g.set("include.path", "../more.config")
    }),
    hostile("config.worktree", |g| {
        g.set("extensions.worktreeConfig", "true");
        let own = format!("[core]\n\tfsmonitor = {}\n", g.trap);
        g.repo.write(".git/config.worktree", own);
        g.here()
    }),
    hostile("partial clone from ext::", |g| {
        let blob = g.repo.git(&["rev-parse", "HEAD~1:file.py"]);
        let loose = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
        g.repo.remove(loose);
        g.set("extensions.partialClone", "origin");
        g.set("remote.origin.promisor", "true");
        g.set("protocol.ext.allow", "always");
        g.set("remote.origin.url", &format!("ext::{} %S", g.trap))
    }),
    hostile("core.sshCommand", |g| {
        g.set("remote.origin.url", "ssh://git@example.invalid/o/r.git");
        g.set("core.sshCommand", &g.trap)
    }),
    hostile("core.askPass", |g| g.set("core.askPass", &g.trap)),
    hostile("credential.helper", |g| {
        g.set("remote.origin.url", "https://github.com/octo/demo.git");
        g.set("credential.helper", &format!("!{}", g.trap))
    }),
    hostile("pagers", |g| {
        g.set("pager.log", &g.trap);
        g.set("pager.diff", &g.trap);
        g.set("core.pager", &g.trap)
    }),
    hostile("core.editor", |g| g.set("core.editor", &g.trap)),
    hostile("gpg.program", |g| {
        g.set("log.showSignature", "true");
        g.set("commit.gpgSign", "true");
        g.set("gpg.program", &g.trap)
    }),
    hostile("alias", |g| {
        for name in ["status", "log", "diff", "rev-parse", "config", "version"] {
            g.set(&format!("alias.{name}"), &format!("!{}", g.trap));
        }
        g.here()
    }),
    hostile("core.alternateRefsCommand", |g| {
        let objects = g.repo.path().join(".git/objects");
        let line = format!("{}\n", objects.display());
        g.repo.write(".git/objects/info/alternates", line);
        g.set("core.alternateRefsCommand", &g.trap)
    }),
    hostile("submodule", submodule),
    hostile("baton's own configuration", |g| {
        let commands = [
            "install", "format", "lint", "build", "test", "generate", "serve",
        ];
        let mut text = format!(
            "[agent]\nname = \"claude\"\n\n[review]\nsarif = [\"{}\"]\n",
            g.trap
        );
        text.push_str("\n[commands]\n");
        for name in commands {
            writeln!(text, "{name} = \"{}\"", g.trap).unwrap();
        }
        g.repo.write(".baton/config.toml", text);
        g.here()
    }),
    hostile("agent.program in baton's configuration", |g| {
        let text = format!("[agent]\nprogram = \"{}\"\n", g.trap);
        g.repo.write(".baton/config.toml", text);
        g.here()
    }),
    hostile("package.json", |g| {
        let script = |name: &str| format!("\"{name}\": \"{}\"", g.trap);
        let scripts = ["preinstall", "test", "build", "lint", "format"].map(script);
        let text = format!("{{\"scripts\": {{{}}}}}\n", scripts.join(", "));
        g.repo.write("package.json", text);
        g.repo.write(".npmrc", format!("script-shell={}\n", g.trap));
        g.here()
    }),
    hostile("Makefile", |g| {
        let text = format!("X := $(shell {0})\ntest build lint:\n\t{0}\n", g.trap);
        g.repo.write("Makefile", text);
        g.here()
    }),
    hostile("conftest.py", |g| {
        let text = format!("import os\nos.system('{}')\n", g.trap);
        for file in ["conftest.py", "setup.py", "sitecustomize.py"] {
            g.repo.write(file, &text);
        }
        g.here()
    }),
    hostile("build.rs", |g| {
        let main = format!(
            "fn main() {{ std::process::Command::new(\"{}\").status(); }}\n",
            g.trap
        );
        g.repo.write("build.rs", main);
        g.repo.write("src/lib.rs", "");
        let manifest = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        g.repo.write("Cargo.toml", manifest);
        let wrapper = format!("[build]\nrustc-wrapper = \"{}\"\n", g.trap);
        g.repo.write(".cargo/config.toml", wrapper);
        let toolchain = format!("[toolchain]\npath = \"{}\"\n", g.repo.path().display());
        g.repo.write("rust-toolchain.toml", toolchain);
        g.here()
    }),
    hostile("gradlew and mvnw", |g| {
        for file in ["gradlew", "mvnw"] {
            fs::copy(&g.trap, g.repo.path().join(file)).unwrap();
        }
        g.repo.write("build.gradle", "plugins { id 'java' }\n");
        g.repo.write("pom.xml", "<project></project>\n");
        g.here()
    }),
    hostile(".envrc and .tool-versions", |g| {
        g.repo.write(".envrc", format!("{}\n", g.trap));
        g.repo.write(".tool-versions", "nodejs path:./bin\n");
        g.here()
    }),
    hostile("programs of the repository on the PATH", |g| {
        for name in [
            "gh", "claude", "codex", "gemini", "goose", "opencode", "aider", "node",
        ] {
            let file = g
                .repo
                .write(format!("bin/{name}"), fs::read(&g.trap).unwrap());
            executable(&file);
        }
        g.here()
    }),
];

const fn hostile(name: &'static str, plant: fn(&Ground<'_>) -> PathBuf) -> Hostile {
    Hostile { name, plant }
}

impl Hostile {
    pub(super) fn plant(&self, ground: &Ground<'_>) -> PathBuf {
        (self.plant)(ground)
    }
}

impl<'a> Ground<'a> {
    /// A repository with two commits and a change, whose attributes ask for
    /// every kind of driver.
    pub(super) fn new(sandbox: &'a Sandbox, trace: &Path) -> Self {
        let script = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", trace.display());
        let trap = sandbox.write("trap", script);
        executable(&trap);
        let repo = sandbox.repo("project");
        let attributes = "* filter=evil diff=evil merge=evil\n";
        repo.commit_file(".gitattributes", attributes, "First");
        repo.commit_file("file.py", "import os\n", "Second");
        repo.commit_file("file.py", "import os\nimport sys\n", "Third");
        repo.write("file.py", "import os\nos.system(input())\n");
        repo.write("report.txt", "1 passed\n");
        repo.write("new.py", "import os\n");
        Self {
            sandbox,
            repo,
            trap: trap.to_str().unwrap().to_owned(),
        }
    }

    fn here(&self) -> PathBuf {
        self.repo.path().to_path_buf()
    }

    /// Written into the file itself: git would begin to follow it.
    fn set(&self, key: &str, value: &str) -> PathBuf {
        let file = self.repo.path().join(".git/config");
        self.set_in(&file, key, value);
        self.here()
    }

    fn set_in(&self, file: &Path, key: &str, value: &str) {
        let home = self.sandbox.home();
        let file = file.to_str().unwrap();
        let args = ["config", "--file", file, key, value];
        assert!(self.sandbox.run(&home, "git", &args).status.success());
    }

    fn plant_hooks(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for name in HOOKS {
            fs::copy(&self.trap, folder.join(name)).unwrap();
        }
    }
}

/// Any clone can contain a folder that git takes for a bare repository.
fn embedded_bare(g: &Ground<'_>) -> PathBuf {
    let folder = g.repo.path().join("docs");
    g.repo.git(&["clone", "--quiet", "--bare", ".", "docs"]);
    let config = folder.join("config");
    fs::create_dir_all(folder.join("tree")).unwrap();
    fs::write(folder.join("tree/file.py"), "import sys\n").unwrap();
    fs::write(folder.join("file.py"), "import sys\n").unwrap();
    for (key, value) in [
        ("core.bare", "false"),
        ("core.worktree", folder.join("tree").to_str().unwrap()),
        ("core.fsmonitor", &g.trap),
        ("core.hooksPath", "hooks"),
        ("filter.evil.clean", &g.trap),
    ] {
        g.set_in(&config, key, value);
    }
    g.plant_hooks(&folder.join("hooks"));
    folder
}

fn submodule(g: &Ground<'_>) -> PathBuf {
    let library = g.sandbox.repo("library");
    library.commit_file("code.py", "import os\n", "First");
    let url = library.path().to_str().unwrap();
    g.repo.git(&["submodule", "add", "--quiet", url, "sub"]);
    g.repo
        .git(&["commit", "--quiet", "--message", "Add a submodule"]);
    g.set("submodule.sub.update", &format!("!{}", g.trap));
    g.set("submodule.recurse", "true");
    g.set("status.submoduleSummary", "true");
    let config = g.repo.path().join(".git/modules/sub/config");
    g.set_in(&config, "core.fsmonitor", &g.trap);
    g.set_in(&config, "filter.evil.clean", &g.trap);
    g.repo.write("sub/.gitattributes", "* filter=evil\n");
    g.repo.write("sub/code.py", "import sys\n");
    g.here()
}

fn executable(file: &Path) {
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}
