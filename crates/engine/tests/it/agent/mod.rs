//! Agents that lie, hang, flood and leave processes, and how the driver handles
//! them.

mod acp;
mod cli;
mod exec;
mod real;
mod survivors;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use baton_engine::agent::{Agent, AgentReport, Assignment, Driver, Role};
use baton_engine::{Engine, Options, StepCall, StepContext, StepFuture, StepResult, Steps, Until};
use baton_host::cmd::Environment;
use baton_testkit::Sandbox;
use baton_workflow::{Failure, FailureKind, Policy, RunId, Step, StepLimits};

use crate::scripted::{goal, success};

/// A worktree with one commit, and an engine whose implementer is an agent.
pub(crate) struct Workshop {
    pub(crate) sandbox: Sandbox,
}

/// The report of each time the agent worked.
type Reports = Arc<Mutex<Vec<AgentReport>>>;

struct WithAgent {
    agent: Agent,
    role: Role,
    worktree: PathBuf,
    environment: Environment,
    limits: StepLimits,
    reports: Reports,
    /// The first attempts fail after the agent's work, so that it works again.
    repeats: u32,
    /// The second attempt is worth nothing without the session of the first.
    only_resumes: bool,
    /// Why the agent was not given its work.
    refusals: Arc<Mutex<Vec<String>>>,
}

impl Steps for WithAgent {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            if call.step != Step::Implement {
                return StepResult::from(Ok(success(call.step)));
            }
            let assignment = Assignment {
                role: self.role,
                worktree: &self.worktree,
                repository: None,
                prompt: "Limit the logins.",
                environment: &self.environment,
                limits: self.limits,
                only_resume: self.only_resumes && call.attempt == 2,
                mcp_servers: &[],
            };
            let outcome = match self.agent.work(&assignment, context).await {
                Err(error) => {
                    self.refusals.lock().unwrap().push(error.to_string());
                    Err(error.into_failure())
                }
                Ok(report) => {
                    let verdict = report.verdict(self.role);
                    self.reports.lock().unwrap().push(report);
                    verdict
                }
            };
            let outcome = outcome.and_then(|()| {
                if call.attempt <= self.repeats {
                    return Err(Failure::new(FailureKind::Transient, "again"));
                }
                Ok(success(call.step))
            });
            StepResult::from(outcome)
        })
    }
}

impl Workshop {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("shop");
        repo.commit_file("login.txt", "unlimited\n", "Begin");
        Self { sandbox }
    }

    pub(crate) fn worktree(&self) -> PathBuf {
        self.sandbox.path("shop")
    }

    pub(crate) fn environment(&self) -> Environment {
        self.sandbox.environment().clone().into_iter().collect()
    }

    /// What the fake agent noted.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = std::fs::read_to_string(self.sandbox.path("notes")).unwrap_or_default();
        notes.lines().map(str::to_owned).collect()
    }

    pub(crate) fn is_changed(&self) -> bool {
        let status = self
            .sandbox
            .run(&self.worktree(), "git", &["status", "--porcelain"]);
        !status.stdout.is_empty()
    }

    fn steps(&self, agent: Agent, role: Role) -> WithAgent {
        WithAgent {
            agent,
            role,
            worktree: self.worktree(),
            environment: self.environment(),
            limits: StepLimits {
                wall: Duration::from_secs(30),
                idle: Duration::from_secs(30),
            },
            reports: Reports::default(),
            repeats: 0,
            only_resumes: false,
            refusals: Arc::default(),
        }
    }

    /// Lets the agent work once, and returns its report and the result of its
    /// step.
    pub(crate) async fn once(&self, agent: Agent, role: Role) -> (AgentReport, String) {
        let steps = self.steps(agent, role);
        self.works(steps).await.pop().unwrap()
    }

    /// All the agent's work up to the first question or the end.
    async fn works(&self, steps: WithAgent) -> Vec<(AgentReport, String)> {
        let role = steps.role;
        let reports = Arc::clone(&steps.reports);
        let engine = self.engine(steps).await;
        let policy = Policy {
            retry_pauses_ms: vec![1, 1],
            max_stalls: 0,
            ..Policy::default()
        };
        let run = engine.create(goal(), policy).await.unwrap();
        engine.drive(&run, Until::Question).await.unwrap();
        let reports = reports.lock().unwrap();
        let judged = reports.iter().map(|report| {
            let verdict = match report.verdict(role) {
                Ok(()) => "done".to_owned(),
                Err(failure) => format!("{:?}: {}", failure.kind, failure.message),
            };
            (report.clone(), verdict)
        });
        judged.collect()
    }

    async fn engine(&self, steps: WithAgent) -> Engine {
        let options = Options::new(self.sandbox.state_folder());
        Engine::open(options, Arc::new(steps)).await.unwrap()
    }

    pub(crate) fn log(&self, run: &RunId) -> Vec<u8> {
        let folder = self.sandbox.state_folder().join("runs").join(run.as_str());
        std::fs::read(folder.join("agents/003-implement.1.log")).unwrap()
    }
}

pub(crate) fn exec(script: &str) -> Agent {
    Agent {
        name: "script".to_owned(),
        driver: Driver::Exec,
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
    }
}

/// A program that is built with the tests.
pub(crate) fn example(name: &str) -> String {
    let tests = std::env::current_exe().unwrap();
    let built: &Path = tests.parent().unwrap().parent().unwrap();
    built
        .join("examples")
        .join(name)
        .into_os_string()
        .into_string()
        .unwrap()
}

pub(crate) fn fake(manner: &str) -> Agent {
    Agent {
        name: "fake".to_owned(),
        driver: Driver::Acp,
        program: example("fake_agent"),
        args: vec![manner.to_owned()],
    }
}
