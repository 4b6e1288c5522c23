//! Lockdown: only words of people who may write to the repository reach the caller.
//!
//! A pull request's title, code and logs are words of its author, so one that someone else
//! opened is refused as a whole. What others said about a pull request is withheld, not left out:
//! counts stay what they are.

use std::collections::{BTreeMap, BTreeSet};

use baton_protocol::{PrReference, Repository};
use baton_remote::github::questions::open_pulls::{OpenPull, OpenPulls};
use baton_remote::github::questions::recently_closed_pulls::ClosedPulls;
use baton_remote::github::questions::review_discussion::ReviewDiscussion;
use baton_remote::github::resources::repositories::RepositoryName;
use baton_remote::github::{Account, Fact, Unreadable};

use futures_util::future::try_join_all;

use super::context::PullContext;
use crate::error::OpError;

/// Stands in place of a text.
pub(super) const WITHHELD: &str = "[withheld: its author has no write access]";

/// Of one call. Accounts beyond these count as unknown.
const MAX_LOOK_UPS: usize = 200;

/// Whose words an answer has, in lower case.
pub(super) struct Logins(BTreeSet<String>);

impl Logins {
    pub(super) fn new<'a>(authors: impl IntoIterator<Item = Option<&'a Account>>) -> Self {
        let authors = authors.into_iter().flatten();
        Self(authors.map(|author| author.login.to_lowercase()).collect())
    }
}

/// The accounts of a call whose words may be shown.
pub(super) struct Writers {
    /// By login in lower case. `None` outside of lockdown: all may be shown.
    rights: Option<BTreeMap<String, Fact<bool>>>,
}

impl Writers {
    /// Words of accounts that are gone, or whose rights are not known, are withheld.
    pub(super) fn include(&self, account: Option<&Account>) -> bool {
        let Some(rights) = &self.rights else {
            return true;
        };
        let right = account.and_then(|account| rights.get(&account.login.to_lowercase()));
        matches!(right, Some(Fact::Known(true)))
    }

    /// Replaces a text that may not be shown.
    pub(super) fn withhold(&self, author: Option<&Account>, text: &mut String) {
        if !text.is_empty() && !self.include(author) {
            WITHHELD.clone_into(text);
        }
    }

    /// Whose rights could not be read.
    fn unreadable(&self) -> impl Iterator<Item = &Unreadable> {
        let rights = self.rights.iter().flat_map(BTreeMap::values);
        rights.filter_map(Fact::unreadable)
    }
}

impl PullContext {
    /// Which of these accounts may write to the repository, if that matters.
    pub(super) async fn writers(
        &self,
        repository: &Repository,
        logins: Logins,
    ) -> Result<Writers, OpError> {
        if !self.call.lockdown {
            return Ok(Writers { rights: None });
        }
        let look_ups = logins.0.into_iter().take(MAX_LOOK_UPS).map(async |login| {
            let permission = self.github.permission_of(repository, &login).await;
            let may_write = Fact::from_answer(permission)?.map(|granted| granted.may_write());
            Ok::<_, OpError>((login, may_write))
        });
        let rights = try_join_all(look_ups).await?;
        Ok(Writers {
            rights: Some(rights.into_iter().collect()),
        })
    }

    /// Refuses a pull request that someone without write access opened.
    pub(crate) async fn require_writer(&self, reference: &PrReference) -> Result<(), OpError> {
        let (repository, number) = (reference.repository(), reference.number());
        let pull = self.github.pull_request(repository, number).await?;
        let what = format!("{repository}#{number}");
        self.require_words_of(repository, pull.user.as_ref(), &what)
            .await?;
        self.require_code_of(repository, pull.head.repo.as_ref(), &what)
            .await
    }

    /// Refuses code that lies where accounts without write access may push.
    pub(super) async fn require_code_of(
        &self,
        repository: &Repository,
        from: Option<&RepositoryName>,
        what: &str,
    ) -> Result<(), OpError> {
        let Some(from) = from.and_then(RepositoryName::parse) else {
            return Err(refused(what, "the fork that its code is from", repository));
        };
        if !self.call.lockdown || from == *repository {
            return Ok(());
        }
        let permission = self.github.permission_of(repository, from.owner()).await;
        match Fact::from_answer(permission)? {
            Fact::Known(granted) if granted.may_write() => Ok(()),
            _ => Err(refused(what, from.owner(), repository)),
        }
    }

