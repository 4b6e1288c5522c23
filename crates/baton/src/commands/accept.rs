//! `baton accept`: accept what a run or a review objects to.

use std::fmt::Write as _;
use std::path::Path;

use baton_engine::{Acceptance, AcceptanceWriter, Acceptances};
use baton_ops::validation::{self, Others, SCANNER_LIMIT, Scanning, Since};
use baton_review::{Finding, Options, Severity, short_id};
use baton_workflow::{ACCEPT, Answer, Objection};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::go_on;
use super::review::{self, named};
use super::validate;
use crate::acceptances::{self, Expiry, Grounds};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs;
use crate::runtime;
use crate::session::Session;
use crate::terminal::{self, Style, sanitize};

/// Accept a finding, or what a run asks about, for this repository
///
/// Only people can accept: it takes a key that the sandbox of a run does not show.
/// What is accepted does not hold up this run or later ones, and does not fail
/// `baton review` and `baton validate`, until it expires. A run goes on, as with
/// `baton answer RUN a`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A run (`-` is the newest), a finding such as F-1a2b3c4d, or RULE:PATH[:LINE]
    #[arg(
        value_name = "RUN|FINDING",
        required_unless_present_any = ["list", "remove"],
        conflicts_with_all = ["list", "remove"]
    )]
    what: Option<String>,

    /// Why it can be accepted, in a sentence
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["list", "remove"])]
    reason: Option<String>,

    /// For how long: days such as 30d, a date such as 2031-05-06, or never; 180d without it
    #[arg(long, value_name = "WHEN", value_parser = Expiry::parse)]
    expires: Option<Expiry>,

    /// Look for the finding in what has changed since this commit
    #[arg(long, value_name = "BASE")]
    diff: Option<String>,

    /// Let the run go on in the background
    #[arg(long)]
    detach: bool,

    /// List what is accepted for this repository
    #[arg(long, conflicts_with = "remove")]
    list: bool,

    /// Take an acceptance back
    #[arg(long, value_name = "ID")]
    remove: Option<String>,

    /// Print one JSON object: the run, or what is accepted
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    if args.list {
        return list(args, session);
    }
    if let Some(id) = &args.remove {
        return remove(id, args, session);
    }
    let (what, reason) = (
        args.what.as_deref().unwrap_or_default(),
        args.reason.as_deref().unwrap_or_default(),
    );
    match Target::parse(what) {
        Some(target) => accept_finding(&target, reason, args, session),
        None => accept_run(what, reason, args, session),
    }
}

/// A finding, as a person names it.
enum Target<'a> {
    /// The first digits of its fingerprint.
    Digits(String),
    Place {
        rule: &'a str,
        path: &'a str,
        line: Option<u32>,
    },
}

impl<'a> Target<'a> {
    /// Nothing for what can only be a run.
    fn parse(text: &'a str) -> Option<Self> {
        if let Some(digits) = text.strip_prefix("F-").or_else(|| text.strip_prefix("f-")) {
            return Some(Self::Digits(digits.to_ascii_lowercase()));
        }
        let (rule, place) = text.split_once(':')?;
        let (path, line) = match place.rsplit_once(':') {
            Some((path, line)) => match line.parse() {
                Ok(line) => (path, Some(line)),
                Err(_) => (place, None),
            },
            None => (place, None),
        };
        Some(Self::Place { rule, path, line })
    }

    fn is_meant(&self, finding: &Finding) -> bool {
        match self {
            Self::Digits(digits) => {
                digits.len() >= MIN_DIGITS && finding.fingerprint.starts_with(digits)
            }
            Self::Place { rule, path, line } => {
                finding.rule == *rule
                    && finding.place.path == *path
                    && line.is_none_or(|line| finding.place.start_line == line)
            }
        }
    }
}

/// Fewer would be a guess.
const MIN_DIGITS: usize = 4;

