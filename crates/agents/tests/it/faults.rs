//! What goes wrong around a run. None of it loses or doubles anything; each
//! ends in a clear question or a clear end.
//!
//! | Fault | Shown by |
//! |---|---|
//! | the agent lies | `implementer::an_agent_that_only_says_so_is_not_believed`, `fixer::a_fixer_that_lies_is_asked_again_and_then_a_person_is`, in the engine `agent::exec` and `agent::acp` |
//! | it exits with 0 on an authentication error | [`an_agent_without_a_login_is_quoted`], in the engine `agent::cli::an_error_that_it_prints_counts_even_where_it_exits_with_zero`, `agent::acp::bad_manners_are_told_apart` |
//! | it hangs | [`an_agent_that_hangs_is_started_again_and_nothing_of_it_stays`], `implementer::an_agent_that_is_to_end_ends`, in the engine `agent::exec::an_agent_that_hangs_is_ended_with_all_it_started` |
//! | it floods | in the engine `agent::exec::a_flood_costs_neither_memory_nor_disk`, `agent::acp::bad_manners_are_told_apart` |
//! | it edits outside of the worktree | `implementer::files_outside_of_the_workspace_are_asked_about`, `implementer::work_on_another_branch_is_brought_back` |
//! | it deletes tests | [`a_change_that_deletes_a_test_is_not_approved`], `fixer::a_fix_that_deletes_a_test_does_not_count` |
//! | it loops on the same fix | [`a_fixer_that_goes_round_in_circles_is_stopped`], `fixer::a_change_that_leaves_the_problem_does_not_count` |
//! | it leaves processes | [`an_agent_that_hangs_is_started_again_and_nothing_of_it_stays`], in the engine `agent::exec::an_agent_that_leaves_processes_behind_is_known_for_it`, `agent::survivors` |
//! | a handoff is broken | [`documents_that_someone_breaks_do_no_harm`], in the engine `driving::a_handoff_that_is_not_the_step_s_to_give_does_not_count` |
//! | a handoff lies | `forgeries` |
//! | the base moves | [`a_base_that_moves_is_no_trouble`], `validator::a_branch_that_has_to_be_up_to_date_is_brought_there` |
//! | the merge conflicts | `validator::a_conflict_is_handed_to_the_fixer_who_merges_the_base`, `side_by_side` |
//! | CI never reports | [`a_check_that_no_one_reports_is_asked_about`], `validator::ci_that_does_not_end_is_waited_for_and_then_a_person_is_asked` |
//! | the forge is down | [`a_forge_that_is_down_for_a_while_is_waited_for`], [`a_forge_that_stays_down_is_asked_about`] |
//! | the forge's answers are lost | [`answers_that_are_lost_double_nothing`] |
//! | the disk is full | [`a_full_disk_is_said_and_costs_nothing`] |
//! | two processes on one run | [`two_processes_on_one_run_do_its_work_once`], in the engine `ownership` |
//! | the machine is rebooted | `crashes` |

use std::time::Duration;

use baton_host::Cmd;
use baton_host::cmd::Outcome;
use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use baton_workflow::{Ending, FailureKind, Step};
use tokio_util::sync::CancellationToken;

use crate::rehearsal::Rehearsal;
use crate::reviewer::{BASE, FIXED};
use crate::stage::{Played, Stage};
use crate::theatre::{Play, Point, Theatre, dying_driver, is_alive};
use crate::whole_run::{CODER, REQUEST};

fn stage<'w>(world: &'w World, coder: &str) -> Stage<'w> {
    let mut stage = Stage::new(world, REQUEST, &[]);
    stage.without_tools();
    stage.coder(coder);
    stage.all_real = true;
    stage
}

