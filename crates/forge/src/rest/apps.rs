use serde_json::{Value, json};

use super::users;
use crate::node_id::{Kind, node_id};
use crate::store::apps::App;
use crate::store::users::{User, UserKind};
use crate::urls::Urls;

/// `integration` in GitHub's description.
pub(crate) fn full(urls: &Urls, app: &App) -> Value {
    let owner = app.bot.clone().unwrap_or_else(|| forge_itself(app));
    json!({
        "id": app.id,
        "slug": app.slug,
        "node_id": node_id(Kind::App, app.id),
        "owner": users::simple(urls, &owner),
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
fn forge_itself(app: &App) -> User {
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
