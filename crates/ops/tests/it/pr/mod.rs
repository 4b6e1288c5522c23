//! The PR phase against a local forge and a small Jira, over real HTTP.

mod jira;

use std::time::Duration;

use baton_host::cmd::Environment;
use baton_ops::pr::{self, Answer, Pauses, Settings, Surroundings};
use baton_ops::question::{Ask, Nobody, Question};
use baton_protocol::phase::pr::PrInput;
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::{Credential, Credentials, Secret};
use baton_remote::jira::{Jira, RestJira, Site};
use baton_state::State;
use baton_testkit::Repo;
use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::jira::FakeJira;

/// What differs from call to call.
#[derive(Default)]
struct Call<'a> {
    more: Value,
    jira: Option<&'a FakeJira>,
    adopt: bool,
    answer: Option<char>,
}

struct Says(Option<char>);

impl Ask for Says {
    fn ask(&mut self, _: &Question) -> Option<char> {
        self.0
    }
}

fn play(world: &World, repo: &Repo<'_>, call: Call<'_>) -> Answer {
    let mut request = json!({
        "branch": "topic",
        "title": "feat: add a topic",
        "description": "Adds a topic, and says why.",
        "working_directory": repo.path(),
    });
    if let Some(more) = call.more.as_object() {
        for (name, value) in more {
            request[name] = value.clone();
        }
    }
    let input = PrInput::read(&request).unwrap();
    let environment: Environment = world.sandbox.environment().clone().into_iter().collect();
    let place = Server::at(&world.api_url());
    let mut settings = place.settings("baton-tests");
    settings.retry.attempts = 1;
    let token = Auth::Token(Secret::new(world.token("octo")));
    let github = GitHub::new(&place, token, settings, Observer::default()).unwrap();
    let short = vec![Duration::from_millis(1); 2];
    let mut nobody = Nobody;
    let mut says = Says(call.answer);
    let ask: &mut (dyn Ask + Send) = match call.answer {
        Some(_) => &mut says,
        None => &mut nobody,
    };
    let surroundings = Surroundings {
        environment: &environment,
        cancel: &CancellationToken::new(),
        connect: &|_| {
            let github = github.clone();
            Box::pin(async move { Ok(github) })
        },
        jira: Ok(call.jira.map(client)),
        records: Some(State::open(&world.sandbox.state_folder()).unwrap()),
        settings: Settings {
            adopt_existing: call.adopt,
            acronyms: vec!["CR".to_owned()],
            pauses: Pauses {
                push: short.clone(),
                create: short.clone(),
                link: short.clone(),
                mark_ready: short,
            },
        },
        ask,
        observe: &mut |_| {},
    };
    world.block_on(pr::run(&input, surroundings))
}

fn client(jira: &FakeJira) -> Jira {
    let site = Site::new(&jira.url());
    let mut settings = site.settings("baton-tests");
    let token = Credential::basic("octo@example.com", &Secret::new(jira::TOKEN)).unwrap();
    settings.credentials = Credentials::Fixed(token);
    settings.retry.attempts = 1;
    Jira::Rest(RestJira::new(&site, settings).unwrap())
}

fn shown(world: &World, answer: &Answer) -> String {
    let mut output = serde_json::to_value(&answer.output).unwrap();
    output["execution_time_ms"] = json!(0);
    let text = serde_json::to_string_pretty(&output).unwrap();
    text.replace(&world.web_url(), "http://forge")
}

/// A branch with a commit that nobody has pushed.
fn prepare(world: &World) -> Repo<'_> {
    let repo = world.checkout();
    repo.branch("topic");
    repo.commit_file("topic.txt", "one\n", "Add a topic");
    repo.checkout("main");
    repo
}

fn pulls(world: &World) -> Vec<Value> {
    let answer = world.client("octo").get("/repos/octo/demo/pulls?state=all");
    answer.expect(200).json().as_array().unwrap().clone()
}

#[test]
fn a_branch_becomes_a_draft() {
    let world = World::start();
    let repo = prepare(&world);
    let answer = play(&world, &repo, Call::default());
    insta::assert_snapshot!(shown(&world, &answer), @"");
    let pull = &pulls(&world)[0];
    assert_eq!(pull["draft"], true);
    assert_eq!(pull["title"], "feat: add a topic");
    assert!(answer.details.github_requests.unwrap() <= 6);
}

