//! What integrators get, judged by their own tools: the real `tsc` and the
//! real Pydantic, on every document.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use baton_protocol::schema;

use super::cases;
use crate::peers;

/// `get_failing_tests.input` → `get_failing_tests_input`
fn module(name: &str) -> String {
    name.replace('.', "_")
}

#[test]
fn schemas_are_written_as_they_are_generated() {
    for entry in schema::entries() {
        let generated = format!("{:#}\n", entry.json_schema());
        assert_eq!(
            entry.written(),
            generated,
            "{}: run `cargo xtask schemas`",
            entry.name
        );
    }
}

#[test]
fn typescript_accepts_good_and_refuses_bad_documents() {
    let Some(tsc) = peers::find("typescript/node_modules/.bin/tsc") else {
        return;
    };
    let folder = peers::scratch("typescript");
    for entry in schema::entries() {
        let schema = entry.json_schema();
        let root = schema["title"].as_str().unwrap();
        let name = module(entry.name);
        fs::write(folder.join(format!("{name}.ts")), entry.typescript()).unwrap();
        let mut check = format!("import type {{ {root} }} from \"./{name}.js\";\n");
        for (number, case) in cases(entry.name, "good").iter().enumerate() {
            if case.path.ends_with("null-jira-and-unknown-keys.json") {
                continue; // TypeScript refuses unknown keys in literals; the phase ignores them.
            }
            writeln!(
                check,
                "export const good{number}: {root} = {};",
                case.document
            )
            .unwrap();
        }
        fs::write(folder.join(format!("{name}_good.ts")), &check).unwrap();
    }
    let output = run_tsc(&tsc, &folder);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );

    // One wrong document per type, so that the check above is known to be able to fail.
    for entry in schema::entries() {
        let schema = entry.json_schema();
        let root = schema["title"].as_str().unwrap();
        let name = module(entry.name);
        let text = format!(
            "import type {{ {root} }} from \"./{name}.js\";\nexport const bad: {root} = {{ colour: 1 }};\n"
        );
        fs::write(folder.join(format!("{name}_bad.ts")), text).unwrap();
    }
    let output = run_tsc(&tsc, &folder);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for entry in schema::entries() {
        let file = format!("{}_bad.ts", module(entry.name));
        assert!(
            told.contains(&file),
            "tsc says nothing about {file}:\n{told}"
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

fn run_tsc(tsc: &PathBuf, folder: &PathBuf) -> Output {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ts"));
    Command::new(tsc)
        .args([
            "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022",
        ])
        .args(files)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Reads each document with the model of its type; prints one line per
/// document: the verdict and the file.
const JUDGE: &str = r#"
import importlib, json, pathlib, sys
from pydantic import ValidationError
for line in sys.stdin:
    module, root, path = line.rstrip("\n").split("\t")
    model = getattr(importlib.import_module(module), root)
    text = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        value = model.model_validate_json(text)
    except ValidationError:
        print("refused", path)
        continue
    again = json.loads(value.model_dump_json(by_alias=True, exclude_unset=True))
    kept = {key: json.loads(text)[key] for key in again}
    print("accepted" if again == kept else "changed", path)
"#;

#[test]
fn pydantic_accepts_good_and_refuses_bad_documents() {
    let Some(python) = peers::find("python/bin/python") else {
        return;
    };
    let folder = peers::scratch("pydantic");
    let mut questions = String::new();
    let mut expected = Vec::new();
    for entry in schema::entries() {
        let schema = entry.json_schema();
        let root = schema["title"].as_str().unwrap().to_owned();
        let name = module(entry.name);
        fs::write(folder.join(format!("{name}.py")), entry.pydantic()).unwrap();
        for (kind, verdict) in [("good", "accepted"), ("bad", "refused")] {
            for case in cases(entry.name, kind) {
                if case.path.ends_with("branch-is-base.json") {
                    continue; // A rule over two fields is beyond the generated model.
                }
                writeln!(questions, "{name}\t{root}\t{}", case.path.display()).unwrap();
                expected.push(format!("{verdict} {}", case.path.display()));
            }
        }
    }
    fs::write(folder.join("questions"), questions).unwrap();
    let output = Command::new(python)
        .args(["-B", "-c", JUDGE])
        .current_dir(&folder)
        .stdin(fs::File::open(folder.join("questions")).unwrap())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let verdicts = String::from_utf8(output.stdout).unwrap();
    assert_eq!(verdicts.lines().collect::<Vec<_>>(), expected);
    fs::remove_dir_all(folder).unwrap();
}
