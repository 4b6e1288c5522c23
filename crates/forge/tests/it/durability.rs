//! A forge under load is killed again and again. Whatever it acknowledged is
//! found afterwards, once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::{Repo, Sandbox};
use serde_json::{Value, json};

use crate::process::ForgeProcess;
use crate::world::{Client, Response};

const ISSUES: &str = "/repos/octo/demo/issues";

/// Threads that write issues and comments, besides one that pushes.
const WRITERS: usize = 3;

/// Something the forge said it has.
enum Acknowledged {
    Issue { number: i64, title: String },
    Comment { id: i64, body: String },
    Push { branch: String, head: String },
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    let tally = kill_in_a_loop(4, Duration::from_millis(350));
    assert!(tally.issues > 0 && tally.comments > 0, "{tally:?}");
}

/// `cargo test -p baton-forge --test it -- --ignored --nocapture long_run`
#[test]
#[ignore = "takes minutes"]
fn a_long_run_of_being_killed() {
    let begin = Instant::now();
    let tally = kill_in_a_loop(120, Duration::from_millis(900));
    println!("{tally:?} in {:?}", begin.elapsed());
}

/// How much was acknowledged in all rounds.
#[derive(Debug, Default)]
struct Tally {
    rounds: usize,
    issues: usize,
    comments: usize,
    pushes: usize,
}

fn kill_in_a_loop(rounds: usize, longest: Duration) -> Tally {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("checkout");
    repo.commit_file("README.md", "", "Begin");
    let mut known = Known::default();
    let mut forge = ForgeProcess::start(&sandbox, None);
    let mut state = 0x9e37_79b9_u64;
    for round in 0..rounds {
        // Any moment will do, but the same ones each time.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let share = u32::try_from(state >> 56).unwrap();
        let pause = longest / 4 + longest * share / 340;
        known.add(load_until_killed(forge, &repo, round, pause));
        forge = ForgeProcess::start(&sandbox, None);
        known.check_latest(&forge.client());
    }
    known.check_all(&forge.client());
    known.tally.rounds = rounds;
    known.tally
}

fn load_until_killed(
    forge: ForgeProcess,
    repo: &Repo<'_>,
    round: usize,
    pause: Duration,
) -> Vec<Acknowledged> {
    let (send, receive) = mpsc::channel();
    let (client, url) = (forge.client(), forge.git_url());
    let is_over = AtomicBool::new(false);
    let titles = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            let (client, send, is_over, titles) = (&client, send.clone(), &is_over, &titles);
            scope.spawn(move || write(client, &send, is_over, titles, round));
        }
        let killer = scope.spawn(|| {
            thread::sleep(pause);
            forge.kill();
            is_over.store(true, Ordering::Relaxed);
        });
        push(repo, &url, &send, &is_over, round);
        killer.join().unwrap();
    });
    drop(send);
    receive.into_iter().collect()
}

fn write(
    client: &Client,
    send: &Sender<Acknowledged>,
    is_over: &AtomicBool,
    titles: &AtomicUsize,
    round: usize,
) {
    while !is_over.load(Ordering::Relaxed) {
        let title = format!("{round}-{}", titles.fetch_add(1, Ordering::Relaxed));
        let Some(issue) = try_post(client, ISSUES, &json!({"title": title})) else {
            continue;
        };
        let number = issue["number"].as_i64().unwrap();
        send.send(Acknowledged::Issue {
            number,
            title: title.clone(),
        })
        .unwrap();
        let body = format!("About {title}");
        let path = format!("{ISSUES}/{number}/comments");
        if let Some(comment) = try_post(client, &path, &json!({"body": body})) {
            let id = comment["id"].as_i64().unwrap();
            send.send(Acknowledged::Comment { id, body }).unwrap();
        }
    }
}

