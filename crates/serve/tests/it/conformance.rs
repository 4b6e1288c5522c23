//! The protocol's own conformance suite, for which `tools` has stand-ins of
//! the tools that it calls.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::http::{Hosted, TOKEN};

#[tokio::test]
async fn the_conformance_suite_passes_but_for_written_exceptions() {
    let Some(peers) = peers() else {
        return;
    };
    let hosted = Hosted::start().await;
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance");
    let package = peers.join("node_modules/@modelcontextprotocol/conformance");
    let output = Command::new(node(&peers))
        .arg("--import")
        .arg(here.join("show-token.mjs"))
        .arg(package.join("dist/index.js"))
        .args(["server", "--suite", "all", "--url"])
        .arg(baton_serve::http::url(hosted.address))
        .arg("--expected-failures")
        .arg(here.join("exceptions.yml"))
        .env("BATON_SERVE_TOKEN", TOKEN)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let summary = said.split("=== SUMMARY ===").last().unwrap_or_default();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complaints}");
    assert!(summary.contains("✓ server-initialize"), "{said}");
    hosted.end().await;
}

fn peers() -> Option<PathBuf> {
    let folder = std::env::var_os("BATON_PEERS_DIR").map(|folder| Path::new(&folder).join("mcp"));
    let found = folder.filter(|folder| node(folder).exists());
    if found.is_none() {
        assert!(
            std::env::var_os("BATON_REQUIRE_PEERS").is_none_or(|value| value != "1"),
            "the MCP peers are required; run `cargo xtask peers`"
        );
        // Unlike `eprintln!`, this is not captured by the test harness.
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: the MCP peers are missing; run `cargo xtask test` to have them installed"
        );
    }
    found
}

/// The suite needs a newer Node than many systems have.
fn node(peers: &Path) -> PathBuf {
    let machine = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    peers.join(format!("node_modules/node-linux-{machine}/bin/node"))
}
