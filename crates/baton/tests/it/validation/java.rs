//! javac, and Maven without the plugins that would format.

use serde_json::json;

use super::phase::Project;
use crate::testing::equipment::{is_there, tools};

const FILE: &str = "src/shop/Total.java";
const CLEAN: &str =
    "package shop;\n\npublic class Total {\n    int of(int a) {\n        return a;\n    }\n}\n";

fn javac(content: &str) -> Option<super::phase::Answer> {
    let mut project = Project::bare();
    if !is_there(tools(&mut project.sandbox, &["java", "javac"])) {
        return None;
    }
    project.write("pom.xml", "<project/>");
    project.write(FILE, content);
    let mut request = project.request(&[FILE]);
    request["format_command"] = json!("true");
    request["lint_command"] = json!("true");
    request["build_command"] = json!(format!("javac -Xlint:all -d out {FILE}"));
    Some(project.phase(&request, &[]))
}

#[test]
fn is_clean() {
    let Some(answer) = javac(CLEAN) else {
        return;
    };
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.check("build")["status"], "pass");
}

#[test]
fn does_not_compile() {
    let Some(answer) = javac(&CLEAN.replace("return a;", "return summ;")) else {
        return;
    };
    assert_eq!(answer.code, Some(1));
    insta::assert_snapshot!(answer.issues("build"), @"cannot find symbol; symbol: variable summ; location: class Total at src/shop/Total.java:5");
    assert_eq!(
        answer.details["build"]["diagnostics"][0]["range"],
        json!({"start": {"line": 5, "column": 16}})
    );
    // What a compiler objects to it objects to again.
    assert_eq!(answer.check("build")["retry_count"], 0);
}

#[test]
fn maven_is_missing() {
    let project = Project::bare();
    project.write("pom.xml", "<project/>");
    let answer = project.phase(&project.request(&[]), &[]);
    assert_eq!(answer.code, Some(1));
    insta::assert_snapshot!(answer.issues("formatter"), @"`mvn spotless:apply` was not found on this machine. Install Maven from https://maven.apache.org, or give another `format_command`.");
    insta::assert_snapshot!(answer.issues("build"), @"`mvn compile` was not found on this machine. Install Maven from https://maven.apache.org, or give another `build_command`.");
}
