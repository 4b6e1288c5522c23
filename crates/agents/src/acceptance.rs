//! What people have accepted: in this run, or for its repository before. What is
//! let pass that way is in the run's record and in the handoffs that follow.

use std::fs;
use std::sync::{Mutex, PoisonError};

use baton_engine::{Acceptance, Acceptances};
use baton_protocol::handoff::xml::Element;
use baton_review::{Finding, fingerprint_of, short_id};
use baton_workflow::Objection;
use serde_json::{Value, json};

use crate::AgentStep;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::workspace::element;

/// As much of a text as a person reads.
const MAX_TEXT: usize = 300;

/// In the folder of the run: what people accepted and the steps came across.
const NAME: &str = "accepted.json";

/// The element of a handoff that says what was accepted.
const ELEMENT: &str = "accepted";

/// As many as a handoff names.
const MAX_NAMED: usize = 100;

/// As many forged rows as the record names.
const MAX_REFUSED: usize = 5;

/// What is accepted for the repository, and what of it this step met.
#[derive(Default)]
pub(crate) struct Accepted {
    known: Acceptances,
    met: Mutex<Vec<Met>>,
}

/// An objection that did not count, because a person had accepted it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Met {
    fingerprint: String,
    text: String,
    reason: String,
    author: String,
}

/// For evidence that is no finding: `subject` names what it is about, to the
/// letter, and `text` says it to a person.
pub(crate) fn objection(rule: &str, subject: &str, text: &str) -> Objection {
    Objection {
        rule: rule.to_owned(),
        fingerprint: fingerprint_of(rule, "", subject),
        text: one_line(text, MAX_TEXT),
    }
}

/// For a finding of a review.
pub(crate) fn objection_to(finding: &Finding) -> Objection {
    Objection {
        rule: finding.rule.clone(),
        fingerprint: finding.fingerprint.clone(),
        text: one_line(&finding.to_string(), MAX_TEXT),
    }
}

impl Accepted {
    /// Reads what is accepted for the repository of a run.
    pub(crate) fn new(known: Acceptances) -> Self {
        Self {
            known,
            met: Mutex::default(),
        }
    }

    fn met(&self) -> Vec<Met> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.clone()
    }
}

impl AgentStep<'_> {
    /// Whether a person has accepted it. If so, the record of the run says who,
    /// and why.
    pub(crate) fn is_accepted(&self, objection: &Objection) -> bool {
        let known = self.accepted.known.find(&objection.fingerprint);
        // Fingerprints are short: what is accepted for one rule is not for another.
        let known = known.filter(|acceptance| acceptance.rule == objection.rule);
        let (reason, author) = match known {
            Some(acceptance) => (acceptance.reason.clone(), acceptance.author.clone()),
            None => match self.accepted_in_run(objection) {
                Some(reason) => (reason, "a person who steers the run".to_owned()),
                None => return false,
            },
        };
        let met = Met {
            fingerprint: objection.fingerprint.clone(),
            text: one_line(&objection.text, MAX_TEXT),
            reason: one_line(&reason, 200),
            author: one_line(&author, 100),
        };
        let told = format!("{}: accepted by {} ({})", met.text, met.author, met.reason);
        self.context.notice(&told);
        let all = &self.accepted.met;
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(&met) {
            all.push(met);
        }
        true
    }

    /// Names rows in the record that were written by something else than a person.
    pub(crate) fn refuse_unsigned(&self) {
        for fingerprint in self.accepted.known.unsigned().iter().take(MAX_REFUSED) {
            let id = short_id(&one_line(fingerprint, 40));
            self.context.notice(&format!(
                "the acceptance of {id} does not count: no person signed it; accept with `baton accept`"
            ));
        }
    }

    fn accepted_in_run(&self, objection: &Objection) -> Option<String> {
        let is_same = |one: &Objection| {
            one.fingerprint == objection.fingerprint && one.rule == objection.rule
        };
        let mut accepted = self.state().accepted().iter();
        let found = accepted.find(|one| is_same(&one.objection))?;
        Some(
            found
                .reason
                .as_deref()
                .unwrap_or("no reason given")
                .to_owned(),
        )
    }

    /// Leaves what no person has accepted.
    pub(crate) fn unaccepted(&self, objections: Vec<Objection>) -> Vec<Objection> {
        objections
            .into_iter()
            .filter(|objection| !self.is_accepted(objection))
            .collect()
    }

    /// An objection for a message. It says so where its acceptance has expired.
    pub(crate) fn told(&self, objection: &Objection) -> String {
        let text = &objection.text;
        match self.accepted.known.find_expired(&objection.fingerprint) {
            Some(acceptance) => format!("{text} ({})", expired(acceptance)),
            None => text.clone(),
        }
    }

    /// What this step and those before it let pass, for a handoff.
    pub(crate) fn accepted_elements(&self) -> Vec<Element> {
        let all = self.all_met();
        all.iter().take(MAX_NAMED).map(Met::as_element).collect()
    }

    /// What this step let pass, in words for the pull request.
    pub(crate) fn accepted_here(&self) -> Vec<String> {
        let met = self.accepted.met();
        met.iter()
            .map(|one| format!("accepted by {} ({}): {}", one.author, one.reason, one.text))
            .collect()
    }

    /// Keeps what this step let pass, for the handoffs of later steps.
    pub(crate) fn keep_accepted(&self) -> Result<(), StepError> {
        if self.accepted.met().is_empty() {
            return Ok(());
        }
        let all: Vec<Value> = self.all_met().iter().map(Met::to_json).collect();
        let path = self.context.folder().join(NAME);
        let failed = |error| StepError::file(format_args!("write {}", path.display()), &error);
        fs::create_dir_all(self.context.folder()).map_err(failed)?;
        // Half a file must never be read: the new one takes the place of the old.
        let beside = path.with_extension("new");
        fs::write(&beside, Value::from(all).to_string()).map_err(failed)?;
        fs::rename(&beside, &path).map_err(failed)
    }

    fn all_met(&self) -> Vec<Met> {
        let kept = fs::read(self.context.folder().join(NAME)).unwrap_or_default();
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        let kept = kept.as_array().into_iter().flatten();
        let mut all: Vec<Met> = kept.filter_map(Met::from_json).collect();
        for met in self.accepted.met() {
            all.retain(|known| known.fingerprint != met.fingerprint);
            all.push(met);
        }
        all
    }
}

fn expired(acceptance: &Acceptance) -> String {
    let day = acceptance
        .expires
        .map(|at| at.strftime("%Y-%m-%d").to_string());
    format!(
        "{} accepted it, which expired on {}",
        one_line(&acceptance.author, 100),
        day.unwrap_or_default()
    )
}

impl Met {
    fn as_element(&self) -> Element {
        let mut accepted = element(ELEMENT, "");
        for (name, text) in [
            ("finding", &self.text),
            ("reason", &self.reason),
            ("author", &self.author),
        ] {
            accepted.push_element(element(name, text));
        }
        accepted
    }

    fn to_json(&self) -> Value {
        json!({
            "fingerprint": self.fingerprint,
            "finding": self.text,
            "reason": self.reason,
            "author": self.author,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(Self {
            fingerprint: text("fingerprint")?,
            text: text("finding")?,
            reason: text("reason")?,
            author: text("author")?,
        })
    }
}
