//! What can be asked for from the top.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::context::Context;
use super::errors::QueryError;
use super::field::{Arguments, Field};
use super::object::{Object, Output, Resolved, kind, maybe, one, plain};
use super::objects::{Account, Repo, search};
use super::{introspection, lookup};
use crate::error::ApiError;
use crate::middleware::quota::{Resource, Who};
use crate::store::repositories::Permission;
use crate::store::users::{self, UserKind};

pub(super) struct Query;

impl Object for Query {
    kind!("Query");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let arguments = &field.arguments;
        let login = arguments.required("login");
        match field.name {
            "__schema" => introspection::schema(),
            "__type" => introspection::type_named(arguments.required("name")),
            "node" => lookup::node(cx, arguments.required("id")).await,
            "nodes" => {
                let mut nodes = Vec::new();
                for id in arguments.texts("ids").unwrap_or_default() {
                    nodes.push(lookup::node(cx, &id).await);
                }
                Ok(Output::List(nodes))
            }
            "organization" => {
                let found = account(cx, login, |kind| kind == UserKind::Organization)?;
                one(found.ok_or_else(|| no_account("an Organization", login))?)
            }
            "rateLimit" => rate_limit(cx),
            "repository" => repository(cx, arguments),
            "repositoryOwner" => maybe(account(cx, login, |kind| kind != UserKind::Bot)?),
            "search" => search(
                cx,
                Field {
                    arguments: arguments.clone(),
                    ..*field
                },
            ),
            "user" => {
                let found = account(cx, login, |kind| kind == UserKind::User)?;
                one(found.ok_or_else(|| no_account("a User", login))?)
            }
            "viewer" => one(Account(cx.viewer()?.clone())),
            _ => plain(Value::Null),
        }
    }
}

fn account(
    cx: &Context,
    login: &str,
    fits: impl FnOnce(UserKind) -> bool,
) -> Result<Option<Account>, QueryError> {
    let found = cx.rows(|conn| users::by_login(conn, login))?;
    Ok(found.filter(|found| fits(found.kind)).map(Account))
}

fn no_account(what: &str, login: &str) -> QueryError {
    QueryError::not_found(format!(
        "Could not resolve to {what} with the login of '{login}'."
    ))
}

fn repository(cx: &Context, arguments: &Arguments) -> Resolved {
    let (owner, name) = (arguments.required("owner"), arguments.required("name"));
    let found = cx
        .app
        .read(|conn| cx.caller.repository(conn, owner, name, Permission::Read));
    let missing = || {
        QueryError::not_found(format!(
            "Could not resolve to a Repository with the name '{owner}/{name}'."
        ))
    };
    match found {
        Ok(row) => {
            let renamed = !row.name.eq_ignore_ascii_case(name);
            if renamed && arguments.flag("followRenames") == Some(false) {
                return Err(missing());
            }
            one(Repo(Arc::new(row)))
        }
        Err(ApiError::NotFound) => Err(missing()),
        Err(other) => Err(other.into()),
    }
}

/// What the caller may still ask, once this query is paid for.
fn rate_limit(cx: &Context) -> Resolved {
    let (who, now) = (Who::User(cx.viewer()?.id), cx.app.timestamp());
    let standing = cx.app.quota().standing(who, Resource::Graphql, now);
    let cost = cx.demand.cost();
    // One was counted when the request came in.
    let used = standing.used.saturating_add(cost).saturating_sub(1);
    let reset = Timestamp::from_second(standing.reset).unwrap_or(now);
    plain(json!({
        "cost": cost,
        "limit": standing.limit,
        "node_count": cx.demand.nodes,
        "remaining": standing.limit.saturating_sub(used),
        "reset_at": reset.to_string(),
        "used": used,
    }))
}
