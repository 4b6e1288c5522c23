//! `cargo xtask bench runs`: what a durable step costs the embedded engine and a
//! Restate server, one after the other on the same disk. Neither's steps do
//! anything, and both wait for the disk before a step counts as done.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use super::table::{Table, shown, times};
use super::{json_line, number};
use crate::built::Built;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::program::Program;
use crate::project::Project;

const RUNS: &str = "1000";
const AT_ONCE: &str = "64";

/// As many as a run without a fix round has.
const STEPS: &str = "8";

/// In turns, so that a change of the disk's speed meets both.
const ROUNDS: usize = 3;

const STARTING: Duration = Duration::from_secs(30);

const SERVER: &str = if cfg!(target_arch = "aarch64") {
    "node_modules/@restatedev/restate-server-linux-arm64/bin/restate-server"
} else {
    "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server"
};

pub(crate) fn run(project: &Project, environment: &Environment) -> Result<(), Failure> {
    let node = peers::ensure(environment, &peers::RESTATE)?;
    let built = Built::with(
        project,
        &[
            "--release",
            "--package=baton-engine",
            "--example=durable_runs",
            "--quiet",
        ],
    )?;
    let scratch = project.target.join("bench-runs");
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..ROUNDS {
        remade(&scratch)?;
        let engine = Program::new(built.program("durable_runs")?)
            .args([RUNS, "--json"])
            .current_dir(&scratch);
        ours.push(number(&json_line(engine)?, "steps_per_second")?);
        theirs.push(on_restate(environment, &node, &scratch)?);
    }
    let _ = fs::remove_dir_all(&scratch);
    let (ours, theirs) = (super::median(ours), super::median(theirs));
    let mut table = Table::new(
        format!("Durable steps, {RUNS} runs, {AT_ONCE} at once"),
        &["engine", "steps a second", "relative"],
    );
    table.row(["embedded".to_owned(), shown(ours), times(1.0)]);
    table.row([
        "Restate 1.7, a service on Node".to_owned(),
        shown(theirs),
        times(theirs / ours),
    ]);
    table.note(format!("Median of {ROUNDS} rounds, in turns."));
    println!("{}\n\n{table}", super::machine()?);
    Ok(())
}

fn remade(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        let doing = format!("remove {}", folder.display());
        fs::remove_dir_all(folder).map_err(Failure::could_not(doing))?;
    }
    fs::create_dir_all(folder).map_err(Failure::could_not(format_args!(
        "create {}",
        folder.display()
    )))
}

/// Durable steps a second, on a server of its own.
fn on_restate(environment: &Environment, node: &Path, scratch: &Path) -> Result<f64, Failure> {
    let [node_port, admin, ingress, service] = free_ports()?;
    let settings = scratch.join("restate.toml");
    let text = format!(
        "base-dir = \"{}\"\ndisable-telemetry = true\nbind-ip = \"127.0.0.1\"\n\
         advertised-host = \"127.0.0.1\"\nbind-port = {node_port}\n\
         [admin]\nbind-port = {admin}\n[ingress]\nbind-port = {ingress}\n",
        scratch.join("restate").display()
    );
    fs::write(&settings, text).map_err(Failure::could_not("write Restate's settings"))?;
    let folder = environment.peers.join("restate");
    let server = Program::new(folder.join(SERVER))
        .args(["--config-file".as_ref(), settings.as_os_str()])
        .env("DO_NOT_TRACK", "1")
        // It leaves a folder for each of its invokers behind.
        .env("TMPDIR", scratch)
        .in_background()?;
    let _server = Ended(server);
    wait_for(admin)?;
    wait_for(ingress)?;
    // Node looks for packages beside the program.
    let program = folder.join("nothing.mjs");
    fs::write(&program, include_str!("../../peers/restate/nothing.mjs"))
        .map_err(Failure::could_not("write the service"))?;
    let ports = [admin, ingress, service].map(|port| port.to_string());
    let client = Program::new(node)
        .args([program.as_os_str()])
        .args(ports)
        .args([RUNS, AT_ONCE, STEPS]);
    number(&json_line(client)?, "steps_per_second")
}

/// Ends the server whatever happens meanwhile.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_ports<const N: usize>() -> Result<[u16; N], Failure> {
    let doing = "find free ports";
    let mut ports = [0; N];
    // All are held until the last is found, so that none is found twice.
    let mut held = Vec::new();
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = listener.map_err(Failure::could_not(doing))?;
        let address = listener.local_addr();
        *port = address.map_err(Failure::could_not(doing))?.port();
        held.push(listener);
    }
    Ok(ports)
}

fn wait_for(port: u16) -> Result<(), Failure> {
    let deadline = Instant::now() + STARTING;
    while Instant::now() < deadline {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(Failure::new(format!(
        "Restate's server did not listen on port {port} within {STARTING:?}"
    )))
}
