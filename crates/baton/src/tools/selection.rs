//! Which of the tools a server offers: what a user lets an agent do, and what its context has
//! room for.

use std::collections::BTreeSet;

use baton_serve::mcp::ToolDef;

use super::Group;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// Which tools to offer
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Selection {
    /// Offer only tools that change nothing, here or on GitHub
    #[arg(long)]
    read_only: bool,

    /// Offer only these sets of tools
    #[arg(long, value_name = "SET,…", value_delimiter = ',', value_enum)]
    toolsets: Vec<Group>,

    /// Offer only these tools, besides those of --toolsets
    #[arg(long, value_name = "TOOL,…", value_delimiter = ',')]
    tools: Vec<String>,

    /// Leave these tools out, whatever else is said
    #[arg(long, value_name = "TOOL,…", value_delimiter = ',')]
    exclude_tools: Vec<String>,

    /// Show agents only what people with write access to the repository wrote
    ///
    /// Pull requests and issues of others are refused, and what others said is withheld.
    #[arg(long)]
    pub(super) lockdown: bool,
}

impl Selection {
    /// The tools of each group that this selection leaves.
    pub(super) fn apply(
        &self,
        groups: Vec<(Group, Vec<ToolDef>)>,
    ) -> Result<Vec<ToolDef>, CommandError> {
        let known: BTreeSet<String> = groups
            .iter()
            .flat_map(|(_, tools)| tools.iter().map(name))
            .collect();
        let wanted = names(&self.tools, "--tools", &known)?;
        let excluded = names(&self.exclude_tools, "--exclude-tools", &known)?;
        let takes_all = self.toolsets.is_empty() && self.tools.is_empty();
        let mut selected = Vec::new();
        for (group, tools) in groups {
            let has_group = takes_all || self.toolsets.contains(&group);
            selected.extend(tools.into_iter().filter(|tool| {
                let is_allowed = !self.read_only || tool.operation.meta.effects.read_only;
                (has_group || wanted.contains(&name(tool)))
                    && is_allowed
                    && !excluded.contains(&name(tool))
            }));
        }
        if selected.is_empty() {
            return Err(CommandError::wrong_use("no tool is left to offer").hint(
                "Name fewer restrictions: --read-only, --toolsets, --tools and --exclude-tools all apply.",
            ));
        }
        Ok(selected)
    }
}

fn name(tool: &ToolDef) -> String {
    tool.operation.meta.name.to_owned()
}

/// Tools by the names of the protocol, or as `baton pr` spells them.
fn names(
    given: &[String],
    flag: &str,
    known: &BTreeSet<String>,
) -> Result<BTreeSet<String>, CommandError> {
    given
        .iter()
        .map(|text| {
            let name = text.trim().replace('-', "_");
            if known.contains(&name) {
                return Ok(name);
            }
            let unknown =
                CommandError::wrong_use(format!("{flag}: there is no tool '{}'", sanitize(text)));
            Err(unknown.hint(match nearest(&name, known) {
                Some(nearest) => format!("Did you mean {nearest}? docs/mcp.md lists all tools."),
                None => "docs/mcp.md lists all tools.".to_owned(),
            }))
        })
        .collect()
}

/// The tool that was probably meant. Names that have little in common are no help.
fn nearest<'k>(name: &str, known: &'k BTreeSet<String>) -> Option<&'k str> {
    const MIN_LIKENESS: f64 = 0.8;
    known
        .iter()
        .map(|one| (strsim::jaro_winkler(one, name), one.as_str()))
        .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, one)| one)
}
