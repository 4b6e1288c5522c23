//! A run from its first step on, in the world of `baton_testkit::world`. The
//! steps up to the pull request and behind the merge are real; what lies between
//! is played.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use baton_agents::{AgentSteps, Place};
use baton_engine::{
    Activity, Engine, Options, RunOutcome, StepCall, StepContext, StepFuture, StepResult, Steps,
    Until,
};
use baton_protocol::handoff::{Handoff, HandoffKind};
use baton_remote::github::enums::MergeMethod;
use baton_remote::github::resources::merging::{MergeOutcome, MergeRequest};
use baton_remote::http;
use baton_testkit::Repo;
use baton_testkit::world::World;
use baton_workflow::{
    Answer, Ending, Failure, FailureKind, Goal, Policy, Report, RunId, State, Step,
};
use serde_json::Value;
use tokio::sync::{Notify, broadcast};

use crate::ground::{Ground, Here, hasty, no_tools, script_agent, wish};

pub(crate) struct Stage<'w> {
    pub(crate) world: &'w World,
    pub(crate) repo: Repo<'w>,
    pub(crate) place: Place,
    pub(crate) policy: Policy,
    pub(crate) goal: Goal,
    /// The run stops in front of this step.
    pub(crate) until: Option<Step>,
    /// How often each real step is run under its key.
    pub(crate) times: usize,
    /// The process dies behind the effect of this step.
    pub(crate) dies_after: Option<Step>,
    /// The process dies when the coding agent says, with a file `working` in
    /// its home, that it is in the middle of its work.
    pub(crate) dies_at_work: bool,
    /// What happens before another process takes the run up.
    pub(crate) meanwhile: fn(&World),
    /// No step is played.
    pub(crate) all_real: bool,
    /// The merge is claimed and does not happen.
    pub(crate) merge_is_a_lie: bool,
    /// What becomes of handoffs of a kind on their way.
    pub(crate) forgery: Option<(HandoffKind, Arc<Forge>)>,
    pub(crate) run: Option<RunId>,
}

/// Another document instead of the one that was passed.
pub(crate) type Forge = dyn Fn(&str) -> String + Send + Sync;

/// How far a run has come.
pub(crate) struct Played {
    pub(crate) state: State,
    pub(crate) said: Vec<String>,
    /// Of each time that a real step was run.
    pub(crate) results: Vec<(Step, StepResult)>,
}

impl<'w> Stage<'w> {
    /// A checkout with these files on `main`, and a wish.
    pub(crate) fn new(world: &'w World, request: &str, files: &[(&str, &str)]) -> Self {
        let repo = world.checkout();
        for (file, content) in files {
            repo.write(file, content);
        }
        repo.commit("Lay the base");
        world.push(&repo, "main");
        Self {
            place: ground(world, "octo").place(http::Observer::default()),
            world,
            repo,
            policy: hasty(),
            goal: wish(request),
            until: None,
            times: 1,
            dies_after: None,
            dies_at_work: false,
            meanwhile: |_| {},
            all_real: false,
            merge_is_a_lie: false,
            forgery: None,
            run: None,
        }
    }

    /// The coding agent is this shell script.
    pub(crate) fn coder(&mut self, script: &str) {
        self.write_coder(script);
        self.place.coder = script_agent(&self.world.sandbox.root(), "coder");
    }

    pub(crate) fn write_coder(&self, script: &str) {
        let script = format!("#!/bin/sh\nset -e\ncat > \"$HOME/prompt\"\n{script}\n");
        self.world.sandbox.write("agents/coder", script);
    }

    /// The project has no build, tests, linter or formatter to speak of.
    pub(crate) fn without_tools(&mut self) {
        self.place.settings.preferred = no_tools();
    }

    pub(crate) fn prompt(&self) -> String {
        std::fs::read_to_string(self.world.sandbox.home().join("prompt")).unwrap()
    }

    pub(crate) fn play(&mut self) -> Played {
        self.drive(None)
    }