#[test]
fn jira_is_linked_and_moved_and_the_pull_request_marked_ready() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review", "Done"]);
    let call = Call {
        more: json!({ "jira_key": "PROJ-123", "mark_ready": true }),
        jira: Some(&jira),
        ..Call::default()
    };
    let answer = play(&world, &repo, call);
    insta::assert_snapshot!(shown(&world, &answer), @"");
    let calls: Vec<String> = jira.calls();
    insta::assert_snapshot!(calls.join("\n"), @"");
    assert_eq!(pulls(&world)[0]["draft"], false);
    assert!(answer.details.github_requests.unwrap() <= 6);
}

#[test]
fn trouble_with_jira_is_a_warning() {
    let world = World::start();
    let repo = prepare(&world);
    let call = Call {
        more: json!({ "jira_key": "PROJ-123" }),
        ..Call::default()
    };
    insta::assert_snapshot!(shown(&world, &play(&world, &repo, call)), @"");
}

#[test]
fn several_transitions_are_a_question() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review", "In Code Review"]);
    let call = |answer| Call {
        more: json!({ "jira_key": "PROJ-123" }),
        jira: Some(&jira),
        adopt: true,
        answer,
    };
    let asked_nobody = play(&world, &repo, call(None)).output;
    assert_eq!(asked_nobody.errors.len(), 1);
    insta::assert_snapshot!(asked_nobody.errors[0].message, @"");
    let asked = play(&world, &repo, call(Some('2'))).output;
    assert_eq!(asked.jira_status.current_state.as_deref(), Some("In Code Review"));
    assert!(asked.jira_status.transitioned);
}

#[test]
fn an_issue_that_is_not_there_and_a_transition_that_is_not() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Done", "Blocked"]);
    let call = |key: &str| Call {
        more: json!({ "jira_key": key }),
        jira: Some(&jira),
        adopt: true,
        ..Call::default()
    };
    let missing = play(&world, &repo, call("PROJ-999")).output;
    insta::assert_snapshot!(serde_json::to_string_pretty(&missing.errors).unwrap(), @"");
    let stuck = play(&world, &repo, call("PROJ-123")).output;
    insta::assert_snapshot!(serde_json::to_string_pretty(&stuck.errors).unwrap(), @"");
    assert!(stuck.jira_status.linked && !stuck.jira_status.transitioned);
}

#[test]
fn a_lost_answer_is_adopted_and_not_doubled() {
    let world = World::start();
    let repo = prepare(&world);
    let lost = Fault::new(FaultKind::ResetAfter).on("POST", "/repos/*/*/pulls");
    world.app().faults().add(lost.times(1));
    let answer = play(&world, &repo, Call::default());
    assert_eq!(answer.output.errors, []);
    assert_eq!(pulls(&world).len(), 1);
}

#[test]
fn an_open_pull_request_is_refused_or_adopted() {
    let world = World::start();
    let repo = prepare(&world);
    world.push(&repo, "main");
    play(&world, &repo, Call::default());
    let again = play(&world, &repo, Call::default());
    insta::assert_snapshot!(again.output.errors[0].message, @"");
    let adopted = Call {
        more: json!({ "title": "feat: another title" }),
        adopt: true,
        ..Call::default()
    };
    let adopted = play(&world, &repo, adopted).output;
    assert_eq!((adopted.pr_number, adopted.errors.len()), (Some(1), 0));
    assert_eq!(pulls(&world)[0]["title"], "feat: another title");
}

#[test]
fn what_cannot_be_opened_says_why() {
    let world = World::start();
    let repo = prepare(&world);
    let reason = |more: Value| {
        let call = Call {
            more,
            ..Call::default()
        };
        let error = play(&world, &repo, call).output.errors.remove(0);
        format!("{:?}: {}", error.kind, error.message)
    };
    insta::assert_snapshot!(reason(json!({ "branch": "nowhere" })), @"");
    insta::assert_snapshot!(reason(json!({ "base_branch": "nowhere" })), @"");
    repo.branch("same");
    insta::assert_snapshot!(reason(json!({ "branch": "same" })), @"");
    world.app().faults().add(Fault::new(FaultKind::ServerError { status: 503, retry_after: None }).on("POST", "/repos/*/*/pulls"));
    insta::assert_snapshot!(reason(json!({})), @"");
    assert_eq!(pulls(&world), Vec::<Value>::new());
}
