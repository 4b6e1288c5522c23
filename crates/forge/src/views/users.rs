//! Accounts as JSON.

use crate::store::apps::App as AppRow;
use crate::store::repositories;
use crate::store::users::{self, User, UserKind};
use crate::urls::Urls;
use crate::views::prelude::*;

/// A user inside another answer: `simple-user` in GitHub's description.
pub(crate) fn simple(urls: &Urls, user: &User) -> Value {
    let login = &user.login;
    let api = urls.api(&format!("/users/{login}"));
    let kind = match user.kind {
        UserKind::User => Kind::User,
        UserKind::Organization => Kind::Organization,
        UserKind::Bot => Kind::Bot,
    };
    json!({
        "login": login,
        "id": user.id,
        "node_id": node_id(kind, user.id),
        "avatar_url": avatar(urls, login),
        "gravatar_id": "",
        "url": api,
        "html_url": urls.page(&format!("/{login}")),
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": user.kind.as_str(),
        "site_admin": user.site_admin,
    })
}

pub(crate) fn avatar(urls: &Urls, login: &str) -> String {
    urls.page(&format!("/avatars/{login}"))
}

pub(crate) fn by_id(view: View<'_>, id: i64) -> Result<Value> {
    Ok(simple(view.urls, &users::by_id(view.conn, id)?))
}

pub(crate) fn facts(urls: &Urls, user: &User) -> Value {
    let more = json!({
        "name": user.name,
        "email": user.email,
        "created_at": user.created_at,
        "updated_at": user.created_at,
    });
    merged(simple(urls, user), more)
}

/// `public-user` in GitHub's description.
pub(crate) fn full(view: View<'_>, user: &User) -> Result<Value> {
    let own = repositories::for_owner(view.conn, user.id)?;
    let public = own.iter().filter(|repository| !repository.private).count();
    let more = json!({
        "company": null,
        "blog": null,
        "location": null,
        "hireable": null,
        "bio": null,
        "public_repos": public,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
    });
    Ok(merged(facts(view.urls, user), more))
}

/// What only oneself may know: `private-user`.
pub(crate) fn private(view: View<'_>, user: &User) -> Result<Value> {
    let own = repositories::for_owner(view.conn, user.id)?;
    let private = own.iter().filter(|repository| repository.private).count();
    let more = json!({
        "private_gists": 0,
        "total_private_repos": private,
        "owned_private_repos": private,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": false,
    });
    Ok(merged(full(view, user)?, more))
}

/// `integration` in GitHub's description.
pub(crate) fn app(urls: &Urls, app: &AppRow) -> Value {
    let owner = app.bot.clone().unwrap_or_else(|| forge_itself(app));
    json!({
        "id": app.id,
        "slug": app.slug,
        "node_id": node_id(Kind::App, app.id),
        "owner": simple(urls, &owner),
        "name": app.name,
        "description": "",
        "external_url": urls.page(""),
        "html_url": urls.page(&format!("/apps/{}", app.slug)),
        "created_at": app.created_at,
        "updated_at": app.created_at,
        "permissions": { "checks": "write", "contents": "read", "metadata": "read" },
        "events": ["check_run", "check_suite"],
    })
}

/// GitHub's own CI belongs to GitHub, which has no account here.
fn forge_itself(app: &AppRow) -> User {
    User {
        id: 9919,
        login: "github".to_owned(),
        kind: UserKind::Organization,
        name: Some("GitHub".to_owned()),
        email: None,
        site_admin: false,
        created_at: app.created_at.clone(),
    }
}
