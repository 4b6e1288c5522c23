//! What every request passes on its way in and its answer on the way out:
//! faults, who asks, quota, conditions, headers, compression.

mod compression;
mod conditional;
pub(crate) mod connections;
pub(crate) mod faults;
mod headers;
pub(crate) mod hosts;
pub(crate) mod quota;
mod refusals;
pub(crate) mod surface;
pub(crate) mod wire;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use crate::app::{self, App};
use crate::auth::{self, Caller};
use crate::error::{ApiError, Result};
use crate::store::repositories::{self, Permission, Repository};
use conditional::Known;
use faults::{Asked, Effects};
use quota::Who;
use surface::{Address, Surface};
use wire::Peer;

/// The longest GraphQL request in which an operation's name is looked for.
const MAX_QUERY_LEN: usize = 4 << 20;

/// How many points a GraphQL query took, as its handler reports in the
/// extensions of the answer. One where it reports nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost(pub(crate) u32);

/// A request that has arrived.
struct Visit {
    app: App,
    id: String,
    address: Address,
    method: Method,
    peer: Peer,
}

/// The whole way. The work itself is a task of its own: it is done to the end
/// even when the caller hangs up, and a panic in it is an answer like any other.
pub(crate) async fn pass(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let visit = Visit {
        id: headers::request_id(app.timestamp()),
        address: Address::from_parts(&parts),
        method: parts.method.clone(),
        peer,
        app,
    };
    let wants_gzip = compression::accepts_gzip(&parts.headers);
    let cut = visit.peer.cut.clone();
    let (effects, body) = visit.struck_by(body).await;
    effects.pause().await;
    let mut response = visit.answer(parts, body, next, &effects).await;
    headers::identify(response.headers_mut(), &visit.id);
    let response = effects.distort(response).await;
    let response = if wants_gzip && visit.address.surface != Surface::Git {
        compression::gzip(response).await
    } else {
        response
    };
    tracing::debug!(
        method = %visit.method, path = visit.address.path, status = response.status().as_u16(),
        id = visit.id, "answered"
    );
    effects.send(response, &cut).await
}

impl Visit {
    /// The forge's own address is spared, so that faults can be taken back; but
    /// logs and artifacts come from there only because they need some address.
    async fn struck_by(&self, body: Body) -> (Effects, Body) {
        let faults = self.app.faults();
        let is_download = self.address.path.starts_with("/_forge/downloads/");
        if self.address.surface == Surface::Own && !is_download {
            return (Effects::default(), body);
        }
        let (query, body) = if self.address.path == "/graphql" && faults.look_at_queries() {
            match axum::body::to_bytes(body, MAX_QUERY_LEN).await {
                Ok(bytes) => (Query::read(&bytes), Body::from(bytes)),
                Err(_) => (Query::default(), Body::empty()),
            }
        } else {
            (Query::default(), body)
        };
        let effects = faults.strike(&Asked {
            method: &self.method,
            path: &self.address.path,
            operation: query.operation.as_deref(),
            is_read: self.method.is_safe() || query.is_query,
        });
        (effects, body)
    }

    async fn answer(&self, parts: Parts, body: Body, next: Next, effects: &Effects) -> Response {
        let resource = self.address.resource();
        let caller = auth::identify(&self.app, &parts.headers);
        let who = self.who(caller.as_ref().ok());
        let context = faults::Context {
            request_id: &self.id,
            who: &name_of(who),
            resource,
            limit: self
                .app
                .quota()
                .standing(who, resource, self.app.timestamp())
                .limit,
            now: self.app.timestamp(),
        };
        if let Some(response) = effects.instead(&context, &self.peer.cut) {
            return response;
        }
        match self.address.surface {
            Surface::Api => self.answer_api(parts, body, next, effects, caller).await,
            Surface::Own => {
                let response = self.work(parts, body, next, effects, caller.ok()).await;
                refusals::in_github_words(response).await
            }
            Surface::Git | Surface::Page => {
                self.work(parts, body, next, effects, caller.ok()).await
            }
        }
    }

    async fn answer_api(
        &self,
        parts: Parts,
        body: Body,
        next: Next,
        effects: &Effects,
        caller: Result<Caller>,
    ) -> Response {
        let caller = match caller {
            Ok(caller) => caller,
            Err(error) => return error.into_response(),
        };
        let version = match headers::chosen_version(&parts.headers) {
            Ok(version) => version,
            Err(asked) => return refusals::unsupported_version(&asked),
        };
        if let Err(asked) = headers::is_acceptable(&parts.headers) {
            return refusals::not_acceptable(&asked);
        }
        let who = self.who(Some(&caller));
        let resource = self.address.resource();
        let is_counted = self.address.path != "/rate_limit";
        let turn = if is_counted {
            let quota = self.app.quota();
            match quota.admit(who, resource, &self.method, self.app.timestamp()) {
                Ok(turn) => Some(turn),
                Err(why) => return refusals::exceeded(why, &name_of(who), &self.id),
            }
        } else {
            None
        };
        let known = Known::from_headers(&parts.headers);
        let media_type = headers::media_type(&parts.headers);
        let scopes = headers::accepted_scopes(&self.method, &self.address.path);

        let response = match self.redirect(&parts, &caller) {
            Ok(Some(response)) => response,
            Ok(None) => {
                let caller = Some(caller.clone());
                self.work(parts, body, next, effects, caller).await
            }
            Err(error) => error.into_response(),
        };
        let response = refusals::in_github_words(response).await;
        let mut response = if self.method.is_safe() {
            conditional::answer(response, &known).await
        } else {
            response
        };
        drop(turn);
        let cost = match (response.status(), response.extensions().get::<Cost>()) {
            // Free for those who say who they are.
            (StatusCode::NOT_MODIFIED, _) if caller.user.is_some() => 0,
            (_, Some(Cost(points))) => *points,
            _ => 1,
        };
        let cost = if is_counted { cost } else { 1 };
        let standing = if is_counted {
            self.app
                .quota()
                .settle(who, resource, cost, self.app.timestamp())
        } else {
            self.app
                .quota()
                .standing(who, resource, self.app.timestamp())
        };
        let headers = response.headers_mut();
        standing.set_headers(headers);
        headers::describe(headers, version, &media_type, &caller, scopes);
        response
    }

