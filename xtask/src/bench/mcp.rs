//! Start and first answers of the MCP server, beside an npm one.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Child;
use std::time::Instant;

use super::against::Cost;
use super::median;
use super::table::{Table, shown, times};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::program::Program;

const RUNS: usize = 20;

/// What every client begins with.
const OPENING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n"
);

/// How long an agent waits for the tools of a server that it has just started,
/// against GitHub's server of the protocol's own project.
pub(super) fn measure(environment: &Environment, baton: &Path) -> Result<Table, Failure> {
    let node = peers::ensure(environment, &peers::MCP)?;
    let modules = environment.peers.join("mcp/node_modules");
    let other = modules.join("@modelcontextprotocol/server-github/dist/index.js");
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    // Round after round, so that a change of the machine's speed meets both.
    for _ in 0..RUNS {
        ours.push(start(Program::new(baton).args(["mcp"]))?);
        let server = Program::new(&node).args([&other]);
        theirs.push(start(server.env("GITHUB_PERSONAL_ACCESS_TOKEN", "none"))?);
    }
    let time = |runs: &[Cost]| median(runs.iter().map(|run| run.milliseconds).collect());
    let memory = |runs: &[Cost]| median(runs.iter().filter_map(|run| run.megabytes).collect());
    let mut table = Table::new(
        "MCP server, cold start to the list of tools",
        &["server", "ms", "relative", "MB at most"],
    );
    for (name, runs) in [("`baton mcp`", &ours), ("`server-github` on Node", &theirs)] {
        table.row([
            name.to_owned(),
            shown(time(runs)),
            times(time(runs) / time(&ours)),
            shown(memory(runs)),
        ]);
    }
    table.note(format!("Median of {RUNS} runs each, started in turn."));
    Ok(table)
}

pub(super) fn start(program: Program) -> Result<Cost, Failure> {
    let begin = Instant::now();
    let mut child = program.converse()?;
    let run = converse(&mut child, begin);
    // It may have ended by itself; there is nothing to do about either.
    let _ = child.kill();
    let _ = child.wait();
    run
}

fn converse(child: &mut Child, begin: Instant) -> Result<Cost, Failure> {
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (mut input, output) = pipes.expect("both were asked for");
    let doing = "speak with an MCP server";
    input
        .write_all(OPENING.as_bytes())
        .map_err(Failure::could_not(doing))?;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(Failure::could_not(doing))?;
        // Reading the answer is the client's work.
        let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
        let message: serde_json::Value =
            serde_json::from_str(&line).map_err(Failure::could_not(doing))?;
        if message["id"] == 2 {
            return match message["result"]["tools"].as_array() {
                Some(tools) if !tools.is_empty() => Ok(Cost {
                    milliseconds,
                    megabytes: Some(most_memory(child.id())?),
                }),
                _ => Err(Failure::new(format!("a server lists no tools: {message}"))),
            };
        }
    }
    Err(Failure::new("a server ended before it listed its tools"))
}

/// The peak of a process that is still there.
pub(super) fn most_memory(process: u32) -> Result<f64, Failure> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(Failure::could_not(format!("read {path}")))?;
    let kibibytes = status.lines().find_map(|line| {
        let size = line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?;
        size.trim().parse::<f64>().ok()
    });
    kibibytes
        .map(|kibibytes| kibibytes * 1024.0 / 1e6)
        .ok_or_else(|| Failure::new(format!("{path} does not say how much memory was used")))
}