    pub(crate) fn answer(&mut self, choice: char, comment: Option<&str>) -> Played {
        let comment = comment.map(str::to_owned);
        self.drive(Some(Answer { choice, comment }))
    }

    fn drive(&mut self, answer: Option<Answer>) -> Played {
        let results = Arc::new(Mutex::new(Vec::new()));
        let cast = Arc::new(self.cast(&results));
        let world = self.world;
        let (state, said) = world.block_on(async {
            let engine = self.engine(&cast).await;
            if self.run.is_none() {
                let created = engine.create(self.goal.clone(), self.policy.clone());
                self.run = Some(created.await.unwrap());
            }
            let run = self.run.clone().unwrap();
            if let Some(answer) = answer {
                engine.answer(&run, answer).await.unwrap();
            }
            let activity = engine.activity();
            let driven = tokio::select! {
                driven = engine.drive(&run, Until::Question) => Some(driven.unwrap()),
                () = cast.died.notified() => None,
                () = appears(world.sandbox.home().join("working")), if self.dies_at_work => None,
            };
            if let Some(driven) = driven {
                return reached(&engine, &run, driven, activity).await;
            }
            drop(engine);
            (self.meanwhile)(world);
            let engine = self.engine(&cast).await;
            let activity = engine.activity();
            let driven = engine.drive(&run, Until::Question).await.unwrap();
            reached(&engine, &run, driven, activity).await
        });
        let results = std::mem::take(&mut *results.lock().unwrap());
        Played {
            state,
            said,
            results,
        }
    }

    async fn engine(&self, cast: &Arc<Cast>) -> Engine {
        let options = Options::new(self.world.sandbox.state_folder());
        let steps = Arc::clone(cast);
        Engine::open(options, steps).await.unwrap()
    }

    fn cast(&self, results: &Arc<Mutex<Vec<(Step, StepResult)>>>) -> Cast {
        Cast {
            crew: AgentSteps::new(Here(Arc::new(self.place.clone()))),
            place: self.place.clone(),
            until: self.until,
            times: self.times,
            dies_after: self.dies_after,
            all_real: self.all_real,
            merge_is_a_lie: self.merge_is_a_lie,
            forgery: self.forgery.clone(),
            has_died: AtomicBool::new(false),
            died: Notify::new(),
            results: Arc::clone(results),
        }
    }

    /// Cancels the run, and lets it come to its end.
    pub(crate) fn cancel(&mut self, reason: &str) -> Played {
        let run = self.run.clone().unwrap();
        let folder = self.world.sandbox.state_folder();
        let crew = AgentSteps::new(Here(Arc::new(self.place.clone())));
        self.world.block_on(async {
            let engine = Engine::open(Options::new(&folder), Arc::new(crew))
                .await
                .unwrap();
            engine.cancel(&run, reason).await.unwrap();
        });
        self.drive(None)
    }

    /// What the forge has.
    pub(crate) fn list(&self, what: &str) -> Vec<Value> {
        let path = format!("/repos/octo/demo/{what}");
        let list = self.world.client("octo").get(&path).expect(200).json();
        list.as_array().cloned().unwrap()
    }

    pub(crate) fn get(&self, what: &str) -> Value {
        let path = format!("/repos/octo/demo/{what}");
        self.world.client("octo").get(&path).expect(200).json()
    }

    pub(crate) fn open_issue(&self, title: &str, body: &str) -> u64 {
        let issue = serde_json::json!({ "title": title, "body": body });
        let answer = self
            .world
            .client("octo")
            .post("/repos/octo/demo/issues", &issue);
        answer.expect(201).json()["number"].as_u64().unwrap()
    }

    /// Issues without pull requests.
    pub(crate) fn issues(&self) -> Vec<Value> {
        let mut all = self.list("issues?state=all&per_page=100");
        all.retain(|issue| issue["pull_request"].is_null());
        all
    }

    pub(crate) fn worktrees(&self) -> PathBuf {
        self.world.sandbox.path("checkout.baton")
    }

