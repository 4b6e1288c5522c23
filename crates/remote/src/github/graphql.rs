//! Sends GraphQL requests, and reads answers that may be partial.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Value, json};

use super::client::GitHub;
use super::degrading::{self, Cuts, Location};
use super::documents::Document;
use super::errand::Errand;
use super::error::{GitHubError, GitHubErrorKind};
use super::event::Event;
use super::fact::{Fact, Unreadable};
use super::refusal;
use super::request::Request;
use super::values::Listed;
use crate::http::header::HeaderName;
use crate::http::{Call, RateLimitKind, Reply, Safety, display};

/// Pages of one list. With a hundred a page this is more than a person reads.
pub(super) const MAX_PAGES: usize = 20;

/// An answer, and the parts of it that could not be had.
#[derive(Debug)]
pub(super) struct Answer<T> {
    pub(super) data: T,
    pub(super) unreadable: Vec<Unreadable>,
    /// The paths of what does not exist. They are among the unreadable parts as well, since GitHub
    /// does not tell it from what the token may not see.
    pub(super) not_found: Vec<String>,
}

/// One entry of `errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphQlProblem {
    pub kind: ProblemKind,
    pub message: String,
    pub path: String,
    /// Where in the document it is.
    pub(super) locations: Vec<Location>,
    /// For a refusal because of scopes.
    pub(super) scopes: Option<MissingScopes>,
}

/// The scopes of which one would be enough, and those that the token has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingScopes {
    pub(super) needed: Vec<String>,
    pub(super) granted: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    NotFound,
    Forbidden,
    /// The organisation requires single sign-on for this token.
    SamlFailure,
    InsufficientScopes,
    RateLimited,
    /// A rule of the domain: "Pull request is in draft state".
    Unprocessable,
    /// The query asks for more than GitHub gives in one answer.
    TooManyNodes,
    /// The query took too long, or the server had an internal error.
    ServerError,
    /// The server does not know a field or type that was asked for.
    UnknownToServer,
    Other(String),
}

impl ProblemKind {
    /// Where several come together, the one with the lowest rank is the cause.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::RateLimited => 0,
            Self::SamlFailure => 1,
            Self::UnknownToServer => 2,
            Self::NotFound => 3,
            Self::InsufficientScopes => 4,
            Self::Forbidden => 5,
            Self::Unprocessable => 6,
            Self::TooManyNodes => 7,
            Self::ServerError => 8,
            Self::Other(_) => 9,
        }
    }
}

