//! The real `gh`, in front of the forge.

use std::path::Path;

use baton_testkit::{Repo, missing};
use serde_json::Value;

use crate::world::{ALL_SCOPES, World};

/// What `gh` and git take the forge for. It is no address: the forge is the
/// proxy through which they ask it.
pub(crate) const HOST: &str = "github.localhost";

/// A world with `gh` on its `PATH`. Where it is not installed, a test ends
/// early, unless peers are required.
pub(crate) fn world_with_gh() -> Option<World> {
    let mut world = World::start_with(|settings| {
        settings.public_url = Some(format!("http://{HOST}"));
    });
    if world.sandbox.link_tool("gh") {
        return Some(world);
    }
    missing("gh");
    None
}

/// `gh`, as one user and in one folder.
pub(crate) struct Gh<'a> {
    world: &'a World,
    variables: Vec<String>,
    folder: &'a Path,
}

/// What a command printed, and how it ended.
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl<'a> Gh<'a> {
    pub(crate) fn new(world: &'a World, login: &str, folder: &'a Path) -> Self {
        let proxy = format!("http://{}", world.address);
        let token = world.token(login, ALL_SCOPES);
        let variables = vec![
            format!("GH_HOST={HOST}"),
            format!("GH_TOKEN={token}"),
            "GH_PROMPT_DISABLED=1".to_owned(),
            format!("HTTP_PROXY={proxy}"),
            format!("http_proxy={proxy}"),
            // Nothing outside is asked, whatever `gh` thinks of.
            "HTTPS_PROXY=http://127.0.0.1:9".to_owned(),
        ];
        Self {
            world,
            variables,
            folder,
        }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Printed {
        let mut all: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        all.push("gh");
        all.extend(args);
        let output = self.world.sandbox.run(self.folder, "env", &all);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Printed {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code(),
        }
    }

    /// What it printed; it must succeed.
    #[track_caller]
    pub(crate) fn succeeds(&self, args: &[&str]) -> String {
        let printed = self.run(args);
        assert_eq!(
            printed.code,
            Some(0),
            "gh {args:?}: {}{}",
            printed.stdout,
            printed.stderr
        );
        printed.stdout
    }

    /// What it printed as JSON; it must succeed.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.succeeds(args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// What it complained about; it must fail.
    #[track_caller]
    pub(crate) fn fails(&self, args: &[&str]) -> String {
        let printed = self.run(args);
        assert_ne!(printed.code, Some(0), "gh {args:?}: {}", printed.stdout);
        printed.stderr
    }
}

/// A checkout of `octo/demo` whose `origin` is where `gh` thinks the forge is,
/// with a branch `feature` that has one commit more than `main`.
pub(crate) fn checkout(world: &World) -> Repo<'_> {
    let repo = world.checkout();
    repo.branch("feature");
    repo.checkout("feature");
    repo.commit_file("change.txt", "one\ntwo\n", "Change something");
    repo.git(&["push", "--quiet", "--set-upstream", "origin", "feature"]);
    let url = format!("http://{HOST}/octo/demo.git");
    repo.git(&["remote", "set-url", "origin", &url]);
    repo
}
