//! Where the branch is pushed to, and where the pull request goes.

use baton_host::git::{Git, Remote};
use baton_protocol::Repository;

/// A repository on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) host: String,
    pub(super) repository: Repository,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The remote that the branch is pushed to; none where there are no remotes.
    pub(super) remote: Option<String>,
    /// What is behind it, where its address tells.
    pub(super) head: Option<Home>,
    /// The repository that the pull request is opened in.
    pub(super) base: Option<Home>,
}

/// The remote that a fork's original has by custom.
const ORIGINAL: &str = "upstream";
const USUAL: &str = "origin";

impl Place {
    pub(super) async fn detect(git: &Git, branch: &str) -> Self {
        let remotes = git.remotes().await.unwrap_or_default();
        let configured = git.push_remote(branch).await.unwrap_or_default();
        Self::among(&remotes, configured.as_deref())
    }

    fn among(remotes: &[Remote], configured: Option<&str>) -> Self {
        let named = |name: &str| remotes.iter().find(|remote| remote.name == name);
        let push = configured
            .and_then(named)
            .or_else(|| named(USUAL))
            .or(match remotes {
                [only] => Some(only),
                _ => None,
            });
        let head = push.and_then(|remote| home(remote, true));
        let base = named(ORIGINAL)
            .or_else(|| named(USUAL))
            .or(push)
            .and_then(|remote| home(remote, false));
        Self {
            remote: push.map(|remote| remote.name.clone()),
            // A pull request cannot go from one host to another.
            base: match (&base, &head) {
                (Some(base), Some(head)) if base.host == head.host => Some(base.clone()),
                (None, _) | (_, Some(_)) => head.clone(),
                (Some(base), None) => Some(base.clone()),
            },
            head,
        }
    }

    /// The branch as the base repository calls it: with its owner where that is
    /// another one.
    pub(super) fn head_name(&self, branch: &str) -> String {
        match (&self.head, &self.base) {
            (Some(head), Some(base)) if head.repository != base.repository => {
                format!("{}:{branch}", head.repository.owner())
            }
            _ => branch.to_owned(),
        }
    }

    pub(super) fn head_owner(&self) -> Option<&str> {
        let home = self.head.as_ref().or(self.base.as_ref())?;
        Some(home.repository.owner())
    }
}

/// What the user wrote, not what `insteadOf` makes of it: that names the host.
fn home(remote: &Remote, for_push: bool) -> Option<Home> {
    let push = remote.push_urls.first().filter(|_| for_push);
    let url = push.or(remote.fetch_urls.first())?;
    let (mut host, repository) = Repository::from_remote(url.expose())?;
    // The port of SSH is not that of the API.
    if url.expose().starts_with("ssh://")
        && let Some((name, _)) = host.split_once(':')
    {
        host = name.to_owned();
    }
    Some(Home { host, repository })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(name: &str, url: &str) -> Remote {
        Remote {
            name: name.to_owned(),
            fetch_urls: vec![url.to_owned().into()],
            push_urls: Vec::new(),
            effective_fetch_urls: Vec::new(),
            effective_push_urls: Vec::new(),
        }
    }

    fn shown(remotes: &[Remote], configured: Option<&str>) -> String {
        let place = Place::among(remotes, configured);
        let home = |home: &Option<Home>| match home {
            Some(home) => format!("{}/{}", home.host, home.repository),
            None => "?".to_owned(),
        };
        format!(
            "push {} to {}, open {} in {}",
            place.remote.as_deref().unwrap_or("?"),
            home(&place.head),
            place.head_name("topic"),
            home(&place.base)
        )
    }

    #[test]
    fn a_fork_goes_to_its_original() {
        let fork = remote("origin", "git@github.com:me/app.git");
        let original = remote("upstream", "https://github.com/octo/app");
        insta::assert_snapshot!(shown(&[fork.clone(), original.clone()], None), @"push origin to github.com/me/app, open me:topic in github.com/octo/app");
        insta::assert_snapshot!(shown(&[fork.clone(), original], Some("upstream")), @"push upstream to github.com/octo/app, open topic in github.com/octo/app");
        insta::assert_snapshot!(shown(&[fork], None), @"push origin to github.com/me/app, open topic in github.com/me/app");
    }

    #[test]
    fn other_hosts_and_plain_paths_are_not_mixed_up() {
        let here = remote("origin", "/srv/git/app.git");
        insta::assert_snapshot!(shown(&[here], None), @"push origin to ?, open topic in ?");
        let enterprise = remote("work", "ssh://git@git.acme.example:2222/octo/app.git");
        insta::assert_snapshot!(shown(&[enterprise], None), @"push work to git.acme.example/octo/app, open topic in git.acme.example/octo/app");
        insta::assert_snapshot!(shown(&[], None), @"push ? to ?, open topic in ?");
    }
}