impl GitHub {
    /// Runs a query. Fields that the server refuses are left out: an answer without them is asked
    /// for once more, and they are among the unreadable parts.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        document: &Document,
        variables: &Value,
        errand: Errand,
    ) -> Result<Answer<T>, GitHubError> {
        let mut cuts = self.refused_fields(document);
        let mut response = self
            .ask_without(document, &cuts, variables, &errand)
            .await?;
        let refused = degrading::refused(document.text, response.data.as_ref(), &response.problems);
        let is_news = refused.keys().any(|place| !cuts.contains_key(place));
        if is_news {
            cuts.extend(refused);
            if degrading::without(document.text, &cuts).is_some() {
                response = self
                    .ask_without(document, &cuts, variables, &errand)
                    .await?;
                self.note_refused(document, &cuts);
            }
        }
        let left_out = degrading::left_out(document.text, &cuts);
        response.problems.extend(left_out);
        let (data, problems) = self.read(response, &errand)?;
        let not_found = problems.iter();
        let not_found = not_found.filter(|problem| problem.kind == ProblemKind::NotFound);
        Ok(Answer {
            data,
            not_found: not_found.map(|problem| problem.path.clone()).collect(),
            unreadable: problems.into_iter().map(Unreadable::from).collect(),
        })
    }

    async fn ask_without(
        &self,
        document: &Document,
        cuts: &Cuts,
        variables: &Value,
        errand: &Errand,
    ) -> Result<Response, GitHubError> {
        let pruned = if cuts.is_empty() {
            None
        } else {
            degrading::without(document.text, cuts)
        };
        let text = pruned.as_deref().unwrap_or(document.text);
        let call = Call::query_by_post(self.server().graphql_path());
        self.run(call, document.name, text, variables, errand).await
    }

    /// Runs a mutation. Any problem is an error: a partial change does not count.
    pub(super) async fn mutate<T: DeserializeOwned>(
        &self,
        document: &Document,
        variables: &Value,
        safety: Safety,
        errand: Errand,
    ) -> Result<T, GitHubError> {
        let call = Call::post(self.server().graphql_path(), safety);
        let response = self
            .run(call, document.name, document.text, variables, &errand)
            .await?;
        let (data, problems) = self.read(response, &errand)?;
        if problems.is_empty() {
            Ok(data)
        } else {
            let kind = self.classify(problems, &errand, None);
            Err(GitHubError::new(errand, kind))
        }
    }

    async fn run(
        &self,
        call: Call,
        name: &'static str,
        text: &str,
        variables: &Value,
        errand: &Errand,
    ) -> Result<Response, GitHubError> {
        let call = call
            .json(&json!({ "query": text, "variables": variables }))
            .resource("graphql")
            .judged_by(rate_limit_in);
        let reply = self.send(Request::new(call, errand.clone())).await?;
        let wire: Wire = reply
            .json()
            .map_err(|error| GitHubError::new(errand.clone(), GitHubErrorKind::Http(error)))?;
        self.report_points(name, wire.data.as_ref());
        Ok(Response {
            data: wire.data,
            problems: wire.errors.into_iter().map(WireError::read).collect(),
            sso_url: sso_url(&reply),
        })
    }

    /// What may be missing is an `Option` in `T`: if the rest is there, it is an answer.
    fn read<T: DeserializeOwned>(
        &self,
        response: Response,
        errand: &Errand,
    ) -> Result<(T, Vec<GraphQlProblem>), GitHubError> {
        let Response {
            data,
            problems,
            sso_url,
        } = response;
        match T::deserialize(data.unwrap_or_default()) {
            Ok(data) => Ok((data, problems)),
            Err(error) => {
                let kind = if problems.is_empty() {
                    GitHubErrorKind::UnexpectedAnswer {
                        reason: display::excerpt(&error.to_string()),
                    }
                } else {
                    self.classify(problems, errand, sso_url)
                };
                Err(GitHubError::new(errand.clone(), kind))
            }
        }
    }

    /// The error that the problems add up to. A missing repository is
    /// distinguished from something missing in it.
    fn classify(
        &self,
        problems: Vec<GraphQlProblem>,
        errand: &Errand,
        sso_url: Option<String>,
    ) -> GitHubErrorKind {
        let whole_repository = problems
            .iter()
            .any(|problem| problem.kind == ProblemKind::NotFound && problem.path == "repository");
        match (GitHubErrorKind::from(problems), errand.repository()) {
            (GitHubErrorKind::NotFound { .. }, Some(repository)) if whole_repository => {
                GitHubErrorKind::RepositoryHidden {
                    repository: repository.clone(),
                    missing_scopes: Vec::new(),
                }
            }
            (kind @ GitHubErrorKind::NotFound { .. }, Some(repository)) => {
                self.note_visible(repository);
                kind
            }
            (GitHubErrorKind::SingleSignOn { .. }, _) => {
                GitHubErrorKind::SingleSignOn { url: sso_url }
            }
            (kind, _) => kind,
        }
    }

    fn report_points(&self, document: &'static str, data: Option<&Value>) {
        let limit = data
            .and_then(|data| data.get("rateLimit"))
            .and_then(|limit| Points::deserialize(limit).ok());
        if let Some(limit) = limit {
            self.observe(&Event::PointsSpent {
                document,
                cost: limit.cost,
                remaining: limit.remaining,
                reset: limit.reset_at,
            });
        }
    }
}

