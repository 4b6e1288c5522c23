//! Tests of whole reviews: files in, findings out.

use baton_review::{ChangedFile, Finding, Options, Severity, Touched, Unread, review};

const VULNERABLE: &str = "\
from flask import request
import os

@app.route('/ping')
def ping():
    host = request.args['host']
    command = 'ping ' + host
    os.system(command)
";

fn findings(path: &str, code: &str, touched: Touched) -> Vec<Finding> {
    let file = ChangedFile {
        path,
        before: None,
        after: Some(code.as_bytes()),
        touched,
    };
    review(&[file], &Options::default()).findings
}

#[test]
fn a_flow_is_reported_from_source_to_sink() {
    let found = findings("app/views.py", VULNERABLE, Touched::All);
    let mut lines = Vec::new();
    for finding in &found {
        lines.push(format!("{} [{}] {finding}", finding.severity, finding.rule));
        let steps = finding.trace.iter();
        lines.extend(steps.map(|step| format!("  {} {}", step.place, step.note)));
        lines.push(format!("  {}", finding.excerpt));
        lines.push(format!("  {}", finding.remedy));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    critical [python/command-injection] Command built from untrusted input in app/views.py:8 – anyone who sends the value can run programs of their choice
      app/views.py:6 comes from `request.args`
      app/views.py:6 is assigned to `host`
      app/views.py:7 is assigned to `command`
      app/views.py:8 reaches `os.system(command)`
      os.system(command)
      Start the program without a shell, with a fixed name and the value as one argument.
    ");
}

#[test]
fn only_flows_that_the_change_touched_at_an_end_are_given() {
    let at = |line| Touched::Lines(vec![line..=line]);
    assert_eq!(findings("a.py", VULNERABLE, at(8)).len(), 1, "the sink");
    assert_eq!(findings("a.py", VULNERABLE, at(6)).len(), 1, "the source");
    assert_eq!(findings("a.py", VULNERABLE, at(2)).len(), 0, "elsewhere");
    let file = ChangedFile {
        path: "a.py",
        before: None,
        after: Some(VULNERABLE.as_bytes()),
        touched: at(2),
    };
    let options = Options {
        everywhere: true,
        ..Options::default()
    };
    assert_eq!(review(&[file], &options).findings.len(), 1);
}

#[test]
fn a_fingerprint_survives_moved_lines_and_distinguishes_duplicates() {
    let moved = format!("# a new head\n\n{VULNERABLE}");
    let before = findings("a.py", VULNERABLE, Touched::All);
    let after = findings("a.py", &moved, Touched::All);
    assert_eq!(before[0].fingerprint, after[0].fingerprint);
    assert_ne!(before[0].place, after[0].place);
    let twice = format!("{VULNERABLE}    os.system(command)\n");
    let twins = findings("a.py", &twice, Touched::All);
    assert_eq!(twins.len(), 2);
    assert_ne!(twins[0].fingerprint, twins[1].fingerprint);
}

#[test]
fn test_code_is_demoted() {
    let severity = |path| {
        findings(path, VULNERABLE, Touched::All)
            .first()
            .map(|f| f.severity)
    };
    assert_eq!(severity("app/views.py"), Some(Severity::Critical));
    assert_eq!(severity("tests/views.py"), Some(Severity::Medium));
    assert_eq!(severity("app/test_views.py"), Some(Severity::Medium));
    assert_eq!(severity("contest/views.py"), Some(Severity::Critical));
}

#[test]
fn a_helper_in_the_same_file_is_seen_through() {
    let code = "\
from flask import request
import os

def wrap(text):
    return 'echo ' + text

def run(command):
    os.system(command)

@app.route('/x')
def x():
    run(wrap(request.args['x']))
";
    let found = findings("a.py", code, Touched::All);
    let lines: Vec<_> = found
        .iter()
        .map(|f| (f.place.start_line, f.severity))
        .collect();
    assert_eq!(lines, [(8, Severity::Critical)]);
}

#[test]
fn a_function_given_to_a_helper_is_seen_through() {
    let code = "\
class A {
  void each(HttpServletRequest request, Consumer<String> action) {
    action.accept(request.getParameter(\"x\"));
  }
  void run(String command) throws Exception {
    Runtime.getRuntime().exec(command);
  }
  void start(HttpServletRequest request) {
    each(request, A::run);
  }
}
";
    let found = findings("A.java", code, Touched::All);
    let lines: Vec<_> = found
        .iter()
        .map(|f| (f.place.start_line, f.severity))
        .collect();
    assert_eq!(lines, [(6, Severity::Critical)]);
}

#[test]
fn what_a_helper_makes_safe_is_safe() {
    let code = "\
class A {
  void safe(Socket socket) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    harden(factory);
    factory.newDocumentBuilder().parse(socket.getInputStream());
  }
  void unsafe(Socket socket) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.newDocumentBuilder().parse(socket.getInputStream());
  }
  void harden(DocumentBuilderFactory factory) throws Exception {
    factory.setFeature(\"http://apache.org/xml/features/disallow-doctype-decl\", true);
  }
}
";
    let found = findings("A.java", code, Touched::All);
    let lines: Vec<_> = found.iter().map(|f| f.place.start_line).collect();
    assert_eq!(lines, [9]);
}

