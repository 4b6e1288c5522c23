//! Which of all the things that were said are matters to deal with.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use baton_protocol::tools::find_unresolved_comments::{
    CommentKind, CommentSort, FindUnresolvedCommentsInput, LeftOut,
};
use baton_remote::github::Account;
use baton_remote::github::enums::ReviewState;
use baton_remote::github::questions::review_discussion::{
    ConversationComment, DiscussedReview, ReactionGroup, ReviewDiscussion, ReviewThread,
    ThreadComment, ThreadPlace,
};
use jiff::Timestamp;

use super::excerpt;

/// What the caller wants to see.
pub(super) struct CommentFilter {
    include_bots: bool,
    /// Without the marks around a login, in small letters.
    excluded: BTreeSet<String>,
    include_resolved: bool,
}

impl CommentFilter {
    pub(super) fn from_input(input: &FindUnresolvedCommentsInput) -> Self {
        let excluded = input.exclude_authors.iter();
        Self {
            include_bots: input.include_bots,
            excluded: excluded.map(|login| plain(login)).collect(),
            include_resolved: input.include_resolved,
        }
    }

    fn refuses(&self, who: Option<&Account>) -> Option<Unwanted> {
        if self.excluded.contains(&plain(login(who))) {
            return Some(Unwanted::Excluded);
        }
        (!self.include_bots && is_bot(who)).then_some(Unwanted::Bot)
    }
}

#[derive(Clone, Copy)]
enum Unwanted {
    Bot,
    Excluded,
}

/// The login as REST, GraphQL and people write it: `@name`, `name[bot]`.
fn plain(login: &str) -> String {
    let login = login.trim().trim_start_matches('@').to_ascii_lowercase();
    login.strip_suffix("[bot]").unwrap_or(&login).to_owned()
}

pub(super) fn login(who: Option<&Account>) -> &str {
    // GitHub's own stand-in for accounts that are gone.
    who.map_or("ghost", |account| &account.login)
}

/// Accounts of programs that are users to GitHub. A guess by the name could
/// hide what a person said, so they are listed.
const MACHINE_USERS: &[&str] = &[
    "codecov-commenter",
    "coveralls",
    "googlebot",
    "gopherbot",
    "k8s-ci-robot",
    "pytorchbot",
    "rust-highfive",
    "rust-log-analyzer",
    "rust-timer",
    "rustbot",
    "sonarqubecloud",
    "vercel",
];

pub(super) fn is_bot(who: Option<&Account>) -> bool {
    who.is_some_and(|account| {
        account.is_bot() || MACHINE_USERS.contains(&account.login.to_ascii_lowercase().as_str())
    })
}

/// Something to deal with.
pub(super) struct Matter<'a> {
    pub(super) said: Said<'a>,
    pub(super) by_pr_author: bool,
    /// A thread that is not resolved, or a request for changes that stands.
    pub(super) is_open: bool,
    /// Login of the user who opened the pull request.
    pub(super) pr_author: Option<&'a str>,
}

pub(super) enum Said<'a> {
    Thread {
        place: &'a ThreadPlace,
        first: &'a ThreadComment,
        replies: Vec<&'a ThreadComment>,
        /// To `first`.
        reactions: &'a [ReactionGroup],
    },
    Review(&'a DiscussedReview),
    Comment(&'a ConversationComment),
}

impl<'a> Matter<'a> {
    fn new(said: Said<'a>, pr_author: Option<&'a str>) -> Self {
        let mut matter = Self {
            said,
            by_pr_author: false,
            is_open: false,
            pr_author,
        };
        matter.is_open = matter.place().is_some_and(|place| !place.is_resolved);
        matter.by_pr_author = is_named(matter.author(), pr_author);
        matter
    }

    pub(super) fn author(&self) -> Option<&'a Account> {
        match &self.said {
            Said::Thread { first, .. } => first.author.as_ref(),
            Said::Review(review) => review.author.as_ref(),
            Said::Comment(comment) => comment.author.as_ref(),
        }
    }

    pub(super) fn kind(&self) -> CommentKind {
        match self.said {
            Said::Thread { .. } => CommentKind::ReviewComment,
            Said::Review(_) => CommentKind::Review,
            Said::Comment(_) => CommentKind::IssueComment,
        }
    }

    /// Its number in REST.
    pub(super) fn id(&self) -> u64 {
        match &self.said {
            Said::Thread { first, .. } => id_of(first),
            Said::Review(review) => review
                .full_database_id
                .unwrap_or_else(|| number_in(&review.url)),
            Said::Comment(comment) => comment
                .full_database_id
                .unwrap_or_else(|| number_in(&comment.url)),
        }
    }

    pub(super) fn created_at(&self) -> Timestamp {
        match &self.said {
            Said::Thread { first, .. } => first.created_at,
            Said::Review(review) => review.submitted_at.unwrap_or(review.created_at),
            Said::Comment(comment) => comment.created_at,
        }
    }

    pub(super) fn body(&self) -> &'a str {
        match &self.said {
            Said::Thread { first, .. } => &first.body,
            Said::Review(review) => &review.body,
            Said::Comment(comment) => &comment.body,
        }
    }

    pub(super) fn place(&self) -> Option<&'a ThreadPlace> {
        match &self.said {
            Said::Thread { place, .. } => Some(place),
            Said::Review(_) | Said::Comment(_) => None,
        }
    }

    /// Resolved threads are shown beside the open ones where they were asked for.
    pub(super) fn is_listed_as_open(&self) -> bool {
        self.is_open || self.place().is_some()
    }
}