fn accept_run(
    what: &str,
    reason: &str,
    args: &Args,
    session: &Session,
) -> Result<Exit, CommandError> {
    runtime::drive(async |cancel| {
        let driving = runs::open_as_person(session).await?;
        let run = runs::find(&driving.engine, what).await?;
        let state = driving.engine.state(&run).await;
        let state = state.map_err(|error| runs::failed(&error))?;
        if let Some(question) = state.question()
            && !question.can_be_accepted()
        {
            let options = question.options.iter();
            let options: Vec<String> = options
                .map(|one| format!("{} ({})", one.key, one.label))
                .collect();
            return Err(CommandError::wrong_use(format!(
                "the run {run} asks about something else than evidence: {}",
                sanitize(&question.reason.to_string())
            ))
            .hint(format!(
                "Answer with `baton answer {run} LETTER`, and one of: {}",
                sanitize(&options.join(", "))
            )));
        }
        let answer = Answer {
            choice: ACCEPT,
            comment: Some(reason.to_owned()),
        };
        if reason.trim().is_empty() {
            return Err(CommandError::wrong_use("the reason is empty")
                .hint("Say why it can be accepted: --reason TEXT."));
        }
        let expiry = args.expires.unwrap_or_default();
        let accepted =
            runs::answer(&driving.engine, &run, answer, expiry, session, &cancel).await?;
        tell(&accepted);
        go_on(driving, &run, args.detach, args.json, session, &cancel).await
    })
}

/// Says on stderr what was recorded.
pub(super) fn tell(accepted: &[Acceptance]) {
    for one in accepted {
        terminal::error_line(&format!(
            "Accepted {} {}: {}",
            short_id(&one.fingerprint),
            until(one),
            sanitize(&one.text)
        ));
    }
}

fn until(acceptance: &Acceptance) -> String {
    match acceptance.expires {
        Some(at) => format!("until {}", at.strftime("%Y-%m-%d")),
        None => "for good".to_owned(),
    }
}

fn accept_finding(
    target: &Target<'_>,
    reason: &str,
    args: &Args,
    session: &Session,
) -> Result<Exit, CommandError> {
    runs::require_person(session)?;
    let folder = review::folder(Path::new("."))?;
    let (accepted, repository) = runtime::run(async |cancel| {
        let finding = find(target, args.diff.as_deref(), &folder, session, &cancel).await?;
        let grounds = Grounds {
            reason,
            author: acceptances::author(&folder, session, &cancel).await,
            expiry: args.expires.unwrap_or_default(),
        };
        let objection = Objection {
            rule: finding.rule.clone(),
            fingerprint: finding.fingerprint.clone(),
            text: finding.to_string(),
        };
        let accepted = grounds.accept(&[objection])?;
        let repository = acceptances::identity(&folder, session, &cancel).await;
        Ok((accepted, repository))
    })?;
    let state = runs::state_folder(session)?;
    let writer = AcceptanceWriter::create(&state).map_err(|error| runs::failed(&error))?;
    writer
        .record(&repository, &accepted)
        .map_err(|error| runs::failed(&error))?;
    if args.json {
        let all: Vec<Value> = accepted.iter().map(|one| as_json(one, false)).collect();
        terminal::result(&format!(
            "{:#}\n",
            json!({ "repository": repository, "accepted": all })
        ))?;
    } else {
        tell(&accepted);
    }
    Ok(Exit::Done)
}

