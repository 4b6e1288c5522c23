//! Whether tests notice when a gate of a run is switched off: a copy of the source gets
//! a switch for each gate, is built once, and the tests that rely on a gate have to
//! fail while its switch is thrown.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::program::Program;
use crate::project::Project;

/// Something that a run has to pass, and the edits that give it a switch.
struct Gate {
    name: &'static str,
    edits: &'static [Edit],
    package: &'static str,
    tests: &'static [&'static str],
}

/// A replacement in a file of the source. [`OFF`] in it is whether the gate is off.
struct Edit {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

/// Becomes a look for a file, which reaches every process of a test; variables of the
/// environment do not.
const OFF: &str = "$OFF";

/// Drops all findings about tests, settings and gates.
const TAMPERING: (&str, &str) = (
    "        tampering\n            .findings\n            .into_iter()\n",
    "        tampering\n            .findings\n            .into_iter()\n            .filter(|_| !$OFF)\n",
);

const GATES: &[Gate] = &[
    Gate {
        name: "before the push",
        edits: &[Edit {
            file: "crates/agents/src/publishable/mod.rs",
            from: "    if wrong.is_empty() {\n        return Ok(());\n    }\n    let first",
            to: "    if $OFF || wrong.is_empty() {\n        return Ok(());\n    }\n    let first",
        }],
        package: "baton",
        tests: &[
            "adversaries::publishes_a_secret",
            "adversaries::publishes_a_large_file",
            "adversaries::publishes_a_program",
            "adversaries::commits_installed_packages",
            "adversaries::hides_escapes_in_a_message",
        ],
    },
    Gate {
        name: "links to the outside",
        edits: &[Edit {
            file: "crates/agents/src/publishable/mod.rs",
            from: "        wrong.extend(links::leading_out(workspace, &changed).await?);\n",
            to: "        if !$OFF { wrong.extend(links::leading_out(workspace, &changed).await?); }\n",
        }],
        package: "baton",
        tests: &["adversaries::commits_a_link_to_the_outside"],
    },
    Gate {
        name: "review of tests and settings",
        edits: &[Edit {
            file: "crates/review/src/engine.rs",
            from: TAMPERING.0,
            to: TAMPERING.1,
        }],
        package: "baton",
        tests: &[
            "cheats::python_asks_for_less",
            "cheats::python_deletes_a_test",
            "cheats::python_erases_failures",
            "cheats::javascript_ignores_failures",
            "cheats::rust_replaces_the_runner",
            "cheats::javascript_replaces_assertions",
            "cheats::python_replaces_assertions",
            "cheats::python_replaces_the_framework",
            "cheats::ruby_replaces_assertions",
            "cheats::rust_replaces_assertions",
        ],
    },
    Gate {
        name: "contradictions",
        edits: &[Edit {
            file: "crates/ops/src/testing/consistency.rs",
            from: "    found.truncate(MAX_CONTRADICTIONS);",
            to: "    found.truncate(if $OFF { 0 } else { MAX_CONTRADICTIONS });",
        }],
        package: "baton",
        tests: &["cheats::python_leaves_in_the_middle"],
    },
    Gate {
        name: "test ledger",
        edits: &[Edit {
            file: "crates/agents/src/validator/ledger.rs",
            from: "    if told.is_empty() {\n        return None;\n    }",
            to: "    if $OFF || told.is_empty() {\n        return None;\n    }",
        }],
        package: "baton",
        tests: &[
            "cheats::go_skips",
            "cheats::javascript_moves_tests_out_of_sight",
            "cheats::javascript_skips",
            "cheats::python_moves_tests_out_of_sight",
            "cheats::ruby_makes_its_test_pending",
            "cheats::rust_ignores",
        ],
    },
    Gate {
        name: "the reason of an old failure",
        edits: &[Edit {
            file: "crates/ops/src/validation/ledger/mod.rs",
            from: "*name == failure.name && *error == reason",
            to: "*name == failure.name && (*error == reason || $OFF)",
        }],
        package: "baton",
        tests: &["cheats::python_hides_behind_a_failure"],
    },
    Gate {
        name: "a home folder for each step",
        edits: &[Edit {
            file: "crates/agents/src/confine.rs",
            from: "            _ => steps_folder(step).join(self.name),",
            to: "            _ if $OFF => private_folder(step).join(\"agent\"),\n            _ => steps_folder(step).join(self.name),",
        }],
        package: "baton",
        tests: &[
            "cheats::javascript_rigs_its_home",
            "cheats::python_rigs_its_home",
            "cheats::rust_rigs_its_home",
        ],
    },
    Gate {
        name: "what is not committed is set aside",
        edits: &[Edit {
            file: "crates/agents/src/prep/prepared.rs",
            from: "            if !is_prepared(&entry) {",
            to: "            if !$OFF && !is_prepared(&entry) {",
        }],
        package: "baton",
        tests: &[
            "cheats::javascript_leaves_its_packages",
            "cheats::python_hides_a_hook",
        ],
    },
    Gate {
        name: "comments that silence a scanner",
        edits: &[
            Edit {
                file: "crates/review/src/suppress.rs",
                from: "        if known.as_ref().is_some_and(is_new) {",
                to: "        if !$OFF && known.as_ref().is_some_and(is_new) {",
            },
            // Such a comment is a finding of its own as well.
            Edit {
                file: "crates/review/src/engine.rs",
                from: TAMPERING.0,
                to: TAMPERING.1,
            },
        ],
        package: "baton",
        tests: &["adversaries::accepts_its_own_finding"],
    },
    Gate {
        name: "tests where there is no CI",
        edits: &[Edit {
            file: "crates/agents/src/validator/local.rs",
            from: "status == StepStatus::Pass && is_chosen(step, workspace, &checks.tests.command)",
            to: "status == StepStatus::Pass && ($OFF || is_chosen(step, workspace, &checks.tests.command))",
        }],
        package: "baton",
        tests: &["cheats::rust_proves_nothing"],
    },
    Gate {
        name: "tests that no runner finds",
        edits: &[Edit {
            file: "crates/ops/src/validation/ledger/mod.rs",
            from: "if before.counted == Some(0) && is_empty {",
            to: "if !$OFF && before.counted == Some(0) && is_empty {",
        }],
        package: "baton",
        tests: &["cheats::python_breaks_what_no_runner_finds"],
    },
    Gate {
        name: "CI that may not be read",
        edits: &[Edit {
            file: "crates/agents/src/validator/ci.rs",
            from: "            return blocked(format!(\"CI of {head} cannot be judged: {message}\"));",
            to: "            if !$OFF { return blocked(format!(\"CI of {head} cannot be judged: {message}\")); }",
        }],
        package: "baton-agents",
        tests: &["validator::ci_that_may_not_be_read_is_left_to_a_person"],
    },
    Gate {
        name: "layers over what is installed",
        // All have the same layer. Without any, an agent could not write there at all.
        edits: &[Edit {
            file: "crates/host/src/sandbox/prepared.rs",
            from: "        let place = folders.own.join(\"layers\")",
            to: "        let place = (if $OFF { &prepared.own } else { &folders.own }).join(\"layers\")",
        }],
        package: "baton",
        tests: &["cheats::python_rigs_its_environment"],
    },
];

/// Runs all, or those with one of these names.
pub(crate) fn run(
    project: &Project,
    environment: &Environment,
    names: &[String],
) -> Result<bool, Failure> {
    let folder = project.target.join("gates");
    let copy = Copy::make(project, environment, &folder)?;
    let is_meant = |gate: &&Gate| names.is_empty() || names.iter().any(|name| name == gate.name);
    let gates: Vec<&Gate> = GATES.iter().filter(is_meant).collect();
    copy.add_switches()?;
    for gate in &gates {
        let failed = copy.failing(gate)?;
        if !failed.is_empty() {
            return Err(Failure::new(format!(
                "{} fail before anything is switched off",
                failed.join(", ")
            )));
        }
    }
    println!("| gate | its tests | of them fail without it |\n|---|---|---|");
    let mut is_noticed = true;
    for gate in gates {
        let switch = copy.switch(gate);
        write(&switch, "")?;
        let failed = copy.failing(gate);
        let doing = format!("remove {}", switch.display());
        fs::remove_file(&switch).map_err(Failure::could_not(doing))?;
        let failed = failed?;
        is_noticed &= !failed.is_empty();
        println!(
            "| {} | {} | {} |",
            gate.name,
            gate.tests.len(),
            failed.len()
        );
    }
    Ok(is_noticed)
}

/// The source, where it can be edited, with its own builds.
struct Copy<'a> {
    folder: PathBuf,
    target: PathBuf,
    environment: &'a Environment,
}