pub(super) fn id_of(comment: &ThreadComment) -> u64 {
    comment
        .full_database_id
        .unwrap_or_else(|| number_in(&comment.url))
}

/// `…#discussion_r12` of a server that gives no number by itself.
fn number_in(url: &str) -> u64 {
    let digits = url.rsplit(|character: char| !character.is_ascii_digit());
    digits
        .take(1)
        .find_map(|digits| digits.parse().ok())
        .unwrap_or(0)
}

pub(super) fn is_named(who: Option<&Account>, login: Option<&str>) -> bool {
    match (who, login) {
        (Some(who), Some(login)) => who.login.eq_ignore_ascii_case(login),
        _ => false,
    }
}

/// The last line that a thread is about, and the first where there are several.
/// An outdated thread has only the lines of the commit that it was written for.
pub(super) fn lines_of(place: &ThreadPlace) -> (Option<u64>, Option<u64>) {
    let (last, first) = match place.line {
        Some(line) => (Some(line), place.start_line),
        None => (place.original_line, place.original_start_line),
    };
    (last, first.filter(|first| Some(*first) != last))
}

/// What was said, sorted out.
pub(super) struct Sifted<'a> {
    pub(super) matters: Vec<Matter<'a>>,
    pub(super) left_out: LeftOut,
    /// Threads, whether or not they are among the matters.
    pub(super) resolved: u64,
}

pub(super) fn sift<'a>(discussion: &'a ReviewDiscussion, filter: &CommentFilter) -> Sifted<'a> {
    let pr_author = discussion.pull.author.as_ref();
    let mut sieve = Sieve {
        filter,
        pr_author: pr_author.map(|author| author.login.as_str()),
        sifted: Sifted {
            matters: Vec::new(),
            left_out: LeftOut::default(),
            resolved: 0,
        },
    };
    for thread in &discussion.threads {
        sieve.thread(thread);
    }
    let requests = standing_requests(discussion);
    for review in &discussion.reviews {
        sieve.review(review, requests.contains(review.id.as_str()));
    }
    for comment in &discussion.comments {
        sieve.comment(comment);
    }
    sieve.sifted
}

/// The requests for changes that no later review of the same person took back. Remarks take nothing
/// back.
fn standing_requests(discussion: &ReviewDiscussion) -> BTreeSet<&str> {
    let mut latest: BTreeMap<String, &DiscussedReview> = BTreeMap::new();
    let mut reviews: Vec<&DiscussedReview> = discussion.reviews.iter().collect();
    reviews.sort_by_key(|review| review.submitted_at.unwrap_or(review.created_at));
    for review in reviews {
        let is_opinion = matches!(
            review.state,
            ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed
        );
        if is_opinion {
            let by = match &review.author {
                Some(author) => plain(&author.login),
                // Accounts that are gone are not one person.
                None => review.id.as_str().to_owned(),
            };
            latest.insert(by, review);
        }
    }
    let standing = latest.into_values();
    standing
        .filter(|review| review.state == ReviewState::ChangesRequested)
        .map(|review| review.id.as_str())
        .collect()
}

struct Sieve<'a, 'w> {
    filter: &'w CommentFilter,
    pr_author: Option<&'a str>,
    sifted: Sifted<'a>,
}

