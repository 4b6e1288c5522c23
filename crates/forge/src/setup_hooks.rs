//! Setting webhooks up from the same process.

use crate::actions::hooks::{self as actions, Edit};
use crate::app::App;
use crate::rest::hooks::send_ping;
use crate::setup::{SetupError, explain};
use crate::store::hooks::{self, Hook};

/// Who is to be told of what. Deliveries are JSON.
#[derive(Debug, Clone)]
pub struct NewHook {
    /// With `http`.
    pub url: String,
    /// What deliveries are signed with.
    pub secret: Option<String>,
    /// GitHub's names, such as `push`; `*` for all.
    pub events: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct HookSummary {
    pub id: i64,
    pub url: String,
    pub events: Vec<String>,
    pub active: bool,
    pub has_secret: bool,
}

impl App {
    /// The new hook is pinged. Gives back its number.
    pub async fn add_hook(&self, owner: &str, name: &str, new: NewHook) -> Result<i64, SetupError> {
        let repository = self.named_repository(owner, name)?;
        let edit = Edit {
            url: Some(new.url),
            content_type: Some("json".to_owned()),
            secret: new.secret,
            events: Some(new.events),
            ..Edit::default()
        };
        let add = async {
            let hook = actions::create(self, &repository, edit).await?;
            let id = hook.id;
            send_ping(self, &repository, &repository.owner, hook).await?;
            Ok(id)
        };
        add.await.map_err(|error| explain("add the hook", error))
    }

    pub fn hooks(&self, owner: &str, name: &str) -> Result<Vec<HookSummary>, SetupError> {
        let repository = self.named_repository(owner, name)?;
        let found = self.rows(|conn| hooks::for_repository(conn, repository.id));
        let found = found.map_err(|error| explain("list the hooks", error))?;
        let summary = |hook: Hook| HookSummary {
            id: hook.id,
            url: hook.url,
            events: hook.events,
            active: hook.active,
            has_secret: hook.secret.is_some(),
        };
        Ok(found.into_iter().map(summary).collect())
    }

    /// Says whether there was such a hook.
    pub async fn remove_hook(&self, owner: &str, name: &str, id: i64) -> Result<bool, SetupError> {
        let repository = self.named_repository(owner, name)?;
        let remove = async {
            let hook = self.rows(|conn| hooks::by_id(conn, id))?;
            match hook.filter(|hook| hook.repository_id == repository.id) {
                Some(hook) => actions::delete(self, &hook).await.map(|()| true),
                None => Ok(false),
            }
        };
        remove
            .await
            .map_err(|error| explain("remove the hook", error))
    }
}
