//! What running a child through `Cmd` costs, as one line of JSON.
//!
//! `cmd_overhead [runs]` compares bare spawns of `true` with runs through
//! `Cmd`; `cmd_overhead --sandbox LAUNCHER [runs]` with runs in the sandbox of a
//! project's command and with `bwrap`, where it is installed; `cmd_overhead
//! --bytes COUNT` captures that many bytes of output.

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use baton_host::Cmd;
use baton_host::cmd::{Environment, Means, Outcome};
use baton_host::sandbox::{Confinement, Role, RunFolders, SandboxSettings};
use baton_sandbox::{Level, Support};
use tokio_util::sync::CancellationToken;

const DEFAULT_RUNS: u32 = 500;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let report = match args[..] {
        [] => runtime.block_on(compare_spawns(DEFAULT_RUNS))?,
        ["--bytes", count] => runtime.block_on(capture(count.parse()?))?,
        ["--sandbox", launcher] => {
            runtime.block_on(compare_sandboxes(launcher.into(), DEFAULT_RUNS))?
        }
        ["--sandbox", launcher, runs] => {
            runtime.block_on(compare_sandboxes(launcher.into(), runs.parse()?))?
        }
        [runs] => runtime.block_on(compare_spawns(runs.parse()?))?,
        _ => {
            return Err(
                "usage: cmd_overhead [runs | --sandbox LAUNCHER [runs] | --bytes COUNT]".into(),
            );
        }
    };
    #[expect(clippy::print_stdout, reason = "the line is this program's result")]
    {
        println!("{report}");
    }
    Ok(ExitCode::SUCCESS)
}

async fn compare_spawns(runs: u32) -> Result<serde_json::Value, Failure> {
    let cmd = Cmd::new("true", "/", &environment());
    // Alternating, so that a change of the machine's speed meets both.
    let (mut bare, mut through_cmd) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..runs {
        bare += bare_spawn()?;
        let begin = Instant::now();
        cmd.run(&CancellationToken::new()).await?;
        through_cmd += begin.elapsed();
    }
    Ok(serde_json::json!({
        "runs": runs,
        "bare_mean_us": mean_us(bare, runs),
        "cmd_mean_us": mean_us(through_cmd, runs),
    }))
}

async fn compare_sandboxes(launcher: PathBuf, runs: u32) -> Result<serde_json::Value, Failure> {
    let folder = tempfile::tempdir()?;
    let worktree = folder.path().join("worktree");
    std::fs::create_dir(&worktree)?;
    // A project of one language, with the cache of its tools in a layer.
    std::fs::write(worktree.join("Cargo.toml"), "")?;
    let settings = SandboxSettings {
        support: Support::detect(&launcher, folder.path())?,
        means: Means::Launcher(launcher),
        commands: Level::Standard,
        writer: Level::Standard,
        ..SandboxSettings::off()
    };
    let private = folder.path().join("private");
    let (own, of_agent) = (private.join("commands"), private.join("agent"));
    let folders = RunFolders {
        worktree: &worktree,
        private: &private,
        own: &own,
        prepared: None,
        borrowed: &[],
        protected: &[],
        decoys: &[],
        caches: None,
        logins: &[],
        programs: &[],
        named: &[],
        committer: None,
    };
    let begin = Instant::now();
    let confinement = Confinement::start(&settings, Role::Command, &folders, &environment())?;
    let set_up = begin.elapsed();
    let sandboxed = Cmd::new("true", &worktree, confinement.environment());
    // An agent sees the caches of all tools.
    let folders = RunFolders {
        own: &of_agent,
        ..folders
    };
    let agent = Confinement::start(&settings, Role::Writer, &folders, &environment())?;
    let agent = Cmd::new("true", &worktree, agent.environment());
    let bwrap = environment().find_program("bwrap");
    let bwrap = bwrap.map(|program| by_bwrap(&program, &worktree));
    let cancel = CancellationToken::new();
    let [mut bare, mut ours, mut with_all, mut theirs] = [Duration::ZERO; 4];
    for _ in 0..runs {
        bare += bare_spawn()?;
        ours += time(&sandboxed, &cancel).await?;
        with_all += time(&agent, &cancel).await?;
        if let Some(bwrap) = &bwrap {
            theirs += time(bwrap, &cancel).await?;
        }
    }
    Ok(serde_json::json!({
        "runs": runs,
        "set_up_us": mean_us(set_up, 1),
        "bare_mean_us": mean_us(bare, runs),
        "sandboxed_mean_us": mean_us(ours, runs),
        "agent_mean_us": mean_us(with_all, runs),
        "bwrap_mean_us": bwrap.map(|_| mean_us(theirs, runs)),
    }))
}

/// The same namespaces and the least that shows the system.
fn by_bwrap(program: &Path, worktree: &Path) -> Cmd {
    let args = [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-net",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
    ];
    Cmd::new(program, worktree, &environment())
        .args(args)
        .arg("--bind")
        .args([worktree, worktree])
        .arg("true")
}

async fn time(cmd: &Cmd, cancel: &CancellationToken) -> Result<Duration, Failure> {
    let begin = Instant::now();
    let finished = cmd.run(cancel).await?;
    let duration = begin.elapsed();
    match finished.outcome {
        Outcome::Exited(0) => Ok(duration),
        outcome => Err(format!("{outcome}: {}", finished.stderr.text()).into()),
    }
}

async fn capture(bytes: u64) -> Result<serde_json::Value, Failure> {
    let finished = Cmd::new("head", "/", &environment())
        .args(["-c", &bytes.to_string(), "/dev/zero"])
        .run(&CancellationToken::new())
        .await?;
    let seconds = finished.duration.as_secs_f64();
    Ok(serde_json::json!({
        "outcome": finished.outcome.to_string(),
        "elapsed_ms": finished.duration.as_millis(),
        "total_bytes": finished.stdout.total_bytes(),
        "missing_bytes": finished.stdout.missing_bytes(),
        "megabytes_per_second": (f64_of(finished.stdout.total_bytes()) / 1e6 / seconds).round(),
        "peak_rss_kib": peak_rss_kib(),
    }))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is what Cmd is compared with"
)]
fn bare_spawn() -> Result<Duration, Failure> {
    let begin = Instant::now();
    std::process::Command::new("true")
        .stdin(Stdio::null())
        .output()?;
    Ok(begin.elapsed())
}

fn environment() -> Environment {
    std::env::vars_os().collect()
}

fn mean_us(total: Duration, runs: u32) -> f64 {
    (total.as_secs_f64() * 1e7 / f64::from(runs.max(1))).round() / 10.0
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate is displayed, not calculated with"
)]
fn f64_of(bytes: u64) -> f64 {
    bytes as f64
}

/// The largest size this process had in memory, where the system reports it.
fn peak_rss_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
