//! `check_merge_readiness`: every rule both ways, and every printed command run
//! by the real `gh` and git.

use std::time::Duration;

use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::Repo;
use baton_testkit::world::forge::NewRepository;
use baton_testkit::world::{CiRun, JobEnd, World};
use serde_json::{Value, json};

use super::shell::Shell;
use super::world::{Office, Spent};

const TOOL: &str = "check_merge_readiness";

/// A pull request of `octo`, and somebody who asks about it.
struct Scene<'w> {
    world: &'w World,
    office: Office<'w>,
    repo: Repo<'w>,
    head: String,
}

impl<'w> Scene<'w> {
    fn new(world: &'w World) -> Self {
        Self::with(world, |_| {}, |_| {})
    }

    /// With more files on `main`, and in the head commit.
    fn with(
        world: &'w World,
        on_main: impl FnOnce(&Repo<'_>),
        in_head: impl FnOnce(&Repo<'_>),
    ) -> Self {
        let repo = world.checkout();
        on_main(&repo);
        repo.commit("Prepare");
        world.push(&repo, "main");
        repo.branch("fix/cart");
        in_head(&repo);
        let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
        world.push(&repo, "fix/cart");
        assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        Self {
            world,
            office: Office::new(world),
            repo,
            head,
        }
    }

    fn ask(&self) -> Value {
        self.office.ask(TOOL, &json!({ "pr": "octo/demo#1" }))
    }

    /// The whole answer, for a snapshot.
    fn shown(&self) -> String {
        let text = self.office.shown(&self.ask());
        text.replace(&self.head, "HEAD")
            .replace(&self.head[..7], "HEAD")
    }

    fn outline(&self) -> String {
        outline(&self.ask()).replace(&self.head[..7], "HEAD")
    }

    fn run(&self, jobs: &[&str]) -> CiRun {
        self.world.start_run("CI", &self.head, jobs)
    }

    fn protect(&self, body: &Value) {
        let mut all = json!({
            "required_status_checks": null,
            "enforce_admins": true,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        for (name, value) in body.as_object().unwrap() {
            all[name] = value.clone();
        }
        let path = "/repos/octo/demo/branches/main/protection";
        self.world.client("octo").put(path, &all).expect(200);
    }

    fn rules(&self, rules: &Value) {
        let body = json!({
            "name": "main",
            "target": "branch",
            "enforcement": "active",
            "conditions": { "ref_name": { "include": ["refs/heads/main"], "exclude": [] } },
            "rules": rules,
        });
        let octo = self.world.client("octo");
        octo.post("/repos/octo/demo/rulesets", &body).expect(201);
    }

    fn review(&self, login: &str, event: &str) {
        let body = json!({ "event": event, "body": "Seen.", "commit_id": self.head });
        let client = self.world.client(login);
        client
            .post("/repos/octo/demo/pulls/1/reviews", &body)
            .expect(200);
    }

    fn comment_on_line(&self) {
        let body = json!({
            "body": "Why?", "commit_id": self.head, "path": "cart.py", "line": 1, "side": "RIGHT",
        });
        let client = self.world.client("reviewer");
        client
            .post("/repos/octo/demo/pulls/1/comments", &body)
            .expect(201);
    }

    /// What an answer costs when the forge knows already whether it merges.
    fn cost(&self) -> Spent {
        self.ask();
        let before = self.office.spent();
        self.ask();
        let after = self.office.spent();
        Spent {
            requests: after.requests - before.requests,
            points: after.points - before.points,
        }
    }

    /// Others go on meanwhile.
    fn main_goes_on(&self) {
        self.repo.checkout("main");
        self.repo.commit_file("other.py", "", "Go on");
        self.world.push(&self.repo, "main");
    }

    /// Runs what the ledger prints for a rule.
    #[track_caller]
    fn follow(&self, rule: &str, shell: &Shell<'_>) {
        for command in commands(&self.ask(), rule) {
            shell.done(&command);
        }
    }
}

/// Somebody else's desk.
fn office_of<'w>(world: &'w World, login: &str) -> Office<'w> {
    let mut office = Office::new(world);
    let server = Server::at(&world.api_url());
    let mut settings = server.settings("baton-tests");
    settings.retry.first_pause = Duration::from_millis(10);
    let auth = Auth::Token(Secret::new(world.token(login)));
    office.desk.github = GitHub::new(&server, auth, settings, Observer::default()).unwrap();
    office
}

fn entries(answer: &Value) -> &Vec<Value> {
    answer["ledger"].as_array().unwrap()
}

/// `ready` or not, the five answers, and a line per entry of the ledger.
fn outline(answer: &Value) -> String {
    let checks = answer["checks"].as_object().unwrap();
    let yes: Vec<&str> = checks
        .iter()
        .filter(|(_, value)| **value == true)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut lines = vec![format!(
        "ready: {} ({})",
        answer["ready_to_merge"],
        yes.join(" ")
    )];
    for entry in entries(answer) {
        let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        lines.push(format!(
            "{} {}: {}",
            text("status"),
            text("rule"),
            text("evidence")
        ));
    }
    if let Some(message) = answer["message"].as_str() {
        lines.push(message.to_owned());
    }
    lines.join("\n")
}

fn commands(answer: &Value, rule: &str) -> Vec<String> {
    entries(answer)
        .iter()
        .filter(|entry| entry["rule"] == rule && entry["status"] != "satisfied")
        .flat_map(|entry| entry["commands"].as_array().cloned().unwrap_or_default())
        .map(|command| command.as_str().unwrap().to_owned())
        .collect()
}

mod rules {
    use super::*;

    #[test]
    fn a_branch_without_rules_asks_for_little() {
        let world = World::start();
        let scene = Scene::new(&world);
        insta::assert_snapshot!(scene.shown(), @r#"
        {
          "pr": "octo/demo#1",
          "ready_to_merge": true,
          "checks": {
            "ci_passing": false,
            "approvals_met": true,
            "no_conflicts": true,
            "up_to_date": true,
            "branch_protection_satisfied": true
          },
          "blocking_issues": [],
          "ledger": [
            {
              "rule": "open",
              "status": "satisfied",
              "requirement": "the pull request is open",
              "source": "the forge",
              "evidence": "state: OPEN"
            },
            {
              "rule": "draft",
              "status": "satisfied",
              "requirement": "it is not a draft",
              "source": "the forge",
              "evidence": "isDraft: false"
            },
            {
              "rule": "conflicts",
              "status": "satisfied",
              "requirement": "it merges with main without conflicts",
              "source": "the forge",
              "evidence": "mergeable: MERGEABLE"
            }
          ],
          "merge_command": "gh pr merge 1 --repo octo/demo --merge --match-head-commit HEAD",
          "merge_methods": [
            "merge",
            "squash",
            "rebase"
          ],
          "merge_state_status": "clean",
          "rules_of": "main",
          "message": "No CI reports on the head."
        }
        "#);
        assert_eq!(
            scene.cost(),
            Spent {
                requests: 5,
                points: 2
            }
        );
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
    fn every_rule_of_a_protection_fails_at_first() {
        let world = World::start();
        let scene = Scene::with(
            &world,
            |repo| {
                repo.write("CODEOWNERS", "*.py @reviewer\n");
            },
            |_| {},
        );
        scene.main_goes_on();
        scene.protect(&json!({
            "required_status_checks": { "strict": true, "contexts": ["test", "lint"] },
            "required_pull_request_reviews": {
                "required_approving_review_count": 1,
                "require_code_owner_reviews": true,
                "require_last_push_approval": true,
            },
            "required_conversation_resolution": true,
            "required_linear_history": true,
            "required_signatures": true,
        }));
        scene.comment_on_line();
        insta::assert_snapshot!(scene.shown(), @r#"
        {
          "pr": "octo/demo#1",
          "ready_to_merge": false,
          "checks": {
            "ci_passing": false,
            "approvals_met": false,
            "no_conflicts": true,
            "up_to_date": false,
            "branch_protection_satisfied": false
          },
          "blocking_issues": [
            {
              "category": "approvals",
              "description": "1 approval of those with write access (latestOpinionatedReviews: nobody has approved; 0 of 1)",
              "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
            },
            {
              "category": "required_check",
              "description": "`test` passes (statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it)",
              "action_required": "Have it reported, or no longer ask for it."
            },
            {
              "category": "required_check",
              "description": "`lint` passes (statusCheckRollup: `lint` is not reported and no workflow of the head has a job of this name: another service has to report it)",
              "action_required": "Have it reported, or no longer ask for it."
            },
            {
              "category": "code_owners",
              "description": "an approval of a code owner for every changed file that has one (CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py)",
              "action_required": "A code owner approves it. `gh pr review 1 --repo octo/demo --approve`"
            },
            {
              "category": "last_push_approval",
              "description": "an approval of the latest push by somebody else than who pushed (latestOpinionatedReviews: no approval of the head HEAD)",
              "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
            },
            {
              "category": "up_to_date",
              "description": "the branch has all commits of main (compare: behind_by = 1)",
              "action_required": "Bring the base branch in. `gh api --method PUT repos/octo/demo/pulls/1/update-branch -f expected_head_sha=HEAD`"
            },
            {
              "category": "conversations",
              "description": "all review conversations are resolved (reviewThreads: isResolved is false at cart.py:1)",
              "action_required": "Settle each conversation, then resolve it; find_unresolved_comments has them all. `gh api graphql -f query='mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }' -f id=PRRT_AAAAAAAAAAE`"
            },
            {
              "category": "signatures",
              "description": "every commit has a verified signature (commits: signature of HEAD is null)",
              "action_required": "Sign the commits and push them again. `gh pr checkout 1 --repo octo/demo && git fetch origin main && git rebase --gpg-sign --force-rebase FETCH_HEAD && git push --force-with-lease`"
            }
          ],
          "branch_protection": {
            "required_approvals": 1,
            "current_approvals": 0,
            "required_checks": [
              "lint",
              "test"
            ],
            "passing_checks": [],
            "failing_checks": []
          },
          "ledger": [
            {
              "rule": "approvals",
              "status": "failing",
              "requirement": "1 approval of those with write access",
              "source": "branch protection of main",
              "evidence": "latestOpinionatedReviews: nobody has approved; 0 of 1",
              "cleared_by": "anybody with write access other than octo",
              "action": "A reviewer approves it.",
              "commands": [
                "gh pr review 1 --repo octo/demo --approve"
              ]
            },
            {
              "rule": "required_check",
              "status": "failing",
              "requirement": "`test` passes",
              "source": "branch protection of main",
              "evidence": "statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it",
              "cleared_by": "whoever maintains CI or the rules",
              "action": "Have it reported, or no longer ask for it."
            },
            {
              "rule": "required_check",
              "status": "failing",
              "requirement": "`lint` passes",
              "source": "branch protection of main",
              "evidence": "statusCheckRollup: `lint` is not reported and no workflow of the head has a job of this name: another service has to report it",
              "cleared_by": "whoever maintains CI or the rules",
              "action": "Have it reported, or no longer ask for it."
            },
            {
              "rule": "code_owners",
              "status": "failing",
              "requirement": "an approval of a code owner for every changed file that has one",
              "source": "branch protection of main",
              "evidence": "CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py",
              "cleared_by": "reviewer",
              "action": "A code owner approves it.",
              "commands": [
                "gh pr review 1 --repo octo/demo --approve"
              ]
            },
            {
              "rule": "last_push_approval",
              "status": "failing",
              "requirement": "an approval of the latest push by somebody else than who pushed",
              "source": "branch protection of main",
              "evidence": "latestOpinionatedReviews: no approval of the head HEAD",
              "cleared_by": "anybody with write access other than octo",
              "action": "A reviewer approves it.",
              "commands": [
                "gh pr review 1 --repo octo/demo --approve"
              ]
            },
            {
              "rule": "up_to_date",
              "status": "failing",
              "requirement": "the branch has all commits of main",
              "source": "branch protection of main",
              "evidence": "compare: behind_by = 1",
              "cleared_by": "octo, or anybody with write access",
              "action": "Bring the base branch in.",
              "commands": [
                "gh api --method PUT repos/octo/demo/pulls/1/update-branch -f expected_head_sha=HEAD"
              ]
            },
            {
              "rule": "conversations",
              "status": "failing",
              "requirement": "all review conversations are resolved",
              "source": "branch protection of main",
              "evidence": "reviewThreads: isResolved is false at cart.py:1",
              "cleared_by": "octo, or anybody with write access",
              "action": "Settle each conversation, then resolve it; find_unresolved_comments has them all.",
              "commands": [
                "gh api graphql -f query='mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }' -f id=PRRT_AAAAAAAAAAE"
              ]
            },
            {
              "rule": "signatures",
              "status": "failing",
              "requirement": "every commit has a verified signature",
              "source": "branch protection of main",
              "evidence": "commits: signature of HEAD is null",
              "cleared_by": "octo",
              "action": "Sign the commits and push them again.",
              "commands": [
                "gh pr checkout 1 --repo octo/demo",
                "git fetch origin main",
                "git rebase --gpg-sign --force-rebase FETCH_HEAD",
                "git push --force-with-lease"
              ]
            },
            {
              "rule": "open",
              "status": "satisfied",
              "requirement": "the pull request is open",
              "source": "the forge",
              "evidence": "state: OPEN"
            },
            {
              "rule": "draft",
              "status": "satisfied",
              "requirement": "it is not a draft",
              "source": "the forge",
              "evidence": "isDraft: false"
            },
            {
              "rule": "conflicts",
              "status": "satisfied",
              "requirement": "it merges with main without conflicts",
              "source": "the forge",
              "evidence": "mergeable: MERGEABLE"
            },
            {
              "rule": "linear_history",
              "status": "satisfied",
              "requirement": "main gets no merge commits",
              "source": "branch protection of main",
              "evidence": "the repository allows squash and rebase"
            }
          ],
          "merge_methods": [
            "squash",
            "rebase"
          ],
          "merge_state_status": "blocked",
          "rules_of": "main",
          "message": "No CI reports on the head."
        }
        "#);
        assert_eq!(
            scene.cost(),
            Spent {
                requests: 6,
                points: 3
            }
        );
    }

    /// What is printed is done, until it is merged.
    #[test]
    #[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
    fn the_printed_commands_clear_the_way() {
        let world = World::start();
        let mut scene = Scene::with(
            &world,
            |repo| {
                repo.write("CODEOWNERS", "*.py @reviewer\n");
            },
            |_| {},
        );
        let (Some(octo), Some(reviewer)) =
            (Shell::of(&world, "octo"), Shell::of(&world, "reviewer"))
        else {
            return;
        };
        scene.main_goes_on();
        scene.protect(&json!({
            "required_status_checks": { "strict": true, "contexts": ["test"] },
            "required_pull_request_reviews": {
                "required_approving_review_count": 1,
                "require_code_owner_reviews": true,
                "require_last_push_approval": true,
            },
            "required_conversation_resolution": true,
            "required_linear_history": true,
        }));
        scene.comment_on_line();
        let client = world.client("octo");
        let hostile = "do not merge/it's $(touch owned) `x`";
        let labels = json!({ "labels": [hostile, "bug"] });
        client
            .post("/repos/octo/demo/issues/1/labels", &labels)
            .expect(200);
        let title = json!({ "title": "WIP: Fix the \"cart\" of $(touch owned)" });
        client.patch("/repos/octo/demo/pulls/1", &title).expect(200);
        octo.done("gh pr ready 1 --undo --repo octo/demo");
        insta::assert_snapshot!(scene.outline(), @r#"
        ready: false (no_conflicts)
        failing draft: isDraft: true
        failing hold: labels: do not merge/it's $(touch owned) `x`
        failing hold: title: WIP: Fix the "cart" of $(touch owned)
        failing approvals: latestOpinionatedReviews: nobody has approved; 0 of 1
        failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
        failing code_owners: CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py
        failing last_push_approval: latestOpinionatedReviews: no approval of the head HEAD
        failing up_to_date: compare: behind_by = 1
        failing conversations: reviewThreads: isResolved is false at cart.py:1
        satisfied open: state: OPEN
        satisfied conflicts: mergeable: MERGEABLE
        satisfied linear_history: the repository allows squash and rebase
        No CI reports on the head.
        "#);

        scene.follow("draft", &octo);
        scene.follow("hold", &octo);
        scene.follow("conversations", &octo);
        scene.follow("up_to_date", &octo);
        scene.head = world.wait_for("the update", || {
            let pull = client.get("/repos/octo/demo/pulls/1").expect(200).json();
            let head = pull["head"]["sha"].as_str()?.to_owned();
            (head != scene.head).then_some(head)
        });
        scene.follow("approvals", &reviewer);
        let run = scene.run(&["test"]);
        run.end("test", &JobEnd::failure());
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` = FAILURE
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
        satisfied code_owners: reviewDecision: APPROVED
        satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
        satisfied up_to_date: compare: behind_by = 0
        satisfied conversations: reviewThreads: isResolved is true for all 1
        satisfied linear_history: the repository allows squash and rebase
        ");
        scene.follow("required_check", &octo);
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` = QUEUED
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
        satisfied code_owners: reviewDecision: APPROVED
        satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
        satisfied up_to_date: compare: behind_by = 0
        satisfied conversations: reviewThreads: isResolved is true for all 1
        satisfied linear_history: the repository allows squash and rebase
        CI is under way.
        ");

        let mut again = run;
        again.look();
        again.pass();
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer).replace(&scene.head[..7], "HEAD"), @"
        ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        satisfied code_owners: reviewDecision: APPROVED
        satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
        satisfied up_to_date: compare: behind_by = 0
        satisfied conversations: reviewThreads: isResolved is true for all 1
        satisfied linear_history: the repository allows squash and rebase
        ");
        octo.done(answer["merge_command"].as_str().unwrap());
        let pull = client.get("/repos/octo/demo/pulls/1").expect(200).json();
        assert_eq!(
            (&pull["merged"], &pull["title"]),
            (&json!(true), &json!("Fix the \"cart\" of $(touch owned)"))
        );
        assert_eq!(pull["labels"][0]["name"], "bug");
        let owned = |shell: &Shell<'_>| shell.folder().join("owned").exists();
        assert!(!owned(&octo) && !owned(&reviewer), "a title was run");
        insta::assert_snapshot!(scene.office.error(TOOL, &json!({ "pr": "octo/demo#1" })), @r#"
        {
          "error": "octo/demo#1 is merged already",
          "category": "logical",
          "suggestion": "There is nothing left to merge; ask about an open pull request."
        }
        "#);
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
    fn rulesets_ask_like_protections() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.rules(&json!([
            { "type": "pull_request", "parameters": {
                "required_approving_review_count": 2, "dismiss_stale_reviews_on_push": false,
                "require_code_owner_review": false, "require_last_push_approval": false,
                "required_review_thread_resolution": true, "allowed_merge_methods": ["squash"],
            } },
            { "type": "required_status_checks", "parameters": {
                "required_status_checks": [{ "context": "test" }],
                "strict_required_status_checks_policy": true,
            } },
            { "type": "required_deployments", "parameters": {
                "required_deployment_environments": ["staging"],
            } },
            { "type": "required_linear_history" },
            { "type": "deletion" },
        ]));
        scene.review("reviewer", "APPROVE");
        insta::assert_snapshot!(scene.shown(), @r#"
        {
          "pr": "octo/demo#1",
          "ready_to_merge": false,
          "checks": {
            "ci_passing": false,
            "approvals_met": false,
            "no_conflicts": true,
            "up_to_date": true,
            "branch_protection_satisfied": false
          },
          "blocking_issues": [
            {
              "category": "approvals",
              "description": "2 approvals of those with write access (latestOpinionatedReviews: APPROVED by reviewer; 1 of 2)",
              "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
            },
            {
              "category": "required_check",
              "description": "`test` passes (statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it)",
              "action_required": "Have it reported, or no longer ask for it."
            },
            {
              "category": "deployment",
              "description": "the head is deployed to staging (deployments: none to staging)",
              "action_required": "Deploy the head to staging. `gh api 'repos/octo/demo/deployments?sha=HEAD'`"
            }
          ],
          "branch_protection": {
            "required_approvals": 2,
            "current_approvals": 1,
            "required_checks": [
              "test"
            ],
            "passing_checks": [],
            "failing_checks": []
          },
          "ledger": [
            {
              "rule": "approvals",
              "status": "failing",
              "requirement": "2 approvals of those with write access",
              "source": "ruleset 1 of octo/demo",
              "evidence": "latestOpinionatedReviews: APPROVED by reviewer; 1 of 2",
              "cleared_by": "anybody with write access other than octo",
              "action": "A reviewer approves it.",
              "commands": [
                "gh pr review 1 --repo octo/demo --approve"
              ]
            },
            {
              "rule": "required_check",
              "status": "failing",
              "requirement": "`test` passes",
              "source": "ruleset 1 of octo/demo",
              "evidence": "statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it",
              "cleared_by": "whoever maintains CI or the rules",
              "action": "Have it reported, or no longer ask for it."
            },
            {
              "rule": "deployment",
              "status": "failing",
              "requirement": "the head is deployed to staging",
              "source": "ruleset 1 of octo/demo",
              "evidence": "deployments: none to staging",
              "cleared_by": "whoever deploys, or may approve deployments",
              "action": "Deploy the head to staging.",
              "commands": [
                "gh api 'repos/octo/demo/deployments?sha=HEAD'"
              ]
            },
            {
              "rule": "open",
              "status": "satisfied",
              "requirement": "the pull request is open",
              "source": "the forge",
              "evidence": "state: OPEN"
            },
            {
              "rule": "draft",
              "status": "satisfied",
              "requirement": "it is not a draft",
              "source": "the forge",
              "evidence": "isDraft: false"
            },
            {
              "rule": "conflicts",
              "status": "satisfied",
              "requirement": "it merges with main without conflicts",
              "source": "the forge",
              "evidence": "mergeable: MERGEABLE"
            },
            {
              "rule": "conversations",
              "status": "satisfied",
              "requirement": "all review conversations are resolved",
              "source": "ruleset 1 of octo/demo",
              "evidence": "reviewThreads: none"
            },
            {
              "rule": "merge_methods",
              "status": "satisfied",
              "requirement": "it is merged by squash",
              "source": "ruleset 1 of octo/demo",
              "evidence": "the repository allows squash"
            },
            {
              "rule": "up_to_date",
              "status": "satisfied",
              "requirement": "the branch has all commits of main",
              "source": "ruleset 1 of octo/demo",
              "evidence": "compare: behind_by = 0"
            },
            {
              "rule": "linear_history",
              "status": "satisfied",
              "requirement": "main gets no merge commits",
              "source": "ruleset 1 of octo/demo",
              "evidence": "the repository allows squash"
            }
          ],
          "merge_methods": [
            "squash"
          ],
          "merge_state_status": "blocked",
          "rules_of": "main",
          "message": "No CI reports on the head."
        }
        "#);

        if let Some(shell) = Shell::of(&world, "octo") {
            scene.follow("deployment", &shell);
        }
        let octo = world.client("octo");
        let body = json!({
            "ref": scene.head, "environment": "staging", "auto_merge": false, "required_contexts": [],
        });
        let made = octo
            .post("/repos/octo/demo/deployments", &body)
            .expect(201)
            .json();
        let path = format!("/repos/octo/demo/deployments/{}/statuses", made["id"]);
        octo.post(&path, &json!({ "state": "failure" })).expect(201);
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (no_conflicts up_to_date)
        failing approvals: latestOpinionatedReviews: APPROVED by reviewer; 1 of 2
        failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
        failing deployment: deployments: staging = FAILURE
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied conversations: reviewThreads: none
        satisfied merge_methods: the repository allows squash
        satisfied up_to_date: compare: behind_by = 0
        satisfied linear_history: the repository allows squash
        No CI reports on the head.
        ");
        octo.post(&path, &json!({ "state": "success" })).expect(201);
        scene.review("ci-bot", "APPROVE");
        scene.run(&["test"]).pass();
        insta::assert_snapshot!(scene.outline(), @"
        ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer, ci-bot
        satisfied conversations: reviewThreads: none
        satisfied merge_methods: the repository allows squash
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        satisfied up_to_date: compare: behind_by = 0
        satisfied deployment: deployments: staging = ACTIVE
        satisfied linear_history: the repository allows squash
        ");
        assert_eq!(scene.ask()["merge_methods"], json!(["squash"]));
    }

    #[test]
    fn changes_that_were_asked_for_block() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.protect(&json!({
            "required_pull_request_reviews": { "required_approving_review_count": 1 },
        }));
        scene.review("reviewer", "REQUEST_CHANGES");
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (no_conflicts up_to_date)
        failing approvals: latestOpinionatedReviews: CHANGES_REQUESTED by reviewer
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        scene.follow("approvals", &shell);
        let requested = world
            .client("octo")
            .get("/repos/octo/demo/pulls/1/requested_reviewers");
        assert_eq!(
            requested.expect(200).json()["users"][0]["login"],
            "reviewer"
        );
    }

    #[test]
    fn what_the_forge_alone_can_judge_stays_unknown() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.rules(&json!([
            { "type": "update" },
            { "type": "code_scanning", "parameters": { "code_scanning_tools": [
                { "tool": "CodeQL", "alerts_threshold": "errors", "security_alerts_threshold": "high_or_higher" },
            ] } },
            { "type": "commit_message_pattern", "parameters": { "operator": "starts_with", "pattern": "Fix" } },
        ]));
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing update: rules: update
        unknown code_scanning: mergeStateStatus: BLOCKED; the results of code scanning are not told one by one
        unknown other: rules: a rule that this version does not know
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head.
        ");
    }

    #[test]
    fn a_signature_that_is_missing_is_made() {
        let mut world = World::start();
        world.sandbox.link_tool("ssh-keygen");
        let scene = Scene::new(&world);
        scene.protect(&json!({ "required_signatures": true }));
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing signatures: commits: signature of HEAD is null
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        shell.done(
            "ssh-keygen -q -t ed25519 -N '' -f ../key && git config gpg.format ssh && \
             git config user.signingkey ../key.pub",
        );
        scene.follow("signatures", &shell);
        let answer = scene.ask();
        let entry = entries(&answer)
            .iter()
            .find(|entry| entry["rule"] == "signatures");
        // The forge knows no keys: it sees a signature and trusts none.
        let evidence = entry.unwrap()["evidence"].as_str().unwrap();
        assert!(evidence.ends_with("is UNKNOWN_KEY"), "{evidence}");
    }
}

mod ci {
    use super::*;

    fn scene(world: &World) -> Scene<'_> {
        let scene = Scene::new(world);
        world.require_checks("main", &["test"]);
        scene
    }

    #[test]
    fn in_all_its_states() {
        let world = World::start();
        let scene = scene(&world);
        let mut seen = vec![format!("none\n{}", scene.outline())];
        let run = scene.run(&["test", "lint"]);
        seen.push(format!("pending\n{}", scene.outline()));
        run.begin("test");
        run.end("lint", &JobEnd::failure());
        seen.push(format!("running\n{}", scene.outline()));
        run.end("test", &JobEnd::success());
        seen.push(format!(
            "passed but for one that is not required\n{}",
            scene.outline()
        ));
        insta::assert_snapshot!(seen.join("\n\n"), @"
        none
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.

        pending
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` = QUEUED
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        CI is under way. Whoever asks may merge past the rules as an administrator.

        running
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` = IN_PROGRESS
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        Not required and failed: lint. Whoever asks may merge past the rules as an administrator.

        passed but for one that is not required
        ready: true (approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        Not required and failed: lint.
        ");
    }

    #[test]
    fn what_is_missing_is_looked_at_with_gh() {
        let world = World::start();
        let scene = scene(&world);
        scene.run(&["test"]);
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        let commands = commands(&scene.ask(), "required_check");
        assert_eq!(commands, ["gh pr checks 1 --repo octo/demo"]);
        let output = shell.run(&commands[0]);
        // So `gh` says that something is under way.
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.starts_with("test\tpending"), "{said}");
    }

    #[test]
    fn a_check_can_be_unable_to_report() {
        let world = World::start();
        let workflow = "on:\n  pull_request:\n    paths: ['src/**']\n  workflow_dispatch:\njobs:\n  test:\n    runs-on: x\n";
        let scene = Scene::with(
            &world,
            |repo| {
                repo.write(".github/workflows/ci.yml", workflow);
            },
            |_| {},
        );
        world.require_checks("main", &["test", "elsewhere"]);
        // The forge knows a workflow from its runs.
        let main = scene.repo.git(&["rev-parse", "main"]);
        world.start_run("CI", &main, &["test"]).pass();
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported and never will be: .github/workflows/ci.yml: on.pull_request.paths leaves out every changed file
        failing required_check: statusCheckRollup: `elsewhere` is not reported and no workflow of the head has a job of this name: another service has to report it
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.
        ");
        let answer = scene.ask();
        let commands = commands(&answer, "required_check");
        insta::assert_snapshot!(commands.join("\n"), @"gh workflow run ci.yml --ref fix/cart --repo octo/demo");
        assert_eq!(
            scene.cost(),
            Spent {
                requests: 6,
                points: 3
            }
        );
        if let Some(shell) = Shell::of(&world, "octo") {
            // The forge starts no workflow that it does not run itself, and
            // refuses this one by its name.
            let output = shell.run(&commands[0]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                said.contains("Workflow does not have 'workflow_dispatch' trigger"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_commit_that_skips_ci_is_followed_by_one_that_does_not() {
        let world = World::start();
        let scene = Scene::with(
            &world,
            |repo| {
                let text = "on: pull_request\njobs:\n  test:\n    runs-on: x\n";
                repo.write(".github/workflows/ci.yml", text);
            },
            |_| {},
        );
        world.require_checks("main", &["test"]);
        scene
            .repo
            .commit_file("cart.py", "total = 1\n", "Count [skip ci]");
        world.push(&scene.repo, "fix/cart");
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported and never will be: the head commit says `[skip ci]`
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        scene.follow("required_check", &shell);
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported; its workflow should have run
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.
        ");
    }

    #[test]
    fn a_run_that_waits_is_allowed() {
        let world = World::start();
        let scene = scene(&world);
        scene.run(&[]).end_without_jobs("action_required");
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported; run 1 waits: action_required
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        let commands = commands(&scene.ask(), "required_check");
        insta::assert_snapshot!(commands.join("\n"), @"gh api --method POST repos/octo/demo/actions/runs/1/approve");
        let output = shell.run(&commands[0]);
        // The forge has no jobs of its own that it could start for it.
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        insta::assert_snapshot!(said.trim(), @r#"{"message":"This run is not waiting for approval","documentation_url":"https://docs.github.com/rest","status":"403"}"#);
    }

    #[test]
    fn two_hundred_required_checks_fit() {
        let world = World::start();
        let scene = Scene::new(&world);
        let names: Vec<String> = (0..200)
            .map(|number| format!("check {number:03}"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        world.require_checks("main", &names);
        let answer = scene.ask();
        assert_eq!(entries(&answer).len(), 33);
        insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"200 things stand in the way; the first 30 are shown. No CI reports on the head. Whoever asks may merge past the rules as an administrator.");
        let run = scene.run(&names);
        run.pass();
        let answer = scene.ask();
        assert_eq!(
            (&answer["ready_to_merge"], entries(&answer).len()),
            (&json!(true), 4)
        );
        assert!(answer.to_string().len() < 30_000);
    }
}

mod queue {
    use super::*;

    fn scene<'w>(world: &'w World, on: &str) -> Scene<'w> {
        let text = format!("on: {on}\njobs:\n  test:\n    runs-on: x\n");
        let scene = Scene::with(
            world,
            |repo| {
                repo.write(".github/workflows/ci.yml", &text);
            },
            |_| {},
        );
        scene.rules(&json!([
            { "type": "merge_queue", "parameters": {
                "merge_method": "SQUASH", "check_response_timeout_minutes": 10,
                "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5, "max_entries_to_merge": 5,
                "min_entries_to_merge": 1, "min_entries_to_merge_wait_minutes": 1,
            } },
            { "type": "required_status_checks", "parameters": {
                "required_status_checks": [{ "context": "test" }],
                "strict_required_status_checks_policy": false,
            } },
        ]));
        scene.run(&["test"]).pass();
        scene
    }

    #[test]
    fn a_workflow_that_does_not_hear_of_it_blocks() {
        let world = World::start();
        let scene = scene(&world, "pull_request");
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: .github/workflows/ci.yml: `on` has no `merge_group`, so that `test` never reports in the merge queue
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied merge_queue: isInMergeQueue: false; the merge command puts it in
        Whoever asks may merge past the rules as an administrator.
        ");
    }

    #[test]
    fn the_merge_command_puts_it_in() {
        let world = World::start();
        let scene = scene(&world, "[pull_request, merge_group]");
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"
        ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied merge_queue: isInMergeQueue: false; the merge command puts it in
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        shell.done(answer["merge_command"].as_str().unwrap());
        insta::assert_snapshot!(scene.outline(), @"
        ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied merge_queue: mergeQueueEntry: QUEUED at 1
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        It is in the merge queue at position 1 (QUEUED).
        ");
    }
}

mod state {
    use super::*;

    #[test]
    fn those_without_rights_learn_what_they_may() {
        let world = World::start();
        let scene = Scene::new(&world);
        let shown = |login: &str| {
            let answer = office_of(&world, login).ask(TOOL, &json!({ "pr": "octo/demo#1" }));
            format!("{login}\n{}", outline(&answer))
        };
        insta::assert_snapshot!(shown("guest"), @"
        guest
        ready: true (approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may not merge here.
        ");
        scene.protect(&json!({
            "required_status_checks": { "strict": true, "contexts": ["test"] },
        }));
        scene.run(&["test"]).pass();
        insta::assert_snapshot!(format!("{}\n\n{}", shown("reviewer"), shown("guest")), @"
        reviewer
        ready: false (ci_passing no_conflicts up_to_date)
        unknown unread_rules: branchProtectionRule: null; refUpdateRule: present
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied required_check: statusCheckRollup: `test` = SUCCESS

        guest
        ready: false (ci_passing no_conflicts up_to_date)
        unknown unread_rules: branchProtectionRule: null; refUpdateRule: present
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        satisfied required_check: statusCheckRollup: `test` = SUCCESS
        Whoever asks may not merge here.
        ");
        let answer = office_of(&world, "guest").ask(TOOL, &json!({ "pr": "octo/demo#1" }));
        assert_eq!(answer["ready_to_merge"], false);
    }

    #[test]
    fn conflicts_are_left_to_whoever_follows() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.repo.checkout("main");
        scene
            .repo
            .commit_file("cart.py", "total = 2\n", "Count otherwise");
        world.push(&scene.repo, "main");
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met branch_protection_satisfied)
        failing conflicts: mergeable: CONFLICTING
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        No CI reports on the head.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        let commands = commands(&scene.ask(), "conflicts");
        let (last, before) = commands.split_last().unwrap();
        for command in before {
            shell.done(command);
        }
        assert_eq!(shell.run(last).status.code(), Some(1));
        assert_eq!(shell.done("git status --short"), "AA cart.py\n");
    }

    #[test]
    fn a_closed_one_can_be_opened_again() {
        let world = World::start();
        let scene = Scene::new(&world);
        // Whether a closed one would merge is not looked up any more.
        scene.ask();
        let octo = world.client("octo");
        octo.patch("/repos/octo/demo/pulls/1", &json!({ "state": "closed" }))
            .expect(200);
        insta::assert_snapshot!(scene.outline(), @"
        ready: false (approvals_met no_conflicts up_to_date branch_protection_satisfied)
        failing open: state: CLOSED
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head.
        ");
        let Some(shell) = Shell::of(&world, "octo") else {
            return;
        };
        shell.done("gh pr view 1 --repo octo/demo --json mergeable,mergeStateStatus");
        scene.follow("open", &shell);
        assert_eq!(scene.ask()["ready_to_merge"], true);
    }

    #[test]
    fn a_stack_is_noticed() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.repo.branch("fix/cart-more");
        scene.repo.commit_file("more.py", "", "More");
        world.push(&scene.repo, "fix/cart-more");
        assert_eq!(world.open_pull("More", "fix/cart-more", "fix/cart"), 2);
        let answer = scene.office.ask(TOOL, &json!({ "pr": "octo/demo#2" }));
        insta::assert_snapshot!(outline(&answer), @"
        ready: true (approvals_met no_conflicts up_to_date branch_protection_satisfied)
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. It goes into fix/cart, the branch of the open #1: merging puts it there.
        ");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let world = World::start();
        world.add_repository(NewRepository::new("octo", "empty"));
        world.add_repository(NewRepository {
            private: true,
            ..NewRepository::new("octo", "secret")
        });
        let office = office_of(&world, "guest");
        let errors = [
            "octo/demo#7",
            "octo/empty#1",
            "octo/secret#1",
            "octo/none#1",
            "nonsense",
        ];
        let errors = errors.map(|pr| office.error(TOOL, &json!({ "pr": pr })));
        insta::assert_snapshot!(errors.join("\n"), @r#"
        {
          "error": "cannot read the merge requirements of pull request octo/demo#7: it was not found",
          "category": "user",
          "suggestion": "Check the name or number of pull request octo/demo#7; the token may also lack the permission to see it."
        }
        {
          "error": "cannot read the merge requirements of pull request octo/empty#1: it was not found",
          "category": "user",
          "suggestion": "Check the name or number of pull request octo/empty#1; the token may also lack the permission to see it."
        }
        {
          "error": "cannot read the merge requirements of pull request octo/secret#1: there is no repository octo/secret, or this token may not see it",
          "category": "user",
          "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
        }
        {
          "error": "cannot read the merge requirements of pull request octo/none#1: there is no repository octo/none, or this token may not see it",
          "category": "user",
          "suggestion": "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list)."
        }
        {
          "error": "'nonsense' is no reference to a pull request; write 'owner/repo#12', 'owner/repo/pull/12' or the pull request's URL",
          "category": "user"
        }
        "#);
    }

    #[test]
    fn a_fork_that_nobody_may_see_has_a_ledger_still() {
        let world = World::start();
        let scene = Scene::new(&world);
        let guest = world.client("guest");
        guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
        let url = world.git_url("guest", "guest/demo");
        world.wait_for("the fork", || {
            let asked = scene
                .repo
                .try_git(&["ls-remote", "--exit-code", &url, "main"]);
            asked.status.success().then_some(())
        });
        scene.repo.branch("from-afar");
        scene.repo.commit_file("afar.py", "", "From afar");
        scene
            .repo
            .git(&["push", "--quiet", &url, "HEAD:refs/heads/from-afar"]);
        let body = json!({ "title": "From afar", "head": "guest:from-afar", "base": "main" });
        guest.post("/repos/octo/demo/pulls", &body).expect(201);
        guest.delete("/repos/guest/demo").expect(204);
        world.require_checks("main", &["test"]);
        let answer = scene.office.ask(TOOL, &json!({ "pr": "octo/demo#2" }));
        insta::assert_snapshot!(outline(&answer), @"
        ready: false (approvals_met no_conflicts up_to_date)
        failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
        satisfied open: state: OPEN
        satisfied draft: isDraft: false
        satisfied conflicts: mergeable: MERGEABLE
        No CI reports on the head. Whoever asks may merge past the rules as an administrator.
        ");
    }
}