    /// Refuses something whose words are those of an account without write access.
    pub(super) async fn require_words_of(
        &self,
        repository: &Repository,
        author: Option<&Account>,
        what: &str,
    ) -> Result<(), OpError> {
        let writers = self.writers(repository, Logins::new([author])).await?;
        if writers.include(author) {
            return Ok(());
        }
        let author = author.map_or("an account that is gone", |author| author.login.as_str());
        if let Some(unreadable) = writers.unreadable().next() {
            return Err(OpError::logical(
                format!("{what} is withheld by --lockdown: {unreadable}"),
                unreadable.remedy.clone(),
            ));
        }
        Err(refused(what, author, repository))
    }

    /// The open pull requests of a repository that may be shown. Names of files are words as well, so
    /// that those of others are left out as a whole.
    pub(super) async fn open_pulls(&self, repository: &Repository) -> Result<OpenPulls, OpError> {
        let mut open = self.github.open_pulls(repository).await?;
        let authors = Logins::new(open.pulls.iter().map(|pull| pull.author.as_ref()));
        let writers = self.writers(repository, authors).await?;
        open.pulls
            .retain(|pull| writers.include(pull.author.as_ref()));
        Ok(open)
    }

    /// Replaces the titles, and names of branches in forks, that may not be shown.
    pub(super) async fn withhold_titles(
        &self,
        repository: &Repository,
        pulls: &mut [OpenPull],
    ) -> Result<(), OpError> {
        let authors = Logins::new(pulls.iter().map(|pull| pull.author.as_ref()));
        let writers = self.writers(repository, authors).await?;
        for pull in pulls {
            writers.withhold(pull.author.as_ref(), &mut pull.title);
            if pull.is_cross_repository {
                writers.withhold(pull.author.as_ref(), &mut pull.head_ref_name);
            }
        }
        Ok(())
    }

    /// The latest closed pull requests of a repository, as far as their titles may be shown.
    pub(super) async fn recently_closed_pulls(
        &self,
        repository: &Repository,
        pages: usize,
    ) -> Result<Fact<ClosedPulls>, OpError> {
        let closed = self.github.recently_closed_pulls(repository, pages).await;
        let mut closed = Fact::from_answer(closed)?;
        if let Fact::Known(closed) = &mut closed {
            let authors = closed.pulls.iter().map(|pull| pull.facts.author.as_ref());
            let writers = self.writers(repository, Logins::new(authors)).await?;
            for pull in &mut closed.pulls {
                let facts = &mut pull.facts;
                writers.withhold(facts.author.as_ref(), &mut facts.title);
            }
        }
        Ok(closed)
    }

    /// What was said about a pull request, as far as it may be shown.
    pub(super) async fn review_discussion(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<ReviewDiscussion, OpError> {
        let mut discussion = self.github.review_discussion(repository, number).await?;
        let in_threads = discussion
            .threads
            .iter()
            .flat_map(|thread| &thread.comments);
        let authors = Logins::new(
            in_threads
                .map(|comment| comment.author.as_ref())
                .chain(
                    discussion
                        .reviews
                        .iter()
                        .map(|review| review.author.as_ref()),
                )
                .chain(
                    discussion
                        .comments
                        .iter()
                        .map(|comment| comment.author.as_ref()),
                ),
        );
        let writers = self.writers(repository, authors).await?;
        for comment in discussion
            .threads
            .iter_mut()
            .flat_map(|thread| &mut thread.comments)
        {
            writers.withhold(comment.author.as_ref(), &mut comment.body);
        }
        for review in &mut discussion.reviews {
            writers.withhold(review.author.as_ref(), &mut review.body);
        }
        for comment in &mut discussion.comments {
            writers.withhold(comment.author.as_ref(), &mut comment.body);
        }
        discussion.unreadable.extend(writers.unreadable().cloned());
        Ok(discussion)
    }
}

pub(super) fn refused(what: &str, author: &str, repository: &Repository) -> OpError {
    OpError::logical(
        format!("{what} is withheld by --lockdown: {author} has no write access to {repository}"),
        "Look at it yourself first; an agent sees it where baton serves without --lockdown.",
    )
}