/// There is one of each, and two reviews: before and after the fix.
#[track_caller]
fn assert_done_once(stage: &Stage<'_>, played: &Played) {
    let question = played.state.question().map(|one| one.reason.to_string());
    assert_eq!(question, None);
    assert_eq!(played.ending(), Some(&Ending::Closed));
    assert_eq!(stage.issues().len(), 1);
    let pulls = stage.list("pulls?state=all");
    assert_eq!(pulls.len(), 1);
    assert!(!pulls[0]["merged_at"].is_null());
    assert_eq!(stage.issues()[0]["state"], "closed");
    assert_eq!(stage.list("issues/1/comments").len(), 1);
    let reviews = stage.list("pulls/2/reviews?per_page=100");
    let said = reviews.iter().filter(|review| review["body"] != "");
    assert_eq!(said.count(), 2);
    // A thread and its answer.
    assert_eq!(stage.list("pulls/2/comments?per_page=100").len(), 2);
    let repo = &stage.repo;
    repo.git(&["fetch", "--quiet", "origin"]);
    let merged = repo.git(&["log", "--format=%s", "main..origin/main", "--", "notes.py"]);
    assert_eq!(merged.lines().count(), 1, "{merged}");
}

#[test]
fn an_agent_without_a_login_is_quoted() {
    let world = World::start();
    let mut stage = stage(&world, "echo 'API error 401: invalid key'; exit 0");
    let played = stage.play();
    assert_eq!(played.failure().kind, FailureKind::Unproven);
    insta::assert_snapshot!(played.question(), @"
    the same failure came 3 times: the agent says that it is done and has changed nothing; it said: API error 401: invalid key
    r: try again
    s: stop the run
    ");
    assert!(stage.list("pulls?state=all").is_empty());
}

#[test]
fn an_agent_that_hangs_is_started_again_and_nothing_of_it_stays() {
    let world = World::start();
    let hangs = r#"if test ! -e "$HOME/pids"; then
  setsid sleep 600 > /dev/null 2>&1 &
  echo $! >> "$HOME/pids"; echo $$ >> "$HOME/pids"; sleep 600
fi"#;
    let mut stage = stage(&world, &format!("{hangs}\n{CODER}"));
    stage.policy.agent_limits.idle = Duration::from_secs(3);
    let played = stage.play();
    assert_done_once(&stage, &played);
    let tries = played.results.iter();
    let tries: Vec<bool> = tries
        .filter(|(step, _)| *step == Step::Implement)
        .map(|(_, result)| result.outcome.is_ok())
        .collect();
    assert_eq!(tries, [false, true]);
    let pids = std::fs::read_to_string(world.sandbox.home().join("pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    assert!(pids.lines().all(|pid| !is_alive(pid)));
}

/// A test that is there, and a change that takes it away.
#[test]
fn a_change_that_deletes_a_test_is_not_approved() {
    let world = World::start();
    let test = "def test_nobody():\n    assert notes(None) == []\n\n\ndef test_somebody():\n    assert notes(1) == [1]\n";
    let mut stage = Stage::new(&world, REQUEST, &[("tests/test_notes.py", test)]);
    stage.without_tools();
    stage.coder("rm tests/test_notes.py\nprintf 'def notes(owner):\\n    return []\\n' > notes.py");
    stage.all_real = true;
    stage.until = Some(Step::Fix);
    let played = stage.play();
    let Handoff::ChangesRequested(asked) = played.handoff() else {
        panic!("{:?}", played.handoff());
    };
    let found = asked
        .blocking_issues
        .iter()
        .map(|issue| issue.description.as_str());
    insta::assert_snapshot!(found.collect::<Vec<_>>().join("\n"), @"Test file deleted with 2 tests: `def test_nobody():` – what it checked is checked nowhere else in this change – Restore the test, or say in the change why it is no longer needed. (tamper/test-deleted)");
}

/// Each fix mends what was found, and makes the same mistake elsewhere.
const IN_CIRCLES: &str = r#"
number=$(ls notes*.py 2> /dev/null | wc -l)
sed -i 's/.*execute.*/    cursor.execute("SELECT 1")/' notes*.py 2> /dev/null || true
printf 'def notes(cursor, request):\n    owner = request.args["owner"]\n    cursor.execute("SELECT * FROM notes WHERE owner = \x27" + owner + "\x27")\n    return cursor.fetchall()\n' > notes$number.py
"#;

#[test]
fn a_fixer_that_goes_round_in_circles_is_stopped() {
    let world = World::start();
    let mut stage = stage(&world, IN_CIRCLES);
    let played = stage.play();
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    4 reviews asked for changes, and there are findings left
    m: let it be fixed again
    a: go on with the findings open
    s: stop the run
    ");
    assert_eq!(stage.get("pulls/2")["merged"], false);
}

/// The journal is what a run goes by.
#[test]
fn documents_that_someone_breaks_do_no_harm() {
    let world = World::start();
    let mut stage = stage(&world, CODER);
    stage.until = Some(Step::Validate);
    stage.play();
    let run = stage.run.clone().unwrap();
    let folder = world.sandbox.path(format!("state/runs/{run}/handoffs"));
    let mut broken = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        std::fs::write(entry.unwrap().path(), "<handoff><merge_status>merged").unwrap();
        broken += 1;
    }
    assert_eq!(broken, 6);
    stage.until = None;
    let played = stage.answer('r', None);
    assert_done_once(&stage, &played);
}

#[test]
fn a_base_that_moves_is_no_trouble() {
    let world = World::start();
    let mut stage = stage(&world, CODER);
    stage.until = Some(Step::Validate);
    stage.play();
    stage.repo.commit_file("other.txt", "other\n", "Go on");
    world.push(&stage.repo, "main");
    stage.until = None;
    let played = stage.answer('r', None);
    assert_done_once(&stage, &played);
    let files = stage.repo.git(&["ls-tree", "--name-only", "origin/main"]);
    assert_eq!(
        files.lines().collect::<Vec<_>>(),
        ["README.md", "notes.py", "other.txt"]
    );
}

#[test]
fn a_check_that_no_one_reports_is_asked_about() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(&world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Validate, Step::Merge];
    rehearsal.place.settings.ci_patience = Duration::from_millis(60);
    rehearsal.policy.max_rechecks = 0;
    world.require_checks("main", &["build"]);
    let rehearsed = rehearsal.play();
    let told = rehearsed.state.question().unwrap().reason.to_string();
    insta::assert_snapshot!(told.replace(&rehearsal.head(), "HEAD"), @"the step `validate` has to wait for something outside: CI of HEAD has not ended within 60ms: CI has not started (0 of 1 check ended); check back in 30s");
    assert_eq!(rehearsal.pull()["merged"], false);
}

#[test]
fn a_forge_that_is_down_for_a_while_is_waited_for() {
    let world = World::start();
    let mut stage = stage(&world, CODER);
    stage.policy.retry_pauses_ms = vec![10, 20, 40];
    let mut faults = Vec::new();
    for after in [3, 20, 40, 60] {
        let down = FaultKind::ServerError {
            status: 503,
            retry_after: None,
        };
        faults.push(
            world
                .app()
                .faults()
                .add(Fault::new(down).after(after).times(5)),
        );
    }
    let played = stage.play();
    assert_done_once(&stage, &played);
    for fault in faults {
        assert!(world.app().faults().hits(fault) > 0);
    }
}

#[test]
fn a_forge_that_stays_down_is_asked_about() {
    let world = World::start();
    let mut stage = stage(&world, CODER);
    stage.until = Some(Step::Publish);
    stage.play();
    stage.until = None;
    world.app().faults().add(Fault::new(FaultKind::ResetBefore));
    let played = stage.answer('r', None);
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    the step `publish` failed: cannot find the pull request of branch 'feature/issue-1-add-a-list-of-the-notes-of-an-owner' in octo/demo: GET http://forge/api/v3/repos/octo/demo/pulls?state=all&head=octo:feature/issue-1-add-a-list-of-the-notes-of-an-owner&per_page=100: the connection broke before there was an answer (after 4 attempts): connection error: Connection reset by peer (os error 104). Try again; if it stays so, check the network and the server's status page.
    r: try again
    s: stop the run
    ");
    world.app().faults().clear();
    let played = stage.answer('r', None);
    assert_done_once(&stage, &played);
}

/// Every request that changes something is done, and the first answer is lost.
#[test]
fn answers_that_are_lost_double_nothing() {
    let world = World::start();
    let mut stage = stage(&world, CODER);
    stage.policy.retry_pauses_ms = vec![1, 1, 1];
    let essential = [
        ("POST", "/repos/octo/demo/issues"),
        ("POST", "/repos/octo/demo/pulls"),
        ("POST", "/repos/octo/demo/pulls/*/reviews"),
        ("PUT", "/repos/octo/demo/pulls/*/merge"),
        ("POST", "/repos/octo/demo/issues/1/comments"),
    ];
    let faults = world.app().faults();
    let lost = |(method, path): (&str, &str)| {
        faults.add(Fault::new(FaultKind::ResetAfter).on(method, path).times(1))
    };
    let lost: Vec<u64> = essential.map(lost).into();
    let played = stage.play();
    assert_done_once(&stage, &played);
    for (fault, (method, path)) in lost.into_iter().zip(essential) {
        assert_eq!(faults.hits(fault), 1, "{method} {path}");
    }
}

#[test]
fn two_processes_on_one_run_do_its_work_once() {
    let theatre = Theatre::new(Play::WholeRun);
    let begun = theatre.drive(Some(Point::Event(3)));
    assert_eq!(begun.outcome, Outcome::Signalled(9));
    let cancel = CancellationToken::new();
    let (one, other) = theatre.world.block_on(async {
        let (one, other) = (theatre.command(None), theatre.command(None));
        let (one, other) = tokio::join!(one.run(&cancel), other.run(&cancel));
        (one.unwrap(), other.unwrap())
    });
    let mut ended = 0;
    for finished in [one, other] {
        if finished.outcome == Outcome::Exited(0) {
            ended += 1;
        } else {
            let said = finished.stderr.text();
            assert!(said.starts_with("another process drives the run"), "{said}");
        }
    }
    assert!(ended >= 1);
    let undisturbed = Theatre::new(Play::WholeRun);
    assert_eq!(undisturbed.drive(None).outcome, Outcome::Exited(0));
    assert_eq!(theatre.outcome(), undisturbed.outcome());
}

/// In a mount namespace of its own, where the state lies on a small disk: a run
/// is begun, the disk is filled, the run is driven, room is made, and the run is
/// driven again.
const ON_A_SMALL_DISK: &str = r#"
usual=$PATH
PATH=/usr/bin:/bin:/usr/sbin:/sbin
mount -t tmpfs -o size=4m tmpfs state || exit 77
drive() { PATH=$usual "$@"; echo "exit $?" >&2; }
drive "$@" event 8
cat /dev/zero > state/ballast 2> /dev/null
drive "$@"
rm state/ballast
drive "$@"
cp -a state/. kept && umount state && cp -a kept/. state
"#;

#[test]
fn a_full_disk_is_said_and_costs_nothing() {
    let theatre = Theatre::new(Play::WholeRun);
    let sandbox = &theatre.world.sandbox;
    sandbox.folder("kept");
    let script = ["-Urm", "sh", "-c", ON_A_SMALL_DISK, "sh"];
    let cmd = Cmd::new("/usr/bin/unshare", sandbox.root(), &theatre.environment())
        .args(script)
        .arg(dying_driver())
        .args(theatre.arguments())
        .wall_limit(Duration::from_mins(3));
    let finished = theatre.world.block_on(cmd.run(&CancellationToken::new()));
    let Some(finished) = finished
        .ok()
        .filter(|done| done.outcome == Outcome::Exited(0))
    else {
        eprintln!("SKIPPED: this system lets no one mount a small disk of their own");
        return;
    };
    let root = sandbox.root().to_string_lossy().into_owned();
    let said = finished.stderr.text().replace(&root, "/sandbox");
    insta::assert_snapshot!(said, @"
    Killed
    exit 137
    cannot write the journal in /sandbox/state/baton.sqlite3: there is no space left; free some space, then try again
    exit 1
    exit 0
    ");
    let undisturbed = Theatre::new(Play::WholeRun);
    assert_eq!(undisturbed.drive(None).outcome, Outcome::Exited(0));
    assert_eq!(theatre.outcome(), undisturbed.outcome());
}
