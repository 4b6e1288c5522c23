//! The seven agents that carry work from an issue to a merged pull request:
//! what each step of the workflow does. One file each, all of the same shape.
//!
//! An agent looks for its effect by the key of its step, makes it, and passes
//! the work on with a handoff. It believes what it can see (commits, checks,
//! the state of the pull request) and nothing that anybody says.
//!
//! Must not know clap, MCP, an HTTP server or where configuration comes from.

mod asked_for;
mod changed_coverage;
mod claim;
mod clean_up;
mod closer;
mod coder;
mod commits;
mod confine;
mod coverage;
mod failure;
mod fence;
mod fixer;
mod foreign_text;
mod handed;
mod holdings;
mod implementer;
mod issue_manager;
mod marker;
mod own_thread;
mod people;
mod place;
mod ports;
mod prep;
mod project_command;
mod prompt_parts;
mod publishable;
mod pull;
mod related;
mod remark;
mod repository;
mod reviewer;
mod said_json;
mod tools;
mod validator;
mod workspace;

use std::pin::Pin;
use std::sync::Arc;

use baton_engine::{StepCall, StepContext, StepFuture, StepResult, Steps};
use baton_workflow::{Answer, Failure, Goal, Guidance, State, Step};

use confine::CommandSandbox;
use failure::Setback;

pub use place::{DevServer, Place, Publishing, Settings};

/// The key of what a person answers who lets something pass.
const ACCEPT: char = 'a';

/// Finds the place of a run: the repository, the checkout, the clients. A run
/// may be taken up by a process that knew nothing of it before.
pub trait Places: Send + Sync {
    fn place<'a>(&'a self, goal: &'a Goal) -> PlaceFuture<'a>;
}

pub type PlaceFuture<'a> = Pin<Box<dyn Future<Output = Result<Arc<Place>, Failure>> + Send + 'a>>;

/// All seven, ready to be given to the engine.
pub struct Crew {
    places: Box<dyn Places>,
}

impl Crew {
    pub fn new(places: impl Places + 'static) -> Self {
        Self {
            places: Box::new(places),
        }
    }
}

impl Steps for Crew {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            let place = match self.places.place(&call.state.start().goal).await {
                Ok(place) => place,
                Err(failure) => return StepResult::from(Err(failure)),
            };
            let errand = Errand {
                place: &place,
                call,
                context,
                commands: CommandSandbox::default(),
            };
            let result = match call.step {
                Step::Issue => issue_manager::run(&errand).await,
                Step::Prepare => prep::run(&errand).await,
                Step::Implement => implementer::implement(&errand).await,
                Step::Publish => implementer::publish(&errand).await,
                Step::Review => reviewer::run(&errand).await,
                Step::Fix => fixer::run(&errand).await,
                Step::Validate => validator::validate(&errand).await,
                Step::Merge => validator::merge(&errand).await,
                Step::Close => closer::run(&errand).await,
                Step::CleanUp => clean_up::run(&errand).await,
            };
            errand.finish();
            result
        })
    }
}

/// One step of one run, where it happens.
struct Errand<'a> {
    place: &'a Place,
    call: &'a StepCall,
    context: &'a StepContext,
    /// For the project's commands.
    commands: CommandSandbox,
}

impl Errand<'_> {
    /// The step has ended, and with it everything that ran in its sandbox.
    fn finish(mut self) {
        std::mem::take(&mut self.commands).finish(&self);
    }

    /// What is known of the run so far.
    fn state(&self) -> &State {
        &self.call.state
    }

    fn goal(&self) -> &Goal {
        &self.state().start().goal
    }

    /// Nobody will ever answer a question.
    fn is_unattended(&self) -> bool {
        self.state().start().policy.unattended
    }

    /// What people answered to questions of this step, the oldest first.
    fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.call.guidance().iter().filter_map(|one| match one {
            Guidance::Answer(answer) => Some(answer),
            Guidance::Failure(_) => None,
        })
    }

    /// What a person said who let it pass that this step has no evidence.
    fn acceptance(&self) -> Option<String> {
        let answer = self.answers().find(|answer| answer.choice == ACCEPT)?;
        let said = answer.comment.as_deref().unwrap_or("no reason given");
        Some(format!(
            "accepted by a person who steers the run ({})",
            foreign_text::one_line(said, 200)
        ))
    }

    /// Whether somebody chose this option of a question of this step.
    fn was_told(&self, choice: char) -> bool {
        self.answers().any(|answer| answer.choice == choice)
    }

    /// Ends the step early where somebody wants it to end.
    fn go_on(&self) -> Result<(), Setback> {
        if self.context.cancel.is_cancelled() {
            return Err(Setback::cancelled());
        }
        Ok(())
    }
}
