//! Issues, their comments, labels and assignees.

use super::{Call, Payload};
use crate::actions::change::Change;
use crate::actions::issues::{self as actions, Draft, Edit};
use crate::actions::{comments, labels};
use crate::error::Result;
use crate::graphql::lookup;
use crate::graphql::objects::{Issue, IssueComment, PullRequest};
use crate::graphql::prelude::*;
use crate::store::issues::{self as rows, IssueState};
use crate::store::{labels as label_rows, pulls};

/// What is done with the labels or users of these names.
type Work = fn(Change<'_>, &rows::Issue, &[String]) -> Result<()>;

impl Call<'_> {
    /// None where the mutation is about something else.
    pub(super) async fn issues(&self) -> Result<Option<Payload>, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        Ok(Some(match self.name {
            "addLabelsToLabelable" => self.relabel(labels::add).await?,
            "removeLabelsFromLabelable" => self.relabel(unlabel).await?,
            "addComment" => {
                let subject = lookup::subject(cx, self.id("subjectId"))?;
                let (row, repository) = (&subject.row, &subject.repository);
                self.check(repository, Permission::Read)?;
                let body = input.required("body").to_owned();
                let made = comments::create(cx.on(repository), row, body).await?;
                let comment = IssueComment {
                    issue: row.clone(),
                    repository: Arc::clone(repository),
                    row: made,
                };
                let payload = Payload::new("commentEdge", Edge::new(comment.row.id, comment));
                self.with_subject(payload, "subject", self.id("subjectId"))?
            }
            "updateIssueComment" => {
                let comment = lookup::issue_comment(cx, self.id("id"))?;
                self.check(&comment.repository, Permission::Read)?;
                let (old, body) = (comment.row.clone(), input.required("body").to_owned());
                let repository = &comment.repository;
                let row = comments::update(cx.on(repository), old, body).await?;
                Payload::new("issueComment", IssueComment { row, ..comment })
            }
            "minimizeComment" => {
                let comment = lookup::issue_comment(cx, self.id("subjectId"))?;
                self.check(&comment.repository, Permission::Read)?;
                let reason = input.required("classifier").to_ascii_lowercase();
                let reason = Some(reason.replace('_', "-"));
                let (old, repository) = (comment.row.clone(), &comment.repository);
                let set = comments::set_minimized;
                let row = set(cx.on(repository), old, reason).await?;
                Payload::new("minimizedComment", IssueComment { row, ..comment })
            }
            "createIssue" => {
                let repository = lookup::repository(cx, self.id("repositoryId"))?;
                self.check(&repository, Permission::Read)?;
                let draft = Draft {
                    title: input.required("title").to_owned(),
                    body: input.owned("body"),
                    labels: self.labels(&repository)?.unwrap_or_default(),
                    assignees: self.assignees()?.unwrap_or_default(),
                };
                let row = actions::create(cx.on(&repository), draft).await?;
                Payload::new("issue", Issue { row, repository })
            }
            "updateIssue" => {
                let issue = lookup::issue(cx, self.id("id"))?;
                let edit = Edit {
                    title: input.owned("title"),
                    body: input.owned("body").map(Some),
                    state: input.text("state").map(|state| match state {
                        "OPEN" => IssueState::Open,
                        _ => IssueState::Closed,
                    }),
                    labels: self.labels(&issue.repository)?,
                    assignees: self.assignees()?,
                    ..Edit::default()
                };
                self.edit(issue, edit).await?
            }
            "closeIssue" => {
                let edit = Edit {
                    state: Some(IssueState::Closed),
                    state_reason: input.text("stateReason").map(str::to_ascii_lowercase),
                    ..Edit::default()
                };
                self.edit(lookup::issue(cx, self.id("issueId"))?, edit)
                    .await?
            }
            "reopenIssue" => {
                let edit = Edit {
                    state: Some(IssueState::Open),
                    ..Edit::default()
                };
                self.edit(lookup::issue(cx, self.id("issueId"))?, edit)
                    .await?
            }
            "lockLockable" | "unlockLockable" => self.set_lock().await?,
            _ => return Ok(None),
        }))
    }

    async fn edit(&self, issue: Issue, edit: Edit) -> Result<Payload, QueryError> {
        let (cx, repository) = (self.cx, issue.repository);
        self.check(&repository, Permission::Read)?;
        let row = actions::update(cx.on(&repository), &issue.row, edit).await?;
        Ok(Payload::new("issue", Issue { row, repository }))
    }

    async fn set_lock(&self) -> Result<Payload, QueryError> {
        let (cx, id) = (self.cx, self.id("lockableId"));
        let subject = lookup::subject(cx, id)?;
        let (row, repository) = (&subject.row, &subject.repository);
        self.check(repository, Permission::Read)?;
        let locked = self.name == "lockLockable";
        let reason = self.input.text("lockReason").map(|reason| match reason {
            "OFF_TOPIC" => "off-topic".to_owned(),
            reason => reason.to_ascii_lowercase().replace('_', " "),
        });
        actions::set_lock(cx.on(repository), row, locked, reason).await?;
        let name = if locked {
            "lockedRecord"
        } else {
            "unlockedRecord"
        };
        self.with_subject(Payload::default(), name, id)
    }

    async fn relabel(&self, work: Work) -> Result<Payload, QueryError> {
        let subject = lookup::subject(self.cx, self.id("labelableId"))?;
        self.check(&subject.repository, Permission::Triage)?;
        let names = self.labels(&subject.repository)?.unwrap_or_default();
        self.relate("labelable", names, work).await
    }

    /// Changes what an issue or pull request is related to. `name` is that of the payload's field, and
    /// with `Id` that of the input's.
    async fn relate(
        &self,
        name: &'static str,
        names: Vec<String>,
        work: Work,
    ) -> Result<Payload, QueryError> {
        let (cx, id) = (self.cx, self.id(&format!("{name}Id")));
        let Issue { row, repository } = lookup::subject(cx, id)?;
        self.check(&repository, Permission::Triage)?;
        cx.on(&repository)
            .change(move |change| work(change, &row, &names))
            .await?;
        self.with_subject(Payload::default(), name, id)
    }

    /// An issue or pull request as it is now.
    fn with_subject(
        &self,
        payload: Payload,
        name: &'static str,
        id: &str,
    ) -> Result<Payload, QueryError> {
        let subject = lookup::subject(self.cx, id)?;
        if !subject.row.is_pull {
            return Ok(payload.and(name, subject));
        }
        let row = subject.row.id;
        let pull = self.cx.rows(|conn| pulls::by_id(conn, row))?;
        let pull = pull.ok_or(ApiError::NotFound)?;
        Ok(payload.and(name, PullRequest::new(pull, &subject.repository)))
    }
}

fn unlabel(change: Change<'_>, issue: &rows::Issue, names: &[String]) -> Result<()> {
    for label in label_rows::for_issue(change.tx, issue.id)? {
        if names.contains(&label.name) {
            labels::remove(change, issue, &label)?;
        }
    }
    Ok(())
}
