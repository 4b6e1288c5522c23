//! Broken, cut and shuffled sources: every review ends, and names lines that exist.

use baton_review::rules::every_rule;
use baton_review::{ChangedFile, Options, Severity, Touched, review, sarif, secrets};

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("below a usize")
    }
}

/// Cuts, doubles and overwrites pieces.
fn mutated(text: &str, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=numbers.below(4) {
        let from = numbers.below(bytes.len());
        let length = numbers.below(12).min(bytes.len() - from);
        match numbers.below(4) {
            0 => drop(bytes.drain(from..from + length)),
            1 => {
                let piece = bytes[from..from + length].repeat(1 + numbers.below(40));
                bytes.splice(from..from, piece);
            }
            2 => bytes[from..from + length].fill(b"\xff({[\"'\n`#"[numbers.below(9)]),
            _ => bytes.truncate(from),
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
    bytes
}

#[test]
fn mutated_sources_are_reviewed_without_harm() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let options = Options {
        threshold: Severity::Low,
        ..Options::default()
    };
    let rules = every_rule();
    let examples: Vec<_> = rules
        .iter()
        .flat_map(|rule| rule.file.bad.iter().chain(&rule.file.good))
        .collect();
    for _ in 0..250 {
        let example = examples[numbers.below(examples.len())];
        let path = example.path.as_deref().unwrap_or("src/a.py");
        let (before, after) = (
            mutated(&example.code, &mut numbers),
            mutated(&example.code, &mut numbers),
        );
        let file = ChangedFile {
            path,
            before: Some(&before),
            after: Some(&after),
            touched: Touched::All,
        };
        let found = review(&[file], &options);
        let lines = u32::try_from(after.split(|byte| *byte == b'\n').count()).expect("few");
        for finding in &found.findings {
            assert!((1..=lines).contains(&finding.place.start_line), "{finding}");
            assert_eq!(finding.fingerprint.len(), 16, "{finding}");
            assert!(
                !finding.excerpt.contains(|letter: char| letter.is_control()),
                "{finding}"
            );
        }
        sarif::read(
            sarif::log(&found.findings, &[], "0").to_text().as_bytes(),
            None,
        )
        .expect("our own log");
    }
}

#[test]
fn masking_leaves_text_without_secrets_alone() {
    let mut numbers = Numbers(7);
    for rule in every_rule() {
        for example in &rule.file.good {
            let text = String::from_utf8_lossy(&mutated(&example.code, &mut numbers)).into_owned();
            let once = secrets::masked(&text).into_owned();
            // What is masked holds no secret, so that masking again changes nothing.
            assert_eq!(secrets::masked(&once), once);
        }
    }
}

#[test]
fn a_secret_is_masked_wherever_a_finding_speaks_of_its_line() {
    let token = ["ghp", "_", "k3JvQ0mZr8TnYb5WcXe2LfUhPs7DaGi4RoKt"].concat();
    let text = format!(
        "import subprocess\ntry:\n    run('{token}')\nexcept Exception:\n    pass\nx = '{token}' if a == a else 1\n"
    );
    let file = ChangedFile {
        path: "src/a.py",
        before: None,
        after: Some(text.as_bytes()),
        touched: Touched::All,
    };
    let found = review(&[file], &Options::default());
    assert!(found.findings.len() >= 3);
    assert!(!format!("{found:?}").contains(&token[6..]));
}

#[test]
fn an_accepted_finding_is_gone_and_an_unused_comment_reported() {
    let text = "try:\n    save()\n# baton-ignore: swallowed-error – saving is a help, not a duty\nexcept Exception:\n    pass\n# baton-ignore: xss – nothing here\nx = 1\n";
    let file = ChangedFile {
        path: "src/a.py",
        before: None,
        after: Some(text.as_bytes()),
        touched: Touched::All,
    };
    let found = review(&[file], &Options::default());
    assert_eq!(found.findings, []);
    let unused: Vec<_> = found
        .unused_suppressions
        .iter()
        .map(|unused| (unused.line, unused.rule.as_str()))
        .collect();
    assert_eq!(unused, [(6, "xss")]);
}
