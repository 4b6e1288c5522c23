use baton_testkit::Repo;
use baton_testkit::world::World;
use serde_json::Value;

use crate::command::{Answer, baton};

/// `octo` at a terminal that is no terminal, with a pull request.
pub(super) struct Scene {
    pub(super) world: World,
}

impl Scene {
    pub(super) fn new() -> Self {
        let mut world = World::start();
        let api_url = world.api_url();
        let token = world.token("octo").to_owned();
        world.sandbox.set("BATON_GITHUB_API_URL", api_url);
        world.sandbox.set("GITHUB_TOKEN", token);
        Self { world }
    }

    /// A checkout whose branch `fix/cart` changes a file, and its pull request,
    /// which is the first. Gives the head commit, too.
    pub(super) fn open_pull(&self) -> (Repo<'_>, String) {
        let repo = self.world.checkout();
        repo.branch("fix/cart");
        let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
        self.world.push(&repo, "fix/cart");
        assert_eq!(self.world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        (repo, head)
    }

    /// What a person sees, without what differs from run to run.
    pub(super) fn ask(&self, arguments: &[&str]) -> Answer {
        self.settled(baton(&self.world.sandbox).run(&[&["pr"], arguments].concat()))
    }

    /// The same inside the checkout.
    pub(super) fn ask_in(&self, repo: &Repo<'_>, arguments: &[&str]) -> Answer {
        let baton = baton(&self.world.sandbox).within(repo.path());
        self.settled(baton.run(&[&["pr"], arguments].concat()))
    }

    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        let answer = self.ask(&[arguments, &["--json"]].concat());
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer}"))
    }

    fn settled(&self, mut answer: Answer) -> Answer {
        let web_url = self.world.web_url();
        answer.stdout = answer.stdout.replace(&web_url, "[forge]");
        answer.stderr = answer.stderr.replace(&web_url, "[forge]");
        answer
    }
}
