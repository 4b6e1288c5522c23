//! Steps that follow a script and leave effects in a folder, for tests and for
//! the programs that tests start.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_engine::{StepCall, StepContext, StepFuture, StepResult, Steps};
use baton_protocol::handoff::{Handoff, HandoffKind};
use baton_workflow::{Failure, FailureKind, Goal, Report, Step};

pub(crate) fn goal() -> Goal {
    Goal {
        request: "Add rate limiting to the login endpoint".to_owned(),
        repository: "octo/shop".to_owned(),
        issue: None,
        pull_request: None,
        base: None,
        place: BTreeMap::default(),
    }
}

const PR: &str = "<pr_url>https://forge.test/octo/shop/pull/8</pr_url><pr_number>8</pr_number>";
const ISSUE: &str = "<issue_url>https://forge.test/octo/shop/issues/7</issue_url>";

fn read(from: &str, to: &str, fields: &str) -> Report {
    let xml = format!(
        "<handoff><from>{from}</from><to>{to}</to><timestamp>2031-05-06T07:08:09Z</timestamp>\
         <issue_number>7</issue_number>{fields}</handoff>"
    );
    passed(&xml)
}

fn passed(xml: &str) -> Report {
    let handoff = Handoff::from_xml(xml.as_bytes()).unwrap();
    Report::Passed {
        handoff: Box::new(handoff),
    }
}

/// What each step ends with where all goes well.
pub(crate) fn success(step: Step) -> Report {
    match step {
        Step::Issue => read(
            "issue-manager",
            "prep-agent",
            &format!(
                "{ISSUE}<issue_title>Limit logins</issue_title><type>feature</type>\
                 <priority>high</priority><summary>Created</summary>\
                 <requirements><requirement>Five tries a minute</requirement></requirements>"
            ),
        ),
        Step::Prepare => read(
            "prep-agent",
            "implementer-agent",
            &format!(
                "{ISSUE}<branch>feature/issue-7</branch><workspace_path>/tmp/shop</workspace_path>\
                 <workspace_type>worktree</workspace_type><status>ready</status>\
                 <validation><dependencies>installed</dependencies><build>passing</build></validation>"
            ),
        ),
        Step::Publish => read(
            "implementer-agent",
            "reviewer-agent",
            &format!(
                "{ISSUE}{PR}<branch>feature/issue-7</branch><summary>Limited</summary>\
                 <files_changed>2</files_changed><tests_added>3</tests_added>\
                 <commits><commit sha=\"abc123\">feat: limit</commit></commits>"
            ),
        ),
        Step::Review => read(
            "reviewer-agent",
            "validator-agent",
            &format!(
                "{PR}<review_status>approved</review_status><critical_count>0</critical_count>\
                 <important_count>0</important_count>"
            ),
        ),
        Step::Fix => read(
            "fixer-agent",
            "reviewer-agent",
            &format!(
                "{PR}<status>ready-for-re-review</status>\
                 <fixes_applied><fix>Bound it</fix></fixes_applied>"
            ),
        ),
        Step::Merge => read(
            "validator-agent",
            "closer-agent",
            &format!("{PR}<merge_status>merged</merge_status><merge_sha>abc123</merge_sha>"),
        ),
        Step::Close => passed(
            "<workflow-complete><timestamp>2031-05-06T07:08:09Z</timestamp>\
             <issue_number>7</issue_number><pr_number>8</pr_number><status>completed</status>\
             </workflow-complete>",
        ),
        Step::Implement | Step::Validate | Step::CleanUp => Report::Done,
    }
}

fn findings() -> Report {
    read(
        "reviewer-agent",
        "fixer-agent",
        &format!(
            "{PR}<review_status>changes_requested</review_status><critical_count>1</critical_count>\
             <important_count>0</important_count><blocking_issues>\
             <issue location=\"src/login.rs:4\" severity=\"critical\">SQL injection</issue>\
             </blocking_issues>"
        ),
    )
}

fn not_valid() -> Report {
    read(
        "validator-agent",
        "fixer-agent",
        &format!(
            "{PR}<validation_status>failed</validation_status>\
             <failures><failure type=\"test\">login_test</failure></failures>"
        ),
    )
}

/// A way with a retry, a review that asks for changes and a validation that
/// fails. It depends on the state alone, so that it is the same after a crash.
pub(crate) fn with_setbacks(call: &StepCall) -> Result<Report, Failure> {
    let has = |kind| call.state.latest(kind).is_some();
    match call.step {
        Step::Publish if call.attempt == 1 => {
            Err(Failure::new(FailureKind::Transient, "the forge is away"))
        }
        Step::Review if !has(HandoffKind::ChangesRequested) => Ok(findings()),
        Step::Validate if !has(HandoffKind::ValidationFailed) => Ok(not_valid()),
        step => Ok(success(step)),
    }
}

/// Steps whose effects are files: each successful step makes one with its key,
/// unless it finds one.
pub(crate) struct Scripted {
    pub(crate) world: World,
    pub(crate) script: fn(&StepCall) -> Result<Report, Failure>,
    /// Called when a step has made its effect and has not reported it yet.
    pub(crate) after_effect: Arc<dyn Fn(&StepCall) + Send + Sync>,
}

impl Scripted {
    pub(crate) fn new(world: &Path, script: fn(&StepCall) -> Result<Report, Failure>) -> Self {
        Self {
            world: World::new(world),
            script,
            after_effect: Arc::new(|_| {}),
        }
    }
}

impl Steps for Scripted {
    fn run<'a>(&'a self, call: &'a StepCall, _context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            let outcome = (self.script)(call);
            if outcome.is_ok() {
                self.world.make(call.key.as_str());
                (self.after_effect)(call);
            }
            StepResult::from(outcome)
        })
    }
}

/// A folder of numbered things, like the issues and comments of a forge: making
/// the same thing twice leaves two.
#[derive(Clone)]
pub(crate) struct World {
    folder: PathBuf,
}

impl World {
    pub(crate) fn new(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        Self {
            folder: folder.to_owned(),
        }
    }

    /// The markers of all things, in order.
    pub(crate) fn things(&self) -> Vec<String> {
        let mut things: Vec<PathBuf> = fs::read_dir(&self.folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "thing"))
            .collect();
        things.sort();
        let read = things.iter().map(|path| fs::read_to_string(path).unwrap());
        read.collect()
    }

    pub(crate) fn make(&self, marker: &str) {
        let things = self.things();
        if things.iter().any(|thing| thing == marker) {
            return;
        }
        let number = things.len() + 1;
        let unfinished = self.folder.join("unfinished");
        fs::write(&unfinished, marker).unwrap();
        fs::rename(unfinished, self.folder.join(format!("{number:04}.thing"))).unwrap();
    }
}
