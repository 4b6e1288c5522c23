//! What `detect_merge_conflicts` takes beside the `git merge-tree` in it, both
//! measured in one run, by turns, on one repository:
//!
//! ```sh
//! cargo run --release -p baton-ops --example merge_conflicts_cost -- 60000 15
//! ```
//!
//! The arguments are the number of files and of rounds. What the forge takes to
//! answer is measured by itself and taken off: git does not ask one.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it is run by hand, to be read"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_host::cmd::Environment;
use baton_host::git::{Authorization, Git};
use baton_ops::pulls::{DetectMergeConflicts, OptionalChecks, PullAccess, Workplace};
use baton_ops::{Context, Operation as _, Provided, Provider};
use baton_protocol::cursor::CursorKey;
use baton_protocol::tools::detect_merge_conflicts::DetectMergeConflictsInput;
use baton_protocol::{Repository, Request as _};
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::Repo;
use baton_testkit::world::World;
use tokio_util::sync::CancellationToken;

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse::<usize>().unwrap());
    let files = numbers.next().unwrap_or(60_000);
    let rounds = numbers.next().unwrap_or(15);
    let world = World::start();
    let repo = world.checkout();
    let (main, topic) = diverge(&world, &repo, files);
    let environment: Environment = world.sandbox.environment().clone().into_iter().collect();
    let server = server(&world, &repo, &environment);
    let cx = Context::new(environment.clone(), Arc::new(Forge(server.clone())));
    let input = DetectMergeConflictsInput {
        pr: "octo/demo#1".to_owned(),
        ..DetectMergeConflictsInput::defaults()
    };
    let repository = Repository::new("octo", "demo").unwrap();
    let mut bare = Vec::new();
    let mut asking = Vec::new();
    let mut whole = Vec::new();
    world.block_on(async {
        let git = Git::open(repo.path(), &environment).await.unwrap();
        // The first one reads from the disk.
        for round in 0..=rounds {
            let started = Instant::now();
            let merge = git.merge_tree(&main, &topic).await.unwrap();
            let alone = started.elapsed();
            let started = Instant::now();
            server.github.pull_request(&repository, 1).await.unwrap();
            server
                .github
                .branch_head(&repository, "main")
                .await
                .unwrap();
            let asked = started.elapsed();
            let started = Instant::now();
            let answer = DetectMergeConflicts::run(&cx, input.clone()).await.unwrap();
            let with_all = started.elapsed();
            assert_eq!(answer.has_conflicts, !merge.clean);
            if round > 0 {
                bare.push(alone);
                asking.push(asked);
                whole.push(with_all);
            }
        }
    });
    let (bare, asking, whole) = (median(bare), median(asking), median(whole));
    let ratio = whole.saturating_sub(asking).as_secs_f64() / bare.as_secs_f64();
    println!("files {files}, rounds {rounds}, medians");
    println!("git merge-tree          {bare:>10.1?}");
    println!("asking the forge        {asking:>10.1?}");
    println!("detect_merge_conflicts  {whole:>10.1?}");
    println!("ratio                   {ratio:>10.2}");
}

/// Both sides change a twentieth of the files each, and five of them in the
/// same place.
fn diverge(world: &World, repo: &Repo<'_>, files: usize) -> (String, String) {
    let name = |number: usize| format!("src/{:03}/{:03}/{number}.txt", number % 97, number % 53);
    let text = |number: usize| {
        (0..40).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "line {line} of file {number}");
            text
        })
    };
    for number in 0..files {
        repo.write(name(number), text(number));
    }
    repo.commit("Begin with many files");
    world.push(repo, "main");
    let change = |word: &str, offset: usize| {
        for number in (offset..files).step_by(20) {
            repo.write(name(number), text(number) + word + "\n");
        }
        for number in 0..5 {
            repo.write(name(number), text(number).replace("line 7 ", word));
        }
        repo.commit(&format!("Change to {word}"))
    };
    repo.branch("topic");
    let topic = change("topic", 6);
    world.push(repo, "topic");
    world.open_pull("Change much", "topic", "main");
    repo.checkout("main");
    let main = change("main", 12);
    world.push(repo, "main");
    repo.git(&["gc", "--quiet"]);
    (main, topic)
}

/// The forge, for a user in a checkout that has all the commits.
struct Forge(PullAccess);

impl Provider for Forge {
    fn folder(&self) -> &Path {
        Path::new("/")
    }

    fn pulls<'a>(&'a self, _: &'a [&'a str], _: &'a CancellationToken) -> Provided<'a, PullAccess> {
        Box::pin(async { Ok(self.0.clone()) })
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Ok(self.0.github.clone()) })
    }
}

fn server(world: &World, repo: &Repo<'_>, environment: &Environment) -> PullAccess {
    let server = Server::at(&world.api_url());
    let settings = server.settings("baton-example");
    let auth = Auth::Token(Secret::new(world.token("octo")));
    PullAccess {
        github: GitHub::new(&server, auth, settings, Observer::default()).unwrap(),
        workplace: Workplace {
            folder: Some(repo.path().to_owned()),
            clones: world.sandbox.path("clones"),
            environment: environment.clone(),
            web_url: world.web_url(),
            authorization: Some(Authorization {
                origin: world.web_url(),
                username: "x-access-token".to_owned(),
                secret: world.token("octo").to_string(),
            }),
        },
        here: None,
        cursors: CursorKey::new([7; 32]),
        state: None,
        optional_checks: OptionalChecks::Block,
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