    /// Lets the handler do its work.
    async fn work(
        &self,
        mut parts: Parts,
        body: Body,
        next: Next,
        effects: &Effects,
        caller: Option<Caller>,
    ) -> Response {
        parts.uri = self.rewritten(&parts);
        parts.extensions.insert(self.address.surface);
        if let Some(caller) = caller {
            parts.extensions.insert(caller);
        }
        if self.address.surface == Surface::Api && !is_json(&parts) {
            // GitHub does not mind what a body is called.
            let json = HeaderValue::from_static("application/json");
            parts.headers.insert(CONTENT_TYPE, json);
        }
        let work = next.run(Request::from_parts(parts, body));
        let task = match effects.lag() {
            Some(lag) => tokio::spawn(app::lagging(lag, work)),
            None => tokio::spawn(work),
        };
        task.await.unwrap_or_else(|panic| {
            tracing::error!(%panic, path = self.address.path, "a request could not be answered");
            ApiError::internal("a handler panicked").into_response()
        })
    }

    fn rewritten(&self, parts: &Parts) -> axum::http::Uri {
        let Some((number, rest)) = self.address.repository_number() else {
            return self.address.routed(&parts.uri);
        };
        let found = self.app.rows(|conn| repositories::by_id(conn, number));
        let Ok(repository) = found else {
            return self.address.routed(&parts.uri);
        };
        let address = Address {
            surface: Surface::Api,
            path: format!("/repos/{}{rest}", repository.full_name()),
        };
        address.routed(&parts.uri)
    }

    /// Where a repository went that was renamed.
    fn redirect(&self, parts: &Parts, caller: &Caller) -> Result<Option<Response>> {
        let Some((owner, name, rest)) = self.address.repository() else {
            return Ok(None);
        };
        let moved = self.app.read(|conn| {
            if repositories::by_name(conn, owner, name)?.is_some() {
                return Ok(None);
            }
            let Some(repository) = repositories::by_old_name(conn, owner, name)? else {
                return Ok(None);
            };
            // Anyone who may not read it is not told that there is something.
            let may_read = caller.check(conn, &repository, Permission::Read);
            Ok(may_read.is_ok().then_some(repository))
        })?;
        Ok(moved.map(|repository| self.moved(parts, &repository, rest)))
    }

    fn moved(&self, parts: &Parts, repository: &Repository, rest: &str) -> Response {
        let query = parts.uri.query().map(|query| format!("?{query}"));
        let path = format!(
            "/repositories/{}{rest}{}",
            repository.id,
            query.unwrap_or_default()
        );
        refusals::moved(self.method.is_safe(), &self.app.urls().api(&path))
    }

    fn who(&self, caller: Option<&Caller>) -> Who {
        match caller.and_then(|caller| caller.user.as_ref()) {
            Some(user) => Who::User(user.id),
            None => Who::Address(self.peer.address.ip()),
        }
    }
}

fn name_of(who: Who) -> String {
    match who {
        Who::User(id) => format!("user ID {id}"),
        Who::Address(address) => address.to_string(),
    }
}

fn is_json(parts: &Parts) -> bool {
    parts
        .headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

/// What a GraphQL request says about itself.
#[derive(Debug, Default, PartialEq, Eq)]
struct Query {
    /// As the request names it, or as its text does.
    operation: Option<String>,
    is_query: bool,
}

impl Query {
    fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Envelope {
            operation_name: Option<String>,
            query: Option<String>,
        }

        let Ok(envelope) = serde_json::from_slice::<Envelope>(body) else {
            return Self::default();
        };
        let text = envelope.query.unwrap_or_default();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let kind = words.find(|word| matches!(*word, "query" | "mutation"));
        let named = kind.and_then(|_| words.next());
        let told = envelope.operation_name.as_deref();
        let operation = told.or(named).filter(|name| !name.is_empty());
        Self {
            operation: operation.map(str::to_owned),
            is_query: kind != Some("mutation"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn operations_are_found_by_name() {
        let read = |body: &str| {
            let query = Query::read(body.as_bytes());
            (query.operation, query.is_query)
        };
        let named = |name: &str, is_query| (Some(name.to_owned()), is_query);
        assert_eq!(
            read(r#"{"query":"query A{x}","operationName":"B"}"#),
            named("B", true)
        );
        assert_eq!(
            read(r#"{"query":"fragment f on User{id} query PullRequest_fields{x}"}"#),
            named("PullRequest_fields", true)
        );
        assert_eq!(
            read(r#"{"query":"\n mutation Close($x: ID!) {x}"}"#),
            named("Close", false)
        );
        assert_eq!(read(r#"{"query":"{viewer{login}}"}"#), (None, true));
        assert_eq!(read("no json"), (None, false));
    }
}
