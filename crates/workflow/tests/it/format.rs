//! The stored format. A snapshot that changes means a new `FORMAT`.

use baton_workflow::{
    Answer, Choice, Event, Failure, FailureKind, Policy, Report, StepQuestion, Usage,
};

use crate::samples::{approved, start};

fn all() -> Vec<Event> {
    let at = "2031-05-06T07:08:09Z".parse().unwrap();
    let key = || "20310506-7f3a/004-fix".to_owned().into();
    let usage = Usage {
        turns: 3,
        input_tokens: 1200,
        output_tokens: 80,
        cost_micros: 15_000,
        elapsed_ms: 2_500,
    };
    let finished = |report, usage| Event::Finished {
        key: key(),
        at,
        report,
        usage,
    };
    let question = StepQuestion {
        text: "Which one?".to_owned(),
        options: vec![Choice::new('1', "this")],
        objections: Vec::new(),
    };
    vec![
        Event::Created {
            at,
            start: Box::new(start(Policy::default())),
        },
        Event::Started { key: key(), at },
        finished(approved(), usage),
        finished(Report::Done, Usage::default()),
        finished(Report::Asks { question }, Usage::default()),
        Event::Failed {
            key: key(),
            at,
            failure: Failure {
                retry_after: Some(std::time::Duration::from_secs(30)),
                ..Failure::new(FailureKind::Transient, "rate limit")
            },
            usage: Usage::default(),
        },
        Event::Woke { key: key(), at },
        Event::Asked { key: key(), at },
        Event::Answered {
            key: key(),
            at,
            answer: Answer {
                choice: 'm',
                comment: Some("bind it".to_owned()),
            },
        },
        Event::CancelRequested {
            at,
            reason: "changed my mind".to_owned(),
        },
        Event::Noticed {
            key: key(),
            at,
            texts: vec!["looked for keys".to_owned()],
        },
    ]
}

#[test]
fn every_event_has_this_form() {
    let lines: Vec<String> = all()
        .iter()
        .map(|event| serde_json::to_string(event).unwrap())
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"event":"created","at":"2031-05-06T07:08:09Z","start":{"run":"20310506-7f3a","goal":{"request":"Add rate limiting to the login endpoint","repository":"octo/shop"},"policy":{"mode":"autonomous","unattended":false,"budget":{},"max_review_rounds":3,"max_validation_rounds":3,"retry_pauses_ms":[1000,2000,5000,15000,30000,60000,120000,240000,300000,300000,300000,300000],"longest_pause_ms":900000,"max_stalls":1,"max_interruptions":5,"max_step_questions":3,"recheck_every_ms":300000,"max_rechecks":6,"agent_limits":{"wall_ms":3600000,"idle_ms":600000},"code_limits":{"wall_ms":3600000,"idle_ms":2700000},"max_commands":200}}}
    {"event":"started","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z"}
    {"event":"finished","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","report":{"kind":"passed","handoff":{"from":"reviewer-agent","to":"validator-agent","timestamp":"2031-05-06T07:08:09Z","pr_url":"https://forge.test/octo/shop/pull/8","pr_number":8,"issue_number":7,"review_status":"approved","critical_count":0,"important_count":0}},"usage":{"turns":3,"input_tokens":1200,"output_tokens":80,"cost_micros":15000,"elapsed_ms":2500}}
    {"event":"finished","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","report":{"kind":"done"}}
    {"event":"finished","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","report":{"kind":"asks","question":{"text":"Which one?","options":[{"key":"1","label":"this"}]}}}
    {"event":"failed","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","failure":{"kind":"transient","message":"rate limit","retry_after_ms":30000}}
    {"event":"woke","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z"}
    {"event":"asked","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z"}
    {"event":"answered","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","answer":{"choice":"m","comment":"bind it"}}
    {"event":"cancel_requested","at":"2031-05-06T07:08:09Z","reason":"changed my mind"}
    {"event":"noticed","key":"20310506-7f3a/004-fix","at":"2031-05-06T07:08:09Z","texts":["looked for keys"]}
    "#);
}

#[test]
fn what_was_written_is_read_again() {
    for event in all() {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}

#[test]
fn what_version_1_wrote_is_read() {
    let text = r#"{"event":"finished","key":"k","at":"2031-05-06T07:08:09Z","report":{"kind":"done"},"usage":{"turns":3,"input_tokens":1200,"output_tokens":80,"cost_micros":15000}}"#;
    let Event::Finished { usage, .. } = serde_json::from_str(text).unwrap() else {
        panic!("another event");
    };
    assert_eq!((usage.turns, usage.elapsed_ms), (3, 0));
}

#[test]
fn what_is_not_ours_is_refused() {
    for text in [
        r#"{"event":"exploded","at":"2031-05-06T07:08:09Z"}"#,
        r#"{"event":"woke","key":"k","at":"tomorrow"}"#,
        r#"{"event":"woke","key":"k","at":"2031-05-06T07:08:09Z","more":1}"#,
        r#"{"event":"finished","key":"k","at":"2031-05-06T07:08:09Z","report":{"kind":"passed","handoff":{}}}"#,
    ] {
        assert!(serde_json::from_str::<Event>(text).is_err(), "{text}");
    }
}
