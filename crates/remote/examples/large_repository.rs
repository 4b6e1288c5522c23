//! What it costs to ask the forge about a pull request in a large repository,
//! beside what git itself takes for the same answer.
//!
//!     cargo run --release -p baton-remote --example large_repository [FILES] [ROUNDS]
//!
//! Each round pushes a new commit, so that nothing is known from before.
#![expect(
    clippy::print_stdout,
    reason = "an example that prints what it measured"
)]

use std::time::{Duration, Instant};

use baton_testkit::Repo;
use baton_testkit::world::World;

/// In one folder each.
const FOLDER: usize = 100;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok());
    let files: usize = arguments.next().unwrap_or(10_000);
    let rounds: usize = arguments.next().unwrap_or(10);
    let world = World::start();
    let repo = prepare(&world, files);
    let number = world.open_pull("Change many files", "topic", "main");

    let mut merge = Pair::default();
    let mut diff = Pair::default();
    for round in 0..rounds {
        change(&repo, files, round);
        world.push(&repo, "topic");
        merge.add(
            mergeable(&world, number),
            git(&repo, &["merge-tree", "main", "topic"]),
        );
        diff.add(
            answer(&world, &format!("/octo/demo/pull/{number}.diff")),
            git(&repo, &["diff", "--full-index", "main...topic"]),
        );
    }
    println!("{files} files, 300 of them changed, median of {rounds}:");
    println!("  mergeable  {}", merge.shown("git merge-tree"));
    println!("  diff       {}", diff.shown("git diff"));
}

/// Base and branch have both moved since they parted.
fn prepare(world: &World, files: usize) -> Repo<'_> {
    let repo = world.checkout();
    for file in 0..files {
        repo.write(name(file), text(file));
    }
    repo.commit("Add files");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["checkout", "--quiet", "-b", "topic"]);
    change(&repo, files, usize::MAX);
    world.push(&repo, "topic");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.commit_file("moved.txt", "", "Move on");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.git(&["checkout", "--quiet", "topic"]);
    repo
}

fn change(repo: &Repo<'_>, files: usize, round: usize) {
    for file in (0..files).step_by((files / 300).max(1)) {
        repo.write(name(file), format!("{}changed in {round}\n", text(file)));
    }
    repo.commit("Change files");
}

fn name(file: usize) -> String {
    format!("src/{}/{}.txt", file / FOLDER, file % FOLDER)
}

fn text(file: usize) -> String {
    format!("This is a line of file {file}.\n").repeat(40)
}

/// From the first question until the answer is known.
fn mergeable(world: &World, number: u32) -> Duration {
    let client = world.client("octo");
    let path = format!("/repos/octo/demo/pulls/{number}");
    let started = Instant::now();
    loop {
        let pull = client.get(&path).expect(200).json();
        if !pull["mergeable"].is_null() {
            assert_eq!(pull["mergeable"], true);
            return started.elapsed();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn answer(world: &World, path: &str) -> Duration {
    let started = Instant::now();
    let body = world.client("octo").get(path).expect(200).body;
    let took = started.elapsed();
    assert!(body.len() > 10_000, "{} bytes", body.len());
    took
}

fn git(repo: &Repo<'_>, arguments: &[&str]) -> Duration {
    let started = Instant::now();
    repo.git(arguments);
    started.elapsed()
}

#[derive(Default)]
struct Pair {
    forge: Vec<Duration>,
    git: Vec<Duration>,
}

impl Pair {
    fn add(&mut self, forge: Duration, git: Duration) {
        self.forge.push(forge);
        self.git.push(git);
    }

    fn shown(mut self, peer: &str) -> String {
        let (forge, git) = (median(&mut self.forge), median(&mut self.git));
        let ratio = forge.as_secs_f64() / git.as_secs_f64();
        format!("{forge:.1?}, `{peer}` {git:.1?}: {ratio:.2} ×")
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
