//! What happens to every project.

use serde_json::json;

use super::phase::Project;
use super::toolchain::Toolchain;

pub(super) fn is_clean(toolchain: &Toolchain) {
    let Some(project) = Project::new(toolchain, toolchain.clean) else {
        return;
    };
    let answer = project.phase(&project.request_of(toolchain), &[]);
    let built = if toolchain.build.is_empty() {
        "skipped"
    } else {
        "pass"
    };
    assert_eq!(
        answer.statuses(),
        ["pass", "pass", built, "skipped", "pass", "pass"],
        "{}",
        answer.shown()
    );
    assert_eq!(answer.code, Some(0));
    assert_eq!(answer.output["total_retries"], 0);
    assert_eq!(answer.check("formatter")["command"], toolchain.formatter);
    assert_eq!(answer.check("linter")["command"], toolchain.linter);
    assert_eq!(answer.check("build")["command"], toolchain.build);
    assert_eq!(project.read(toolchain.file), toolchain.clean);
}

pub(super) fn is_mended(toolchain: &Toolchain) {
    let Some(project) = Project::new(toolchain, toolchain.untidy) else {
        return;
    };
    let answer = project.phase(&project.request_of(toolchain), &[]);
    assert_eq!(
        project.read(toolchain.file),
        toolchain.clean,
        "{}",
        answer.shown()
    );
    assert_eq!(answer.output["status"], "pass", "{}", answer.shown());
    assert_eq!(answer.code, Some(0));
}

pub(super) fn cannot_be_mended(toolchain: &Toolchain) {
    let Some(project) = Project::new(toolchain, toolchain.wrong) else {
        return;
    };
    let answer = project.phase(&project.request_of(toolchain), &[]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(
        answer.check("linter")["status"],
        "fail",
        "{}",
        answer.shown()
    );
    let complaint = &toolchain.complaint;
    let issues = answer.issues("linter");
    assert!(issues.contains(complaint.told), "{issues}");
    let place = format!("{}:{}", toolchain.file, complaint.line);
    assert!(issues.contains(&place), "{issues}");
    let diagnostics = answer.details["linter"]["diagnostics"].as_array().unwrap();
    let is_told = diagnostics.iter().any(|told| {
        told["file"] == toolchain.file
            && told["range"]["start"]["line"] == complaint.line
            && told.get("rule").and_then(|rule| rule.as_str()) == complaint.rule
    });
    assert!(is_told, "{diagnostics:#?}");
    assert_eq!(project.read(toolchain.file), toolchain.wrong);
}

pub(super) fn cannot_be_parsed(toolchain: &Toolchain) {
    let Some(project) = Project::new(toolchain, toolchain.broken) else {
        return;
    };
    let answer = project.phase(&project.request_of(toolchain), &[]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(
        answer.check("formatter")["status"],
        "fail",
        "{}",
        answer.shown()
    );
    let place = format!("{}:{}", toolchain.file, toolchain.stops_at);
    let issues = answer.issues("formatter");
    assert!(issues.contains(&place), "{issues}");
    assert_eq!(project.read(toolchain.file), toolchain.broken);
}

pub(super) fn is_missing(toolchain: &Toolchain) {
    let Some(mut project) = Project::new(toolchain, toolchain.clean) else {
        return;
    };
    (toolchain.remove)(&mut project.sandbox);
    let answer = project.phase(&project.request_of(toolchain), &[]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(answer.output["total_retries"], 0, "{}", answer.shown());
    for check in ["formatter", "linter"] {
        let issues = answer.issues(check);
        assert!(issues.contains("was not found on this machine"), "{issues}");
    }
    let issues = answer.issues("formatter");
    assert!(issues.contains(toolchain.advice), "{issues}");
    assert_eq!(answer.check("formatter")["command"], toolchain.formatter);
}

pub(super) fn takes_too_long(toolchain: &Toolchain) {
    let Some(project) = Project::new(toolchain, toolchain.clean) else {
        return;
    };
    let mut request = project.request_of(toolchain);
    request["lint_command"] = json!(format!("sleep 300 && {}", toolchain.linter));
    request["format_command"] = json!("true");
    request["skip_build"] = json!(true);
    let answer = project.phase(&request, &["--timeout", "1"]);
    assert_eq!(answer.code, Some(1));
    let issues = answer.issues("linter");
    assert!(
        issues.contains("was ended after 1s, its time limit"),
        "{issues}"
    );
    assert_eq!(answer.check("linter")["retry_count"], 0);
}