impl<'a> Copy<'a> {
    fn make(
        project: &Project,
        environment: &'a Environment,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let copy = Self {
            folder: folder.join("source"),
            target: folder.join("target"),
            environment,
        };
        let switches = copy.switches();
        let _ = fs::remove_dir_all(&switches);
        let doing = format!("make {}", switches.display());
        fs::create_dir_all(&switches).map_err(Failure::could_not(doing))?;
        let files = project.files()?;
        remove_others(&copy.folder, &copy.folder, &files)?;
        for path in files {
            let (from, to) = (project.root.join(&path), copy.folder.join(&path));
            let bytes = fs::read(&from).map_err(Failure::could_not(format_args!("read {path}")))?;
            // Files that stay the same are not compiled again.
            if fs::read(&to).is_ok_and(|there| there == bytes) {
                continue;
            }
            let parent = to.parent().unwrap_or(&copy.folder);
            fs::create_dir_all(parent)
                .and_then(|()| fs::copy(&from, &to))
                .map_err(Failure::could_not(format_args!("copy {path}")))?;
        }
        Ok(copy)
    }

    fn switches(&self) -> PathBuf {
        self.folder.with_file_name("off")
    }

    /// The file that switches a gate off.
    fn switch(&self, gate: &Gate) -> PathBuf {
        self.switches().join(gate.name)
    }

    /// Gives every gate its switch, so that all of them need one build.
    fn add_switches(&self) -> Result<(), Failure> {
        for gate in GATES {
            let switch = self.switch(gate);
            let switch = switch.to_string_lossy();
            let is_off = format!("std::path::Path::new({switch:?}).exists()");
            for edit in gate.edits {
                let path = self.folder.join(edit.file);
                let doing = format!("read {}", path.display());
                let text = fs::read_to_string(&path).map_err(Failure::could_not(doing))?;
                write(
                    &path,
                    &text.replacen(edit.from, &edit.to.replace(OFF, &is_off), 1),
                )?;
            }
        }
        Ok(())
    }

    /// The gate's tests that fail. An error where they cannot be built.
    fn failing(&self, gate: &Gate) -> Result<Vec<&'static str>, Failure> {
        let cargo = || {
            Program::cargo(["test", "--quiet", "--package", gate.package, "--test", "it"])
                .current_dir(&self.folder)
                .env("CARGO_TARGET_DIR", &self.target)
                .env("BATON_PEERS_DIR", &self.environment.peers)
        };
        cargo().args(["--no-run"]).run_quietly()?;
        let ran = cargo()
            .args(["--", "--exact", "--format=pretty"])
            .args(gate.tests)
            .output()?;
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        let is_told = |test: &&&str, end: &str| told.contains(&format!("test {test} ... {end}"));
        let unknown = gate
            .tests
            .iter()
            .find(|test| !is_told(test, "ok") && !is_told(test, "FAILED"));
        if let Some(unknown) = unknown {
            return Err(Failure::new(format!("{unknown} did not run")).output(told));
        }
        let failed = gate.tests.iter().filter(|test| is_told(test, "FAILED"));
        Ok(failed.copied().collect())
    }
}

/// Removes what an earlier copy had and the source no longer has.
fn remove_others(root: &Path, folder: &Path, files: &[String]) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            remove_others(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
        if !files.iter().any(|file| *file == name) {
            let doing = format!("remove {}", path.display());
            fs::remove_file(&path).map_err(Failure::could_not(doing))?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let doing = format!("write {}", path.display());
    fs::write(path, text).map_err(Failure::could_not(doing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_is_where_it_is_said_to_be() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for gate in GATES {
            for edit in gate.edits {
                let text = fs::read_to_string(root.join(edit.file)).unwrap_or_default();
                let count = text.matches(edit.from).count();
                assert_eq!(count, 1, "{}: {}", gate.name, edit.file);
                assert!(edit.to.contains(OFF), "{}", gate.name);
            }
        }
    }
}
