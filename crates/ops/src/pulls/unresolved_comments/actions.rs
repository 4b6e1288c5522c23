//! Commands that deal with a matter, to run once its cause is dealt with.

use baton_protocol::Repository;
use baton_protocol::tools::find_unresolved_comments::ActionCommands;

use super::super::gh::{self, PLACEHOLDER};
use super::excerpt;
use super::matters::{Matter, Said, id_of};

/// Where the pull request is.
pub(super) struct Place<'a> {
    pub(super) web_url: &'a str,
    pub(super) repository: &'a Repository,
    pub(super) number: u32,
}

const REPLY: &str = "query=mutation($thread: ID!, $body: String!) { \
    addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: $body}) { comment { url } } }";
const RESOLVE: &str = "query=mutation($thread: ID!) { \
    resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }";

pub(super) fn build(matter: &Matter<'_>, place: &Place<'_>) -> ActionCommands {
    let resolve_command = resolve(matter, place);
    ActionCommands {
        reply_command: reply(matter, place),
        resolve_condition: condition(matter, resolve_command.is_some()),
        resolve_command,
        view_in_browser: place.pull_command(&["pr", "view"], &["--web"]),
    }
}

fn reply(matter: &Matter<'_>, place: &Place<'_>) -> String {
    let Said::Thread {
        place: thread,
        first,
        ..
    } = &matter.said
    else {
        return place.pull_command(&["pr", "comment"], &["--body"]) + " " + PLACEHOLDER;
    };
    let id = id_of(first);
    // REST answers the first comment of a thread only, and that may be gone.
    let command = if id == 0 || first.reply_to.is_some() {
        let thread = format!("thread={}", thread.id);
        gh::command(
            place.web_url,
            &["api", "graphql", "-f", REPLY, "-f", &thread],
        )
    } else {
        let (repository, number) = (place.repository, place.number);
        let path = format!("repos/{repository}/pulls/{number}/comments/{id}/replies");
        gh::command(place.web_url, &["api", "--method", "POST", &path])
    };
    format!("{command} -f body={PLACEHOLDER}")
}

/// Only of a thread that is open and that the caller may resolve.
fn resolve(matter: &Matter<'_>, place: &Place<'_>) -> Option<String> {
    let thread = matter.place()?;
    if thread.is_resolved || !thread.viewer_can_resolve {
        return None;
    }
    let thread = format!("thread={}", thread.id);
    let words = ["api", "graphql", "-f", RESOLVE, "-f", &thread];
    Some(gh::command(place.web_url, &words))
}

fn condition(matter: &Matter<'_>, can_resolve: bool) -> String {
    let title = excerpt::title(matter.body());
    match matter.place() {
        Some(thread) if thread.is_resolved => format!("Resolved already: '{title}'"),
        Some(_) if can_resolve => format!("Run ONLY after verifying the fix for: '{title}'"),
        Some(_) => {
            format!("This token may not resolve the thread; reply once it is fixed: '{title}'")
        }
        None => format!("There is no thread to resolve; reply once it is dealt with: '{title}'"),
    }
}

impl Place<'_> {
    fn pull_command(&self, verb: &[&str], options: &[&str]) -> String {
        let (number, repository) = (self.number.to_string(), self.repository.to_string());
        let mut words = verb.to_vec();
        words.extend([number.as_str(), "--repo", &repository]);
        words.extend(options);
        gh::command(self.web_url, &words)
    }
}
