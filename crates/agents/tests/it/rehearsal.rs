//! A run whose first steps were taken: there is a pull request for issue 1, and
//! a workspace. Some of the steps that follow are real, the others stop.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use baton_agents::{AgentSteps, Place};
use baton_engine::agent::Agent;
use baton_engine::{
    Engine, Options, RunOutcome, StepCall, StepContext, StepFuture, StepResult, Steps, Until,
};
use baton_protocol::handoff::Handoff;
use baton_remote::http;
use baton_testkit::Repo;
use baton_testkit::world::World;
use baton_workflow::{Answer, Failure, FailureKind, Goal, Policy, Report, RunId, State, Step};
use serde_json::{Value, json};

use crate::ground::{Here, no_tools, script_agent};
use crate::stage::{ground, shown};

pub(crate) const BRANCH: &str = "feature/issue-1-notes";

pub(crate) struct Rehearsal<'w> {
    pub(crate) world: &'w World,
    pub(crate) place: Place,
    pub(crate) number: u32,
    /// These are real.
    pub(crate) steps: Vec<Step>,
    /// Each real step is run so often under the same key.
    pub(crate) times: usize,
    pub(crate) policy: Policy,
    base: String,
    run: Option<RunId>,
}

/// What came of a run.
pub(crate) struct Rehearsed {
    pub(crate) state: State,
    /// Of each time that a real step was run.
    pub(crate) results: Vec<(Step, StepResult)>,
    /// What was said on the way.
    pub(crate) said: Vec<String>,
}

impl<'w> Rehearsal<'w> {
    /// `base` and `change` are files of the base and of the branch.
    pub(crate) fn new(world: &'w World, base: &[(&str, &str)], change: &[(&str, &str)]) -> Self {
        Self::by(world, "octo", base, change)
    }

    /// Another account than the pull request's author does the work.
    pub(crate) fn by(
        world: &'w World,
        login: &str,
        base: &[(&str, &str)],
        change: &[(&str, &str)],
    ) -> Self {
        let repo = world.checkout();
        let issue = json!({ "title": "Keep notes" });
        world
            .client("octo")
            .post("/repos/octo/demo/issues", &issue)
            .expect(201);
        for (file, content) in base {
            repo.write(file, content);
        }
        repo.commit("Lay the base");
        world.push(&repo, "main");
        let base = repo.head();
        let workspace = workspace(world);
        let path = workspace.to_string_lossy().into_owned();
        repo.git(&["worktree", "add", "--quiet", "-b", BRANCH, &path]);
        let rehearsal = Self {
            place: place(world, login),
            world,
            number: 2,
            steps: Vec::new(),
            times: 1,
            policy: Policy {
                retry_pauses_ms: vec![1],
                ..Policy::default()
            },
            base,
            run: None,
        };
        for (file, content) in change {
            world.sandbox.write(workspace.join(file), content);
        }
        rehearsal.commit("feat: keep notes");
        rehearsal.git(&["push", "--quiet", "origin", BRANCH]);
        assert_eq!(world.open_pull("Keep notes", BRANCH, "main"), 2);
        rehearsal
    }

