//! The seven agents that carry work from an issue to a merged pull request:
//! what each step of the workflow does. One file each, all of the same shape.
//!
//! An agent looks for its effect by the key of its step, makes it, and passes
//! the work on with a handoff. It believes what it can see (commits, checks,
//! the state of the pull request) and nothing that anybody says.
//!
//! Must not know clap, MCP, an HTTP server or where configuration comes from.

mod clean_up;
mod closer;
mod commits;
mod coverage;
mod failure;
mod fixer;
mod foreign_text;
mod implementer;
mod issue_manager;
mod marker;
mod place;
mod prep;
mod pull;
mod remark;
mod reviewer;
mod said_json;
mod tools;
mod validator;
mod workspace;

use std::pin::Pin;
use std::sync::Arc;

use baton_engine::{StepCall, StepContext, StepFuture, StepResult, Steps};
use baton_workflow::{Failure, Goal, Step};

pub use place::{Place, Settings};

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
            };
            match call.step {
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
            }
        })
    }
}

/// One step of one run, where it happens.
struct Errand<'a> {
    place: &'a Place,
    call: &'a StepCall,
    context: &'a StepContext,
}
