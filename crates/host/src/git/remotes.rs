//! Lists remotes and their URLs.

use std::borrow::Cow;
use std::fmt;

use crate::cmd::Redactor;

use super::call::Call;
use super::{Git, GitError, parse};

/// A remote as it is configured, and as git uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// As written in the configuration.
    pub fetch_urls: Vec<RemoteUrl>,
    /// As written in the configuration; empty where pushes go to the fetch URL.
    pub push_urls: Vec<RemoteUrl>,
    /// Where git really fetches from, with `insteadOf` applied.
    pub effective_fetch_urls: Vec<RemoteUrl>,
    /// Where git really pushes to, with `insteadOf` and `pushInsteadOf` applied.
    pub effective_push_urls: Vec<RemoteUrl>,
}

/// A URL that may have credentials in it. They are not displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl(String);

impl RemoteUrl {
    /// The URL with its credentials, to be used and not to be displayed.
    pub fn expose(&self) -> &str {
        &self.0
    }

    fn redacted(&self) -> Cow<'_, str> {
        Redactor::default().redact(&self.0).into_owned().into()
    }
}

impl From<String> for RemoteUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteUrl({})", self.redacted())
    }
}

impl Git {
    /// The configured remotes, by name.
    pub async fn remotes(&self) -> Result<Vec<Remote>, GitError> {
        let call = Call::read("list the remotes").args(["remote", "--verbose"]);
        let effective = self.call(call).await?.success()?;
        let call = Call::read("list the URLs of the remotes").args([
            "config",
            "--null",
            "--get-regexp",
            r"^remote\..*\.(url|pushurl)$",
        ]);
        let configured = self.call(call).await?;
        if configured.code > 1 {
            return Err(configured.failed());
        }
        let configured = parse::remote_config(&configured.stdout);

        let mut remotes: Vec<Remote> = Vec::new();
        for line in parse::remote_lines(&effective.stdout) {
            let index = remotes.iter().position(|remote| remote.name == line.name);
            let index = index.unwrap_or_else(|| {
                remotes.push(new_remote(&line.name, &configured));
                remotes.len() - 1
            });
            let urls = match line.direction {
                parse::Direction::Fetch => &mut remotes[index].effective_fetch_urls,
                parse::Direction::Push => &mut remotes[index].effective_push_urls,
            };
            urls.push(line.url.into());
        }
        Ok(remotes)
    }
}

impl Git {
    /// The remote that the user's configuration pushes this branch to, if it is
    /// set. Only a configured name counts; git also allows a URL there.
    pub async fn push_remote(&self, branch: &str) -> Result<Option<String>, GitError> {
        let keys = [
            format!("branch.{branch}.pushRemote"),
            "remote.pushDefault".to_owned(),
            format!("branch.{branch}.remote"),
        ];
        for key in keys {
            let call = Call::read("read where branches are pushed to")
                .args(["config", "--get", "--end-of-options"])
                .arg(key);
            let reply = self.call(call).await?;
            if reply.code == 0 {
                return Ok(Some(reply.line()));
            }
        }
        Ok(None)
    }
}

fn new_remote(name: &str, configured: &[parse::RemoteLine]) -> Remote {
    let urls = |direction| {
        configured
            .iter()
            .filter(|line| line.name == name && line.direction == direction)
            .map(|line| line.url.clone().into())
            .collect()
    };
    Remote {
        name: name.to_owned(),
        fetch_urls: urls(parse::Direction::Fetch),
        push_urls: urls(parse::Direction::Push),
        effective_fetch_urls: Vec::new(),
        effective_push_urls: Vec::new(),
    }
}
