//! Finds the tool of a server for each task.

use serde_json::Value;

use super::Object;

/// What a tool does, independent of its name on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Issue,
    Transitions,
    Transition,
    /// Creates a remote link.
    Link,
    /// Lists remote links.
    Links,
    Comment,
    /// Lists the sites that the account may see.
    Sites,
}

impl Role {
    /// The names that known servers give to the tool. Some servers put the name
    /// of their product before them.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Issue => &["jira_get_issue", "getJiraIssue"],
            Self::Transitions => &["jira_get_transitions", "getTransitionsForJiraIssue"],
            Self::Transition => &["jira_transition_issue", "transitionJiraIssue"],
            Self::Link => &["jira_create_remote_issue_link"],
            Self::Links => &["getJiraIssueRemoteIssueLinks"],
            Self::Comment => &["jira_add_comment", "addCommentToJiraIssue"],
            Self::Sites => &["getAccessibleAtlassianResources"],
        }
    }
}

/// A tool, as the server describes it.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The JSON Schema of its arguments.
    pub(super) schema: Object,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tools(Vec<Tool>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has no tool like `{}`; it may be a server for something else, or be read-only", .0)]
pub(super) struct NoSuchTool(&'static str);

impl Tools {
    pub(super) fn new(tools: Vec<Tool>) -> Self {
        Self(tools)
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.find(role).is_ok()
    }

    pub(super) fn find(&self, role: Role) -> Result<&Tool, NoSuchTool> {
        let names = role.names();
        let is_it = |tool: &&Tool| names.iter().any(|name| goes_by(&tool.name, name));
        self.0.iter().find(is_it).ok_or(NoSuchTool(names[0]))
    }
}

fn goes_by(full: &str, name: &str) -> bool {
    full.strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.', '/']))
}

/// The types that a property may have, in the usual notations.
pub(super) fn types_of(property: &Value) -> Vec<&str> {
    let mut types = Vec::new();
    match &property["type"] {
        Value::String(one) => types.push(one.as_str()),
        Value::Array(several) => types.extend(several.iter().filter_map(Value::as_str)),
        _ => {}
    }
    for alternatives in ["anyOf", "oneOf"] {
        let alternatives = property[alternatives].as_array().into_iter().flatten();
        types.extend(alternatives.filter_map(|schema| schema["type"].as_str()));
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Tools {
        let tool = |name: &&str| Tool {
            name: (*name).to_owned(),
            schema: Object::new(),
        };
        Tools::new(names.iter().map(tool).collect())
    }

    #[test]
    fn tools_are_found_by_either_name_and_after_a_prefix() {
        let tools = named(&[
            "atlassian_jira_get_issue",
            "transitionJiraIssue",
            "jira_get_issue_dates",
        ]);
        assert_eq!(
            tools.find(Role::Issue).unwrap().name,
            "atlassian_jira_get_issue"
        );
        assert_eq!(
            tools.find(Role::Transition).unwrap().name,
            "transitionJiraIssue"
        );
        insta::assert_snapshot!(
            tools.find(Role::Comment).unwrap_err(),
            @"it has no tool like `jira_add_comment`; it may be a server for something else, or be read-only"
        );
    }

    #[test]
    fn a_name_that_only_ends_alike_is_another_tool() {
        assert!(!named(&["unjira_get_issue", "jira_get_issue_images"]).has(Role::Issue));
    }
}
