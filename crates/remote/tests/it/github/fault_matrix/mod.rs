//! Every call of the client against every fault of the forge: the right error, as
//! many attempts as the call may have, and every effect at most once.
//!
//! Each fault has a forge of its own, on which all calls are made one after the
//! other while the fault lasts. The table of one fault is its test's snapshot;
//! what must hold for every fault is asserted for each call.

mod calls;
mod effects;
mod ground;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use baton_remote::github::{Auth, GitHub, GitHubError, GitHubErrorKind, Observer, Server};
use baton_remote::http::{self, Clock, Secret};
use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};

use self::calls::{CALLS, Call, Kind};
use self::effects::{Effect, State};
use self::ground::Ground;

/// Attempts that a call may have in these tests.
const ATTEMPTS: u32 = 3;

/// A call that takes this long hangs. No limit of the client comes near it.
const HUNG: Duration = Duration::from_mins(2);

/// What each call does when nothing goes wrong.
static ONCE: LazyLock<BTreeMap<&str, Effect>> = LazyLock::new(|| {
    let mut trial = Trial::prepare();
    let mut once = BTreeMap::new();
    for call in CALLS {
        let made = trial.make(call, None);
        if let Err(error) = &made.outcome {
            panic!("{} fails without a fault: {error}", call.name);
        }
        once.insert(call.name, made.effect);
    }
    once
});

/// The result of one call.
struct Made {
    outcome: Result<(), GitHubError>,
    /// The most requests of one method and path.
    attempts: u32,
    effect: Effect,
}

