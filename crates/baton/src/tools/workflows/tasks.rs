//! A run as a task: it is known by its own name, also to a server that was
//! started long after it.

use baton_engine::EngineError;
use baton_ops::Output as _;
use baton_ops::question::{Choice, Question};
use baton_protocol::tools::workflow::{Workflow, WorkflowStatus};
use baton_serve::mcp::{Answer, Durable, Phase, Reply, Standing};
use baton_workflow::{RunId, State};
use serde_json::Value;

use super::access::{RunAccess, engine_failed};
use crate::runs;

impl Durable for RunAccess {
    fn name_in(&self, output: &Value) -> Option<String> {
        output.get("run")?.as_str().map(str::to_owned)
    }

    fn look<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Standing>> {
        Box::pin(async move {
            let Ok(run) = name.parse::<RunId>() else {
                return Ok(None);
            };
            let engine = self.engine().await?;
            let state = match engine.state(&run).await {
                Ok(state) => state,
                Err(EngineError::NoSuchRun { .. }) => return Ok(None),
                Err(error) => return Err(engine_failed(&error)),
            };
            let driven = runs::is_driven(engine, &run).await?;
            Ok(Some(standing(&state, &runs::describe(&state, driven))))
        })
    }

    fn answer<'a>(&'a self, name: &'a str, answer: Answer) -> Reply<'a, ()> {
        Box::pin(async move {
            let run = self.find(name).await?;
            let said = baton_workflow::Answer {
                choice: answer.choice,
                comment: answer.comment,
            };
            let engine = self.engine().await?;
            let key = answer.question.into();
            let answered = engine.answer_question(&run, &key, said).await;
            if answered.map_err(|error| engine_failed(&error))? {
                self.see_to(&run).await?;
            }
            Ok(())
        })
    }

    fn cancel<'a>(&'a self, name: &'a str) -> Reply<'a, ()> {
        Box::pin(async move {
            let run = self.find(name).await?;
            let engine = self.engine().await?;
            match engine.cancel(&run, "a client cancelled its task").await {
                Ok(()) => self.see_to(&run).await,
                Err(EngineError::Ended { .. }) => Ok(()),
                Err(error) => Err(engine_failed(&error)),
            }
        })
    }
}

fn standing(state: &State, workflow: &Workflow) -> Standing {
    Standing {
        name: workflow.run.clone(),
        created: workflow.created.clone(),
        changed: workflow.changed.clone(),
        doing: doing(workflow),
        phase: phase(state, workflow),
    }
}

fn phase(state: &State, workflow: &Workflow) -> Phase {
    match (workflow.status, state.question()) {
        (WorkflowStatus::Closed | WorkflowStatus::Done, _) => Phase::Completed(workflow.to_json()),
        (WorkflowStatus::Failed, _) => Phase::Failed(workflow.to_json()),
        (WorkflowStatus::Cancelled, _) => Phase::Cancelled,
        (_, Some(question)) if runs::needs_a_person(state) => Phase::Asks {
            key: question.key.to_string(),
            question: Question {
                text: question.reason.to_string(),
                options: question
                    .options
                    .iter()
                    .map(|option| Choice {
                        key: option.key,
                        label: option.label.clone(),
                    })
                    .collect(),
            },
        },
        _ => Phase::Working,
    }
}

fn doing(workflow: &Workflow) -> String {
    if let Some(ending) = &workflow.ending {
        return format!("The run {} has ended: {}", workflow.run, ending.reason);
    }
    if let Some(question) = &workflow.question {
        return format!("{}. {}", question.text, workflow.next);
    }
    match &workflow.step {
        Some(step) if workflow.driven => format!("{}: {}", step.agent, step.name),
        _ => workflow.next.clone(),
    }
}
