//! Baselines, SARIF in and out, and claims of others.

use baton_review::{
    Baseline, BaselineError, ChangedFile, Claim, Finding, Kind, Options, Rejection, Severity,
    Touched, accept_quoted, review, review_with, sarif,
};

fn file<'a>(path: &'a str, text: &'a str) -> ChangedFile<'a> {
    ChangedFile {
        path,
        before: None,
        after: Some(text.as_bytes()),
        touched: Touched::All,
    }
}

fn found() -> Vec<Finding> {
    let text = "password = 'kT9mquuw2x!'\n";
    review(
        &[file("src/settings für alle.py", text)],
        &Options::default(),
    )
    .findings
}

#[test]
fn a_baseline_is_written_read_and_hides_what_it_knows() {
    let mut findings = found();
    assert_eq!(findings.len(), 1);
    let written = Baseline::new(&findings).to_string();
    assert!(written.starts_with("# baton review baseline 1\n"));
    assert!(written.contains(" secrets/password src/settings für alle.py\n"));
    let read = Baseline::parse(&written).expect("just written");
    assert_eq!(read, Baseline::new(&findings));
    assert_eq!(read.retain_new(&mut findings), 1);
    assert_eq!(findings, []);
}

#[test]
fn a_foreign_baseline_is_refused() {
    assert_eq!(Baseline::parse("{}"), Err(BaselineError::Version));
    assert_eq!(
        Baseline::parse("# baton review baseline 2\n"),
        Err(BaselineError::Version)
    );
    let bad = "# baton review baseline 1\n\nnot-a-fingerprint x y\n";
    assert_eq!(Baseline::parse(bad), Err(BaselineError::Line { line: 3 }));
}

#[test]
fn what_is_written_as_sarif_is_read_back() {
    let findings = found();
    let log = sarif::log(&findings, &[], "1.2.3").to_text();
    assert!(!log.contains("kT9mquuw2x"));
    let back = sarif::read(log.as_bytes(), None).expect("our own log");
    assert_eq!(back.tools, ["baton"]);
    let read = &back.findings[0];
    assert_eq!(read.place, findings[0].place);
    assert_eq!(
        (read.severity, read.cwe, read.kind),
        (findings[0].severity, Some(798), Kind::Security)
    );
    assert_eq!(read.class, findings[0].class);
}

/// As `CodeQL`, semgrep, eslint and gitleaks write them, in what matters here.
const LOG: &str = r#"{
  "version": "2.1.0",
  "runs": [
    {
      "tool": { "driver": { "name": "CodeQL" }, "extensions": [ { "name": "py", "rules": [
        { "id": "py/sql-injection", "shortDescription": { "text": "SQL query built from user-controlled sources" },
          "properties": { "tags": ["security", "external/cwe/cwe-089"], "security-severity": "8.8" } } ] } ] },
      "results": [
        { "rule": { "id": "py/sql-injection", "index": 0 }, "message": { "text": "This query depends on a user-provided value." },
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "src/db.py", "uriBaseId": "%SRCROOT%" }, "region": { "startLine": 7, "startColumn": 5 } } } ] },
        { "rule": { "id": "py/sql-injection" }, "message": { "text": "hidden" }, "suppressions": [ { "kind": "inSource" } ],
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "src/db.py" }, "region": { "startLine": 8 } } } ] },
        { "rule": { "id": "py/sql-injection" }, "message": { "text": "outside" },
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "../../etc/passwd" }, "region": { "startLine": 1 } } } ] }
      ]
    },
    {
      "tool": { "driver": { "name": "Semgrep OSS", "rules": [ { "id": "python.sql", "defaultConfiguration": { "level": "error" }, "properties": { "tags": ["CWE-89: Improper Neutralization", "security"] } } ] } },
      "results": [ { "ruleId": "python.sql", "message": { "text": "SQL" },
        "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "src/db.py" }, "region": { "startLine": 7, "endLine": 9 } } } ] } ]
    },
    {
      "tool": { "driver": { "name": "ESLint", "rules": [ { "id": "no-unused-vars" } ] } },
      "results": [ { "ruleId": "no-unused-vars", "level": "warning", "message": { "text": "'x' is defined but never used.\u001b[31m" },
        "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "file:///repo/web/a%20b.js" }, "region": { "startLine": 3 } } } ] } ]
    }
  ]
}"#;

#[test]
fn logs_of_other_programs_are_read() {
    let imported = sarif::read(LOG.as_bytes(), Some("/repo")).expect("a log");
    assert_eq!(imported.tools, ["CodeQL", "Semgrep OSS", "ESLint"]);
    assert_eq!(imported.without_place, 1);
    let lines: Vec<_> = imported
        .findings
        .iter()
        .map(|finding| {
            format!(
                "{} {} {} {:?} {finding}",
                finding.rule,
                finding.severity,
                finding.kind.as_str(),
                finding.cwe
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    codeql/py/sql-injection high security Some(89) SQL query built from user-controlled sources in src/db.py:7 – This query depends on a user-provided value.
    semgrep-oss/python.sql high security Some(89) python.sql in src/db.py:7 – SQL
    eslint/no-unused-vars medium quality None no-unused-vars in web/a b.js:3 – 'x' is defined but never used.[31m
    ");
}

#[test]
fn the_same_problem_at_the_same_place_is_reported_once() {
    let imported = sarif::read(LOG.as_bytes(), Some("/repo")).expect("a log");
    let mut merged = Vec::new();
    sarif::merge(&mut merged, imported.findings.clone());
    assert_eq!(merged.len(), 2);
    sarif::merge(&mut merged, imported.findings);
    assert_eq!(merged.len(), 2);
}

/// As bandit and gitleaks write them.
const SECRETS: &str = r#"{
  "version": "2.1.0",
  "runs": [
    {
      "tool": { "driver": { "name": "Bandit", "rules": [
        { "id": "B105", "name": "hardcoded_password_string", "properties": { "tags": ["security", "external/cwe/cwe-259"] } },
        { "id": "B605", "name": "start_process_with_a_shell", "properties": { "tags": ["security", "external/cwe/cwe-78"] } } ] } },
      "results": [
        { "ruleId": "B105", "level": "warning", "message": { "text": "Possible hardcoded password: 'sunny'" },
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "a.py" },
            "region": { "startLine": 1, "snippet": { "text": "password = 'sunny'\n" } } } } ] },
        { "ruleId": "B605", "level": "error", "message": { "text": "Starting a process with a shell" },
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "a.py" }, "region": { "startLine": 3 } } } ] },
        { "ruleId": "B605", "level": "error", "message": { "text": "Starting a process with a shell" },
          "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "a.py" }, "region": { "startLine": 4 } } } ] }
      ]
    },
    {
      "tool": { "driver": { "name": "gitleaks", "rules": [ { "id": "generic-api-key", "shortDescription": { "text": "Detected a Generic API Key." } } ] } },
      "results": [ { "ruleId": "generic-api-key", "message": { "text": "generic-api-key has detected secret for file a.py." },
        "locations": [ { "physicalLocation": { "artifactLocation": { "uri": "a.py" },
          "region": { "startLine": 5, "snippet": { "text": "zq81-mmxb" } } } } ] } ]
    }
  ]
}"#;

