//! Users, organisations, bots and git authors.

use super::listings;
use crate::git::Person;
use crate::graphql::prelude::*;
use crate::store::users::{self, User};
use crate::views;

/// A user, an organisation or a bot.
#[derive(Clone)]
pub(crate) struct Account(pub(crate) User);

/// By the number of its row.
pub(crate) fn account(cx: &Context, id: i64) -> Resolved {
    one(Account(cx.rows(|conn| users::by_id(conn, id))?))
}

impl Object for Account {
    fn kind(&self) -> &'static str {
        self.0.kind.as_str()
    }

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        Ok(views::users::facts(cx.app.urls(), &self.0))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let id = self.0.id;
        match field.name {
            "avatarUrl" => plain(avatar(cx, &self.0.login, field)),
            // A user has one, if only an empty one; an organisation need not.
            "email" if self.0.kind == UserKind::User => {
                plain(self.0.email.clone().unwrap_or_default())
            }
            "isViewer" => plain(cx.viewer_id() == Some(id)),
            "organizations" => {
                let rows = cx.rows(|conn| users::organizations_of(conn, id))?;
                field.list(rows, |row| row.id, Account)
            }
            "repositories" => listings::repositories_of(cx, field, &self.0),
            "teams" => field.empty(),
            "viewerCanAdminister" => {
                let viewer = cx.viewer()?;
                let is_admin =
                    cx.read(|conn| Ok(users::is_organization_admin(conn, id, viewer.id)?))?;
                plain(is_admin || viewer.site_admin)
            }
            "viewerIsAMember" => {
                let viewer = cx.viewer()?.id;
                let is_member = cx.rows(|conn| users::is_member(conn, id, viewer))?;
                plain(is_member)
            }
            _ => Ok(Output::Fact),
        }
    }
}

/// The author or committer that git names, whether or not the forge knows them.
pub(super) struct GitActor(pub(super) Person);

impl Object for GitActor {
    kind!("GitActor");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        Ok(views::commits::person(&self.0))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let account = || cx.rows(|conn| users::by_email(conn, &self.0.email));
        match field.name {
            "avatarUrl" => {
                let login = account()?.map_or_else(|| "ghost".to_owned(), |user| user.login);
                plain(avatar(cx, &login, field))
            }
            "user" => {
                let user = account()?.filter(|account| account.kind == UserKind::User);
                maybe(user.map(Account))
            }
            _ => Ok(Output::Fact),
        }
    }
}

fn avatar(cx: &Context, login: &str, field: &Field<'_>) -> String {
    let address = views::users::avatar(cx.app.urls(), login);
    match field.arguments.number("size") {
        Some(size) => format!("{address}?s={size}"),
        None => address,
    }
}
