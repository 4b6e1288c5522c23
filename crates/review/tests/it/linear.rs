//! The work of a review grows with the size of a file and not with its square, whatever the
//! file is made of.

use baton_review::{ChangedFile, Options, Severity, StopFlag, Touched, Unread, review};

/// Every piece is on a line of its own: a file of long lines counts as minified.
struct Construct {
    name: &'static str,
    path: &'static str,
    before: &'static str,
    /// `#` is the number of the piece.
    opening: &'static str,
    middle: &'static str,
    closing: &'static str,
    after: &'static str,
}

impl Construct {
    fn code(&self, count: usize) -> String {
        let pieces = |piece: &str| -> String {
            let numbered = (0..count).map(|number| piece.replace('#', &number.to_string()));
            numbered.collect()
        };
        [
            self.before,
            &pieces(self.opening),
            self.middle,
            &pieces(self.closing),
            self.after,
        ]
        .concat()
    }
}

/// Name, what opens a piece, what is in the middle, what closes a piece.
type Piece = (&'static str, &'static str, &'static str, &'static str);

const ELEMENTS: &[Piece] = &[
    ("elements", "<a>\n", "", "</a>"),
    ("attributes", "<a b={\n", "1", "} />"),
    ("expressions", "<a>{\n", "1", "}</a>"),
];

const JAVASCRIPT: &[Piece] = &[
    ("members", "", "x = a", "\n.b"),
    ("calls", "", "x = a", "\n.b(1)"),
    ("indices", "", "x = a", "[\n0]"),
    ("sum", "", "x = a", " +\nb"),
    ("conjunction", "", "x = a", " &&\nb"),
    ("strings", "", "x = 'a'", " +\n'b'"),
    ("ternaries", "a ? b :\n", "c", ""),
    ("parentheses", "(\n", "1", ")"),
    ("arrays", "[\n", "1", "]"),
    ("objects", "x = {a:\n", "1", "}"),
    ("templates", "`${\n", "1", "}`"),
    ("arguments", "f(\n", "1", ")"),
    ("arrows", "() =>\n", "1", ""),
    ("functions", "function f#() {\n", "", "}\n"),
    ("callbacks", "f(function (x) {\n", "", "})\n"),
    (
        "async functions",
        "async function f() {\n await f();",
        "",
        "}\n",
    ),
    ("classes", "class A { m() {\n", "", "}}\n"),
    ("ifs", "if (a) {\n", "", "}\n"),
    ("else ifs", "if (a) { f(); } else\n", "f()", ""),
    ("tries", "try {\n", "", "} catch (e) { f(e) }\n"),
    ("statements", "f(a);\n", "", ""),
    ("variables", "let x# = f(a);\n", "", ""),
    ("branches", "if (a) { x# = f(a); }\n", "", ""),
    ("helpers", "function f#(a) { return g(a); }\n", "", ""),
    ("properties", "x.a# = a;\n", "", ""),
    ("merges", "t[k] = g(t[k]);\n", "", ""),
    ("cases", "if (a) { switch (a) { case 1: f(); } }\n", "", ""),
    ("ignores", "// baton-ignore: xss – for a reason\n", "", ""),
    ("addresses", "x = 'https://a:b@c.example';\n", "", ""),
];

const PYTHON: &[Piece] = &[
    ("members", "", "x = (a", "\n.b"),
    ("calls", "", "x = (a", "\n.b(1)"),
    ("sum", "", "x = (a", "\n+ b"),
    ("conjunction", "", "x = (a", "\nand b"),
    ("lists", "[\n", "1", "]"),
    ("dictionaries", "{'a':\n", "1", "}"),
    ("lambdas", "(lambda:\n", "1", ")"),
    ("statements", "f(a)\n", "", ""),
    ("variables", "x# = f(a)\n", "", ""),
    ("branches", "if a:\n  x# = f(a)\n", "", ""),
    ("elifs", "elif a:\n  f()\n", "", ""),
    ("loops", "for x# in a:\n  f(x#)\n", "", ""),
    ("tries", "try:\n  x# = f()\nexcept E:\n  pass\n", "", ""),
    ("helpers", "def f#(a):\n  return g(a)\n", "", ""),
];

const GO: &[Piece] = &[
    ("members", "", "x := a", ".\nb"),
    ("calls", "", "x := a", ".\nb(1)"),
    ("sum", "", "x := a", " +\nb"),
    ("functions", "f(func() {\n", "", "})\n"),
    ("pairs", "a, b := func() (int, int) {\n", "", "}()\n"),
    ("ifs", "if a {\n", "", "}\n"),
    ("blocks", "{\n", "", "}\n"),
    ("variables", "x# := f(a)\n", "", ""),
    (
        "errors",
        "x#, err := f()\nif err != nil {\n return\n}\n",
        "",
        "",
    ),
];

const RUST: &[Piece] = &[
    ("members", "", "x = a", "\n.b"),
    ("calls", "", "x = a", "\n.b()?"),
    ("functions", "fn f#() {\n", "", "}\n"),
    (
        "async functions",
        "async fn f() { std::fs::read(a);\n",
        "",
        "}\n",
    ),
    ("modules", "mod m {\n", "", "}\n"),
    ("attributes", "#[a]\n", "fn f() {}", ""),
    ("closures", "|| {\n", "1", "}"),
    ("blocks", "{\n", "1", "}"),
    ("macros", "vec![\n", "1", "]"),
    ("ifs", "if a {\n", "", "}\n"),
    ("variables", "let x# = f(a);\n", "", ""),
    ("helpers", "fn f#(a: T) -> T { g(a) }\n", "", ""),
];