impl<'a> Sieve<'a, '_> {
    fn thread(&mut self, thread: &'a ReviewThread) {
        // A comment that is not sent yet is the caller's own draft.
        let sent = |comment: &&ThreadComment| comment.state.as_deref() != Some("PENDING");
        let mut sent = thread.comments.iter().filter(sent).peekable();
        if sent.peek().is_none() {
            return;
        }
        self.sifted.resolved += u64::from(thread.place.is_resolved);
        if thread.place.is_resolved && !self.filter.include_resolved {
            return;
        }
        let mut shown = sent.filter(|comment| !comment.is_minimized);
        let Some(first) = shown.next() else {
            self.sifted.left_out.hidden += 1;
            return;
        };
        let replies: Vec<_> = shown.collect();
        let author = first.author.as_ref();
        if let Some(unwanted) = self.filter.refuses(author)
            && !replies.iter().any(|reply| self.joins_in(reply))
        {
            self.leave_out(unwanted);
            return;
        }
        let opens = thread.comments.first().map(|comment| &comment.id) == Some(&first.id);
        let reactions = if opens {
            thread.reaction_groups.as_slice()
        } else {
            &[]
        };
        self.add(Said::Thread {
            place: &thread.place,
            first,
            replies,
            reactions,
        });
    }

    /// A reviewer who takes up what a bot began makes it a matter of theirs; an
    /// answer of the pull request's author does not.
    fn joins_in(&self, reply: &ThreadComment) -> bool {
        let who = reply.author.as_ref();
        self.filter.refuses(who).is_none() && !is_named(who, self.pr_author)
    }

    fn review(&mut self, review: &'a DiscussedReview, stands: bool) {
        // A request without words is made by the threads of the same person.
        let is_told = !excerpt::says_nothing(&review.body)
            || stands && !self.has_open_thread_of(review.author.as_ref());
        if review.state == ReviewState::Pending || !is_told {
            return;
        }
        if review.is_minimized {
            self.sifted.left_out.hidden += 1;
        } else if review.state == ReviewState::Dismissed {
            self.sifted.left_out.dismissed += 1;
        } else if let Some(unwanted) = self.filter.refuses(review.author.as_ref()) {
            self.leave_out(unwanted);
        } else {
            self.add(Said::Review(review));
            if let Some(matter) = self.sifted.matters.last_mut() {
                matter.is_open = stands;
            }
        }
    }

    fn has_open_thread_of(&self, who: Option<&Account>) -> bool {
        let mut open = self.sifted.matters.iter().filter(|matter| matter.is_open);
        open.any(|matter| is_named(matter.author(), Some(login(who))))
    }

    fn comment(&mut self, comment: &'a ConversationComment) {
        if excerpt::says_nothing(&comment.body) {
            return;
        }
        if comment.is_minimized {
            self.sifted.left_out.hidden += 1;
        } else if let Some(unwanted) = self.filter.refuses(comment.author.as_ref()) {
            self.leave_out(unwanted);
        } else {
            self.add(Said::Comment(comment));
        }
    }

    fn add(&mut self, said: Said<'a>) {
        self.sifted.matters.push(Matter::new(said, self.pr_author));
    }

    fn leave_out(&mut self, unwanted: Unwanted) {
        let left_out = &mut self.sifted.left_out;
        match unwanted {
            Unwanted::Bot => left_out.bots += 1,
            Unwanted::Excluded => left_out.excluded_authors += 1,
        }
    }
}

/// Equal ones stay in the order of time, and of their numbers.
pub(super) fn sort(matters: &mut [Matter<'_>], order: CommentSort) {
    matters.sort_by(|one, other| {
        let by_wish = match order {
            CommentSort::Chronological => Ordering::Equal,
            CommentSort::ByFile => file_key(one).cmp(&file_key(other)),
            CommentSort::ByAuthor => {
                let key = |matter: &Matter<'_>| login(matter.author()).to_ascii_lowercase();
                key(one).cmp(&key(other))
            }
        };
        by_wish
            .then(one.created_at().cmp(&other.created_at()))
            .then(one.id().cmp(&other.id()))
    });
}

/// What is about no file comes last.
fn file_key<'a>(matter: &Matter<'a>) -> (bool, &'a str, Option<u64>) {
    match matter.place() {
        Some(place) => (false, &place.path, lines_of(place).0),
        None => (true, "", None),
    }
}
