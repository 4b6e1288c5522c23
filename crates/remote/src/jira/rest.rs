//! Jira's own REST API: version 3 of the cloud, version 2 of Data Center.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::http::{Call, Http, Path, Safety, Settings, SettingsError};

use super::error::{JiraError, JiraErrorKind};
use super::model::{IssueState, Linked, PullRequestLink, Transition, mentions, required_fields};

/// The kinds of Jira.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deployment {
    /// Texts are documents (ADF), and users log in with an e-mail address and
    /// an API token.
    Cloud,
    /// Server and Data Center: texts are wiki markup.
    DataCenter,
}

/// The address of a Jira.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    url: String,
    deployment: Deployment,
}

impl Site {
    /// `url` is the page that people open. Atlassian's own hosts are the cloud.
    pub fn new(url: &str) -> Self {
        let url = url.trim_end_matches('/').to_owned();
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let host = rest.split(['/', ':']).next().unwrap_or_default();
        let is_cloud = [".atlassian.net", ".jira.com", "api.atlassian.com"]
            .iter()
            .any(|end| host.ends_with(end));
        let deployment = if is_cloud {
            Deployment::Cloud
        } else {
            Deployment::DataCenter
        };
        Self { url, deployment }
    }

    /// For hosts that do not reveal it.
    #[must_use]
    pub fn with_deployment(mut self, deployment: Deployment) -> Self {
        self.deployment = deployment;
        self
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The settings of a client for it, without the credentials.
    pub fn settings(&self, user_agent: impl Into<String>) -> Settings {
        let version = match self.deployment {
            Deployment::Cloud => "3",
            Deployment::DataCenter => "2",
        };
        let mut settings = Settings::new(format!("{}/rest/api/{version}", self.url), user_agent);
        // Without it, Data Center treats a request with a browser's cookies as an
        // attack.
        settings.headers = vec![("X-Atlassian-Token", "no-check".to_owned())];
        settings
    }
}

/// Sends requests to Jira directly.
#[derive(Clone, Debug)]
pub struct RestJira {
    http: Http,
    deployment: Deployment,
}

const ISSUE: &str = "/issue/{key}";
const TRANSITIONS: &str = "/issue/{key}/transitions";
const REMOTE_LINKS: &str = "/issue/{key}/remotelink";
const COMMENTS: &str = "/issue/{key}/comment";

/// The newest comments are searched for one that was written before.
const SEARCHED_COMMENTS: u32 = 100;

impl RestJira {
    /// `settings` are those of the site, with credentials.
    pub fn new(site: &Site, settings: Settings) -> Result<Self, SettingsError> {
        Ok(Self {
            http: Http::new(settings)?,
            deployment: site.deployment,
        })
    }

    /// How many requests were sent so far.
    pub fn requests(&self) -> u64 {
        self.http.requests()
    }

    pub async fn issue(&self, key: &str) -> Result<IssueState, JiraError> {
        #[derive(Deserialize)]
        struct Issue {
            key: String,
            fields: Fields,
        }
        #[derive(Deserialize)]
        struct Fields {
            status: Named,
        }
        let call = read(Path::new(ISSUE, &[&key])).query("fields", "status");
        let issue: Issue = self.ask("read", key, &call).await?;
        Ok(IssueState {
            // It differs when the issue was moved to another project.
            key: issue.key,
            status: issue.fields.status.name,
        })
    }

    /// The transitions that this account may make from the issue's status.
    pub async fn transitions(&self, key: &str) -> Result<Vec<Transition>, JiraError> {
        #[derive(Deserialize)]
        struct Transitions {
            transitions: Vec<WireTransition>,
        }
        #[derive(Deserialize)]
        struct WireTransition {
            id: String,
            name: String,
            to: Option<Named>,
            #[serde(default)]
            fields: Map<String, Value>,
        }
        let call = read(Path::new(TRANSITIONS, &[&key])).query("expand", "transitions.fields");
        let found: Transitions = self.ask("read the transitions of", key, &call).await?;
        let transitions = found.transitions.into_iter().map(|transition| Transition {
            id: transition.id,
            name: transition.name,
            to: transition.to.map(|status| status.name),
            required_fields: required_fields(&transition.fields),
        });
        Ok(transitions.collect())
    }