    /// The names of the worktrees; what baton keeps beside them begins with a dot.
    pub(crate) fn worktree_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.worktrees()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with('.')).collect()
    }

    /// git in the repository of the only run.
    pub(crate) fn in_run(&self, args: &[&str]) -> String {
        let entries = std::fs::read_dir(self.worktrees()).unwrap().flatten();
        let mut folders = entries.map(|entry| entry.path().join("repository"));
        let folder = folders.find(|folder| folder.exists()).unwrap();
        let folder = format!("--git-dir={}", folder.display());
        self.repo.git(&[&[folder.as_str()], args].concat())
    }
}

async fn appears(file: PathBuf) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Where a run stands, and what was said on the way.
async fn reached(
    engine: &Engine,
    run: &RunId,
    driven: RunOutcome,
    mut activity: broadcast::Receiver<Activity>,
) -> (State, Vec<String>) {
    let state = match driven {
        RunOutcome::Waiting(state) => *state,
        RunOutcome::Ended(_) => engine.state(run).await.unwrap(),
    };
    let mut said = Vec::new();
    while let Ok(activity) = activity.try_recv() {
        said.push(activity.text);
    }
    (state, said)
}

impl Played {
    #[track_caller]
    pub(crate) fn handoff(&self) -> &Handoff {
        &self
            .state
            .passed()
            .last()
            .expect("something was handed over")
            .handoff
    }

    /// As its receiver reads it, without what differs from run to run.
    #[track_caller]
    pub(crate) fn xml(&self, stage: &Stage<'_>) -> String {
        let handoff = self.handoff();
        handoff.require_concrete().unwrap();
        let text = handoff.to_xml(jiff::Timestamp::UNIX_EPOCH);
        Handoff::from_xml(text.as_bytes()).unwrap();
        stage.shown(&text)
    }

    #[track_caller]
    pub(crate) fn question(&self) -> String {
        let question = self.state.question().expect("a question waits");
        let options = question
            .options
            .iter()
            .map(|option| format!("{}: {}", option.key, option.label));
        format!(
            "{}\n{}",
            question.reason,
            options.collect::<Vec<_>>().join("\n")
        )
    }

    #[track_caller]
    pub(crate) fn failure(&self) -> &Failure {
        let (_, last) = self.results.last().expect("a real step was run");
        match &last.outcome {
            Err(failure) => failure,
            Ok(report) => panic!("{report:?}"),
        }
    }

    pub(crate) fn ending(&self) -> Option<&Ending> {
        self.state.ending()
    }
}

impl Stage<'_> {
    pub(crate) fn shown(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for port in
            self.place.settings.first_port..=self.place.settings.first_port.saturating_add(9)
        {
            text = text.replace(&format!(">{port}<"), ">PORT<");
            text = text.replace(&format!("port {port}"), "port PORT");
        }
        shown(self.world, self.run.as_ref(), &text)
    }
}

/// Without addresses, ids and times.
pub(crate) fn shown(world: &World, run: Option<&RunId>, text: &str) -> String {
    let mut text = text.replace(&world.web_url(), "http://forge").replace(
        &world.sandbox.root().to_string_lossy().into_owned(),
        "/sandbox",
    );
    if let Some(run) = run {
        text = text.replace(run.as_str(), "RUN");
    }
    let mut shown = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("<timestamp>") {
            continue;
        }
        let words: Vec<String> = line
            .split_inclusive(|c: char| !c.is_ascii_hexdigit())
            .map(|word| {
                let bare = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
                if bare.len() == 40 {
                    word.replace(bare, "COMMIT")
                } else {
                    word.to_owned()
                }
            })
            .collect();
        shown.push_str(&words.concat());
        shown.push('\n');
    }
    shown
}

pub(crate) fn ground(world: &World, login: &str) -> Ground {
    Ground {
        root: world.sandbox.root(),
        web_url: world.web_url(),
        token: world.token(login).to_owned(),
        environment: world.sandbox.environment().clone().into_iter().collect(),
        first_port: free_port(),
    }
}

/// Tests that run side by side have ports of their own.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port().min(65_000)
}

