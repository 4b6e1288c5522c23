//! From what a person wants to a run that can begin: which repository, which
//! checkout, which server, which issue, which agent. All that can be wrong with
//! these is said before anything is begun.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_protocol::Repository;
use baton_remote::github::enums::{IssueState, PullState};
use baton_remote::github::{Account, GitHub, GitHubError, Server};
use baton_workflow::{Goal, Mode, Policy, Until};
use tokio_util::sync::CancellationToken;

use super::agents;
use super::begun;
use super::checkouts::{self, Checkout};
use super::places::{kept_settings, names};
use super::policy::{policy, until};
use super::subject::Subject;
use crate::error::CommandError;
use crate::github::{self, GitHubAccess};
use crate::session::Session;
use crate::terminal::sanitize;

/// What a user wants to be done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// A request, an issue's number or its address.
    pub(crate) what: String,
    /// It names a pull request that is open already.
    pub(crate) tends: bool,
    pub(crate) until: Option<Until>,
    /// A checkout, `owner/name` or a repository's address.
    pub(crate) repository: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) mode: Option<Mode>,
    pub(crate) base: Option<String>,
    pub(crate) unattended: bool,
    /// Refuses what someone without write access wrote.
    pub(crate) lockdown: bool,
}

/// More than anybody writes by hand, and less than an agent forgets.
const MAX_REQUEST_LEN: usize = 20_000;

/// A repository by its name, on a host if one was named.
struct Named {
    host: Option<String>,
    repository: Repository,
}

