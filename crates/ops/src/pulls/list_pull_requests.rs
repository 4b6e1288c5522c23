//! The pull requests of a repository, each with how it stands.

use baton_protocol::Repository;
use baton_protocol::tools::list_pull_requests::{
    CiRollup, ListPullRequestsInput, ListPullRequestsOutput, ListedPullRequest, ListedState,
    MergesCleanly, PullRequestState, ReviewStanding,
};
use baton_remote::github::enums::{Mergeable, PullState, ReviewDecision, StatusState};
use baton_remote::github::questions::pull_list::{ListedPull, PullList, PullListFilter};
use baton_remote::github::{Fact, Unreadable};

use super::context::PullContext;
use super::lockdown::Logins;
use super::pages::Page;
use super::unreadable;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct ListPullRequests;

impl Operation for ListPullRequests {
    const META: Meta = Meta {
        name: "list_pull_requests",
        title: "List pull requests",
        about: "List the pull requests of a repository, and how they stand",
        description: "Lists the pull requests of a repository, the newest first, each with author, branches, labels, \
            whether it is a draft, what CI and reviews say, and whether it has conflicts. Filters by state, author, \
            labels and branches. Call it to find a pull request whose number you do not know, or to see what needs \
            attention. `unknown` means that it could not be read; it is never a yes.",
        input: "list_pull_requests.input",
        output: "list_pull_requests.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = ListPullRequestsInput;
    type Output = ListPullRequestsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let named: Vec<&str> = input.repository.as_deref().into_iter().collect();
        let cx = cx.pulls(&named).await?;
        cx.until_cancelled(list(&cx, &input)).await
    }
}

async fn list(
    cx: &PullContext,
    input: &ListPullRequestsInput,
) -> Result<ListPullRequestsOutput, OpError> {
    let size = usize::try_from(input.limit).unwrap_or(usize::MAX);
    let cursor = input.cursor.as_deref();
    let page = Page::new(
        &cx.cursors,
        ListPullRequests::META.name,
        input,
        cursor,
        size,
    )?;
    let repository = cx.repository(input.repository.as_deref())?;
    let filter = PullListFilter {
        states: states(input.state),
        labels: input.labels.clone(),
        base: input.base.clone(),
        head: input.head.clone(),
    };
    let listed = cx.github.list_pulls(&repository, &filter).await?;
    let message = message(&listed);
    let unread = unread(&listed);
    let mut pulls = listed.pulls;
    pulls.retain(|pull| is_by(pull, input.author.as_deref()));
    let total = pulls.len() as u64;
    let (mut pulls, next_cursor) = page.cut(&cx.cursors, pulls);
    withhold(cx, &repository, &mut pulls).await?;
    Ok(ListPullRequestsOutput {
        pull_requests: pulls
            .into_iter()
            .map(|pull| entry(pull, &repository))
            .collect(),
        repository: repository.to_string(),
        total,
        next_cursor,
        message,
        unreadable: unreadable::parts(&unread),
    })
}

/// In lockdown, what authors without write access wrote: titles, and names of branches.
async fn withhold(
    cx: &PullContext,
    repository: &Repository,
    pulls: &mut [ListedPull],
) -> Result<(), OpError> {
    let authors = Logins::new(pulls.iter().map(|pull| pull.facts.author.as_ref()));
    let writers = cx.writers(repository, authors).await?;
    for pull in pulls {
        let facts = &mut pull.facts;
        writers.withhold(facts.author.as_ref(), &mut facts.title);
        writers.withhold(facts.author.as_ref(), &mut facts.head_ref_name);
    }
    Ok(())
}

/// Whole pull requests, and facts about some.
fn unread(listed: &PullList) -> Vec<Unreadable> {
    let mut unread = listed.unreadable.clone();
    for pull in &listed.pulls {
        let parts = [
            pull.labels.unreadable(),
            pull.checks.unreadable(),
            pull.review_decision.unreadable(),
        ];
        unread.extend(parts.into_iter().flatten().cloned());
    }
    unread
}

fn states(state: ListedState) -> Vec<PullState> {
    match state {
        ListedState::Open => vec![PullState::Open],
        ListedState::Closed => vec![PullState::Closed],
        ListedState::Merged => vec![PullState::Merged],
        ListedState::All => Vec::new(),
    }
}

/// GitHub ignores the case of logins, and so do people.
fn is_by(pull: &ListedPull, author: Option<&str>) -> bool {
    let Some(author) = author else {
        return true;
    };
    let login = pull.facts.author.as_ref().map(|author| &author.login);
    login.is_some_and(|login| login.eq_ignore_ascii_case(author.trim_start_matches('@')))
}

