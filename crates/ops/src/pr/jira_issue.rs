//! The Jira issue: read first, linked and moved once there is a pull request.

use baton_protocol::phase::pr::{JiraStatus, PrError};
use baton_protocol::phase::pr_details::{LinkResult, PrDetails};
use baton_remote::jira::{
    IssueState, Jira, JiraError, JiraErrorKind, Linked, PullRequestLink, Transition,
};

use super::plan::{PlannedIssue, PlannedMove};
use super::pull_request::Found;
use super::record::Record;
use super::retries::{self, TryFailed};
use super::transition::{self, Choice};
use super::{Call, Event};
use crate::question::{self, Question};

/// What is known of the issue before anything is written.
pub(super) enum JiraIssue {
    NotAsked,
    NotConfigured {
        reason: String,
    },
    Unreadable(JiraError),
    Known {
        jira: Jira,
        issue: IssueState,
        transitions: Result<Vec<Transition>, JiraError>,
    },
}

impl JiraIssue {
    pub(super) async fn look(key: Option<&str>, jira: &Result<Option<Jira>, String>) -> Self {
        let Some(key) = key else {
            return Self::NotAsked;
        };
        let jira = match jira {
            Ok(Some(jira)) => jira.clone(),
            Ok(None) => {
                let reason = "Atlassian MCP not configured".to_owned();
                return Self::NotConfigured { reason };
            }
            Err(reason) => {
                let reason = reason.clone();
                return Self::NotConfigured { reason };
            }
        };
        let (issue, transitions) = tokio::join!(jira.issue(key), jira.transitions(key));
        match issue {
            Ok(issue) => Self::Known {
                jira,
                issue,
                transitions,
            },
            Err(error) => Self::Unreadable(error),
        }
    }

    /// What [`Self::follow`] would do.
    pub(super) fn planned(&self, acronyms: &[String]) -> PlannedIssue {
        let (issue, transitions) = match self {
            Self::NotAsked => return PlannedIssue::NotAsked,
            Self::NotConfigured { reason } => {
                let reason = reason.clone();
                return PlannedIssue::Left { reason };
            }
            Self::Unreadable(error) => {
                let reason = sentence(error);
                return PlannedIssue::Left { reason };
            }
            Self::Known {
                issue, transitions, ..
            } => (issue, transitions),
        };
        let next = match transitions {
            Err(error) => PlannedMove::Stuck {
                reason: sentence(error),
            },
            Ok(transitions) => match transition::choose(transitions, acronyms) {
                Choice::One(one) if one.required_fields.is_empty() => PlannedMove::Take {
                    transition: one.name.clone(),
                },
                Choice::One(one) => PlannedMove::Stuck {
                    reason: needs_fields(one),
                },
                Choice::Several(several) => PlannedMove::Ask {
                    transitions: several.iter().map(|one| one.name.clone()).collect(),
                },
                Choice::None if transition::is_review(&issue.status, acronyms) => PlannedMove::Stay,
                Choice::None => PlannedMove::Stuck {
                    reason: NO_TRANSITION.to_owned(),
                },
            },
        };
        PlannedIssue::Linked {
            status: issue.status.clone(),
            next,
        }
    }

    /// Links and moves the issue. What does not work is said twice: shortly in
    /// the status, and as a warning.
    pub(super) async fn follow(
        self,
        key: &str,
        pull: &Found,
        record: &mut Record,
        call: &Call<'_>,
        details: &mut PrDetails,
    ) -> (JiraStatus, Vec<PrError>) {
        let nothing_done = |error: String, warning| {
            let status = JiraStatus {
                error: Some(error),
                ..JiraStatus::default()
            };
            (status, vec![warning])
        };
        let (jira, issue, transitions) = match self {
            Self::NotAsked => return (JiraStatus::default(), Vec::new()),
            Self::NotConfigured { reason } => {
                return nothing_done(reason, PrError::jira_not_configured());
            }
            Self::Unreadable(error) => {
                return nothing_done(shortly(key, &error), warning(key, &error));
            }
            Self::Known {
                jira,
                issue,
                transitions,
            } => (jira, issue, transitions),
        };
        let mut status = JiraStatus {
            current_state: Some(issue.status.clone()),
            ..JiraStatus::default()
        };
        let mut warnings = Vec::new();
        match link(&jira, key, pull, call).await {
            Ok(linked) => {
                status.linked = true;
                details.link = Some(match linked {
                    Linked::RemoteLink => LinkResult::RemoteLink,
                    Linked::Comment => LinkResult::Comment,
                    Linked::Already => LinkResult::Already,
                });
            }
            Err(error) => {
                status.error = Some(error.to_string());
                warnings.push(warning_of_link(key, &error));
            }
        }
        let moving = Moving {
            jira: &jira,
            key,
            issue: &issue,
        };
        match moving.go(transitions, record, call, details).await {
            Ok(now) => {
                status.transitioned = true;
                status.current_state = Some(now);
            }
            Err(Stuck { short, warning }) => {
                status.error.get_or_insert(short);
                warnings.push(*warning);
            }
        }
        (status, warnings)
    }
}

async fn link(jira: &Jira, key: &str, pull: &Found, call: &Call<'_>) -> Result<Linked, JiraError> {
    call.cx.emit(Event::Linking { issue: key });
    let mut pauses = call.options.settings.pauses.link.clone().into_iter();
    loop {
        let title = format!("#{} {}", pull.number, pull.title);
        let link = PullRequestLink {
            url: &pull.url,
            title: &title,
        };
        let error = match jira.link(key, link).await {
            Ok(linked) => return Ok(linked),
            Err(error) => error,
        };
        let setback = TryFailed {
            is_transient: error.is_transient(),
            retry_after: error.retry_after(),
        };
        if !retries::wait("link", &mut pauses, setback, call).await {
            return Err(error);
        }
    }
}

