//! Notifies a person who is not watching: a command or a webhook, when a run asks
//! or ends.

use std::path::Path;
use std::time::Duration;

use baton_host::cmd::Cmd;
use baton_protocol::tools::workflow::Workflow;
use baton_remote::http::{Call, Http, Path as HttpPath, PlainHttp, Safety, Settings};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::github::{USER_AGENT, network};
use crate::session::Session;

/// How long a notification may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a program such as `notify-send` finds the user's desktop.
const DESKTOP: [&str; 4] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
];

/// Who is to be told.
#[derive(Clone)]
pub(super) struct Notify {
    session: Session,
    command: Vec<String>,
    webhook: Option<String>,
}

impl Notify {
    pub(super) fn from_config(config: &Config, session: &Session) -> Self {
        Self {
            session: session.clone(),
            command: config.list("notify.command"),
            webhook: config.get("notify.webhook").map(|value| value.text.clone()),
        }
    }

    /// Trouble is logged and changes nothing: the run is what counts.
    pub(super) async fn tell(&self, workflow: &Workflow) {
        let body = serde_json::to_vec(workflow).expect("a run is plain data");
        if let Some((program, args)) = self.command.split_first() {
            let all = &self.session.environment;
            let desktop = DESKTOP.map(str::to_owned);
            let environment = all.for_untrusted(&desktop).with_proxies_of(all);
            let cmd = Cmd::new(program, Path::new("/"), &environment)
                .args(args)
                .stdin(body)
                .wall_limit(PATIENCE);
            match cmd.run(&CancellationToken::new()).await {
                Ok(finished) if finished.success() => {}
                Ok(finished) => {
                    tracing::warn!(%cmd, outcome = %finished.outcome, "notify.command failed");
                }
                Err(error) => tracing::warn!(%error, "notify.command could not be started"),
            }
        }
        if let Some(url) = &self.webhook
            && let Err(error) = self.post(url, workflow).await
        {
            tracing::warn!(%error, "notify.webhook was not reached");
        }
    }

    async fn post(&self, url: &str, workflow: &Workflow) -> Result<(), String> {
        let environment = &self.session.environment;
        let mut settings = Settings::new(url, USER_AGENT);
        // It is the user's own address, and no credential travels.
        settings.plain_http = PlainHttp::Anywhere;
        settings.proxy = network::proxy(environment);
        settings.trust = network::trust(environment).map_err(|error| error.to_string())?;
        let http = Http::new(settings).map_err(|error| error.to_string())?;
        let call = Call::post(HttpPath::url(url), Safety::Write)
            .json(workflow)
            .deadline(PATIENCE);
        http.send(&call)
            .await
            .map(drop)
            .map_err(|error| error.to_string())
    }
}
