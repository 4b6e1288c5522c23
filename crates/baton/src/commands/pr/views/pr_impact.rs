//! The output of `analyze_pr_impact`, for people.

use baton_protocol::tools::analyze_pr_impact::{
    AnalyzePrImpactOutput, ImpactArea, ImpactCategory, PrOutcome,
};
use serde_json::Value;

use super::View;
use super::phrases::{counted, risk};
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style, Table};

impl View for AnalyzePrImpactOutput {
    fn show(&self, page: &mut Page) {
        let changes = &self.changes;
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!(
                "  {} in {}  ",
                counted(changes.files_changed, "file", "files"),
                counted(changes.commits, "commit", "commits")
            ))
            .styled(Style::Good, format!("+{}", changes.additions))
            .text(" ")
            .styled(Style::Bad, format!("−{}", changes.deletions));
        page.line(0, line);
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        if let Some(whole) = &self.risk {
            page.gap();
            page.line(0, risk(whole.level));
            for reason in &whole.reasons {
                page.item(0, "- ", reason);
            }
        }
        show_areas(&self.impact_areas, page);
        show_packages(self, page);
        show_reviewers(self, page);
        show_similar(self, page);
    }

    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}

fn show_areas(areas: &[ImpactArea], page: &mut Page) {
    if areas.is_empty() {
        return;
    }
    page.heading("What it touches");
    for area in areas {
        let name = match area.category {
            ImpactCategory::Frontend => "frontend",
            ImpactCategory::Backend => "backend",
            ImpactCategory::Database => "database",
            ImpactCategory::Infrastructure => "infrastructure",
            ImpactCategory::Tests => "tests",
            ImpactCategory::Docs => "docs",
        };
        let line = Line::new()
            .styled(Style::Heading, name)
            .text("  ")
            .followed_by(risk(area.risk_level));
        page.line(0, line);
        for reason in &area.reasons {
            page.item(1, "- ", reason);
        }
        page.line(1, Line::new().styled(Style::Dim, files(area)));
    }
}

fn files(area: &ImpactArea) -> String {
    let files = area.files.join(", ");
    match area.more_files {
        Some(more) => format!("{files} and {more} more"),
        None => files,
    }
}

fn show_packages(output: &AnalyzePrImpactOutput, page: &mut Page) {
    let packages = output.packages.as_deref().unwrap_or_default();
    if packages.is_empty() {
        return;
    }
    page.heading("Packages, and who needs them");
    let mut table = Table::new();
    for package in packages {
        let dependents = package.dependents.iter();
        let mut needed_by: Vec<&str> = dependents.map(|other| other.name.as_str()).collect();
        let more = package.more_dependents.map(|more| format!("{more} more"));
        needed_by.extend(more.as_deref());
        let needed_by = match needed_by[..] {
            [] => Line::new().styled(Style::Dim, "no one here"),
            _ => Line::from(needed_by.join(", ")),
        };
        table.row([
            Line::new().styled(Style::Heading, &package.name),
            Line::new().styled(Style::Dim, &package.ecosystem),
            needed_by,
        ]);
    }
    page.table(0, &table);
}

fn show_reviewers(output: &AnalyzePrImpactOutput, page: &mut Page) {
    let reviewers = output.suggested_reviewers.as_deref().unwrap_or_default();
    let teams = output.owning_teams.as_deref().unwrap_or_default();
    if reviewers.is_empty() && teams.is_empty() {
        return;
    }
    page.heading("Who could review it");
    let mut table = Table::new();
    for reviewer in reviewers {
        table.row([
            Line::new().styled(Style::Heading, &reviewer.username),
            Line::new().styled(Style::Dim, percent(reviewer.confidence)),
            Line::from(&reviewer.reason),
        ]);
    }
    for team in teams {
        table.row([
            Line::new().styled(Style::Heading, &team.team),
            Line::new().styled(Style::Dim, "team"),
            Line::from(&team.reason),
        ]);
    }
    page.table(0, &table);
}

fn show_similar(output: &AnalyzePrImpactOutput, page: &mut Page) {
    let similar = output.similar_prs.as_deref().unwrap_or_default();
    if similar.is_empty() {
        return;
    }
    page.heading("Similar pull requests");
    let mut table = Table::new();
    for pull in similar {
        let outcome = match pull.outcome {
            PrOutcome::Merged => Line::new().styled(Style::Good, "merged"),
            PrOutcome::Closed => Line::new().styled(Style::Bad, "closed"),
        };
        table.row([
            Line::from(format!("#{}", pull.number)),
            outcome,
            Line::new().styled(Style::Dim, percent(pull.similarity_score)),
            Line::from(&pull.title),
        ]);
    }
    page.table(0, &table);
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