    /// Moves the issue. It is sent once: after a lost response, check where the
    /// issue is before trying again.
    pub async fn transition(&self, key: &str, id: &str) -> Result<(), JiraError> {
        let call = Call::post(Path::new(TRANSITIONS, &[&key]), Safety::Write)
            .json(&json!({ "transition": { "id": id } }));
        self.settle("move", key, &call).await
    }

    /// Links the pull request. If the site has no remote links, it adds a
    /// comment. It is sent once: the caller counts the tries.
    pub async fn link(&self, key: &str, link: PullRequestLink<'_>) -> Result<Linked, JiraError> {
        let safety = Safety::Idempotent {
            proof: "a link with the same global id is updated, not added",
        };
        let call = Call::post(Path::new(REMOTE_LINKS, &[&key]), safety)
            .sent_once()
            .json(&json!({
                "globalId": link.global_id(),
                "application": { "type": "dev.baton", "name": "baton" },
                "relationship": "pull request",
                "object": { "url": link.url, "title": link.title },
            }));
        match self.settle("link", key, &call).await {
            Ok(()) => Ok(Linked::RemoteLink),
            Err(error) if may_comment_instead(&error) => self.comment(key, link).await,
            Err(error) => Err(error),
        }
    }

    async fn comment(&self, key: &str, link: PullRequestLink<'_>) -> Result<Linked, JiraError> {
        #[derive(Deserialize)]
        struct Comments {
            comments: Vec<Comment>,
        }
        #[derive(Deserialize)]
        struct Comment {
            body: Value,
        }
        let call = read(Path::new(COMMENTS, &[&key]))
            .query("orderBy", "-created")
            .query("maxResults", SEARCHED_COMMENTS);
        let known: Comments = self.ask("read the comments of", key, &call).await?;
        let is_there = |comment: &Comment| mentions(&comment.body, link.url);
        if known.comments.iter().any(is_there) {
            return Ok(Linked::Already);
        }
        let text = link.comment();
        let body = match self.deployment {
            Deployment::Cloud => document(link.url),
            Deployment::DataCenter => json!(text),
        };
        let call = Call::post(Path::new(COMMENTS, &[&key]), Safety::Write)
            .sent_once()
            .json(&json!({ "body": body }));
        self.settle("comment on", key, &call).await?;
        Ok(Linked::Comment)
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        doing: &'static str,
        key: &str,
        call: &Call,
    ) -> Result<T, JiraError> {
        let answered = self.http.json(call).await;
        answered.map_err(|error| JiraError::http(doing, key, error))
    }

    /// For a response whose content does not matter, but which must be Jira's.
    async fn settle(&self, doing: &'static str, key: &str, call: &Call) -> Result<(), JiraError> {
        let answered = self.http.send(call).await.and_then(|reply| {
            if reply.bytes().trim_ascii().is_empty() {
                Ok(())
            } else {
                reply.json::<IgnoredAny>().map(drop)
            }
        });
        answered.map_err(|error| JiraError::http(doing, key, error))
    }
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Answers of Jira are private and change often: none is cached.
fn read(path: Path) -> Call {
    Call::get(path).cacheable(false)
}

/// The issue was read before, so 404 is about remote links.
fn may_comment_instead(error: &JiraError) -> bool {
    matches!(
        error.kind(),
        JiraErrorKind::IssueNotFound | JiraErrorKind::NotPermitted { .. }
    )
}

/// `Pull Request: URL` as Atlassian's document format has it.
fn document(url: &str) -> Value {
    let link = json!({
        "type": "text", "text": url,
        "marks": [{ "type": "link", "attrs": { "href": url } }],
    });
    json!({
        "type": "doc", "version": 1,
        "content": [{
            "type": "paragraph",
            "content": [{ "type": "text", "text": "Pull Request: " }, link],
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atlassians_hosts_are_the_cloud() {
        let deployment = |url| Site::new(url).deployment;
        assert_eq!(deployment("https://acme.atlassian.net"), Deployment::Cloud);
        assert_eq!(
            deployment("https://jira.acme.example/jira/"),
            Deployment::DataCenter
        );
        assert_eq!(
            deployment("https://acme.atlassian.net.evil.example"),
            Deployment::DataCenter
        );
    }
}