struct Cast {
    crew: AgentSteps,
    place: Place,
    until: Option<Step>,
    times: usize,
    dies_after: Option<Step>,
    all_real: bool,
    merge_is_a_lie: bool,
    forgery: Option<(HandoffKind, Arc<Forge>)>,
    has_died: AtomicBool,
    died: Notify,
    results: Arc<Mutex<Vec<(Step, StepResult)>>>,
}

impl Steps for Cast {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            if Some(call.step) == self.until {
                let stop = Failure::new(FailureKind::Permanent, "the curtain falls");
                return StepResult::from(Err(stop));
            }
            match call.step {
                Step::Review | Step::Validate | Step::Merge | Step::Fix if !self.all_real => {
                    return StepResult::from(Ok(self.played(call).await));
                }
                _ => {}
            }
            let mut result = self.crew.run(call, context).await;
            self.note(call.step, &result);
            for _ in 1..self.times {
                let mut again = call.clone();
                again.resumed = true;
                result = self.crew.run(&again, context).await;
                self.note(call.step, &result);
            }
            if Some(call.step) == self.dies_after && !self.has_died.swap(true, Ordering::Relaxed) {
                self.died.notify_one();
                std::future::pending::<()>().await;
            }
            self.forge(&mut result);
            result
        })
    }
}

impl Cast {
    fn note(&self, step: Step, result: &StepResult) {
        self.results.lock().unwrap().push((step, result.clone()));
    }

    fn forge(&self, result: &mut StepResult) {
        if let Some((kind, forge)) = &self.forgery
            && let Ok(Report::Passed { handoff }) = &mut result.outcome
            && handoff.kind() == *kind
        {
            let honest = handoff.to_xml(jiff::Timestamp::UNIX_EPOCH);
            let forged = forge(&honest);
            assert_ne!(forged, honest, "it has something to forge");
            **handoff = Handoff::from_xml(forged.as_bytes()).unwrap();
        }
    }

    /// What others do: the review approves, the validation passes, the merge
    /// happens.
    async fn played(&self, call: &StepCall) -> Report {
        if call.step == Step::Validate {
            return Report::Done;
        }
        let implemented = call.state.latest(HandoffKind::Implemented).unwrap();
        let pr = implemented.handoff.pr_number().unwrap();
        let issue = implemented.handoff.issue_number().unwrap();
        let pull = format!(
            "<pr_url>http://forge.test/octo/demo/pull/{pr}</pr_url><pr_number>{pr}</pr_number>\
             <issue_number>{issue}</issue_number>"
        );
        let xml = if call.step == Step::Review {
            format!(
                "<handoff><from>reviewer-agent</from><to>validator-agent</to>{pull}\
                 <review_status>approved</review_status><critical_count>0</critical_count>\
                 <important_count>0</important_count></handoff>"
            )
        } else {
            let sha = if self.merge_is_a_lie {
                "abcdef0".to_owned()
            } else {
                self.merge(u32::try_from(pr.get()).unwrap()).await
            };
            format!(
                "<handoff><from>validator-agent</from><to>closer-agent</to>{pull}\
                 <merge_status>merged</merge_status><merge_sha>{sha}</merge_sha>\
                 <validation_summary><coverage>94%</coverage></validation_summary></handoff>"
            )
        };
        Report::Passed {
            handoff: Box::new(Handoff::from_xml(xml.as_bytes()).unwrap()),
        }
    }

    async fn merge(&self, number: u32) -> String {
        let Place {
            github, repository, ..
        } = &self.place;
        let pull = github.pull_request(repository, number).await.unwrap();
        // The validator merges no draft.
        github.mark_ready_for_review(&pull.node_id).await.unwrap();
        let request = MergeRequest {
            head: &pull.head.sha,
            method: Some(MergeMethod::Squash),
            title: None,
            message: None,
        };
        match github
            .merge_pull_request(repository, number, &request)
            .await
            .unwrap()
        {
            MergeOutcome::Merged { commit } => commit.unwrap().as_str().to_owned(),
            other => panic!("{other:?}"),
        }
    }
}