const RUBY: &[Piece] = &[
    ("calls", "", "x = a", "\n.b(1)"),
    ("methods", "def f#\n", "", "end\n"),
    ("blocks", "a.each do |x|\n", "", "end\n"),
    ("ifs", "if a\n", "", "end\n"),
    ("lambdas", "-> {\n", "1", "}"),
    ("heredocs", "f(<<A)\nx\nA\n", "", ""),
    ("variables", "x# = f(a)\n", "", ""),
    ("helpers", "def f#(a)\n  g(a)\nend\n", "", ""),
];

const JAVA: &[Piece] = &[
    ("calls", "", "x = a", "\n.b(1)"),
    ("sum", "", "x = a", " +\nb"),
    ("lambdas", "f(() ->\n", "1", ")"),
    ("ifs", "if (a) {\n", "", "}\n"),
    ("tries", "try {\n", "", "} catch (E e) { f(e); }\n"),
    ("variables", "T x# = f(a);\n", "", ""),
];

fn constructs() -> impl Iterator<Item = Construct> {
    let languages = [
        ("a.js", "function g(a, b) {\n", JAVASCRIPT, "\n}\n"),
        ("a.ts", "function g(a: T, b: T) {\n", JAVASCRIPT, "\n}\n"),
        ("a.tsx", "function g(a, b) {\n", JAVASCRIPT, "\n}\n"),
        ("b.tsx", "const x = (\n", ELEMENTS, "\n);\n"),
        ("a.py", "if a:\n  pass\n", PYTHON, "\n"),
        ("a.go", "package p\nfunc g(a, b T) {\n", GO, "\n}\n"),
        ("a.rs", "fn g(a: T, b: T) {\n", RUST, "\n}\n"),
        ("a.rb", "def g(a, b)\n", RUBY, "\nend\n"),
        ("A.java", "class A { void g(T a, T b) {\n", JAVA, "\n} }\n"),
    ];
    languages
        .into_iter()
        .flat_map(|(path, before, pieces, after)| {
            pieces.iter().map(move |piece| Construct {
                name: piece.0,
                path,
                before,
                opening: piece.1,
                middle: piece.2,
                closing: piece.3,
                after: if path == "a.py" && piece.2.starts_with("x = (") {
                    ")\n"
                } else {
                    after
                },
            })
        })
}

fn work(path: &str, code: &str) -> u64 {
    let file = ChangedFile {
        path,
        before: Some(b"x"),
        after: Some(code.as_bytes()),
        touched: Touched::All,
    };
    review(&[file], &everything()).work
}

fn everything() -> Options {
    Options {
        threshold: Severity::Low,
        everywhere: true,
        ..Options::default()
    }
}

#[test]
fn work_grows_with_the_size() {
    let mut worse = Vec::new();
    for construct in constructs() {
        let small = work(construct.path, &construct.code(150));
        let large = work(construct.path, &construct.code(600));
        if large > small * 5 {
            worse.push(format!(
                "{} {}: {small} → {large}",
                construct.path, construct.name
            ));
        }
    }
    assert!(worse.is_empty(), "not linear:\n{}", worse.join("\n"));
}

/// The measure itself: where a file has twice as much, it costs more.
#[test]
fn work_is_counted() {
    let small = work("a.js", &"f(a);\n".repeat(100));
    let large = work("a.js", &"f(a);\n".repeat(200));
    assert!(small > 100 && large > small * 3 / 2, "{small} → {large}");
}

/// A small file that costs far more than code does is named, and is a finding.
#[test]
fn a_file_over_its_budget_is_not_clean() {
    // Each is looked for in the whole function.
    let merge = |number: u32| format!("t{number}[k{number}] = 1;\n");
    let merges: String = (0..4_000).map(merge).collect();
    let code = format!("function g() {{\n{merges}\n}}\n");
    let file = ChangedFile {
        path: "a.js",
        before: None,
        after: Some(code.as_bytes()),
        touched: Touched::All,
    };
    let review = review(&[file], &everything());
    assert!(
        review
            .notes
            .iter()
            .any(|note| note.reason == Unread::TooInvolved)
    );
    assert!(
        review
            .findings
            .iter()
            .any(|finding| finding.rule == "review/too-involved")
    );
}

#[test]
fn a_large_ordinary_file_is_reviewed_to_its_end() {
    let function = |number: u32| {
        format!(
            "function handle{number}(req, res) {{\n  const id = Number(req.params.id);\n  if (id > {number}) {{\n    return res.status(404).end();\n  }}\n  const rows = load(id).filter((row) => row.open).map((row) => row.name);\n  return res.json({{ rows, total: rows.length }});\n}}\n\n"
        )
    };
    let mut code: String = (0..2_000).map(function).collect();
    code.push_str("function last(req) { eval(req.query.code); }\n");
    let file = ChangedFile {
        path: "a.js",
        before: None,
        after: Some(code.as_bytes()),
        touched: Touched::All,
    };
    let review = review(&[file], &everything());
    assert_eq!(review.notes, []);
    assert!(
        review
            .findings
            .iter()
            .any(|finding| finding.class == "code-injection")
    );
}

#[test]
fn a_review_that_is_stopped_names_what_it_did_not_read() {
    let stop = StopFlag::default();
    stop.set();
    let files = ["a.js", "b.py"].map(|path| ChangedFile {
        path,
        before: None,
        after: Some(b"x = 1\n"),
        touched: Touched::All,
    });
    let options = Options {
        stop,
        ..everything()
    };
    let review = review(&files, &options);
    let stopped = review
        .notes
        .iter()
        .filter(|note| note.reason == Unread::Stopped);
    let paths: Vec<_> = stopped.map(|note| note.path.as_str()).collect();
    assert_eq!(paths, ["a.js", "b.py"]);
}
