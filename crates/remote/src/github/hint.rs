//! The next step for the user after an error.

use super::errand::Errand;
use super::error::{Trouble, either};
use super::graphql::{GraphQlProblem, ProblemKind};

/// One sentence with the next step for the user.
pub(super) fn for_error(trouble: &Trouble, errand: &Errand) -> String {
    match trouble {
        Trouble::NotFound { .. } => format!(
            "Check the name or number of {}; the token may also lack the permission to see it.",
            errand.object()
        ),
        Trouble::RepositoryHidden { missing_scopes, .. } => hidden(missing_scopes),
        Trouble::RepositoryRenamed { now: Some(now), .. } => {
            format!("Use its new name, {now}; `git remote set-url` does so for a checkout.")
        }
        Trouble::MissingScopes { needed, granted } => missing_scopes(needed, granted),
        Trouble::SingleSignOn { url: Some(url) } => {
            format!("Open {url} and allow the token there.")
        }
        Trouble::NotPermitted {
            needed: Some(needed),
            ..
        } => format!("Give the token the permission {needed}, or ask somebody who has it."),
        Trouble::NotPermitted { needed: None, .. } => match errand.permission() {
            Some(permission) => format!(
                "Give the token read access to \"{permission}\" of the repository, or use a \
                 classic one with the scope `repo`."
            ),
            None => fixed(trouble).to_owned(),
        },
        Trouble::Blocked { url: Some(url), .. } => {
            format!("Read {url}; only the owner and GitHub's support can undo it.")
        }
        Trouble::Http(error) => sentence(error.hint()),
        other => fixed(other).to_owned(),
    }
}

/// How to make a part of an answer readable that a problem has left out.
pub(super) fn for_problem(problem: &GraphQlProblem) -> String {
    match &problem.kind {
        ProblemKind::Forbidden | ProblemKind::NotFound => permission(&problem.path),
        ProblemKind::InsufficientScopes => {
            "Add the scope that GitHub names to the token, as with `gh auth refresh --scopes`."
                .to_owned()
        }
        ProblemKind::SamlFailure => fixed(&Trouble::SingleSignOn { url: None }).to_owned(),
        ProblemKind::UnknownToServer => {
            "The server is too old for this: update GitHub Enterprise Server.".to_owned()
        }
        ProblemKind::RateLimited
        | ProblemKind::Unprocessable
        | ProblemKind::TooManyNodes
        | ProblemKind::ServerTrouble
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
fn fixed(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::NotFound { .. }
        | Trouble::RepositoryHidden { .. }
        | Trouble::MissingScopes { .. } => "Check the names, and what the token may see.",
        Trouble::RepositoryRenamed { .. } => {
            "Open it in the browser to see its new name, and use that."
        }
        Trouble::NoCredentials => "Log in with `gh auth login`, or give a token in GH_TOKEN.",
        Trouble::BadCredentials { .. } => {
            "The token is wrong, expired or revoked: make a new one, or log in again with \
             `gh auth login`."
        }
        Trouble::SingleSignOn { .. } => {
            "Allow the token for the organisation: GitHub settings, Developer settings, tokens, \
             Configure SSO."
        }
        Trouble::NotPermitted { .. } => {
            "Give the token more permissions, or ask somebody who has them."
        }
        Trouble::Blocked { .. } => "Only the owner and GitHub's support can undo it.",
        Trouble::Archived => "Ask the owner to unarchive it, or work in a fork.",
        Trouble::Invalid { .. } => "Change what was asked as GitHub says.",
        Trouble::Refused { .. } => "Look at its state again, then try once more.",
        Trouble::Gone { .. } => "Nothing can bring it back; make it anew if it is needed.",
        Trouble::RateLimited(_) => "Wait as long as it says, or use a token with a larger quota.",
        Trouble::UnknownToServer { .. } => {
            "The server is too old for this: update GitHub Enterprise Server."
        }
        Trouble::TooManyNodes { .. } => "Ask for less at a time.",
        Trouble::ServerTrouble { .. } => {
            "Try again; if it stays so, look at https://www.githubstatus.com."
        }
        Trouble::GraphQl(_) | Trouble::UnexpectedAnswer { .. } | Trouble::Http(_) => {
            "Check that the server is GitHub and of a supported version."
        }
        Trouble::Archive(_) => "Look at it in the browser; it is not what GitHub itself makes.",
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