/// What a server answered, not yet read.
struct Response {
    data: Option<Value>,
    problems: Vec<GraphQlProblem>,
    /// Where to allow the token for the organisation.
    sso_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Points {
    cost: u64,
    remaining: u64,
    reset_at: Option<jiff::Timestamp>,
}

#[derive(Deserialize)]
struct Wire {
    data: Option<Value>,
    #[serde(default)]
    errors: Vec<WireError>,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    path: Vec<Value>,
    #[serde(default)]
    locations: Vec<Location>,
    extensions: Option<Extensions>,
}

#[derive(Deserialize)]
struct Extensions {
    code: Option<String>,
    #[serde(default)]
    saml_failure: bool,
}

impl WireError {
    fn read(self) -> GraphQlProblem {
        let saml = self.extensions.as_ref().is_some_and(|e| e.saml_failure);
        let code = self.extensions.and_then(|extensions| extensions.code);
        let kind = match (self.kind.as_deref(), code.as_deref()) {
            _ if saml => ProblemKind::SamlFailure,
            (Some("NOT_FOUND"), _) => ProblemKind::NotFound,
            (Some("FORBIDDEN"), _) => ProblemKind::Forbidden,
            (Some("INSUFFICIENT_SCOPES"), _) => ProblemKind::InsufficientScopes,
            (Some("RATE_LIMITED" | "RATE_LIMIT"), _) => ProblemKind::RateLimited,
            (Some("UNPROCESSABLE"), _) => ProblemKind::Unprocessable,
            (Some("MAX_NODE_LIMIT_EXCEEDED" | "RESOURCE_LIMITS_EXCEEDED"), _) => {
                ProblemKind::TooManyNodes
            }
            (_, Some("undefinedField" | "undefinedType" | "argumentNotAccepted")) => {
                ProblemKind::UnknownToServer
            }
            // Older servers give no code.
            (None, None) if is_unknown_to_server(&self.message) => ProblemKind::UnknownToServer,
            // "Something went wrong while executing your query" has no type.
            (Some("SERVICE_UNAVAILABLE" | "INTERNAL" | "TIMEOUT"), _) | (None, None) => {
                ProblemKind::ServerError
            }
            (kind, code) => ProblemKind::Other(kind.or(code).unwrap_or_default().to_owned()),
        };
        let path: Vec<String> = self
            .path
            .iter()
            .map(|part| match part {
                Value::String(name) => name.clone(),
                other => other.to_string(),
            })
            .collect();
        GraphQlProblem {
            kind,
            message: display::excerpt(&self.message),
            scopes: MissingScopes::read(&self.message),
            path: path.join("."),
            locations: self.locations,
        }
    }
}

impl MissingScopes {
    /// `requires one of the following scopes: ['read:org'], but your token has only been granted
    /// the: ['repo'] scopes`.
    fn read(message: &str) -> Option<Self> {
        let list = |before: &str| {
            let (_, rest) = message.split_once(before)?;
            let (inside, _) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
            let names = inside.split(',');
            let names = names.map(|name| name.trim().trim_matches(['\'', '"']));
            Some(
                names
                    .filter(|name| is_scope(name))
                    .map(str::to_owned)
                    .collect(),
            )
        };
        let needed: Vec<String> = list("following scopes:")?;
        (!needed.is_empty()).then(|| Self {
            needed,
            granted: list("been granted the:").unwrap_or_default(),
        })
    }
}

fn is_scope(name: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_:".contains(character);
    !name.is_empty() && name.chars().all(fits)
}

fn is_unknown_to_server(message: &str) -> bool {
    let says = |part: &str| message.contains(part);
    message.starts_with("Field '")
        && (says("doesn't exist on type") || says("doesn't accept argument"))
        || message.starts_with("No such type ")
}

/// GraphQL answers 200 when the quota is used up.
fn rate_limit_in(reply: &Reply) -> Option<RateLimitKind> {
    // Most answers do not contain this word, and need not be parsed twice.
    let body = reply.bytes();
    let mentioned = body.windows(10).any(|window| window == b"RATE_LIMIT");
    let wire: Wire = mentioned.then(|| serde_json::from_slice(body).ok())??;
    wire.errors
        .into_iter()
        .any(|error| error.read().kind == ProblemKind::RateLimited)
        .then_some(RateLimitKind::Primary)
}

fn sso_url(reply: &Reply) -> Option<String> {
    let name = HeaderName::from_static("x-github-sso");
    refusal::sso_url(reply.header(&name)?)
}

/// `{ repository: … }`.
#[derive(Debug, Deserialize)]
pub(super) struct InRepository<T> {
    pub(super) repository: T,
}

/// `{ pullRequest: … }`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OnePull<T> {
    pub(super) pull_request: T,
}

/// One object read as two: its own fields, and the lists in it.
#[derive(Debug)]
pub(super) struct Parts<A, B>(pub(super) A, pub(super) B);

impl<'de, A: DeserializeOwned, B: DeserializeOwned> Deserialize<'de> for Parts<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let own = A::deserialize(&value).map_err(D::Error::custom)?;
        let lists = B::deserialize(&value).map_err(D::Error::custom)?;
        Ok(Self(own, lists))
    }
}

/// A page of a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Connection<T> {
    #[serde(default)]
    pub(super) total_count: u64,
    #[serde(default)]
    page_info: PageInfo,
    /// GitHub puts `null` in the place of what may not be seen.
    nodes: Option<Vec<Option<T>>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    #[serde(default)]
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl<T> Connection<T> {
    /// Where the next page begins, if there is one.
    pub(super) fn next_page(&self) -> Option<String> {
        let info = &self.page_info;
        info.end_cursor.clone().filter(|_| info.has_next_page)
    }

    pub(super) fn has_next_page(&self) -> bool {
        self.page_info.has_next_page
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().flatten().flatten()
    }

    pub(super) fn into_items(self) -> Vec<T> {
        self.nodes
            .unwrap_or_default()
            .into_iter()
            .flatten()
            .collect()
    }

    /// For lists of which only the first page is requested. Whatever GitHub left
    /// out counts as cut off, since its content is unknown.
    pub(super) fn into_listed(self) -> Listed<T> {
        let has_gaps = match &self.nodes {
            Some(nodes) => nodes.iter().any(Option::is_none),
            None => true,
        };
        Listed {
            truncated: self.page_info.has_next_page || has_gaps,
            items: self.into_items(),
        }
    }

    /// Each entry, or why it may not be seen. `path` is that of the list in the answer.
    pub(super) fn into_facts(self, path: &str, unreadable: &[Unreadable]) -> Vec<Fact<T>> {
        let withheld = |path: &str| Fact::Unreadable(Unreadable::at(path, unreadable));
        let Some(nodes) = self.nodes else {
            return vec![withheld(path)];
        };
        let nodes = nodes.into_iter().enumerate();
        nodes
            .map(|(index, node)| match node {
                Some(node) => Fact::Known(node),
                None => withheld(&format!("{path}.nodes.{index}")),
            })
            .collect()
    }
}

impl<T> Default for Connection<T> {
    fn default() -> Self {
        Self {
            total_count: 0,
            page_info: PageInfo::default(),
            nodes: None,
        }
    }
}
