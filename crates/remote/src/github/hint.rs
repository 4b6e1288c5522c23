//! The next step for the user after an error.

use super::errand::Errand;
use super::error::{GitHubErrorKind, either};
use super::graphql::{GraphQlProblem, ProblemKind};

/// One sentence with the next step for the user.
pub(super) fn for_error(kind: &GitHubErrorKind, errand: &Errand) -> String {
    match kind {
        GitHubErrorKind::NotFound { .. } => format!(
            "Check the name or number of {}; the token may also lack the permission to see it.",
            errand.object()
        ),
        GitHubErrorKind::RepositoryHidden { missing_scopes, .. } => hidden(missing_scopes),
        GitHubErrorKind::RepositoryRenamed { now: Some(now), .. } => {
            format!("Use its new name, {now}; `git remote set-url` does so for a checkout.")
        }
        GitHubErrorKind::MissingScopes { needed, granted } => missing_scopes(needed, granted),
        GitHubErrorKind::SingleSignOn { url: Some(url) } => {
            format!("Open {url} and allow the token there.")
        }
        GitHubErrorKind::NotPermitted {
            needed: Some(needed),
            ..
        } => format!("Give the token the permission {needed}, or ask a user who has it."),
        GitHubErrorKind::NotPermitted { needed: None, .. } => match errand.permission() {
            Some(permission) => format!(
                "Give the token read access to \"{permission}\" of the repository, or use a \
                 classic one with the scope `repo`."
            ),
            None => fixed(kind).to_owned(),
        },
        GitHubErrorKind::Blocked { url: Some(url), .. } => {
            format!("Read {url}; only the owner and GitHub's support can undo it.")
        }
        GitHubErrorKind::Http(error) => sentence(error.hint()),
        other => fixed(other).to_owned(),
    }
}

/// How to make a part of an answer readable that a problem has left out.
pub(super) fn for_problem(problem: &GraphQlProblem) -> String {
    match &problem.kind {
        ProblemKind::Forbidden | ProblemKind::NotFound => permission(&problem.path),
        ProblemKind::InsufficientScopes => match &problem.scopes {
            Some(scopes) => missing_scopes(&scopes.needed, &scopes.granted),
            None => {
                "Add the scope that GitHub names to the token, as with `gh auth refresh --scopes`."
                    .to_owned()
            }
        },
        ProblemKind::SamlFailure => fixed(&GitHubErrorKind::SingleSignOn { url: None }).to_owned(),
        ProblemKind::UnknownToServer => {
            "The server is too old for this: update GitHub Enterprise Server.".to_owned()
        }
        ProblemKind::RateLimited
        | ProblemKind::Unprocessable
        | ProblemKind::TooManyNodes
        | ProblemKind::ServerError
        | ProblemKind::Other(_) => {
            "Try again; if it stays so, look at https://www.githubstatus.com.".to_owned()
        }
    }
}

/// The permission needed to read a part of an answer. Fine-grained personal
/// tokens cannot be given the one for check runs.
pub(super) fn permission(path: &str) -> String {
    let is_about = |field: &str| path.split('.').any(|part| part == field);
    if is_about("statusCheckRollup") || is_about("checkSuites") {
        "Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` \
         makes it, or an app with the permissions \"Checks\" and \"Commit statuses\". A \
         fine-grained personal token cannot read check runs."
            .to_owned()
    } else if is_about("branchProtectionRule") {
        "Use a token of an administrator, with the permission \"Administration\" where it is \
         fine-grained."
            .to_owned()
    } else {
        "Give the token read access to \"Pull requests\" and \"Contents\" of the repository, or use \
         a classic one with the scope `repo`."
            .to_owned()
    }
}

/// For errors whose details do not change the next step.
fn fixed(kind: &GitHubErrorKind) -> &'static str {
    match kind {
        GitHubErrorKind::NotFound { .. }
        | GitHubErrorKind::RepositoryHidden { .. }
        | GitHubErrorKind::MissingScopes { .. } => "Check the names, and what the token may see.",
        GitHubErrorKind::RepositoryRenamed { .. } => {
            "Open it in the browser to see its new name, and use that."
        }
        GitHubErrorKind::NoCredentials => {
            "Log in with `gh auth login`, or give a token in GH_TOKEN."
        }
        GitHubErrorKind::BadCredentials { .. } => {
            "The token is wrong, expired or revoked: make a new one, or log in again with \
             `gh auth login`."
        }
        GitHubErrorKind::SingleSignOn { .. } => {
            "Allow the token for the organisation: GitHub settings, Developer settings, tokens, \
             Configure SSO."
        }
        GitHubErrorKind::NotPermitted { .. } => {
            "Give the token more permissions, or ask a user who has them."
        }
        GitHubErrorKind::Blocked { .. } => "Only the owner and GitHub's support can undo it.",
        GitHubErrorKind::Archived => "Ask the owner to unarchive it, or work in a fork.",
        GitHubErrorKind::Invalid { .. } => "Change what was asked as GitHub says.",
        GitHubErrorKind::Refused { .. } => "Look at its state again, then try once more.",
        GitHubErrorKind::Gone { .. } => "Nothing can bring it back; make it again if it is needed.",
        GitHubErrorKind::RateLimited(_) => {
            "Wait as long as it says, or use a token with a larger quota."
        }
        GitHubErrorKind::UnknownToServer { .. } => {
            "The server is too old for this: update GitHub Enterprise Server."
        }
        GitHubErrorKind::TooManyNodes { .. } => "Ask for less at a time.",
        GitHubErrorKind::ServerError { .. } => {
            "Try again; if it stays so, look at https://www.githubstatus.com."
        }
        GitHubErrorKind::GraphQl(_)
        | GitHubErrorKind::UnexpectedAnswer { .. }
        | GitHubErrorKind::Http(_) => "Check that the server is GitHub and of a supported version.",
        GitHubErrorKind::Archive(_) => {
            "Look at it in the browser; it is not what GitHub itself makes."
        }
    }
}

fn hidden(missing_scopes: &[String]) -> String {
    let spelling = "Check the spelling of the repository; if it is private,";
    match missing_scopes {
        [] => format!(
            "{spelling} give the token access to it (scope `repo`, or the repository in a \
             fine-grained token's list)."
        ),
        [first, ..] => format!(
            "{spelling} the token needs the scope {}: run `gh auth refresh --scopes {first}`.",
            either(missing_scopes)
        ),
    }
}

fn missing_scopes(needed: &[String], granted: &[String]) -> String {
    let wanted = needed.first().map_or("repo", String::as_str);
    let granted = match granted {
        [] => "none".to_owned(),
        some => some.join(", "),
    };
    format!(
        "Run `gh auth refresh --scopes {wanted}`, or add the scope to the token; it has {granted}."
    )
}

/// The HTTP core's hints are parts of sentences.
fn sentence(hint: &str) -> String {
    let mut characters = hint.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}
