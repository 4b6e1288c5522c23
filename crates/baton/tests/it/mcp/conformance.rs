//! The protocol's own conformance suite against `baton serve`. It calls tools
//! of names that it chose, which we do not have; `crates/serve` runs it against
//! a server that does.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use baton_testkit::Sandbox;

use super::every_tool::node;
use crate::command::baton;
use crate::processes;
use crate::testing::equipment::{is_there, peer};

const TOKEN: &str = "a-token-for-tests";

/// `baton serve` on a port of its own.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(sandbox: &mut Sandbox) -> Self {
        sandbox.set("BATON_SERVE_TOKEN", TOKEN);
        let mut child = baton(sandbox)
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let url = first.strip_prefix("MCP: ").unwrap().to_owned();
        let second = lines.next().unwrap().unwrap();
        assert_eq!(second, "Token: that of BATON_SERVE_TOKEN");
        Self { child, url }
    }

    fn end(mut self) {
        processes::interrupt(self.child.id());
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(0));
    }
}

#[test]
fn the_conformance_suite_passes_but_for_written_exceptions() {
    let package = peer("mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    if !is_there(node().and(package.clone()).map(drop)) {
        return;
    }
    let mut sandbox = Sandbox::new();
    let server = Server::start(&mut sandbox);
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(node().unwrap())
        .arg("--import")
        .arg(crates.join("serve/tests/it/conformance/show-token.mjs"))
        .arg(package.unwrap())
        .args(["server", "--suite", "all", "--url", &server.url])
        .arg("--expected-failures")
        .arg(crates.join("baton/tests/it/mcp/conformance-exceptions.yml"))
        .env("BATON_SERVE_TOKEN", TOKEN)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let summary = said.split("=== SUMMARY ===").last().unwrap_or_default();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{summary}\n{complaints}");
    assert!(summary.contains("✓ dns-rebinding-protection"), "{said}");
    server.end();
}

#[test]
fn a_token_is_made_up_and_shown_where_none_is_given() {
    let sandbox = Sandbox::new();
    let mut child = baton(&sandbox)
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let token = lines.next().unwrap().unwrap();
    let token = token.strip_prefix("Token: ").unwrap();
    assert_eq!(token.len(), 64, "{token}");
    processes::interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_token_that_could_be_guessed_is_refused() {
    let mut sandbox = Sandbox::new();
    sandbox.set("BATON_SERVE_TOKEN", "secret");
    insta::assert_snapshot!(baton(&sandbox).run(&["serve"]), @"");
}