/// The answer, unless the forge was gone before all of it came.
fn try_post(client: &Client, path: &str, body: &Value) -> Option<Value> {
    let answer = client.try_exchange("POST", path, Some(body.to_string().as_bytes()))?;
    let response = Response::try_parse(&answer)?;
    let value = serde_json::from_slice(&response.body).ok()?;
    assert_eq!(response.status, 201, "{value}");
    Some(value)
}

fn push(
    repo: &Repo<'_>,
    url: &str,
    send: &Sender<Acknowledged>,
    is_over: &AtomicBool,
    round: usize,
) {
    let branch = format!("round-{round}");
    while !is_over.load(Ordering::Relaxed) {
        let head = repo.commit("Go on");
        let target = format!("HEAD:refs/heads/{branch}");
        if repo
            .try_git(&["push", "--quiet", url, &target])
            .status
            .success()
        {
            let branch = branch.clone();
            send.send(Acknowledged::Push { branch, head }).unwrap();
        }
    }
}

/// What there must be.
#[derive(Default)]
struct Known {
    issues: BTreeMap<i64, String>,
    comments: BTreeMap<i64, String>,
    /// The newest acknowledged commit of each branch.
    branches: BTreeMap<String, String>,
    latest: Vec<i64>,
    tally: Tally,
}

impl Known {
    fn add(&mut self, acknowledged: Vec<Acknowledged>) {
        self.latest.clear();
        for one in acknowledged {
            match one {
                Acknowledged::Issue { number, title } => {
                    self.tally.issues += 1;
                    self.latest.push(number);
                    let taken = self.issues.insert(number, title);
                    assert_eq!(taken, None, "number {number} was given twice");
                }
                Acknowledged::Comment { id, body } => {
                    self.tally.comments += 1;
                    let taken = self.comments.insert(id, body);
                    assert_eq!(taken, None, "comment {id} was made twice");
                }
                Acknowledged::Push { branch, head } => {
                    self.tally.pushes += 1;
                    self.branches.insert(branch, head);
                }
            }
        }
    }

    fn check_latest(&self, client: &Client) {
        for number in self.latest.iter().rev().take(5) {
            let issue = client.get(&format!("{ISSUES}/{number}")).expect(200).json();
            assert_eq!(issue["title"], self.issues[number].as_str());
        }
    }

    fn check_all(&self, client: &Client) {
        let issues = all_pages(client, &format!("{ISSUES}?state=all&per_page=100"));
        let mut titles = BTreeSet::new();
        let mut found = BTreeMap::new();
        for issue in &issues {
            let title = issue["title"].as_str().unwrap();
            assert!(titles.insert(title), "{title} is there twice");
            found.insert(issue["number"].as_i64().unwrap(), title);
        }
        for (number, title) in &self.issues {
            assert_eq!(found.get(number), Some(&title.as_str()));
        }
        let comments: Vec<Value> = found
            .keys()
            .flat_map(|number| {
                all_pages(client, &format!("{ISSUES}/{number}/comments?per_page=100"))
            })
            .collect();
        let found: BTreeMap<_, _> = comments
            .iter()
            .map(|comment| (comment["id"].as_i64(), comment["body"].as_str()))
            .collect();
        for (id, body) in &self.comments {
            assert_eq!(found.get(&Some(*id)), Some(&Some(body.as_str())));
        }
        for (branch, head) in &self.branches {
            // A push that was cut off may have arrived behind it.
            let path = format!("/repos/octo/demo/compare/{head}...{branch}");
            let compared = client.get(&path).expect(200).json();
            assert_eq!(compared["behind_by"], 0, "{branch} lost {head}");
        }
    }
}

fn all_pages(client: &Client, path: &str) -> Vec<Value> {
    let mut page = client.get(path).expect(200);
    let mut all = Vec::new();
    loop {
        all.extend(page.json().as_array().unwrap().clone());
        match page.link("next") {
            Some(next) => page = client.follow(&next).expect(200),
            None => return all,
        }
    }
}
