//! What the engine and the coding agent find.

use std::sync::Mutex;

use baton_engine::agent::{Agent, Assignment, Role};
use baton_host::sandbox;
use baton_ops::validation::{
    self, Claims, Others, ReviewedFile, Reviewer, SCANNER_LIMIT, Scanning, Since,
};
use baton_review::{Claim, Options, Severity};
use baton_workflow::{Guidance, Usage};

use super::{Change, Review, claims};
use crate::AgentStep;
use crate::acceptance::objection_to;
use crate::asked_for::is_asked_for;
use crate::confine;
use crate::fence;
use crate::project_command;
use crate::prompt_parts;
use crate::review_comment::ReviewComment;
use crate::step_error::StepError;
use crate::workspace::Workspace;

pub(super) async fn read(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    change: &Change,
    usage: &mut Usage,
) -> Result<Review, StepError> {
    let paths = change.diff.iter().filter_map(|file| file.path.to_str());
    let names: Vec<String> = paths.map(str::to_owned).collect();
    let files = match names.len() {
        1 => "1 changed file".to_owned(),
        count => format!("{count} changed files"),
    };
    step.context.say(&format!("reviewing {files}"));
    let place = step.place;
    let reader = place.reviewer.as_ref().map(|agent| Reading {
        agent,
        step,
        workspace,
        change,
        heard: Mutex::new(None),
    });
    let mut reviewers: Vec<&dyn Reviewer> = Vec::new();
    if let Some(reader) = &reader {
        reviewers.push(reader);
    }
    let since = Since {
        commit: Some(change.fork.as_str()),
        environment: &place.environment,
    };
    let options = Options {
        threshold: Severity::Low,
        everywhere: false,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Options::default()
    };
    let others = Others {
        scanning: Some(Scanning {
            scanners: &place.settings.scanners,
            environment: &place.environment,
            cancel: &step.context.cancel,
            limit: SCANNER_LIMIT,
        }),
        reviewers: &reviewers,
        ..Others::default()
    };
    let cancel = &step.context.cancel;
    let found = validation::review_files(
        &workspace.path,
        &names,
        Some(since),
        options,
        others,
        cancel,
    )
    .await;
    if step.context.cancel.is_cancelled() {
        return Err(StepError::cancelled());
    }
    if let Some(heard) = reader.and_then(Reading::heard) {
        usage.add(&heard.usage);
        heard.trouble.map_or(Ok(()), Err)?;
    }
    let threshold = place.settings.threshold;
    let comments: Vec<ReviewComment> = found
        .findings
        .iter()
        .filter(|finding| !is_asked_for(step, finding))
        .filter(|finding| !step.is_accepted(&objection_to(finding)))
        .map(|finding| ReviewComment::from_finding(finding, threshold))
        .collect();
    // What people accepted is said on the pull request, before anything else.
    // After a crash the findings are not looked at again.
    step.keep_accepted()?;
    let mut notes = step.accepted_here();
    notes.extend(found.notes);
    Ok(Review::new(change.head.clone(), comments, notes))
}

/// A coding agent at work on the change.
struct Reading<'a> {
    agent: &'a Agent,
    step: &'a AgentStep<'a>,
    workspace: &'a Workspace,
    change: &'a Change,
    heard: Mutex<Option<Heard>>,
}

struct Heard {
    usage: Usage,
    trouble: Option<StepError>,
}

impl Reading<'_> {
    fn heard(self) -> Option<Heard> {
        self.heard.into_inner().unwrap_or_default()
    }

    fn note(&self, usage: Usage, trouble: Option<StepError>) {
        let mut heard = self
            .heard
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *heard = Some(Heard { usage, trouble });
    }

    async fn work(&self, files: &[ReviewedFile]) -> Result<Vec<Claim>, String> {
        let (place, call) = (self.step.place, self.step.call);
        let name = &self.agent.name;
        self.step.context.say(&format!("{name} reads the change"));
        let prompt = match prompt(self.step, self.workspace, self.change, files).await {
            Ok(prompt) => prompt,
            Err(error) => {
                self.note(Usage::default(), Some(error));
                return Err("it could not be told what to do".to_owned());
            }
        };
        let path = &self.workspace.path;
        let own = project_command::agent_environment(self.step, path);
        let role = sandbox::Role::Reader;
        let confined = confine::for_agent(self.step, role, path, &own, self.agent).await;
        let confinement = match confined {
            Ok(confinement) => confinement,
            Err(error) => {
                self.note(Usage::default(), Some(error));
                return Err("its sandbox could not be made".to_owned());
            }
        };
        let assignment = Assignment {
            role: Role::Reader,
            worktree: &self.workspace.path,
            repository: Some(&self.workspace.git),
            prompt: &prompt,
            environment: confinement.environment(),
            limits: call.limits,
            only_resume: false,
            mcp_servers: &place.mcp_servers,
        };
        let worked = self.agent.work(&assignment, self.step.context).await;
        confine::tell(self.step, "the reviewing agent", confinement);
        let report = match worked {
            Ok(report) => report,
            Err(error) => {
                self.note(Usage::default(), Some(error.into()));
                return Err("it could not be started".to_owned());
            }
        };
        if let Err(failure) = report.verdict(Role::Reader) {
            self.note(report.usage, Some(failure.into()));
            return Err("it did not come to its end".to_owned());
        }
        let Some(claims) = claims::read(&report.message) else {
            let message =
                "the agent's last message has no list of findings in the form that was asked for";
            self.note(report.usage, Some(StepError::unproven(message)));
            return Err(message.to_owned());
        };
        self.note(report.usage, None);
        Ok(claims)
    }
}

impl Reviewer for Reading<'_> {
    fn name(&self) -> &str {
        &self.agent.name
    }

    fn review<'a>(&'a self, change: &'a [ReviewedFile]) -> Claims<'a> {
        Box::pin(self.work(change))
    }
}

/// As much of a foreign text as an agent is given.
const MAX_LEN: usize = 20_000;

async fn prompt(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    change: &Change,
    files: &[ReviewedFile],
) -> Result<String, StepError> {
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let fenced = |what: &str, text: &str| fence::fenced(step.call.run(), what, text, MAX_LEN);
    let mut parts = vec![
        format!(
            "You review a change and change nothing yourself: write no file, make no commit.\n\
             The change is what `git diff {} {}` shows in this folder.\n\
             Look for what breaks, loses data, lets someone in or does not do what was asked \
             for. Leave out matters of taste and what a formatter or linter says.",
            change.fork, change.head
        ),
        fence::EXPLANATION.to_owned(),
    ];
    parts.extend(prompt_parts::issue(step).await?);
    parts.push(fenced("the changed files", &names.join("\n")));
    parts.extend(prompt_parts::conventions(step, workspace).await?);
    parts.extend(
        step.call
            .guidance()
            .iter()
            .filter_map(|guidance| match guidance {
                Guidance::Failure(message) => {
                    Some(fenced("why an earlier try did not count", message))
                }
                Guidance::Answer(answer) => {
                    Some(fenced("what a person said", answer.comment.as_ref()?))
                }
            }),
    );
    parts.push(claims::FORM.to_owned());
    Ok(parts.join("\n\n"))
}