#[test]
fn a_field_carries_over_from_one_method_to_another() {
    let code = "\
class UsersController < ApplicationController
  def show
    User.find_by_sql(\"select * from users where id = #{@id}\")
  end

  def load
    @id = params[:id]
  end
end
";
    let found = findings("a.rb", code, Touched::All);
    let lines: Vec<_> = found.iter().map(|f| f.place.start_line).collect();
    assert_eq!(lines, [3]);
}

#[test]
fn the_password_is_not_in_the_excerpt() {
    let found = findings("a.py", "API_KEY = 'Zx81kQp02Lm'\n", Touched::All);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].excerpt, "API_KEY = \"***\"");
}

#[test]
fn unread_files_are_reported() {
    let long = "x = 1\n".repeat(300_000);
    let minified = format!("var a={};", "1+".repeat(9_000) + "1");
    let reason = |path, bytes: &[u8]| {
        let file = ChangedFile {
            path,
            before: None,
            after: Some(bytes),
            touched: Touched::All,
        };
        let review = review(&[file], &Options::default());
        assert!(review.findings.is_empty());
        review.notes.into_iter().map(|note| note.reason).next()
    };
    assert_eq!(reason("a.py", long.as_bytes()), Some(Unread::TooLarge));
    assert_eq!(reason("a.js", minified.as_bytes()), Some(Unread::Minified));
    assert_eq!(reason("a.py", b"x = 1\0"), Some(Unread::Binary));
    assert_eq!(reason("a.py", b"x = '\xff'"), Some(Unread::NotUtf8));
    assert_eq!(reason("a.xyz", b"hello"), Some(Unread::UnknownLanguage));
    assert_eq!(reason("a.py", b""), None);
}

#[test]
fn nothing_and_deleted_files_are_fine() {
    assert!(review(&[], &Options::default()).findings.is_empty());
    let gone = ChangedFile {
        path: "a.py",
        before: Some(VULNERABLE.as_bytes()),
        after: None,
        touched: Touched::All,
    };
    let review = review(&[gone], &Options::default());
    assert!(review.findings.is_empty() && review.notes.is_empty());
}

#[test]
fn threads_change_nothing() {
    let paths: Vec<String> = (0..20).map(|n| format!("a{n}.py")).collect();
    let files: Vec<_> = paths
        .iter()
        .map(|path| ChangedFile {
            path,
            before: None,
            after: Some(VULNERABLE.as_bytes()),
            touched: Touched::All,
        })
        .collect();
    let with = |threads| {
        review(
            &files,
            &Options {
                threads,
                ..Options::default()
            },
        )
        .findings
    };
    assert_eq!(with(1), with(3));
    assert_eq!(with(1).len(), 20);
}

/// One function is being typed; the others can be read.
#[test]
fn intact_functions_around_a_syntax_error_are_reviewed() {
    let cases = [
        (
            "app.py",
            "def f(x):\n    return eval(x\n\n\ndef g(request):\n    import os\n    os.system(\"a\" + request.GET[\"x\"])\n",
            2,
            7,
        ),
        (
            "app.py",
            "import os\n\n\ndef g(request):\n    os.system(\"a\" + request.GET[\"x\"])\n\n\ndef f(x:\n    return x\n",
            8,
            5,
        ),
        (
            "app.js",
            "const { exec } = require('child_process');\n\nfunction broken(a {\n  return a;\n}\n\nfunction run(req, res) {\n  exec('ls ' + req.query.name);\n}\n",
            3,
            8,
        ),
    ];
    for (path, code, error, found) in cases {
        let file = ChangedFile {
            path,
            before: None,
            after: Some(code.as_bytes()),
            touched: Touched::All,
        };
        let review = review(&[file], &Options::default());
        let reasons: Vec<Unread> = review.notes.iter().map(|note| note.reason).collect();
        assert_eq!(reasons, [Unread::SyntaxError { line: error }], "{code}");
        let commands = review.findings.iter();
        let lines: Vec<u32> = commands
            .filter(|finding| finding.class == "command-injection")
            .map(|finding| finding.place.start_line)
            .collect();
        assert_eq!(lines, [found], "{code}");
    }
}
