//! Pull requests, their reviews and their way into the base branch.

use super::{Call, Payload};
use crate::actions::change::Change;
use crate::actions::pulls::{self as actions, HeadName, MergeOrder, NewPullRequest, PullChange};
use crate::actions::reviews::{self, DraftComment, NewReview, Opinion};
use crate::actions::{assignees, labels};
use crate::graphql::lookup;
use crate::graphql::objects::{Account, MergeQueue, PullRequest, Review, ReviewComment, Thread};
use crate::graphql::prelude::*;
use crate::store::pulls::{MergeMethod, Pull};
use crate::store::review_threads::{Side, Subject};
use crate::store::reviews::requests;

impl Call<'_> {
    /// None where the mutation is about something else.
    pub(super) async fn pulls(&self) -> Result<Option<Payload>, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let open = |open| PullChange {
            open: Some(open),
            ..PullChange::default()
        };
        let pull = || lookup::pull_request(cx, self.id("pullRequestId"));
        Ok(Some(match self.name {
            "createPullRequest" => Box::pin(self.create_pull()).await?,
            "updatePullRequest" => self.update_pull().await?,
            "closePullRequest" => self.change_pull(open(false)).await?,
            "reopenPullRequest" => self.change_pull(open(true)).await?,
            "markPullRequestReadyForReview" | "convertPullRequestToDraft" => {
                let (pull, draft) = (pull()?, self.name == "convertPullRequestToDraft");
                let row = actions::set_draft(cx.on(&pull.repository), &pull.row, draft).await?;
                changed(&pull, row)
            }
            "mergePullRequest" => {
                let (pull, order) = (pull()?, self.merge_order());
                let row = actions::merge(cx.on(&pull.repository), &pull.row, &order).await?;
                changed(&pull, row)
            }
            "enablePullRequestAutoMerge" => {
                let (pull, order) = (pull()?, self.merge_order());
                let row =
                    actions::enable_auto_merge(cx.on(&pull.repository), &pull.row, order).await?;
                changed(&pull, row)
            }
            "disablePullRequestAutoMerge" => {
                let pull = pull()?;
                let row = actions::disable_auto_merge(cx.on(&pull.repository), &pull.row).await?;
                changed(&pull, row)
            }
            "enqueuePullRequest" => {
                let pull = pull()?;
                let expected = input.text("expectedHeadOid");
                if expected.is_some_and(|expected| expected != pull.row.head_sha) {
                    let message = "Head branch was modified. Review and try the merge again.";
                    return Err(QueryError::unprocessable(message));
                }
                let jump = input.flag("jump") == Some(true);
                actions::enqueue(cx.on(&pull.repository), &pull.row, jump).await?;
                match MergeQueue::entry_of(cx, &pull)? {
                    Some(entry) => Payload::new("mergeQueueEntry", entry),
                    None => Payload::default(),
                }
            }
            "dequeuePullRequest" => {
                let pull = lookup::pull_request(cx, self.id("id"))?;
                let entry = MergeQueue::entry_of(cx, &pull)?;
                actions::dequeue(cx.on(&pull.repository), &pull.row).await?;
                match entry {
                    Some(entry) => Payload::new("mergeQueueEntry", entry),
                    None => Payload::default(),
                }
            }
            "requestReviews" => self.request_reviews(&pull()?).await?,
            "addPullRequestReview" => self.add_review(pull()?).await?,
            "addPullRequestReviewThreadReply" => self.reply().await?,
            "resolveReviewThread" | "unresolveReviewThread" => {
                let Thread(thread, pull) = lookup::review_thread(cx, self.id("threadId"))?;
                let (repository, resolved) = (&pull.repository, self.name == "resolveReviewThread");
                let set = reviews::set_resolved;
                let row = set(cx.on(repository), &pull.row, &thread, resolved).await?;
                Payload::new("thread", Thread(row, pull))
            }
            _ => return Ok(None),
        }))
    }

    async fn create_pull(&self) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let repository = lookup::repository(cx, self.id("repositoryId"))?;
        let mut head = HeadName::parse(input.required("headRefName"), None);
        if let Some(id) = input.text("headRepositoryId") {
            let from = lookup::repository(cx, id)?;
            head.owner = Some(from.owner.login.clone());
            head.repository = Some(from.name.clone());
        }
        let new = NewPullRequest {
            title: input.owned("title"),
            body: input.owned("body"),
            issue: None,
            head,
            base: input.required("baseRefName").to_owned(),
            draft: input.flag("draft") == Some(true),
            maintainer_can_modify: input.flag("maintainerCanModify") != Some(false),
        };
        let row = Box::pin(actions::create(cx.on(&repository), new)).await?;
        Ok(Payload::new(
            "pullRequest",
            PullRequest::new(row, &repository),
        ))
    }

    async fn change_pull(&self, change: PullChange) -> Result<Payload, QueryError> {
        let (cx, id) = (self.cx, self.id("pullRequestId"));
        let pull = lookup::pull_request(cx, id)?;
        let row = actions::update(cx.on(&pull.repository), &pull.row, change).await?;
        Ok(changed(&pull, row))
    }

    async fn update_pull(&self) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let pull = lookup::pull_request(cx, self.id("pullRequestId"))?;
        let (named, assigned) = (self.labels(&pull.repository)?, self.assignees()?);
        let change = PullChange {
            title: input.owned("title"),
            body: input.owned("body").map(Some),
            open: input.text("state").map(|state| state == "OPEN"),
            base: input.owned("baseRefName"),
            maintainer_can_modify: input.flag("maintainerCanModify"),
        };
        self.change_pull(change).await?;
        if named.is_some() || assigned.is_some() {
            self.check(&pull.repository, Permission::Triage)?;
            let issue = pull.row.issue.clone();
            let work = move |change: Change<'_>| {
                if let Some(names) = named {
                    labels::replace(change, &issue, &names)?;
                }
                if let Some(logins) = assigned {
                    assignees::replace(change, &issue, &logins)?;
                }
                Ok(())
            };
            cx.on(&pull.repository).change(work).await?;
        }
        let pull = lookup::pull_request(cx, self.id("pullRequestId"))?;
        Ok(Payload::new("pullRequest", pull))
    }

    fn merge_order(&self) -> MergeOrder {
        let method = self.input.text("mergeMethod").map(str::to_ascii_lowercase);
        let method = method.and_then(|method| MergeMethod::parse(&method));
        MergeOrder {
            method: method.unwrap_or(MergeMethod::Merge),
            expected_head: self.input.owned("expectedHeadOid"),
            title: self.input.owned("commitHeadline"),
            message: self.input.owned("commitBody"),
        }
    }

    /// Without `union`, those who were asked before and are not named now are no longer asked.
    async fn request_reviews(&self, pull: &PullRequest) -> Result<Payload, QueryError> {
        let cx = self.cx;
        let ids = self.input.texts("userIds").unwrap_or_default();
        let logins = lookup::logins(cx, &ids)?;
        let repository = &pull.repository;
        let asked = || cx.rows(|conn| requests(conn, pull.row.id()));
        if self.input.flag("union") != Some(true) {
            let others = asked()?.into_iter().map(|request| request.user.login);
            let others: Vec<String> = others.filter(|login| !logins.contains(login)).collect();
            if !others.is_empty() {
                let withdraw = actions::withdraw_review_requests;
                withdraw(cx.on(repository), &pull.row, others).await?;
            }
        }
        if !logins.is_empty() {
            let request = actions::request_reviews;
            request(cx.on(repository), &pull.row, logins.clone()).await?;
        }
        let mut asked = asked()?.into_iter();
        let newest = asked.rfind(|request| logins.contains(&request.user.login));
        let pull = lookup::pull_request(cx, self.id("pullRequestId"))?;
        let payload = Payload::new("pullRequest", pull);
        Ok(match newest {
            Some(request) => {
                let edge = Edge::new(request.user.id, Account(request.user));
                payload.and("requestedReviewersEdge", edge)
            }
            None => payload,
        })
    }

    async fn add_review(&self, pull: PullRequest) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let opinion = input.text("event").and_then(Opinion::parse);
        let drafts = input
            .inputs("comments")
            .into_iter()
            .chain(input.inputs("threads"));
        let new = NewReview {
            commit: input.owned("commitOID"),
            body: input.owned("body"),
            opinion,
            comments: drafts.map(|input| draft(&input)).collect(),
        };
        let create = reviews::create;
        let row = create(cx.on(&pull.repository), &pull.row, new).await?;
        let review = Review(row, pull);
        let edge = Edge::new(review.0.id, review.clone());
        Ok(Payload::new("pullRequestReview", review).and("reviewEdge", edge))
    }

    async fn reply(&self) -> Result<Payload, QueryError> {
        let (cx, input) = (self.cx, &self.input);
        let Thread(thread, pull) = lookup::review_thread(cx, self.id("pullRequestReviewThreadId"))?;
        let repository = &pull.repository;
        let body = input.required("body").to_owned();
        let reply = reviews::reply;
        let row = reply(cx.on(repository), &pull.row, &thread, body).await?;
        Ok(Payload::new("comment", ReviewComment(row, pull)))
    }
}

fn changed(pull: &PullRequest, row: Pull) -> Payload {
    Payload::new("pullRequest", PullRequest::new(row, &pull.repository))
}

/// A comment by its position in the diff, or a thread by its lines.
fn draft(input: &Arguments) -> DraftComment {
    let line = |key| input.number(key).and_then(|line| u32::try_from(line).ok());
    let side = |key| input.text(key).and_then(Side::parse);
    let start_line = line("startLine");
    DraftComment {
        path: input.required("path").to_owned(),
        body: input.required("body").to_owned(),
        position: line("position"),
        line: line("line"),
        side: side("side").unwrap_or(Side::Right),
        start_line,
        start_side: start_line.and(side("startSide")),
        subject: Subject::Line,
    }
}