pub(crate) async fn prepare(
    order: &Order,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<(Goal, Policy), CommandError> {
    let subject = if order.tends {
        Subject::read_pull_request(&order.what)?
    } else {
        Subject::read(&order.what)
    };
    check_words(&subject)?;
    let here = Session::working_directory()?;
    let folder = order.repository.as_ref().map(|text| here.join(text));
    let folder = folder.filter(|folder| folder.is_dir());
    let named = named(order, folder.as_deref(), &subject)?;
    let access = GitHubAccess::new(session)?;
    let folder = folder.unwrap_or(here);
    let checkout = match named {
        None => checkouts::around(&folder, session, cancel).await?,
        Some(Named { host, repository }) => {
            let around = checkouts::around(&folder, session, cancel).await.ok();
            let is_it = |checkout: &Checkout| {
                checkout.repository == repository
                    && host.as_ref().is_none_or(|host| *host == checkout.host)
            };
            match around.filter(is_it) {
                Some(checkout) => checkout,
                None => {
                    checkouts::own(&access, host.as_deref(), repository, session, cancel).await?
                }
            }
        }
    };
    let config = session.config_at(&checkout.folder)?;
    let default = if order.tends {
        Until::Ready
    } else {
        Until::Merge
    };
    let until = until(&config, order.until, default)?;
    let agent = agents::choose(order.agent.as_deref(), &config, &session.environment)?;
    let reviewer = config.get("agent.reviewer").map(|value| value.text.clone());
    let reader = agents::reviewer(reviewer.as_deref(), &config, &session.environment)?;
    let server = access.server_of(&checkout.host);
    let github = access
        .with_login(&server, cancel)
        .await
        .map_err(github::command_error)?;
    let Wanted {
        request,
        issue,
        pull_request,
    } = wanted(subject, &checkout.repository, &github, order.lockdown).await?;
    let goal = Goal {
        request,
        repository: checkout.repository.to_string(),
        issue,
        pull_request,
        base: order.base.clone(),
        place: {
            let mut place = place(&checkout.folder, &server)?;
            begun::record(&config, &agent, reader.as_ref(), &mut place);
            place.insert(names::AGENT.to_owned(), agent.name);
            if let Some(reviewer) = reviewer {
                place.insert(names::REVIEWER.to_owned(), reviewer);
            }
            kept_settings(&config, &mut place);
            if order.lockdown {
                place.insert(names::LOCKDOWN.to_owned(), "yes".to_owned());
            }
            place
        },
    };
    Ok((goal, policy(&config, order.mode, until, order.unattended)))
}

fn check_words(subject: &Subject) -> Result<(), CommandError> {
    let Subject::Words(words) = subject else {
        return Ok(());
    };
    if words.is_empty() {
        return Err(CommandError::wrong_use("there is nothing to be done")
            .hint("Say what you want, as in `baton run \"Add rate limiting to the login\"`, or name an issue."));
    }
    if words.len() > MAX_REQUEST_LEN {
        return Err(CommandError::wrong_use(format!(
            "the request is longer than {MAX_REQUEST_LEN} bytes"
        ))
        .hint("Write an issue and name it: `baton run NUMBER`."));
    }
    Ok(())
}

/// The repository that was named, by --repo or by the issue. `folder`: --repo
/// is a checkout.
fn named(
    order: &Order,
    folder: Option<&Path>,
    subject: &Subject,
) -> Result<Option<Named>, CommandError> {
    let by_flag = match &order.repository {
        Some(text) if folder.is_none() => Some(read_repository(text)?),
        _ => None,
    };
    let by_issue = match subject {
        Subject::Issue {
            host, repository, ..
        }
        | Subject::PullRequest {
            host,
            repository: Some(repository),
            ..
        } => Some(Named {
            host: host.clone(),
            repository: repository.clone(),
        }),
        _ => None,
    };
    match (by_flag, by_issue) {
        (Some(flag), Some(issue)) if flag.repository != issue.repository => {
            Err(CommandError::wrong_use(format!(
                "{} is one of {}, and --repo says {}",
                if matches!(subject, Subject::PullRequest { .. }) {
                    "the pull request"
                } else {
                    "the issue"
                },
                issue.repository,
                flag.repository
            ))
            .hint("Leave --repo out."))
        }
        (flag, issue) => Ok(issue.or(flag)),
    }
}

fn read_repository(text: &str) -> Result<Named, CommandError> {
    if let Some((host, repository)) = Repository::from_remote(text) {
        return Ok(Named {
            host: Some(host),
            repository,
        });
    }
    let repository = Repository::parse(text).map_err(|_| {
        CommandError::wrong_use(format!(
            "--repo: '{}' is neither a folder nor a repository",
            sanitize(text)
        ))
        .hint("Name a checkout's folder, `owner/name`, or the repository's address.")
    })?;
    Ok(Named {
        host: None,
        repository,
    })
}

/// What is asked for in words, and the issue or pull request if there is one already.
#[derive(Default)]
struct Wanted {
    request: String,
    issue: Option<u64>,
    pull_request: Option<u32>,
}

async fn wanted(
    subject: Subject,
    repository: &Repository,
    github: &GitHub,
    lockdown: bool,
) -> Result<Wanted, CommandError> {
    let number = match subject {
        Subject::Words(request) => {
            return Ok(Wanted {
                request,
                ..Wanted::default()
            });
        }
        Subject::PullRequest { number, .. } => {
            return wanted_pull_request(number, repository, github, lockdown).await;
        }
        Subject::Number(number) | Subject::Issue { number, .. } => number,
    };
    let issue = github
        .issue(repository, number)
        .await
        .map_err(|error| asked_in_vain(&error))?;
    if issue.pull_request.is_some() {
        return Err(
            CommandError::wrong_use(format!("{repository}#{number} is a pull request")).hint(format!(
                "`baton tend {number}` brings it forward. Else name an issue, or say in words what you want."
            )),
        );
    }
    if issue.state == IssueState::Closed {
        return Err(
            CommandError::wrong_use(format!("the issue {repository}#{number} is closed"))
                .hint("Reopen it, or say in words what is left to do."),
        );
    }
    if lockdown {
        require_writer(number, issue.user.as_ref(), repository, github).await?;
    }
    Ok(Wanted {
        request: issue.title,
        issue: Some(u64::from(number)),
        pull_request: None,
    })
}

async fn wanted_pull_request(
    number: u32,
    repository: &Repository,
    github: &GitHub,
    lockdown: bool,
) -> Result<Wanted, CommandError> {
    let pull = github
        .pull_request(repository, number)
        .await
        .map_err(|error| asked_in_vain(&error))?;
    if pull.state != PullState::Open {
        return Err(CommandError::wrong_use(format!(
            "the pull request {repository}#{number} is closed"
        ))
        .hint("Reopen it, or name another one."));
    }
    if lockdown {
        require_writer(number, pull.user.as_ref(), repository, github).await?;
    }
    Ok(Wanted {
        request: pull.title,
        issue: None,
        pull_request: Some(number),
    })
}

/// An agent works on the words of an issue, so who wrote them matters.
async fn require_writer(
    number: u32,
    author: Option<&Account>,
    repository: &Repository,
    github: &GitHub,
) -> Result<(), CommandError> {
    let may_write = match author {
        None => false,
        Some(author) => github
            .permission_of(repository, &author.login)
            .await
            .map_err(|error| asked_in_vain(&error))?
            .may_write(),
    };
    if may_write {
        return Ok(());
    }
    let author = author.map_or("its author", |author| author.login.as_str());
    Err(CommandError::missing(format!(
        "{repository}#{number} is withheld by --lockdown: {} has no write access",
        sanitize(author)
    ))
    .hint(format!(
        "Read it yourself, then start the run with `baton run {number}`, or say in words what you want."
    )))
}

pub(super) fn asked_in_vain(error: &GitHubError) -> CommandError {
    let message = sanitize(&error.to_string());
    let told = if error.is_transient() {
        CommandError::remote(message)
    } else {
        CommandError::missing(message)
    };
    told.hint(sanitize(&error.hint()))
}

fn place(checkout: &Path, server: &Server) -> Result<BTreeMap<String, String>, CommandError> {
    let text = checkout.to_str().ok_or_else(|| {
        CommandError::missing(format!(
            "the path {} is not UTF-8",
            sanitize(&checkout.to_string_lossy())
        ))
        .hint("Move the checkout to a folder whose name is.")
    })?;
    Ok(BTreeMap::from([
        (names::CHECKOUT.to_owned(), text.to_owned()),
        (names::API_URL.to_owned(), server.api_url().to_owned()),
    ]))
}

/// Where checkouts lie that baton made itself.
pub(super) fn own_checkouts(session: &Session) -> Result<PathBuf, CommandError> {
    Ok(super::state_folder(session)?.join("checkouts"))
}