#[test]
fn nothing_is_wrong() {
    insta::assert_snapshot!(effects_of_all(), @r#"
    update_pull_request      pull 1 title "topic" → "Another title"
    request_reviewers        pull 1 reviewers +1
    mark_ready_for_review    pull 4 draft true → false
    convert_to_draft         pull 5 draft false → true
    enqueue_pull_request     queue +1
    resolve_thread           thread 0 resolved false → true
    unresolve_thread         thread 1 resolved true → false
    update_issue             issue 10 title "Something is wrong" → "It is worse"
    close_issue              issue 11 state "open" → "closed"
    reopen_issue             issue 12 state "closed" → "open"
    update_issue_comment     comment text "Why?" → "Because."
    react                    comment reactions +1
    ensure_label             labels +1
    add_labels               issue 10 labels "" → "bug"
    remove_label             issue 12 labels "bug" → ""
    update_branch            pull 3 commits +1
    merge_pull_request       pull 2 merged false → true, pull 2 state "open" → "closed"
    merge_in_background      queue +1
    delete_branch            branches "behind doomed draft landed main merging moving queued queueing quiet ready requested topic unopened waiting" → "behind draft landed main merging moving queued queueing quiet ready requested topic unopened waiting"
    create_pull_request      pulls +1
    enable_auto_merge        pull 8 auto-merge false → true
    create_review            pull 1 reviews +1
    reply_to_review_comment  pull 1 comments +1, pull 1 reviews +1
    reply_to_thread          pull 1 comments +1, pull 1 reviews +1
    create_issue             issues +1
    create_issue_comment     comments +1
    rerun                    run 1 attempt +1
    rerun_failed_jobs        run 2 attempt +1
    "#);
}

#[test]
fn latency() {
    insta::assert_snapshot!(table(&FaultKind::Latency { milliseconds: 20 }), @"
    Read: ok, 1 sent: 59 calls
    Idempotent: ok, 1 sent, done once: 19 calls
    Write: ok, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

/// Slower than an attempt may be.
#[test]
fn silence() {
    insta::assert_snapshot!(table(&FaultKind::Latency { milliseconds: 60_000 }), @"
    Read: Timeout(Answer), 3 sent: 59 calls
    Idempotent: Timeout(Answer), 3 sent, not done: 19 calls
    Write: Timeout(Answer), 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn server_error() {
    let kind = FaultKind::ServerError {
        status: 503,
        retry_after: Some(1),
    };
    insta::assert_snapshot!(table(&kind), @"
    Read: Status(503), 3 sent: 59 calls
    Idempotent: Status(503), 3 sent, not done: 19 calls
    Write: Status(503), 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn late_server_error() {
    insta::assert_snapshot!(table(&FaultKind::LateServerError { status: 502 }), @"
    Read: Status(502), 3 sent: 59 calls
    Idempotent: Status(502), 3 sent, done once: 19 calls
    Write: Status(502), 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn reset_before() {
    insta::assert_snapshot!(table(&FaultKind::ResetBefore), @"
    Read: Reset, 3 sent: 59 calls
    Idempotent: Reset, 3 sent, not done: 19 calls
    Write: Reset, 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn reset_after() {
    insta::assert_snapshot!(table(&FaultKind::ResetAfter), @"
    Read: Reset, 3 sent: 59 calls
    Idempotent: Reset, 3 sent, done once: 19 calls
    Write: Reset, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn reset_mid_body() {
    insta::assert_snapshot!(table(&FaultKind::ResetMidBody), @"
    Read: IncompleteBody, 3 sent: 55 calls
    Read: Reset, 3 sent: 3 calls
        job_log run_logs artifact
    Read: ok, 1 sent: 1 calls
        branch_protection
    Idempotent: IncompleteBody, 3 sent, done once: 16 calls
    Idempotent: Invalid, 2 sent, done once: 1 calls
        ensure_label
    Idempotent: ok, 1 sent, done once: 1 calls
        delete_branch
    Idempotent: ok, 2 sent, done once: 1 calls
        remove_label
    Write: IncompleteBody, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn truncated_body() {
    insta::assert_snapshot!(table(&FaultKind::TruncatedBody), @"
    Read: BadJson, 1 sent: 52 calls
    Read: ok, 1 sent: 7 calls
        scopes job_log run_logs artifact branch_protection text_file code_owners
    Idempotent: BadJson, 1 sent, done once: 18 calls
    Idempotent: ok, 1 sent, done once: 1 calls
        delete_branch
    Write: BadJson, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn html_body() {
    insta::assert_snapshot!(table(&FaultKind::HtmlBody { status: 200 }), @"
    Read: NotJson, 1 sent: 53 calls
    Read: WebPage, 1 sent: 5 calls
        job_log run_logs artifact text_file code_owners
    Read: ok, 1 sent: 1 calls
        scopes
    Idempotent: NotJson, 1 sent, not done: 19 calls
    Write: NotJson, 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn gzip_bomb() {
    insta::assert_snapshot!(table(&FaultKind::GzipBomb { bytes: 1 << 30 }), @"
    Read: TooLarge, 1 sent: 58 calls
    Read: ok, 1 sent: 1 calls
        job_log
    Idempotent: TooLarge, 1 sent, not done: 19 calls
    Write: TooLarge, 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn primary_rate_limit() {
    insta::assert_snapshot!(table(&FaultKind::PrimaryRateLimit { reset_after: 1800 }), @"
    Read: RateLimited(Primary), 1 sent: 59 calls
    Idempotent: RateLimited(Primary), 1 sent, not done: 19 calls
    Write: RateLimited(Primary), 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn secondary_rate_limit() {
    let kind = FaultKind::SecondaryRateLimit {
        status: 403,
        retry_after: Some(2),
    };
    insta::assert_snapshot!(table(&kind), @"
    Read: RateLimited(Secondary), 3 sent: 59 calls
    Idempotent: RateLimited(Secondary), 3 sent, not done: 19 calls
    Write: RateLimited(Secondary), 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn mergeable_unknown() {
    insta::assert_snapshot!(table(&FaultKind::MergeableUnknown), @"
    Read: ok, 1 sent: 59 calls
    Idempotent: ok, 1 sent, done once: 19 calls
    Write: ok, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

/// Reads see the forge as it was some time ago.
#[test]
fn lag() {
    insta::assert_snapshot!(table(&FaultKind::Lag { milliseconds: 3_600_000 }), @"
    Read: ok, 1 sent: 59 calls
    Idempotent: ok, 1 sent, done once: 19 calls
    Write: ok, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn revoked_token() {
    insta::assert_snapshot!(table(&FaultKind::RevokedToken), @"
    Read: BadCredentials, 1 sent: 59 calls
    Idempotent: BadCredentials, 1 sent, not done: 19 calls
    Write: BadCredentials, 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

#[test]
fn sso_required() {
    let kind = FaultKind::SsoRequired {
        organization: "octo".to_owned(),
    };
    insta::assert_snapshot!(table(&kind), @"
    Read: SingleSignOn, 1 sent: 59 calls
    Idempotent: SingleSignOn, 1 sent, not done: 19 calls
    Write: SingleSignOn, 1 sent, not done: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

/// A fault that goes away: what may be tried again succeeds, and is done once.
#[test]
fn one_lost_answer() {
    let mut trial = Trial::prepare();
    let mut table = Table::default();
    for call in CALLS {
        let fault = Fault::new(FaultKind::ResetAfter).times(1);
        table.add(call, &trial.make(call, Some(fault)));
    }
    insta::assert_snapshot!(table.to_string(), @"
    Read: ok, 2 sent: 59 calls
    Idempotent: ok, 2 sent, done once: 18 calls
    Idempotent: ok, 3 sent, done once: 1 calls
        enqueue_pull_request
    Write: Reset, 1 sent, done once: 9 calls
        create_pull_request enable_auto_merge create_review reply_to_review_comment reply_to_thread create_issue create_issue_comment rerun rerun_failed_jobs
    ");
}

/// All calls while the fault lasts.
fn table(kind: &FaultKind) -> String {
    let mut trial = Trial::prepare();
    let mut table = Table::default();
    for call in CALLS {
        table.add(call, &trial.make(call, Some(Fault::new(kind.clone()))));
    }
    table.to_string()
}

fn effects_of_all() -> String {
    let mut shown = String::new();
    for call in CALLS {
        let effect = &ONCE[call.name];
        if call.kind == Kind::Read {
            assert!(effect.is_empty(), "{} changes {effect:?}", call.name);
        } else {
            assert!(!effect.is_empty(), "{} changes nothing", call.name);
            writeln!(shown, "{:<24} {effect}", call.name).expect("a string takes it");
        }
    }
    shown
}

/// A forge, and how it was after the last change.
struct Trial {
    ground: Ground,
    state: State,
}

impl Trial {
    fn prepare() -> Self {
        let ground = Ground::prepare();
        let state = State::read(&ground);
        Self { ground, state }
    }

    /// Makes one call while the fault is there.
    fn make(&mut self, call: &Call, fault: Option<Fault>) -> Made {
        let is_silent = fault.as_ref().is_some_and(is_silence);
        // Whether reads change nothing is checked where there is no fault.
        let may_change = call.kind != Kind::Read || fault.is_none();
        let requests = Arc::new(Mutex::new(BTreeMap::<String, u32>::new()));
        let world = &self.ground.world;
        let github = client(world, &requests, is_silent);
        let faults = world.app().faults();
        if let Some(fault) = fault {
            faults.add(fault);
        }
        let ended = world.block_on(async {
            let call = (call.run)(&github, &self.ground.facts);
            tokio::time::timeout(HUNG, call).await
        });
        faults.clear();
        let Ok(outcome) = ended else {
            panic!("{} hangs", call.name)
        };
        let attempts = *requests.lock().unwrap().values().max().unwrap_or(&0);
        let mut effect = Effect::default();
        if may_change {
            let after = State::read(&self.ground);
            effect = self.state.to(&after);
            self.state = after;
        }
        Made {
            outcome,
            attempts,
            effect,
        }
    }
}

fn is_silence(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Latency { milliseconds } if milliseconds > 1000)
}

/// A client that does not wait between attempts, and counts its requests.
fn client(
    world: &World,
    requests: &Arc<Mutex<BTreeMap<String, u32>>>,
    is_impatient: bool,
) -> GitHub {
    let place = Server::at(&world.api_url());
    let mut settings = place.settings("baton-tests");
    settings.retry.attempts = ATTEMPTS;
    if is_impatient {
        settings.limits.attempt = Duration::from_millis(50);
    }
    settings.clock = Clock::new(jiff::Timestamp::now, |_| Box::pin(async {}), || 0.0);
    let requests = Arc::clone(requests);
    settings.observer = http::Observer::new(move |event| {
        // Where a redirect leads is counted, not the redirect.
        if let http::Event::Requested(requested) = event
            && !matches!(requested.outcome, Ok(300..400))
        {
            let line = format!("{} {}", requested.method, requested.path);
            *requests.lock().unwrap().entry(line).or_default() += 1;
        }
    });
    let token = Auth::Token(Secret::new(world.token("octo")));
    GitHub::new(&place, token, settings, Observer::default()).unwrap()
}

/// Rows of calls with the same end.
#[derive(Default)]
struct Table(BTreeMap<(Kind, String), Vec<&'static str>>);

impl Table {
    fn add(&mut self, call: &Call, made: &Made) {
        let done = how_often(call, made);
        let end = match &made.outcome {
            Ok(()) => "ok".to_owned(),
            Err(error) => {
                hold_to_the_rules(call, error);
                class_of(error)
            }
        };
        let most = match call.kind {
            Kind::Read | Kind::Idempotent => ATTEMPTS,
            Kind::Write => 1,
        };
        let (name, attempts) = (call.name, made.attempts);
        assert!(attempts <= most, "{name} was asked {attempts} times");
        let row = format!("{end}, {attempts} sent{done}");
        self.0.entry((call.kind, row)).or_default().push(name);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((kind, row), calls) in &self.0 {
            writeln!(f, "{kind:?}: {row}: {} calls", calls.len())?;
            // Who is in the large groups is all the others.
            if calls.len() <= 12 {
                writeln!(f, "    {}", calls.join(" "))?;
            }
        }
        Ok(())
    }
}

/// The effect is none, or that of one call.
fn how_often(call: &Call, made: &Made) -> &'static str {
    if call.kind == Kind::Read {
        assert!(made.effect.is_empty(), "{}: {}", call.name, made.effect);
        return "";
    }
    if made.effect.is_empty() {
        assert!(made.outcome.is_err(), "{} claims to be done", call.name);
        return ", not done";
    }
    let name = call.name;
    assert_eq!(made.effect, ONCE[name], "{name} was not done exactly once");
    ", done once"
}

fn hold_to_the_rules(call: &Call, error: &GitHubError) {
    let shown = format!("{error} {error:?} {}", error.hint());
    assert!(!shown.contains("ghp_"), "{} tells the token", call.name);
    assert!(!error.hint().is_empty(), "{}: no next step", call.name);
}

fn class_of(error: &GitHubError) -> String {
    match error.kind() {
        GitHubErrorKind::Http(error) => format!("{:?}", error.failure().class()),
        GitHubErrorKind::RateLimited(limit) => format!("RateLimited({:?})", limit.kind),
        other => {
            let debug = format!("{other:?}");
            let end = debug.find([' ', '(', '{']).unwrap_or(debug.len());
            debug[..end].to_owned()
        }
    }
}