struct Moving<'a> {
    jira: &'a Jira,
    key: &'a str,
    issue: &'a IssueState,
}

/// Why the issue stays where it is.
struct Stuck {
    short: String,
    warning: Box<PrError>,
}

impl Moving<'_> {
    /// The status that the issue has then.
    async fn go(
        &self,
        transitions: Result<Vec<Transition>, JiraError>,
        record: &mut Record,
        call: &Call<'_>,
        details: &mut PrDetails,
    ) -> Result<String, Stuck> {
        // An earlier call may have moved it and not lived to say so.
        if record.has_moved_to(&self.issue.status) {
            return Ok(self.issue.status.clone());
        }
        let transitions = transitions.map_err(|error| self.failed(&error, &[]))?;
        let names: Vec<String> = transitions.iter().map(|one| one.name.clone()).collect();
        let Some(chosen) = self.chosen(&transitions, &names, call).await? else {
            // It is where it was to go.
            return Ok(self.issue.status.clone());
        };
        details.transition = Some(chosen.name.clone());
        call.cx.emit(Event::Moving {
            issue: self.key,
            transition: &chosen.name,
        });
        record.note_move(&self.issue.status, chosen.to.as_deref());
        match self.jira.transition(self.key, chosen).await {
            Ok(now) => Ok(self.arrived(chosen, now).await),
            Err(error) => {
                // The answer may be lost, or someone else was faster.
                let now = self.jira.issue(self.key).await.ok();
                match now {
                    Some(now) if record.has_moved_to(&now.status) => Ok(now.status),
                    _ => Err(self.failed(&error, &names)),
                }
            }
        }
    }

    /// The transition to take; `None` where the issue is in review already and
    /// no way leads on to one.
    async fn chosen<'t>(
        &self,
        transitions: &'t [Transition],
        names: &[String],
        call: &Call<'_>,
    ) -> Result<Option<&'t Transition>, Stuck> {
        let stuck = |short| Stuck {
            short,
            warning: Box::new(PrError::jira_transition_failed(self.key, names)),
        };
        let acronyms = &call.options.settings.acronyms;
        let chosen = match transition::choose(transitions, acronyms) {
            Choice::One(one) => one,
            Choice::None if transition::is_review(&self.issue.status, acronyms) => return Ok(None),
            Choice::None => {
                return Err(stuck(NO_TRANSITION.to_owned()));
            }
            Choice::Several(several) => self.asked(&several, call).await?,
        };
        if chosen.required_fields.is_empty() {
            return Ok(Some(chosen));
        }
        Err(stuck(needs_fields(chosen)))
    }

    async fn arrived(&self, chosen: &Transition, now: Option<String>) -> String {
        if let Some(status) = now.or_else(|| chosen.to.clone()) {
            return status;
        }
        let now = self.jira.issue(self.key).await;
        now.map_or_else(|_| chosen.name.clone(), |issue| issue.status)
    }

    fn failed(&self, error: &JiraError, names: &[String]) -> Stuck {
        let warning = if error.is_about_login() {
            PrError::jira_authentication_failed(self.key, &sentence(error))
        } else {
            PrError::jira_transition_failed(self.key, names)
        };
        Stuck {
            short: error.to_string(),
            warning: Box::new(warning),
        }
    }

    /// Which of several is meant, answered by the person who is there.
    async fn asked<'t>(
        &self,
        several: &[&'t Transition],
        call: &Call<'_>,
    ) -> Result<&'t Transition, Stuck> {
        let keys = "123456789".chars();
        let options: Vec<question::Choice> = keys
            .zip(several)
            .map(|(key, transition)| question::Choice {
                key,
                label: transition.name.clone(),
            })
            .collect();
        let listed: Vec<String> = options
            .iter()
            .map(|option| format!("  {}. {}", option.key, option.label))
            .collect();
        let question = Question {
            text: format!(
                "Several transitions of {} lead to a review. Which one?\n{}",
                self.key,
                listed.join("\n")
            ),
            options,
        };
        let answer = call.cx.ask(&question).await;
        let chosen = answer
            .and_then(|answer| answer.to_digit(10))
            .and_then(|number| several.get((number as usize).checked_sub(1)?).copied());
        chosen.ok_or_else(|| {
            let names: Vec<String> = several.iter().map(|one| one.name.clone()).collect();
            Stuck {
                short: format!("Several transitions match: {}", names.join(", ")),
                warning: Box::new(PrError::jira_transition_ambiguous(self.key, &names)),
            }
        })
    }
}

const NO_TRANSITION: &str = "No transition found matching 'Code Review' pattern";

fn needs_fields(transition: &Transition) -> String {
    let fields = transition.required_fields.join(", ");
    format!("Transition '{}' needs fields: {fields}", transition.name)
}

fn shortly(key: &str, error: &JiraError) -> String {
    match error.kind() {
        JiraErrorKind::IssueNotFound => format!("Jira issue {key} not found"),
        _ => error.to_string(),
    }
}

/// For an issue that could not be read.
fn warning(key: &str, error: &JiraError) -> PrError {
    match error.kind() {
        JiraErrorKind::IssueNotFound | JiraErrorKind::NotPermitted { .. } => {
            PrError::jira_issue_not_found(key)
        }
        _ => warning_of_link(key, error),
    }
}

fn warning_of_link(key: &str, error: &JiraError) -> PrError {
    if error.is_about_login() {
        PrError::jira_authentication_failed(key, &sentence(error))
    } else {
        PrError::jira_link_failed(key, &sentence(error))
    }
}

fn sentence(error: &JiraError) -> String {
    format!("{error}; {}", error.hint())
}
