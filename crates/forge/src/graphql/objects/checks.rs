//! What checks and statuses say about a commit, taken together and apart.

use super::commit::{self, Commit};
use super::listings::found;
use super::{Account, Ref, Repo};
use crate::actions::rules::{self, Rule};
use crate::graphql::prelude::*;
use crate::node_id::{NodeId, parse};
use crate::store::check_runs::{self, RunFilter};
use crate::store::check_state::{Conclusion, StatusState};
use crate::store::commit_statuses::CommitStatus;
use crate::store::rollup::{self, Context as Check};
use crate::store::{
    apps, check_annotations, check_suites, pulls, workflow_runs, workflow_steps, workflows,
};
use crate::views::{self, merged};

/// Everything that was reported, and what follows from it. Null where there is nothing.
pub(super) fn rollup(cx: &Context, commit: &Commit) -> Resolved {
    let (id, oid) = (commit.repository.id, commit.commit.oid.as_str());
    let rollup = cx.rows(|conn| rollup::for_commit(conn, id, oid))?;
    let state = rollup.state().map(StatusState::as_str);
    let said = !rollup.contexts.is_empty();
    maybe(said.then(|| Reports {
        commit: commit.clone(),
        state: state.unwrap_or("expected"),
        contexts: rollup.contexts,
    }))
}

struct Reports {
    commit: Commit,
    state: &'static str,
    contexts: Vec<Check>,
}

impl Object for Reports {
    kind!("StatusCheckRollup");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        let node = |context: Check| Report(context, Arc::clone(&self.commit.repository));
        match field.name {
            "commit" => one(self.commit.clone()),
            // Check runs and statuses have numbers of their own; so a status has a negative key.
            "contexts" => field.list(
                self.contexts.clone(),
                |context| match context {
                    Check::CheckRun(run) => run.id,
                    Check::Status(status) => -status.id,
                },
                node,
            ),
            "id" => plain(self.commit.named(Kind::StatusCheckRollup)),
            _ => plain(self.state),
        }
    }
}

/// A check run or a status.
pub(crate) struct Report(Check, Arc<Repository>);

impl Report {
    pub(crate) fn check_run(row: check_runs::CheckRun, repository: Arc<Repository>) -> Self {
        Self(Check::CheckRun(row), repository)
    }

    pub(crate) fn status(row: CommitStatus, repository: Arc<Repository>) -> Self {
        Self(Check::Status(row), repository)
    }
}

impl Object for Report {
    fn kind(&self) -> &'static str {
        match &self.0 {
            Check::CheckRun(_) => "CheckRun",
            Check::Status(_) => "StatusContext",
        }
    }

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        match &self.0 {
            Check::CheckRun(run) => run_facts(cx, run, &self.1),
            Check::Status(status) => status_facts(cx, status, &self.1),
        }
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        match &self.0 {
            Check::CheckRun(run) => run_field(cx, field, run, &self.1),
            Check::Status(status) => status_field(cx, field, status, &self.1).await,
        }
    }
}

fn run_facts(
    cx: &Context,
    run: &check_runs::CheckRun,
    repository: &Repository,
) -> Result<Value, QueryError> {
    let facts = cx.show(|view| Ok(views::checks::run_facts(view, repository, run)))?;
    let more = json!({ "title": run.title, "summary": run.summary, "text": run.text });
    Ok(merged(facts, more))
}

fn run_field(
    cx: &Context,
    field: &Field<'_>,
    run: &check_runs::CheckRun,
    repository: &Arc<Repository>,
) -> Resolved {
    match field.name {
        "annotations" => {
            let rows = cx.rows(|conn| check_annotations::for_run(conn, run.id))?;
            field.fixed(rows, |row| Plain {
                kind: "CheckAnnotation",
                facts: annotation(cx, repository, &run.head_sha, &row),
            })
        }
        "checkSuite" => suite(cx, run.suite_id, repository),
        "isRequired" => is_required(cx, field, repository, &run.name, Some(run.app_id)),
        "repository" => one(Repo(Arc::clone(repository))),
        "steps" => {
            let mut rows = cx.rows(|conn| workflow_steps::for_job(conn, run.id))?;
            if let Some(number) = field.arguments.number("number") {
                rows.retain(|row| row.number == number);
            }
            field.list(
                rows,
                |row| row.number,
                |row| Plain {
                    kind: "CheckStep",
                    facts: views::checks::step(&row),
                },
            )
        }
        _ => Ok(Output::Fact),
    }
}

fn annotation(
    cx: &Context,
    repository: &Repository,
    sha: &str,
    row: &check_annotations::Annotation,
) -> Value {
    json!({
        "annotation_level": row.level.as_str(),
        "blob_url": cx.page(repository, &format!("/blob/{sha}/{}", row.path)),
        "location": {
            "start": { "line": row.start_line, "column": row.start_column },
            "end": { "line": row.end_line, "column": row.end_column },
        },
        "message": row.message,
        "path": row.path,
        "raw_details": row.raw_details,
        "title": row.title,
    })
}

fn status_facts(
    cx: &Context,
    status: &CommitStatus,
    repository: &Repository,
) -> Result<Value, QueryError> {
    cx.show(|view| Ok(views::checks::simple_status(view, repository, status)))
}

async fn status_field(
    cx: &Context,
    field: &Field<'_>,
    status: &CommitStatus,
    repository: &Arc<Repository>,
) -> Resolved {
    match field.name {
        "commit" => commit::load(cx, repository, Some(&status.sha)).await,
        "creator" => maybe(status.creator.clone().map(Account)),
        "isRequired" => is_required(cx, field, repository, &status.context, None),
        _ => Ok(Output::Fact),
    }
}

