use std::fs;
use std::path::PathBuf;

use baton_testkit::world::World;
use serde_json::Value;

use crate::command::{Answer, Baton, baton};

/// Writes what is asked for, as a coding agent would. While the file `slow` is
/// there, it says who it is and waits.
const SCRIBE: &str = "\
cat > /dev/null
if [ -e ../../slow ]; then echo $$ > ../../pid; fi
while [ -e ../../slow ]; do sleep 0.05; done
echo \"writing greeting.txt\"
echo hello > greeting.txt";

/// A project whose test is a shell script, and the checks of its forge.
pub(crate) const FILES: [(&str, &str); 3] = [
    (
        ".baton/config.toml",
        "[commands]\ninstall = \"true\"\nformat = \"true\"\nlint = \"true\"\nbuild = \"true\"\n\
         test = \"sh test.sh\"\n",
    ),
    (
        ".baton/forge-checks.toml",
        "[[jobs]]\nname = \"test\"\ncommand = \"sh test.sh\"\n",
    ),
    ("test.sh", "test -f README.md\n"),
];

/// `octo` at a terminal that is no terminal, in a checkout of `octo/demo`.
pub(crate) struct Scene {
    pub(crate) world: World,
    pub(crate) checkout: PathBuf,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with_files(&FILES)
    }

    /// With another project.
    pub(crate) fn with_files<T: AsRef<str>>(files: &[(T, T)]) -> Self {
        let mut world = World::start();
        world.enable_pushed_checks();
        let (api_url, token) = (world.api_url(), world.token("octo").to_owned());
        world.sandbox.set("BATON_GITHUB_API_URL", api_url);
        world.sandbox.set("GITHUB_TOKEN", token);
        world.sandbox.fake("scribe", SCRIBE);
        let checkout = {
            let repo = world.checkout();
            for (name, content) in files {
                repo.commit_file(name.as_ref(), content.as_ref(), "Begin");
            }
            // With a token, none is needed in the remote's address.
            let url = format!("{}/octo/demo.git", world.web_url());
            world.push(&repo, "main");
            repo.git(&["fetch", "--quiet", "origin"]);
            repo.git(&["remote", "set-url", "origin", &url]);
            repo.path().to_path_buf()
        };
        let scene = Self { world, checkout };
        scene.configure("");
        scene
    }

    /// The user's own file, with these lines besides the agent.
    pub(crate) fn configure(&self, more: &str) {
        let agent =
            "agent.name = \"scribe\"\nagent.driver = \"exec\"\nagent.program = \"scribe\"\n";
        let text = format!("{agent}{more}");
        self.world.sandbox.write("config/baton/config.toml", &text);
    }

    pub(crate) fn baton(&self) -> Baton<'_> {
        baton(&self.world.sandbox).within(&self.checkout)
    }

    pub(crate) fn ask(&self, arguments: &[&str]) -> Answer {
        let mut answer = self.baton().run(arguments);
        let web_url = self.world.web_url();
        answer.stdout = answer.stdout.replace(&web_url, "[forge]");
        answer.stderr = answer.stderr.replace(&web_url, "[forge]");
        answer
    }

    /// The same, for a verb that must succeed and answers in JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let answer = self.ask(&[arguments, &["--json"]].concat());
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer}"))
    }

    /// Where the agent finds the file that makes it slow.
    pub(crate) fn beside_worktrees(&self, name: &str) -> PathBuf {
        self.checkout.parent().unwrap().join(name)
    }

    /// It works outside of a sandbox then: it waits for a file beside the
    /// worktrees, and says which process it is.
    pub(crate) fn make_agent_slow(&self) {
        let config = self.world.sandbox.path("config/baton/config.toml");
        let text = fs::read_to_string(&config).unwrap();
        fs::write(config, format!("{text}sandbox.level = \"off\"\n")).unwrap();
        fs::write(self.beside_worktrees("slow"), "").unwrap();
    }

    pub(crate) fn make_agent_quick(&self) {
        fs::remove_file(self.beside_worktrees("slow")).unwrap();
    }

    /// The pull requests and issues that the forge has, with their states.
    pub(crate) fn on_the_forge(&self) -> String {
        let client = self.world.client("octo");
        let issues = client.get("/repos/octo/demo/issues?state=all").expect(200);
        let issues = issues.json();
        let mut lines: Vec<String> = issues
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let kind = match one.get("pull_request") {
                    Some(pull) if !pull["merged_at"].is_null() => "merged pull request",
                    Some(_) => "pull request",
                    None => "issue",
                };
                format!("{kind} #{}: {}", one["number"], one["state"])
            })
            .collect();
        lines.sort();
        lines.join("\n")
    }
}