fn entry(pull: ListedPull, repository: &Repository) -> ListedPullRequest {
    let facts = pull.facts;
    ListedPullRequest {
        pr: format!("{repository}#{}", facts.number),
        number: facts.number.into(),
        title: facts.title,
        html_url: facts.url,
        // GitHub's own stand-in for accounts that are gone.
        author: facts
            .author
            .map_or_else(|| "ghost".to_owned(), |author| author.login),
        state: match facts.state {
            PullState::Open => PullRequestState::Open,
            PullState::Closed => PullRequestState::Closed,
            PullState::Merged => PullRequestState::Merged,
            PullState::Unknown(_) => PullRequestState::Unknown,
        },
        draft: facts.is_draft,
        head: facts.head_ref_name,
        from_fork: facts.is_cross_repository,
        base: facts.base_ref_name,
        labels: pull.labels.known().cloned(),
        ci: ci(&pull.checks),
        review: review(&pull.review_decision),
        mergeable: match facts.mergeable {
            Mergeable::Mergeable => MergesCleanly::Yes,
            Mergeable::Conflicting => MergesCleanly::No,
            Mergeable::NotKnownYet | Mergeable::Unknown(_) => MergesCleanly::Unknown,
        },
        updated: facts.updated_at.to_string(),
    }
}

fn ci(checks: &Fact<Option<StatusState>>) -> CiRollup {
    match checks {
        Fact::Unreadable(_) | Fact::Known(Some(StatusState::Unknown(_))) => CiRollup::Unknown,
        Fact::Known(None) => CiRollup::None,
        Fact::Known(Some(StatusState::Success)) => CiRollup::Passed,
        Fact::Known(Some(StatusState::Failure | StatusState::Error)) => CiRollup::Failed,
        Fact::Known(Some(StatusState::Pending | StatusState::Expected)) => CiRollup::Pending,
    }
}

fn review(decision: &Fact<Option<ReviewDecision>>) -> ReviewStanding {
    match decision {
        Fact::Unreadable(_) | Fact::Known(Some(ReviewDecision::Unknown(_))) => {
            ReviewStanding::Unknown
        }
        Fact::Known(None) => ReviewStanding::None,
        Fact::Known(Some(ReviewDecision::Approved)) => ReviewStanding::Approved,
        Fact::Known(Some(ReviewDecision::ChangesRequested)) => ReviewStanding::ChangesRequested,
        Fact::Known(Some(ReviewDecision::ReviewRequired)) => ReviewStanding::Required,
    }
}

fn message(listed: &PullList) -> Option<String> {
    let mut parts = Vec::new();
    if listed.truncated {
        parts.push("There are more pull requests than were read".to_owned());
    }
    match listed.unreadable.len() {
        0 => {}
        1 => parts.push("The server did not show 1 pull request to this token".to_owned()),
        count => parts.push(format!(
            "The server did not show {count} pull requests to this token"
        )),
    }
    (!parts.is_empty()).then(|| parts.join(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld() -> Unreadable {
        Unreadable {
            what: "statusCheckRollup".to_owned(),
            reason: "Resource not accessible by personal access token".to_owned(),
            remedy: "grant Checks: read".to_owned(),
        }
    }

    #[test]
    fn what_is_not_known_is_never_a_yes() {
        let new = || "NEW".to_owned();
        assert_eq!(ci(&Fact::Unreadable(withheld())), CiRollup::Unknown);
        assert_eq!(
            ci(&Fact::Known(Some(StatusState::Unknown(new())))),
            CiRollup::Unknown
        );
        assert_eq!(
            ci(&Fact::Known(Some(StatusState::Expected))),
            CiRollup::Pending
        );
        assert_eq!(
            review(&Fact::Unreadable(withheld())),
            ReviewStanding::Unknown
        );
        assert_eq!(
            review(&Fact::Known(Some(ReviewDecision::Unknown(new())))),
            ReviewStanding::Unknown
        );
    }

    #[test]
    fn what_the_list_lacks_is_told() {
        let all = PullList::default();
        assert_eq!(message(&all), None);
        let some = PullList {
            truncated: true,
            unreadable: vec![withheld(), withheld()],
            ..all
        };
        insta::assert_snapshot!(message(&some).unwrap(), @"There are more pull requests than were read. The server did not show 2 pull requests to this token");
    }
}
