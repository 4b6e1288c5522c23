//! Whatever the bytes are, the review ends and does not panic.

use baton_review::rules::every_rule;
use baton_review::{ChangedFile, Options, Review, Severity, Touched, review};
use proptest::prelude::*;

const PATHS: [&str; 8] = [
    "a.js", "a.ts", "a.tsx", "a.py", "a.go", "a.rs", "a.rb", "A.java",
];

fn run(path: &str, bytes: &[u8]) -> Review {
    let file = ChangedFile {
        path,
        before: None,
        after: Some(bytes),
        touched: Touched::All,
    };
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    let review = review(&[file], &options);
    for finding in &review.findings {
        assert!(finding.place.start_line >= 1);
        assert!(finding.excerpt.chars().count() <= 161);
    }
    review
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    let deep = 20_000;
    for path in PATHS {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("!", ""),
            ("a.", "b"),
        ] {
            let text = format!("x = {}1{}\n", open.repeat(deep), close.repeat(deep));
            run(path, text.as_bytes());
        }
    }
}

#[test]
fn nested_blocks_do_not_overflow_the_stack() {
    let deep = 5_000;
    run("a.js", "if (a) {".repeat(deep).as_bytes());
    run("a.js", "function f() {".repeat(deep).as_bytes());
    run("a.js", "x => ".repeat(deep).as_bytes());
    run(
        "A.java",
        format!("class A {{ void f() {{ {}", "for (;;) {".repeat(deep)).as_bytes(),
    );
    run(
        "a.go",
        format!("package a\nfunc f() {{ {}", "for {".repeat(deep)).as_bytes(),
    );
    run(
        "a.rs",
        format!("fn f() {{ {}", "loop {".repeat(deep)).as_bytes(),
    );
    run(
        "a.rs",
        format!("fn f() {{ p!{}", "(".repeat(deep)).as_bytes(),
    );
    run("a.rs", format!("use a::{}", "{a::".repeat(deep)).as_bytes());
    run("a.rb", "def f\n".repeat(deep).as_bytes());
    let python: Vec<_> = (0..300).map(|depth| " ".repeat(depth) + "if a:").collect();
    let python = python.join("\n");
    run("a.py", python.as_bytes());
}

#[test]
fn long_chains_end() {
    let sum = format!("x = {}1\n", "y + ".repeat(20_000));
    let calls = format!("x = a{}\n", ".b(1)".repeat(20_000));
    let elifs = format!("if a:\n  b\n{}", "elif a:\n  b\n".repeat(5_000));
    run("a.py", sum.as_bytes());
    run("a.js", sum.as_bytes());
    run("a.py", calls.as_bytes());
    run("a.rb", calls.as_bytes());
    run("a.py", elifs.as_bytes());
}

#[test]
fn a_collection_put_into_itself_stays_small() {
    let maps = |count| format!("x = {{}};\n{}", "x.a = x; x.b = x;\n".repeat(count));
    let lists = |count| format!("x = []\n{}", "x.append(x)\nx = [x, x]\n".repeat(count));
    let growth = |path: &str, code: &dyn Fn(usize) -> String| {
        let [small, large] = [500, 2_000].map(|count| {
            let review = run(path, code(count).as_bytes());
            // A review that gave up would be as cheap as its limit, which grows with the file.
            assert!(review.notes.is_empty(), "{path}: {:?}", review.notes);
            review.work
        });
        (small, large)
    };
    for (small, large) in [growth("a.js", &maps), growth("a.py", &lists)] {
        assert!(
            large > small * 3,
            "{large} is not the work of {small} four times"
        );
        assert!(large < small * 5, "{small} units of work became {large}");
    }
}

#[test]
fn functions_that_call_each_other_end() {
    let function = |n: u32| {
        let (one, other) = ((n + 1) % 400, (n + 7) % 400);
        format!("def f{n}(a, b):\n    return f{one}(b, a) + f{other}(a, b)\n")
    };
    let code: Vec<_> = (0..400).map(function).collect();
    let code = code.concat();
    run("a.py", code.as_bytes());
    let loops = format!(
        "function f() {{ {} x = y; {} }}",
        "while (a) {".repeat(40),
        "}".repeat(40)
    );
    run("a.js", loops.as_bytes());
}

#[test]
fn every_example_cut_anywhere_is_fine() {
    for (index, rule) in every_rule().iter().enumerate() {
        let Some(example) = rule.file.bad.first() else {
            continue;
        };
        let code = &example.code;
        let mut cut = code.len() * (index % 7 + 1) / 8;
        while !code.is_char_boundary(cut) {
            cut -= 1;
        }
        for path in PATHS {
            run(path, &code.as_bytes()[..cut]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_ends(text in "(?s).{0,300}", which in 0usize..8) {
        run(PATHS[which], text.as_bytes());
    }

    #[test]
    fn tokens_in_any_order_end(
        words in proptest::collection::vec(
            prop_oneof![
                Just("request"), Just(".args"), Just("["), Just("]"), Just("("), Just(")"), Just("{"),
                Just("}"), Just("="), Just("+"), Just("'a'"), Just("if "), Just("else "), Just("for "),
                Just("in "), Just("return "), Just("def f"), Just("function "), Just(":"), Just(";"),
                Just("\n"), Just("    "), Just("=>"), Just("eval"), Just("${"), Just("`"), Just("#{"),
                Just("class A "), Just("match "), Just("switch "), Just("case "), Just(","), Just("é"),
            ],
            0..60,
        ),
        which in 0usize..8,
    ) {
        run(PATHS[which], words.concat().as_bytes());
    }
}
