//! In lockdown, words of accounts without write access are no part of a run.

use std::collections::BTreeMap;

use baton_remote::github::enums::AuthorAssociation;
use baton_remote::github::questions::review_discussion::ReviewDiscussion;
use baton_remote::github::resources::issues::Issue;
use baton_remote::github::{Account, Fact};

use crate::AgentStep;
use crate::step_error::StepError;

const WITHHELD: &str = "[withheld: its author has no write access]";

/// Who may write, each asked about once.
struct Writers<'a> {
    step: &'a AgentStep<'a>,
    known: BTreeMap<String, bool>,
}

impl Writers<'_> {
    /// Accounts that are gone, or whose rights cannot be read, may not.
    async fn include(&mut self, account: Option<&Account>) -> Result<bool, StepError> {
        let Some(account) = account else {
            return Ok(false);
        };
        if let Some(known) = self.known.get(&account.login) {
            return Ok(*known);
        }
        let place = self.step.place;
        let permission = place
            .github
            .permission_of(&place.repository, &account.login)
            .await;
        let may_write = match Fact::from_answer(permission)? {
            Fact::Known(granted) => granted.may_write(),
            Fact::Unreadable(_) => false,
        };
        self.known.insert(account.login.clone(), may_write);
        Ok(may_write)
    }
}

/// What is said about a pull request. In lockdown, what others say is withheld and asks for nothing.
pub(crate) async fn review_discussion(
    step: &AgentStep<'_>,
    number: u32,
) -> Result<ReviewDiscussion, StepError> {
    let place = step.place;
    let mut discussion = place
        .github
        .review_discussion(&place.repository, number)
        .await?;
    if !place.settings.lockdown {
        return Ok(discussion);
    }
    let mut writers = Writers {
        step,
        known: BTreeMap::new(),
    };
    let threads = discussion.threads.iter_mut();
    for comment in threads.flat_map(|thread| &mut thread.comments) {
        if !writers.include(comment.author.as_ref()).await? {
            WITHHELD.clone_into(&mut comment.body);
            comment.author_association = AuthorAssociation::None;
        }
    }
    for review in &mut discussion.reviews {
        if !writers.include(review.author.as_ref()).await? {
            WITHHELD.clone_into(&mut review.body);
            review.author_association = AuthorAssociation::None;
        }
    }
    for comment in &mut discussion.comments {
        if !writers.include(comment.author.as_ref()).await? {
            WITHHELD.clone_into(&mut comment.body);
            comment.author_association = AuthorAssociation::None;
        }
    }
    Ok(discussion)
}

/// The issues that a run may speak of.
pub(crate) async fn issues(
    step: &AgentStep<'_>,
    issues: Vec<Issue>,
) -> Result<Vec<Issue>, StepError> {
    if !step.place.settings.lockdown {
        return Ok(issues);
    }
    let mut writers = Writers {
        step,
        known: BTreeMap::new(),
    };
    let mut kept = Vec::new();
    for issue in issues {
        if writers.include(issue.user.as_ref()).await? {
            kept.push(issue);
        }
    }
    Ok(kept)
}