#[test]
fn what_others_found_is_held_to_the_same_rules() {
    let text = "password = 'sunny'\nimport os, sys\nos.system(sys.argv[1])\n\
                os.system(NAME)  # baton-ignore: B605 – NAME is ours\nkey = zq81-mmxb\n";
    let others = sarif::read(SECRETS.as_bytes(), None)
        .expect("a log")
        .findings;
    assert!(!format!("{others:?}").contains("sunny"));
    assert!(!format!("{others:?}").contains("zq81"));
    let reviewed = review_with(&[file("a.py", text)], &others, &Options::default());
    assert_eq!(reviewed.unused_suppressions, []);
    let lines: Vec<_> = reviewed
        .findings
        .iter()
        .map(|finding| {
            let (severity, rule) = (finding.severity, &finding.rule);
            format!("{severity} {rule} {finding} | {}", finding.excerpt)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    medium bandit/B105 B105: hardcoded password string in a.py:1 – Possible hardcoded password: '***' | password = '***'
    high python/command-injection Command built from untrusted input in a.py:3 – anyone who sends the value can run programs of their choice | os.system(sys.argv[1])
    medium gitleaks/generic-api-key Detected a Generic API Key in a.py:5 – generic-api-key has detected secret for file a.py. | key = ***
    ");
    let below = Options {
        threshold: Severity::High,
        ..Options::default()
    };
    let severe = review_with(&[file("a.py", text)], &others, &below);
    assert_eq!(severe.findings.len(), 1);
    let elsewhere = review_with(&[file("b.py", "x = 1\n")], &others, &Options::default());
    assert_eq!(elsewhere.findings, []);
}

#[test]
fn logs_that_are_none_are_refused() {
    assert!(sarif::read(b"", None).is_err());
    assert!(sarif::read(b"[1]", None).is_err());
    assert!(sarif::read(br#"{"version":"1.0.0"}"#, None).is_err());
    assert!(
        sarif::read(
            br#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":null}]}"#,
            None
        )
        .is_ok()
    );
}

fn claim(line: u32, quote: &str) -> Claim {
    Claim {
        kind: Kind::Quality,
        severity: Severity::Medium,
        path: "src/a.py".to_owned(),
        line,
        quote: quote.to_owned(),
        class: "swallowed-error".to_owned(),
        what: "Error\nswallowed".to_owned(),
        why: "no one\u{1b}[31m learns of it".to_owned(),
        remedy: String::new(),
    }
}

#[test]
fn only_what_is_quoted_rightly_is_accepted() {
    let text = "def f():\n    try:\n        g()\n    except Exception:\n        pass\n";
    let mut changed = file("src/a.py", text);
    changed.touched = Touched::Lines(vec![4..=5]);
    let files = [changed];
    let judge = |claim: Claim| accept_quoted(vec![claim], &files, "agent");
    let good = judge(claim(4, "except Exception:\n    pass"));
    assert_eq!(good.rejected, []);
    insta::assert_snapshot!(good.accepted[0], @"Error swallowed in src/a.py:4 – no one[31m learns of it");
    assert_eq!(good.accepted[0].rule, "agent/swallowed-error");
    let rejection = |claim: Claim| judge(claim).rejected[0].1;
    assert_eq!(
        rejection(claim(3, "except Exception:")),
        Rejection::NotThere
    );
    assert_eq!(
        rejection(claim(4, "except ValueError:")),
        Rejection::NotThere
    );
    assert_eq!(rejection(claim(5, "pass\nmore")), Rejection::NotThere);
    assert_eq!(rejection(claim(9, "pass")), Rejection::NoSuchLine);
    assert_eq!(rejection(claim(0, "pass")), Rejection::NoSuchLine);
    assert_eq!(rejection(claim(4, "  ")), Rejection::NothingQuoted);
    assert_eq!(rejection(claim(2, "try:")), Rejection::Untouched);
    let other = Claim {
        path: "src/b.py".to_owned(),
        ..claim(4, "except Exception:")
    };
    assert_eq!(rejection(other), Rejection::UnknownFile);
}