    pub(crate) fn repo(&self) -> Repo<'w> {
        self.world.sandbox.repo("checkout")
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        workspace(self.world)
    }

    /// git in the workspace.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.world.sandbox.run(&self.workspace(), "git", args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// A coding agent that is a shell script.
    pub(crate) fn agent(&self, name: &str, script: &str) -> Agent {
        self.world.sandbox.write(
            format!("agents/{name}"),
            format!("#!/bin/sh\nset -e\n{script}\n"),
        );
        script_agent(&self.world.sandbox.root(), name)
    }

    /// Drives the run until a step is not real, or a question waits.
    pub(crate) fn play(&mut self) -> Rehearsed {
        self.drive(None)
    }

    /// Answers the question of the run, and drives it on.
    pub(crate) fn answer(&mut self, choice: char) -> Rehearsed {
        self.drive(Some(choice))
    }

    fn drive(&mut self, choice: Option<char>) -> Rehearsed {
        let results = Arc::new(Mutex::new(Vec::new()));
        let steps = Partly {
            crew: AgentSteps::new(Here(Arc::new(self.place.clone()))),
            real: self.steps.clone(),
            times: self.times,
            scripted: self.scripted(),
            results: Arc::clone(&results),
        };
        let (run, policy) = (self.run.clone(), self.policy.clone());
        let folder = self.world.sandbox.state_folder();
        let (state, said, run) = self.world.block_on(async {
            let engine = Engine::open(Options::new(folder), Arc::new(steps))
                .await
                .unwrap();
            let run = match run {
                Some(run) => run,
                None => engine.create(goal(), policy).await.unwrap(),
            };
            let mut activity = engine.activity();
            if let Some(choice) = choice {
                let answer = Answer {
                    choice,
                    comment: None,
                };
                engine.answer(&run, answer).await.unwrap();
            }
            let driven = engine.drive(&run, Until::Question).await.unwrap();
            let state = match driven {
                RunOutcome::Waiting(state) => *state,
                RunOutcome::Ended(_) => engine.state(&run).await.unwrap(),
            };
            let mut said = Vec::new();
            while let Ok(activity) = activity.try_recv() {
                said.push(activity.text);
            }
            (state, said, run)
        });
        self.run = Some(run);
        let results = std::mem::take(&mut *results.lock().unwrap());
        Rehearsed {
            state,
            results,
            said,
        }
    }

    /// What the steps before the review came to.
    fn scripted(&self) -> Vec<(Step, Report)> {
        let issue = format!(
            "<issue_url>{}/octo/demo/issues/1</issue_url>",
            self.world.web_url()
        );
        let pull = format!(
            "<pr_url>{}/octo/demo/pull/{n}</pr_url><pr_number>{n}</pr_number>",
            self.world.web_url(),
            n = self.number
        );
        let workspace = self.workspace();
        let ready = format!(
            "{issue}<branch>{BRANCH}</branch><workspace_path>{}</workspace_path>\
             <workspace_type>worktree</workspace_type><status>ready</status>\
             <base_branch>main</base_branch><base_commit>{}</base_commit>",
            workspace.display(),
            self.base
        );
        let published = format!("{issue}{pull}<branch>{BRANCH}</branch><summary>Notes</summary>");
        let titled = format!(
            "{issue}<issue_title>Keep notes</issue_title><type>feature</type>\
             <priority>medium</priority><requirements><requirement>Notes are kept</requirement></requirements>"
        );
        vec![
            (Step::Issue, handoff("issue-manager", "prep-agent", &titled)),
            (
                Step::Prepare,
                handoff("prep-agent", "implementer-agent", &ready),
            ),
            (Step::Implement, Report::Done),
            (
                Step::Publish,
                handoff("implementer-agent", "reviewer-agent", &published),
            ),
            (
                Step::Review,
                handoff(
                    "reviewer-agent",
                    "validator-agent",
                    &format!(
                        "{pull}<review_status>approved</review_status><critical_count>0</critical_count><important_count>0</important_count>"
                    ),
                ),
            ),
        ]
    }

    /// Without addresses, ids and times.
    pub(crate) fn shown(&self, text: &str) -> String {
        shown(self.world, self.run.as_ref(), text)
    }

    /// What an agent was told that kept it.
    pub(crate) fn prompt(&self) -> String {
        let prompt = std::fs::read_to_string(self.world.sandbox.home().join("prompt"));
        self.shown(&prompt.unwrap())
    }

    /// The reviews of the pull request.
    pub(crate) fn reviews(&self) -> Vec<Value> {
        self.list("pulls/2/reviews")
    }

    /// The comments in the code.
    pub(crate) fn comments(&self) -> Vec<Value> {
        self.list("pulls/2/comments")
    }

    fn list(&self, what: &str) -> Vec<Value> {
        let path = format!("/repos/octo/demo/{what}?per_page=100");
        let list = self.world.client("octo").get(&path).expect(200).json();
        list.as_array().cloned().unwrap()
    }

    /// Of each thread: its path, and whether it is resolved.
    pub(crate) fn threads(&self) -> Vec<(String, bool)> {
        let github = &self.place.github;
        let discussion = github.review_discussion(&self.place.repository, self.number);
        let discussion = self.world.block_on(discussion).unwrap();
        let threads = discussion.threads.iter();
        threads
            .map(|thread| (thread.place.path.clone(), thread.place.is_resolved))
            .collect()
    }

    pub(crate) fn pull(&self) -> Value {
        self.world
            .client("octo")
            .get("/repos/octo/demo/pulls/2")
            .expect(200)
            .json()
    }
}

impl Rehearsed {
    /// The newest handoff, as XML would say it.
    #[track_caller]
    pub(crate) fn handoff(&self) -> &Handoff {
        &self
            .state
            .passed()
            .last()
            .expect("something was handed over")
            .handoff
    }

    /// What the last real step came to.
    #[track_caller]
    pub(crate) fn last(&self) -> &Result<Report, Failure> {
        &self.results.last().expect("a real step was run").1.outcome
    }

    #[track_caller]
    pub(crate) fn failure(&self) -> &Failure {
        match self.last() {
            Err(failure) => failure,
            Ok(report) => panic!("{report:?}"),
        }
    }

    /// The steps that were run, in their order.
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.results.iter().map(|(step, _)| *step).collect()
    }
}

fn workspace(world: &World) -> PathBuf {
    world.sandbox.path("workspace")
}

fn goal() -> Goal {
    Goal {
        request: "Keep notes in the database".to_owned(),
        repository: "octo/demo".to_owned(),
        issue: Some(1),
        pull_request: None,
        base: None,
        place: std::collections::BTreeMap::default(),
    }
}

fn handoff(from: &str, to: &str, fields: &str) -> Report {
    let xml = format!(
        "<handoff><from>{from}</from><to>{to}</to><timestamp>2031-05-06T07:08:09Z</timestamp>\
         <issue_number>1</issue_number>{fields}</handoff>"
    );
    Report::Passed {
        handoff: Box::new(Handoff::from_xml(xml.as_bytes()).unwrap()),
    }
}

fn place(world: &World, login: &str) -> Place {
    let mut place = ground(world, login).place(http::Observer::default());
    place.settings.preferred = no_tools();
    place
}

/// Some steps are real. Those before them are done; one behind them stops.
struct Partly {
    crew: AgentSteps,
    real: Vec<Step>,
    times: usize,
    scripted: Vec<(Step, Report)>,
    results: Arc<Mutex<Vec<(Step, StepResult)>>>,
}

impl Steps for Partly {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            if !self.real.contains(&call.step) {
                let known = self.scripted.iter().find(|(step, _)| *step == call.step);
                let stop = Failure::new(FailureKind::Permanent, "no one is there");
                return StepResult::from(known.map(|(_, report)| report.clone()).ok_or(stop));
            }
            let mut last = None;
            for _ in 0..self.times {
                let result = self.crew.run(call, context).await;
                self.results
                    .lock()
                    .unwrap()
                    .push((call.step, result.clone()));
                last = Some(result);
            }
            last.expect("a step is run at least once")
        })
    }
}
