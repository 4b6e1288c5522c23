//! The seven agents that carry work from an issue to a merged pull request:
//! what each step of the workflow does. One file each, all of the same shape.
//!
//! An agent looks for its effect by the key of its step, makes it, and passes
//! the work on with a handoff. It believes what it can see (commits, checks,
//! the state of the pull request) and nothing that anyone says.
//!
//! Must not know clap, MCP, an HTTP server or where configuration comes from.

mod acceptance;
mod asked_for;
mod blocking;
mod changed_coverage;
mod claim;
mod clean_up;
mod closer;
mod coder;
mod commits;
mod confine;
mod coverage;
mod fence;
mod fixer;
mod foreign_text;
mod handoffs;
mod implementer;
mod issue_manager;
mod lockdown;
mod marker;
mod people;
mod place;
mod ports;
mod prep;
mod project_command;
mod prompt_parts;
mod publishable;
mod pull;
mod related;
mod repository;
mod resources;
mod review_comment;
mod reviewer;
mod step_error;
mod tools;
mod trailing_json;
mod validator;
mod workspace;

use std::pin::Pin;
use std::sync::Arc;

use baton_engine::{StepCall, StepContext, StepFuture, StepResult, Steps};
use baton_workflow::{Answer, Failure, Goal, Guidance, State, Step, Usage};

use acceptance::Accepted;
use confine::CommandSandbox;
use step_error::StepError;

pub use place::{DevServer, Place, Publishing, Settings, repository_identity};

/// Finds the place of a run: the repository, the checkout, the clients. A run
/// may be taken up by a process that knew nothing of it before.
pub trait Places: Send + Sync {
    fn place<'a>(&'a self, goal: &'a Goal) -> PlaceFuture<'a>;
}

pub type PlaceFuture<'a> = Pin<Box<dyn Future<Output = Result<Arc<Place>, Failure>> + Send + 'a>>;

/// All seven, ready to be given to the engine.
pub struct AgentSteps {
    places: Box<dyn Places>,
}

impl AgentSteps {
    pub fn new(places: impl Places + 'static) -> Self {
        Self {
            places: Box::new(places),
        }
    }
}

impl Steps for AgentSteps {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            let place = match self.places.place(&call.state.start().goal).await {
                Ok(place) => place,
                Err(failure) => return StepResult::from(Err(failure)),
            };
            let accepted = match context.acceptances(&place.identity()).await {
                Ok(known) => Accepted::new(known),
                Err(error) => return step_error::result(Err(error.into()), Usage::default()),
            };
            let step = AgentStep {
                place: &place,
                shared_place: &place,
                call,
                context,
                commands: CommandSandbox::default(),
                accepted: &accepted,
            };
            // A process that died may have left some.
            confine::forget(&confine::steps_folder(&step));
            if matches!(call.step, Step::Implement | Step::Validate) {
                step.refuse_unsigned();
            }
            let result = match call.step {
                Step::Issue => issue_manager::run(&step).await,
                Step::Prepare => prep::run(&step).await,
                Step::Implement => implementer::implement(&step).await,
                Step::Publish => implementer::publish(&step).await,
                Step::Review => reviewer::run(&step).await,
                Step::Fix => fixer::run(&step).await,
                Step::Validate => validator::validate(&step).await,
                Step::Merge => validator::merge(&step).await,
                Step::Close => closer::run(&step).await,
                Step::CleanUp => clean_up::run(&step).await,
            };
            let kept = step.keep_accepted();
            step.finish();
            match kept {
                Ok(()) => result,
                Err(error) => step_error::result(Err(error), result.usage),
            }
        })
    }
}

/// One step of one run, where it happens.
struct AgentStep<'a> {
    place: &'a Place,
    shared_place: &'a Arc<Place>,
    call: &'a StepCall,
    context: &'a StepContext,
    /// For the project's commands.
    commands: CommandSandbox,
    /// What people have accepted for the repository.
    accepted: &'a Accepted,
}

impl AgentStep<'_> {
    /// The step has ended, and with it everything that ran in its sandbox.
    fn finish(self) {
        let folder = confine::steps_folder(&self);
        self.finish_commands();
        confine::forget(&folder);
    }

    /// Tells what was noticed about the project's commands.
    fn finish_commands(mut self) {
        std::mem::take(&mut self.commands).finish(&self);
    }

    /// The same step, whose commands run in another sandbox.
    fn with_commands(&self, commands: CommandSandbox) -> Self {
        Self { commands, ..*self }
    }

    /// What is known of the run so far.
    fn state(&self) -> &State {
        &self.call.state
    }

    fn goal(&self) -> &Goal {
        &self.state().start().goal
    }

    /// No one will ever answer a question.
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

    /// Whether someone chose this option of a question of this step.
    fn was_told(&self, choice: char) -> bool {
        self.answers().any(|answer| answer.choice == choice)
    }

    /// Ends the step early where someone wants it to end.
    fn go_on(&self) -> Result<(), StepError> {
        if self.context.cancel.is_cancelled() {
            return Err(StepError::cancelled());
        }
        Ok(())
    }
}
