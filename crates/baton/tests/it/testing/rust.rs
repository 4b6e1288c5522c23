use super::framework::{Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then};
use crate::demo::with_cargo;

pub(super) const CARGO: Framework = Framework {
    language: "rust",
    // Without the option, cargo leaves out the files after the one that failed.
    asked: Some("cargo test --no-fail-fast"),
    command: "cargo test --no-fail-fast",
    build: None,
    equip: |sandbox| {
        *sandbox = with_cargo();
        Ok(())
    },
    files: &[
        (
            "Cargo.toml",
            "[package]\nname = \"ledger\"\nedition = \"2024\"\n",
        ),
        (
            "src/lib.rs",
            r#"
pub fn note(name: &str) {
    use std::io::Write;
    let mut log = std::fs::OpenOptions::new().append(true).create(true).open("@LOG@").unwrap();
    log.write_all(format!("{name}\n").as_bytes()).unwrap();
}

pub fn total(amounts: &[u32]) -> u32 {
    amounts.iter().sum()
}
"#,
        ),
        (
            "tests/sums.rs",
            r#"
use ledger::{note, total};

#[test]
fn adds() {
    note("adds");
    assert_eq!(total(&[1, 2]), 3);
}

#[test]
fn empty() {
    note("empty");
    assert_eq!(total(&[]), 0);
}
"#,
        ),
        (
            "tests/rates.rs",
            r#"
#![allow(unused)]
use ledger::{note, total};

mod metals {
    use super::*;

    #[test]
    fn rounds() {
        note("rounds");
        @ROUNDS@
    }
}

#[test]
fn converts() {
    note("converts");
    @CONVERTS@
}
"#,
        ),
    ],
    bodies: Bodies {
        wrong: "assert_eq!(total(&[1, 2]), 4);",
        error: "None::<u32>.expect(\"no rate for tin\");",
        flaky: "let seen = std::fs::exists(\"@MARKER@\").unwrap();\nstd::fs::write(\"@MARKER@\", \"\").unwrap();\nassert!(seen);",
        hangs: "std::process::Command::new(\"sh\").arg(\"linger.sh\").spawn().unwrap();\nstd::thread::sleep(std::time::Duration::from_secs(300));",
        crash: "std::process::abort();",
    },
    failures: [
        Failure {
            name: "metals::rounds",
            file: "tests/rates.rs",
            error: "left: 3",
        },
        Failure {
            name: "converts",
            file: "tests/rates.rs",
            error: "no rate for tin",
        },
    ],
    retries: Retries::OnlyWhatFailed,
    broken: Broken {
        file: "src/lib.rs",
        content: "pub fn total() -> u32 {\n    \"three\"\n}\n",
        error: "build_failure",
        told: "error[E0308]",
    },
    missing: Missing {
        arrange: |sandbox| {
            let bin = sandbox.bin();
            sandbox.set("PATH", bin);
        },
        then: Then::Reports("cargo test --no-fail-fast"),
    },
    crash: Crash { told: "SIGABRT" },
    seconds_to_start: 8,
};

all_cases!(CARGO);
