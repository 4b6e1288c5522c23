//! Renders a detected project as text for snapshots.

use std::fmt::Write;

use baton_protocol::detection::{Candidate, Decision, Project, Purpose, Source};

/// The whole answer, one fact per line.
pub(super) fn render(project: &Project) -> String {
    let mut text = String::new();
    let out = &mut text;
    match &project.decision {
        Decision::Given { language } => line(out, 0, &format!("given {language}")),
        Decision::Detected {
            language,
            confidence,
            because,
        } => line(out, 0, &format!("{language}, {confidence}: {because}")),
        Decision::Ambiguous { candidates } => line(out, 0, &format!("ambiguous {candidates:?}")),
        Decision::NotFound => line(out, 0, "no language"),
    }
    for commands in &project.languages {
        if let Some(manager) = &commands.package_manager {
            let name = serde_json::to_value(manager.name).unwrap();
            let name = name.as_str().unwrap();
            line(
                out,
                0,
                &format!("package manager {name}: {}", manager.reason),
            );
        }
        line(out, 0, &format!("{} testing", commands.language));
        for test in &commands.testing.test {
            candidate(out, "test", test);
        }
        if let Some(build) = &commands.testing.build {
            candidate(out, "build", build);
        }
        line(out, 0, &format!("{} validation", commands.language));
        for purpose in Purpose::ALL {
            for each in commands.validation.for_purpose(purpose) {
                candidate(out, purpose.name(), each);
            }
        }
    }
    for framework in &project.frameworks {
        line(
            out,
            0,
            &format!("framework {}: {}", framework.name, framework.evidence),
        );
    }
    for workspace in &project.workspaces {
        line(
            out,
            0,
            &format!("workspace {:?} by {}", workspace.kind, workspace.source),
        );
        for package in &workspace.packages {
            let language = package.language.map_or("?", |language| language.name());
            line(
                out,
                1,
                &format!("{} ({}, {language})", package.name, package.path),
            );
            for each in &package.commands {
                line(
                    out,
                    2,
                    &format!("{}: {}", each.purpose.name(), each.command),
                );
            }
        }
    }
    for orchestrator in &project.orchestrators {
        line(
            out,
            0,
            &format!(
                "orchestrator {} by {}",
                orchestrator.name, orchestrator.file
            ),
        );
    }
    for hint in &project.hints {
        let purpose = hint.purpose.map_or("?", Purpose::name);
        line(
            out,
            0,
            &format!("hint {purpose} in {}: {}", hint.file, hint.command),
        );
    }
    for note in &project.notes {
        line(out, 0, &format!("note: {}", note.message));
    }
    text
}

fn candidate(out: &mut String, purpose: &str, candidate: &Candidate) {
    let source = match &candidate.source {
        Source::Task { file, key } => format!("{file} {key}"),
        Source::Configuration { file } => file.clone(),
        Source::LanguageDefault => "default".to_owned(),
    };
    let mut text = format!("{purpose}: {} <- {source}", candidate.command);
    for fallback in &candidate.fallbacks {
        write!(text, " | {}", fallback.command).unwrap();
    }
    write!(text, " ({})", candidate.reason).unwrap();
    line(out, 1, &text);
}

fn line(out: &mut String, depth: usize, text: &str) {
    writeln!(out, "{}{text}", "  ".repeat(depth)).unwrap();
}