/// Whether a pull request, named by its id or by its number, needs a check to be merged. A check is
/// named by its name and by the app that reported it.
fn is_required(
    cx: &Context,
    field: &Field<'_>,
    repository: &Repository,
    name: &str,
    app_id: Option<i64>,
) -> Resolved {
    let arguments = &field.arguments;
    let pull = match (
        arguments.text("pullRequestId"),
        arguments.number("pullRequestNumber"),
    ) {
        (Some(id), _) => {
            let Some(NodeId::Numbered(Kind::PullRequest, row)) = parse(id) else {
                return Err(QueryError::unknown_id(id));
            };
            let pull = cx.rows(|conn| pulls::by_id(conn, row))?;
            pull.filter(|pull| pull.issue.repository_id == repository.id)
        }
        (None, Some(number)) => cx.rows(|conn| pulls::by_number(conn, repository.id, number))?,
        (None, None) => {
            let message = "Either `pullRequestId` or `pullRequestNumber` is required.";
            return Err(QueryError::unprocessable(message));
        }
    };
    let base = found(pull)?.base_ref;
    let applied = cx.read(|conn| rules::for_branch(conn, repository, &base))?;
    plain(applied.iter().any(|applied| match &applied.rule {
        Rule::Checks(rule) => rule.checks.iter().any(|check| {
            check.context == name && (check.app_id.is_none() || check.app_id == app_id)
        }),
        _ => false,
    }))
}

/// By the number of its row.
pub(crate) fn app(cx: &Context, id: i64) -> Resolved {
    let row = cx.rows(|conn| apps::by_id(conn, id))?;
    one(Plain {
        kind: "App",
        facts: views::users::app(cx.app.urls(), &row),
    })
}

fn suite(cx: &Context, id: i64, repository: &Arc<Repository>) -> Resolved {
    let row = found(cx.rows(|conn| check_suites::by_id(conn, id))?)?;
    one(CheckSuite(row, Arc::clone(repository)))
}

/// What one app reported about one commit.
pub(crate) struct CheckSuite(
    pub(crate) check_suites::CheckSuite,
    pub(crate) Arc<Repository>,
);

impl CheckSuite {
    fn check_runs(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let filter = field.arguments.input("filterBy").unwrap_or_default();
        let wanted = RunFilter {
            name: filter.text("checkName"),
            app_id: filter.number("appId"),
            replaced_too: filter.text("checkType") == Some("ALL"),
            ..RunFilter::default()
        };
        let mut rows = cx.rows(|conn| check_runs::for_suite(conn, self.0.id, wanted))?;
        let statuses: Vec<String> = (filter.texts("statuses").into_iter().flatten())
            .chain(filter.owned("status"))
            .collect();
        let conclusions = filter.texts("conclusions");
        rows.retain(|run| {
            let is = |words: &[String], word: &str| {
                words.iter().any(|known| known.eq_ignore_ascii_case(word))
            };
            let conclusion = run.progress.conclusion().map_or("", Conclusion::as_str);
            (statuses.is_empty() || is(&statuses, run.progress.status().as_str()))
                && conclusions
                    .as_ref()
                    .is_none_or(|known| is(known, conclusion))
        });
        let node = |row| Report::check_run(row, Arc::clone(&self.1));
        field.list(rows, |row| row.id, node)
    }
}

impl Object for CheckSuite {
    kind!("CheckSuite");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        cx.show(|view| Ok(views::checks::suite_facts(view, &self.1, &self.0)))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.0, &self.1);
        match field.name {
            "app" => app(cx, row.app_id),
            "branch" => match &row.head_branch {
                Some(branch) => Ref::branch(cx, repository, branch).and_then(maybe),
                None => plain(Value::Null),
            },
            "checkRuns" => self.check_runs(cx, field),
            "commit" => {
                let commit = Commit::load(cx, repository, &row.head_sha).await?;
                let gone = || ApiError::internal("the commit of the checks is gone");
                one(commit.ok_or_else(gone)?)
            }
            "repository" => one(Repo(Arc::clone(repository))),
            "workflowRun" => {
                let run = cx.rows(|conn| workflow_runs::for_suite(conn, row.id))?;
                maybe(run.map(|run| WorkflowRun(run, Arc::clone(repository))))
            }
            _ => Ok(Output::Fact),
        }
    }
}

pub(crate) struct WorkflowRun(
    pub(crate) workflow_runs::WorkflowRun,
    pub(crate) Arc<Repository>,
);

impl Object for WorkflowRun {
    kind!("WorkflowRun");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let run = &self.0;
        Ok(json!({
            "id": run.id,
            "node_id": node_id(Kind::WorkflowRun, run.id),
            "html_url": cx.page(&self.1, &format!("/actions/runs/{}", run.id)),
            "created_at": run.created_at,
            "updated_at": run.attempt.updated_at,
            "event": run.event,
            "run_number": run.number,
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "checkSuite" => suite(cx, self.0.suite_id, &self.1),
            "workflow" => {
                let id = self.0.workflow_id;
                let row = cx.rows(|conn| workflows::by_id(conn, id))?;
                one(Workflow(found(row)?, Arc::clone(&self.1)))
            }
            _ => Ok(Output::Fact),
        }
    }
}

pub(crate) struct Workflow(pub(crate) workflows::Workflow, pub(crate) Arc<Repository>);

impl Object for Workflow {
    kind!("Workflow");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let page = cx.page(
            &self.1,
            &format!("/actions/workflows/{}", self.0.file_name()),
        );
        let facts = cx.show(|view| Ok(views::workflows::workflow(view, &self.1, &self.0)))?;
        Ok(merged(facts, json!({ "html_url": page })))
    }
}