/// Reviews the change, then everything, until the finding is there again: what is
/// accepted is what is in the code, not what was typed.
async fn find(
    target: &Target<'_>,
    base: Option<&str>,
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Finding, CommandError> {
    let settings = validate::options(session, folder)?;
    let others = Others {
        scanning: Some(Scanning {
            scanners: &settings.scanners,
            environment: &session.environment,
            cancel,
            limit: SCANNER_LIMIT,
        }),
        logs: &settings.logs,
        ..Others::default()
    };
    let options = || Options {
        threshold: Severity::Low,
        everywhere: true,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Options::default()
    };
    let mut meant: Vec<Finding> = Vec::new();
    let changed = review::changed_since(folder, base, session, cancel).await;
    if base.is_some() || changed.is_ok() {
        let since = Some(Since {
            commit: base,
            environment: &session.environment,
        });
        let found =
            validation::review_files(folder, &changed?, since, options(), others, cancel).await;
        meant.extend(found.findings);
        meant.retain(|finding| target.is_meant(finding));
    }
    if meant.is_empty() && base.is_none() {
        let all = named(folder, &[])?;
        let found =
            validation::review_files(folder, &all.names, None, options(), others, cancel).await;
        meant.extend(found.findings);
        meant.retain(|finding| target.is_meant(finding));
    }
    meant.dedup_by(|one, other| one.fingerprint == other.fingerprint);
    if meant.len() > 1 {
        const MAX_NAMED: usize = 10;
        let names = meant.iter().take(MAX_NAMED);
        let names: Vec<String> = names
            .map(|one| format!("{} (line {})", one.id(), one.place.start_line))
            .collect();
        return Err(
            CommandError::wrong_use(format!("{} findings are meant by that", meant.len()))
                .hint(format!("Name one of them: {}", names.join(", "))),
        );
    }
    meant.pop().ok_or_else(|| {
        CommandError::wrong_use("there is no such finding here").hint(
            "`baton review` and `baton validate` print the ids of findings. Run this in the \
             same folder; --diff BASE looks at what has changed since a commit.",
        )
    })
}

fn list(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let folder = review::folder(Path::new("."))?;
    let (repository, known) = runtime::run(async |cancel| {
        let repository = acceptances::identity(&folder, session, &cancel).await;
        let known = acceptances::known(&folder, session, &cancel).await?;
        Ok((repository, known))
    })?;
    terminal::result(&if args.json {
        let all = all(&known);
        let all: Vec<Value> = all.iter().map(|(one, gone)| as_json(one, *gone)).collect();
        let listed = json!({
            "repository": repository,
            "accepted": all,
            "unsigned": known.unsigned(),
        });
        format!("{listed:#}\n")
    } else {
        as_text(&repository, &known)
    })?;
    Ok(Exit::Done)
}

/// The newest first, and whether each has expired.
fn all(known: &Acceptances) -> Vec<(&Acceptance, bool)> {
    let valid = known.valid().map(|one| (one, false));
    let mut all: Vec<_> = valid
        .chain(known.expired().map(|one| (one, true)))
        .collect();
    all.sort_by_key(|(one, _)| std::cmp::Reverse(one.accepted));
    all
}

fn as_json(acceptance: &Acceptance, is_expired: bool) -> Value {
    json!({
        "id": short_id(&acceptance.fingerprint),
        "fingerprint": acceptance.fingerprint,
        "rule": acceptance.rule,
        "text": acceptance.text,
        "reason": acceptance.reason,
        "author": acceptance.author,
        "accepted": acceptance.accepted.to_string(),
        "expires": acceptance.expires.map(|at| at.to_string()),
        "expired": is_expired,
    })
}

fn as_text(repository: &str, known: &Acceptances) -> String {
    let mut text = String::new();
    let mut line = |content: &str| writeln!(text, "{content}").expect("a string takes all text");
    let repository = sanitize(repository);
    let all = all(known);
    if all.is_empty() {
        line(&format!("nothing is accepted for {repository}"));
    }
    for (one, is_expired) in all {
        let id = Style::Heading.paint(short_id(&one.fingerprint));
        let until = if is_expired {
            Style::Bad.paint(format!("expired: {}", until(one)))
        } else {
            Style::Dim.paint(until(one))
        };
        line(&format!("{id}  {until}  {}", sanitize(&one.text)));
        let day = one.accepted.strftime("%Y-%m-%d");
        line(&format!(
            "            {} on {day}: {}",
            sanitize(&one.author),
            sanitize(&one.reason)
        ));
    }
    for fingerprint in known.unsigned() {
        let hint = Style::Hint.paint("note:");
        let id = sanitize(&short_id(fingerprint));
        line(&format!("{hint} {id} does not count: no person signed it"));
    }
    text
}

fn remove(id: &str, args: &Args, session: &Session) -> Result<Exit, CommandError> {
    runs::require_person(session)?;
    let folder = review::folder(Path::new("."))?;
    let (repository, known) = runtime::run(async |cancel| {
        let repository = acceptances::identity(&folder, session, &cancel).await;
        let known = acceptances::known(&folder, session, &cancel).await?;
        Ok((repository, known))
    })?;
    let digits = id.trim_start_matches(['F', 'f']).trim_start_matches('-');
    let digits = digits.to_ascii_lowercase();
    let all = all(&known);
    let signed = all.iter().map(|(one, _)| one.fingerprint.as_str());
    let unsigned = known.unsigned().iter().map(String::as_str);
    let meant: Vec<&str> = signed
        .chain(unsigned)
        .filter(|one| digits.len() >= MIN_DIGITS && one.starts_with(&digits))
        .collect();
    let [fingerprint] = meant[..] else {
        let told = format!(
            "{} acceptances are meant by `{}`",
            meant.len(),
            sanitize(id)
        );
        return Err(CommandError::wrong_use(told)
            .hint("`baton accept --list` lists them; write more digits to tell them apart."));
    };
    let state = runs::state_folder(session)?;
    let writer = AcceptanceWriter::open(&state).map_err(|error| runs::failed(&error))?;
    writer
        .remove(&repository, fingerprint)
        .map_err(|error| runs::failed(&error))?;
    let name = short_id(fingerprint);
    if args.json {
        terminal::result(&format!("{:#}\n", json!({ "removed": name })))?;
    } else {
        terminal::error_line(&format!("{name} is not accepted any more."));
    }
    Ok(Exit::Done)
}
