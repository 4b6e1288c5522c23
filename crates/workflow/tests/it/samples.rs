//! Handoffs, runs and a way to walk through one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use baton_protocol::handoff::Handoff;
use baton_workflow::{
    Answer, Command, Event, Failure, FailureKind, Goal, IllegalEvent, Key, Policy, Report, Start,
    State, Usage, apply, next, replay,
};
use jiff::{SignedDuration, Timestamp};

pub(crate) fn start(policy: Policy) -> Start {
    Start {
        run: "20310506-7f3a".parse().unwrap(),
        goal: Goal {
            request: "Add rate limiting to the login endpoint".to_owned(),
            repository: "octo/shop".to_owned(),
            issue: None,
            pull_request: None,
            base: None,
            place: BTreeMap::default(),
        },
        policy,
    }
}

pub(crate) fn passed(handoff: Handoff) -> Report {
    Report::Passed {
        handoff: Box::new(handoff),
    }
}

fn read(from: &str, to: &str, fields: &str) -> Report {
    let xml = format!(
        "<handoff><from>{from}</from><to>{to}</to><timestamp>2031-05-06T07:08:09Z</timestamp>\
         <issue_number>7</issue_number>{fields}</handoff>"
    );
    passed(Handoff::from_xml(xml.as_bytes()).unwrap())
}

const PR: &str = "<pr_url>https://forge.test/octo/shop/pull/8</pr_url><pr_number>8</pr_number>";

pub(crate) fn issue_ready() -> Report {
    read(
        "issue-manager",
        "prep-agent",
        "<issue_url>https://forge.test/octo/shop/issues/7</issue_url><issue_title>Limit logins</issue_title>\
         <type>feature</type><priority>high</priority><summary>Created</summary>\
         <requirements><requirement>Five tries a minute</requirement></requirements>",
    )
}

pub(crate) fn workspace(status: &str) -> Report {
    read(
        "prep-agent",
        "implementer-agent",
        &format!(
            "<issue_url>https://forge.test/octo/shop/issues/7</issue_url><branch>feature/issue-7</branch>\
             <workspace_path>/tmp/shop</workspace_path><workspace_type>worktree</workspace_type>\
             <status>{status}</status><validation><dependencies>installed</dependencies>\
             <build>passing</build></validation>"
        ),
    )
}

pub(crate) fn implemented() -> Report {
    read(
        "implementer-agent",
        "reviewer-agent",
        &format!(
            "{PR}<issue_url>https://forge.test/octo/shop/issues/7</issue_url>\
             <branch>feature/issue-7</branch><summary>Limited</summary><files_changed>2</files_changed>\
             <tests_added>3</tests_added><commits><commit sha=\"abc123\">feat: limit</commit></commits>"
        ),
    )
}

pub(crate) fn findings(what: &[&str]) -> Report {
    let issues = what.iter().fold(String::new(), |mut xml, issue| {
        write!(
            xml,
            "<issue location=\"src/login.rs:{}\" severity=\"critical\">{issue}</issue>",
            xml.len() + 1
        )
        .unwrap();
        xml
    });
    read(
        "reviewer-agent",
        "fixer-agent",
        &format!(
            "{PR}<review_status>changes_requested</review_status><critical_count>{}</critical_count>\
             <important_count>0</important_count><blocking_issues>{issues}</blocking_issues>",
            what.len()
        ),
    )
}

pub(crate) fn approved() -> Report {
    read(
        "reviewer-agent",
        "validator-agent",
        &format!(
            "{PR}<review_status>approved</review_status><critical_count>0</critical_count>\
             <important_count>0</important_count>"
        ),
    )
}

pub(crate) fn fixed() -> Report {
    read(
        "fixer-agent",
        "reviewer-agent",
        &format!(
            "{PR}<status>ready-for-re-review</status><fixes_applied><fix>Bound it</fix></fixes_applied>"
        ),
    )
}

pub(crate) fn nothing_to_fix() -> Report {
    read(
        "fixer-agent",
        "validator-agent",
        &format!("{PR}<status>skipped</status>"),
    )
}

pub(crate) fn not_valid(what: &str) -> Report {
    read(
        "validator-agent",
        "fixer-agent",
        &format!(
            "{PR}<validation_status>failed</validation_status>\
             <failures><failure type=\"test\">{what}</failure></failures>"
        ),
    )
}

/// A conflict with a commit of the base.
pub(crate) fn conflict(base: &str) -> Report {
    read(
        "validator-agent",
        "fixer-agent",
        &format!(
            "{PR}<validation_status>failed</validation_status>\
             <failures><failure type=\"conflict\">feature and main conflict in a.rs</failure></failures>\
             <base_commit>{base}</base_commit>"
        ),
    )
}

pub(crate) fn merged() -> Report {
    read(
        "validator-agent",
        "closer-agent",
        &format!("{PR}<merge_status>merged</merge_status><merge_sha>abc123</merge_sha>"),
    )
}

pub(crate) fn agent_failed(from: &str, status: &str, recoverable: bool) -> Report {
    read(
        from,
        "orchestrator",
        &format!(
            "<status>{status}</status><error><type>BuildError</type><message>it does not compile</message>\
             <recoverable>{recoverable}</recoverable></error>"
        ),
    )
}

