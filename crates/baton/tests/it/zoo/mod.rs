//! Hostile repositories, each with every verb and tool that only reads: none
//! of them makes baton run anything but git.

mod repositories;
mod traced;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use baton_testkit::Sandbox;
use serde_json::json;

use self::repositories::{ALL, Ground, Hostile};
use self::traced::Strace;
use crate::mcp::client::Client;

/// The verbs that read. `init` comes last: it writes a file.
const VERBS: [&[&str]; 11] = [
    &["detect"],
    &["doctor"],
    &["config", "show"],
    &["review"],
    &["review", "--diff", "HEAD~1"],
    &["report", "report.txt"],
    &["runs"],
    &["show", "-"],
    &["handoff", "check", "report.txt"],
    &["schema"],
    &["init"],
];

/// One verb in one repository.
struct Case {
    repository: &'static str,
    verb: String,
    /// What ran that should not have.
    ran: BTreeSet<String>,
}

#[test]
fn reading_runs_nothing_of_a_repository() {
    let Some(strace) = Strace::find() else {
        return baton_testkit::missing("strace");
    };
    let waiting = Mutex::new(ALL.iter());
    let cases = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some(hostile) = next else { return };
                    let found = visit(hostile, &strace);
                    cases.lock().unwrap().extend(found);
                }
            });
        }
    });
    let cases = cases.into_inner().unwrap();
    assert_eq!(cases.len(), ALL.len() * (VERBS.len() + 1));
    assert!(
        cases.iter().all(|case| case.ran.is_empty()),
        "{}",
        table(&cases)
    );
}

/// Without a hostile repository's word, the same observation sees its programs.
#[test]
fn the_traps_work() {
    let Some(strace) = Strace::find() else {
        return baton_testkit::missing("strace");
    };
    let sandbox = Sandbox::new();
    let trace = sandbox.path("trapped");
    let ground = Ground::new(&sandbox, &trace);
    let hostile = ALL.iter().find(|hostile| hostile.name == "core.fsmonitor");
    let folder = hostile.unwrap().plant(&ground);
    let mut git = strace.command(&sandbox, &folder, Path::new("git"), &["status"]);
    git.output().unwrap();
    assert!(trace.exists());
    assert_ne!(strace.foreign(&sandbox), BTreeSet::new());
}

fn visit(hostile: &Hostile, strace: &Strace) -> Vec<Case> {
    let mut sandbox = Sandbox::new();
    let path = [sandbox.path("project/bin"), sandbox.bin()];
    sandbox.set("PATH", std::env::join_paths(path).unwrap());
    let sandbox = sandbox;
    let trace = sandbox.path("trapped");
    let ground = Ground::new(&sandbox, &trace);
    let folder = hostile.plant(&ground);
    // What git did while the repository was made does not count.
    let _ = fs::remove_file(&trace);
    let case = |verb: String| {
        let mut ran = strace.foreign(&sandbox);
        if let Ok(trapped) = fs::read_to_string(&trace) {
            ran.extend(trapped.lines().map(|line| format!("trap: {line}")));
            fs::remove_file(&trace).unwrap();
        }
        Case {
            repository: hostile.name,
            verb,
            ran,
        }
    };
    let mut cases = vec![{
        use_tools(strace, &sandbox, &folder);
        case("MCP tools".to_owned())
    }];
    for verb in VERBS {
        let output = strace.baton(&sandbox, &folder, verb).output().unwrap();
        let panicked = String::from_utf8_lossy(&output.stderr).contains("panicked");
        assert!(!panicked, "{verb:?} in {}", hostile.name);
        cases.push(case(verb.join(" ")));
    }
    cases
}

/// The tools that are said to be read-only.
fn use_tools(strace: &Strace, sandbox: &Sandbox, folder: &Path) {
    // Where baton refuses the repository's configuration, there is no server.
    let mut config = strace.baton(sandbox, folder, &["config", "show"]);
    if !config.output().unwrap().status.success() {
        strace.baton(sandbox, folder, &["mcp"]).output().unwrap();
        return;
    }
    let mut client = Client::from_command(strace.baton(sandbox, folder, &["mcp"]));
    client.shake_hands("2025-06-18", json!({}));
    client.call("detect_project", json!({ "folder": folder }));
    client.call("read_test_report", json!({ "text": "1 passed" }));
    client.call("review_change", json!({ "working_directory": folder }));
    let since = json!({ "working_directory": folder, "base": "HEAD~1" });
    client.call("review_change", since);
    client.close_stdin();
    client.end();
}

/// Verbs by repositories, with what ran where something did.
fn table(cases: &[Case]) -> String {
    let mut text = String::from("programs of a repository ran\n");
    let mut verbs: Vec<&str> = cases.iter().map(|case| case.verb.as_str()).collect();
    verbs.dedup();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.repository).collect();
    for name in names {
        let of_it: Vec<_> = cases
            .iter()
            .filter(|case| case.repository == name)
            .collect();
        let marks: String = of_it
            .iter()
            .map(|case| if case.ran.is_empty() { " ok " } else { "RAN " })
            .collect();
        writeln!(text, "{name:45} {marks}").unwrap();
        for case in of_it.iter().filter(|case| !case.ran.is_empty()) {
            writeln!(text, "    {}: {:?}", case.verb, case.ran).unwrap();
        }
    }
    let columns: Vec<String> = std::iter::once("MCP tools".to_owned())
        .chain(VERBS.iter().map(|verb| verb.join(" ")))
        .collect();
    write!(text, "columns: {}", columns.join(", ")).unwrap();
    text
}
