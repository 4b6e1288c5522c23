//! Every REST call that the client can make, in one table.

use std::fmt::{self, Display};

use baton_protocol::Repository;

use super::errand::Errand;
use super::request::Request;
use crate::http::{Call, Path, Safety};

/// A method and a path, as GitHub's own API description writes them. All calls
/// are built from one of these, so the table stays complete.
#[derive(Debug)]
pub struct Endpoint {
    pub verb: Verb,
    pub template: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        })
    }
}

impl Endpoint {
    /// A read in a repository. `values` fill the template's parameters after
    /// `{owner}` and `{repo}`.
    pub(super) fn read(
        &self,
        repository: &Repository,
        values: &[&(dyn Display + Sync)],
        errand: Errand,
    ) -> Request {
        debug_assert_eq!(self.verb, Verb::Get, "{}", self.template);
        self.within(repository, values, Safety::Read, errand)
    }

    /// A change in a repository.
    pub(super) fn write(
        &self,
        repository: &Repository,
        values: &[&(dyn Display + Sync)],
        safety: Safety,
        errand: Errand,
    ) -> Request {
        debug_assert_ne!(self.verb, Verb::Get, "{}", self.template);
        self.within(repository, values, safety, errand)
    }

    fn within(
        &self,
        repository: &Repository,
        values: &[&(dyn Display + Sync)],
        safety: Safety,
        errand: Errand,
    ) -> Request {
        let (owner, name) = (repository.owner(), repository.name());
        let mut all: Vec<&(dyn Display + Sync)> = vec![&owner, &name];
        all.extend(values);
        self.global(&all, safety, errand.within(repository))
    }

    /// A call outside any repository.
    pub(super) fn global(
        &self,
        values: &[&(dyn Display + Sync)],
        safety: Safety,
        errand: Errand,
    ) -> Request {
        let path = Path::new(self.template, values);
        let call = match self.verb {
            Verb::Get => Call::get(path),
            Verb::Post => Call::post(path, safety),
            Verb::Put => Call::put(path, safety),
            Verb::Patch => Call::patch(path, safety),
            Verb::Delete => Call::delete(path, safety),
        };
        Request::new(call, errand)
    }
}

macro_rules! endpoints {
    ($($name:ident = $verb:ident $template:literal;)+) => {
        $(pub(super) const $name: Endpoint = Endpoint { verb: Verb::$verb, template: $template };)+

        /// All of them, for checks against GitHub's description.
        pub const ENDPOINTS: &[Endpoint] = &[$($name),+];
    };
}

endpoints! {
    RATE_LIMIT = Get "/rate_limit";
    SEARCH_ISSUES = Get "/search/issues";
    APP_INSTALLATION_TOKEN = Post "/app/installations/{installation_id}/access_tokens";
    REPOSITORY = Get "/repos/{owner}/{repo}";
    REPOSITORY_INSTALLATION = Get "/repos/{owner}/{repo}/installation";
    COLLABORATOR_PERMISSION = Get "/repos/{owner}/{repo}/collaborators/{username}/permission";
    CONTENTS = Get "/repos/{owner}/{repo}/contents/{path}";

    PULLS = Get "/repos/{owner}/{repo}/pulls";
    PULL_CREATE = Post "/repos/{owner}/{repo}/pulls";
    PULL = Get "/repos/{owner}/{repo}/pulls/{pull_number}";
    PULL_UPDATE = Patch "/repos/{owner}/{repo}/pulls/{pull_number}";
    PULL_FILES = Get "/repos/{owner}/{repo}/pulls/{pull_number}/files";
    PULL_COMMITS = Get "/repos/{owner}/{repo}/pulls/{pull_number}/commits";
    PULL_MERGE = Put "/repos/{owner}/{repo}/pulls/{pull_number}/merge";
    PULL_MERGE_ASYNC = Put "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async";
    PULL_MERGE_ASYNC_RESULT = Get "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async/{uuid}";
    PULL_UPDATE_BRANCH = Put "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch";
    PULL_REVIEWERS_REQUEST = Post "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers";
    REVIEWS = Get "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";
    REVIEW_CREATE = Post "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";
    REVIEW_COMMENTS = Get "/repos/{owner}/{repo}/pulls/{pull_number}/comments";
    REVIEW_COMMENT_REPLY = Post "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies";
    REVIEW_COMMENT_REACTION_CREATE = Post "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions";

    COMMITS = Get "/repos/{owner}/{repo}/commits";
    COMMIT = Get "/repos/{owner}/{repo}/commits/{ref}";
    COMMIT_PULLS = Get "/repos/{owner}/{repo}/commits/{commit_sha}/pulls";
    COMMIT_STATUS = Get "/repos/{owner}/{repo}/commits/{ref}/status";
    COMMIT_CHECK_RUNS = Get "/repos/{owner}/{repo}/commits/{ref}/check-runs";
    COMMIT_CHECK_SUITES = Get "/repos/{owner}/{repo}/commits/{ref}/check-suites";
    COMPARE = Get "/repos/{owner}/{repo}/compare/{basehead}";
    CHECK_RUN_ANNOTATIONS = Get "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations";

    WORKFLOW_RUNS = Get "/repos/{owner}/{repo}/actions/runs";
    WORKFLOW_RUN = Get "/repos/{owner}/{repo}/actions/runs/{run_id}";
    WORKFLOW_RUN_JOBS = Get "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs";
    WORKFLOW_RUN_LOGS = Get "/repos/{owner}/{repo}/actions/runs/{run_id}/logs";
    WORKFLOW_RUN_ARTIFACTS = Get "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts";
    WORKFLOW_RUN_RERUN = Post "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun";
    WORKFLOW_RUN_RERUN_FAILED = Post "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs";
    JOB = Get "/repos/{owner}/{repo}/actions/jobs/{job_id}";
    JOB_LOGS = Get "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs";
    ARTIFACT_DOWNLOAD = Get "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}";

    BRANCH = Get "/repos/{owner}/{repo}/branches/{branch}";
    BRANCH_PROTECTION = Get "/repos/{owner}/{repo}/branches/{branch}/protection";
    BRANCH_RULES = Get "/repos/{owner}/{repo}/rules/branches/{branch}";
    RULESET = Get "/repos/{owner}/{repo}/rulesets/{ruleset_id}";

    ISSUES = Get "/repos/{owner}/{repo}/issues";
    ISSUE_CREATE = Post "/repos/{owner}/{repo}/issues";
    ISSUE = Get "/repos/{owner}/{repo}/issues/{issue_number}";
    ISSUE_UPDATE = Patch "/repos/{owner}/{repo}/issues/{issue_number}";
    ISSUE_COMMENTS = Get "/repos/{owner}/{repo}/issues/{issue_number}/comments";
    ISSUE_COMMENT_CREATE = Post "/repos/{owner}/{repo}/issues/{issue_number}/comments";
    ISSUE_COMMENT_UPDATE = Patch "/repos/{owner}/{repo}/issues/comments/{comment_id}";
    ISSUE_COMMENT_REACTION_CREATE = Post "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions";
    ISSUE_LABELS_ADD = Post "/repos/{owner}/{repo}/issues/{issue_number}/labels";
    ISSUE_LABEL_REMOVE = Delete "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}";
    LABELS = Get "/repos/{owner}/{repo}/labels";
    LABEL_CREATE = Post "/repos/{owner}/{repo}/labels";

    REF = Get "/repos/{owner}/{repo}/git/ref/{ref}";
    REF_DELETE = Delete "/repos/{owner}/{repo}/git/refs/{ref}";

    STACKS = Get "/repos/{owner}/{repo}/stacks";
}