pub(crate) fn complete() -> Report {
    let xml = "<workflow-complete><timestamp>2031-05-06T07:08:09Z</timestamp>\
               <issue_number>7</issue_number><pr_number>8</pr_number><status>completed</status>\
               </workflow-complete>";
    passed(Handoff::from_xml(xml.as_bytes()).unwrap())
}

pub(crate) fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure::new(kind, message)
}

/// A run that is being driven by hand. Each event happens a second after the
/// one before.
#[derive(Clone)]
pub(crate) struct Walk {
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    now: Timestamp,
}

impl Walk {
    pub(crate) fn new(policy: Policy) -> Self {
        let now: Timestamp = "2031-05-06T07:00:00Z".parse().unwrap();
        let created = Event::Created {
            at: now,
            start: Box::new(start(policy)),
        };
        Self {
            state: replay([&created]).unwrap(),
            events: vec![created],
            now,
        }
    }

    /// A run whose goal is a pull request that is open already.
    pub(crate) fn tending(policy: Policy) -> Self {
        let mut walk = Self::new(policy.clone());
        let mut start = start(policy);
        start.goal.pull_request = Some(8);
        let created = Event::Created {
            at: walk.now,
            start: Box::new(start),
        };
        walk.state = replay([&created]).unwrap();
        walk.events = vec![created];
        walk
    }

    /// A run with the default rules that has come as far as the first review.
    pub(crate) fn to_review(policy: Policy) -> Self {
        let mut walk = Self::new(policy);
        walk.does(issue_ready());
        walk.does(workspace("ready"));
        walk.does(Report::Done);
        walk.does(implemented());
        walk
    }

    pub(crate) fn pass_time(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    pub(crate) fn try_event(&mut self, event: Event) -> Result<(), IllegalEvent> {
        self.state = apply(self.state.clone(), &event)?;
        self.events.push(event);
        Ok(())
    }

    fn event(&mut self, make: impl FnOnce(Timestamp) -> Event) {
        self.pass_time(1);
        self.try_event(make(self.now)).unwrap();
    }

    pub(crate) fn key(&self) -> Key {
        self.state.task().unwrap().key.clone()
    }

    pub(crate) fn begins(&mut self) {
        let key = self.key();
        self.event(|at| Event::Started { key, at });
    }

    pub(crate) fn finishes(&mut self, report: Report, usage: Usage) {
        let key = self.key();
        self.event(|at| Event::Finished {
            key,
            at,
            report,
            usage,
        });
    }

    /// Starts the current step and finishes it with this report.
    pub(crate) fn does(&mut self, report: Report) {
        self.begins();
        self.finishes(report, Usage::default());
    }

    pub(crate) fn fails_as(&mut self, failure: Failure) {
        self.begins();
        let key = self.key();
        let usage = Usage::default();
        self.event(|at| Event::Failed {
            key,
            at,
            failure,
            usage,
        });
    }

    pub(crate) fn fails(&mut self, kind: FailureKind, message: &str) {
        self.fails_as(failure(kind, message));
    }

    pub(crate) fn wakes(&mut self) {
        let key = next(&self.state)
            .into_iter()
            .find_map(|command| match command {
                Command::Sleep { key, .. } => Some(key),
                _ => None,
            });
        let key = key.expect("the run sleeps");
        self.event(|at| Event::Woke { key, at });
    }

    pub(crate) fn answers(&mut self, choice: char) {
        self.answers_with(choice, None);
    }

    pub(crate) fn answers_with(&mut self, choice: char, comment: Option<&str>) {
        let key = self.state.question().expect("the run asks").key.clone();
        let answer = Answer {
            choice,
            comment: comment.map(str::to_owned),
        };
        self.event(|at| Event::Answered { key, at, answer });
    }

    pub(crate) fn cancels(&mut self) {
        let reason = "changed my mind".to_owned();
        self.event(|at| Event::CancelRequested { at, reason });
    }

    /// The state of the run and its commands, for snapshots.
    pub(crate) fn wants(&self) -> String {
        let mut text = self.state.status().word().to_owned();
        for command in next(&self.state) {
            text.push_str(" | ");
            text.push_str(&shown(&command));
        }
        text
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }
}

pub(crate) fn shown(command: &Command) -> String {
    match command {
        Command::RunStep {
            key,
            attempt,
            begun,
            ..
        } => {
            let again = if *begun { " begun" } else { "" };
            format!("run {} try {attempt}{again}", key.within_run())
        }
        Command::Stop { key } => format!("stop {}", key.within_run()),
        Command::Sleep { key, until } => {
            format!(
                "sleep {} until {}",
                key.within_run(),
                until.strftime("%M:%S")
            )
        }
        Command::Ask { key, question, .. } => {
            let keys: String = question.options.iter().map(|option| option.key).collect();
            format!("ask {} [{keys}] {}", key.within_run(), question.reason)
        }
        Command::Complete { ending } => format!("complete {ending:?}"),
    }
}
