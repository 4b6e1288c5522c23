//! Which copies of an answer a client needs: models pay for each of them.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

/// These hand their model the structured content, and never the text beside it.
/// Others read only the text, and which do cannot be asked.
const STRUCTURED_READERS: &[&str] = &["claude-code", "codex-mcp-client"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// JSON as text: the protocol's older versions know nothing else.
    Text,
    /// Structured content, with an outline for people.
    Structured,
    Both,
}

impl AnswerForm {
    pub(super) fn for_client(context: &RequestContext<RoleServer>) -> Self {
        let client = context.client_info();
        Self::new(
            context.protocol_version().as_ref(),
            client.as_ref().map(|client| client.name.as_str()),
        )
    }

    fn new(version: Option<&ProtocolVersion>, client: Option<&str>) -> Self {
        let is_old =
            |version: &ProtocolVersion| version.as_str() < ProtocolVersion::V_2025_06_18.as_str();
        if version.is_some_and(is_old) {
            Self::Text
        } else if client.is_some_and(|name| STRUCTURED_READERS.contains(&name)) {
            Self::Structured
        } else {
            Self::Both
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_readers_of_structured_content_get_nothing_else() {
        let (old, new) = (ProtocolVersion::V_2025_03_26, ProtocolVersion::V_2025_06_18);
        let form = AnswerForm::new;
        assert_eq!(form(Some(&old), Some("claude-code")), AnswerForm::Text);
        assert_eq!(
            form(Some(&new), Some("claude-code")),
            AnswerForm::Structured
        );
        assert_eq!(form(Some(&new), Some("gemini-cli")), AnswerForm::Both);
        assert_eq!(form(None, None), AnswerForm::Both);
    }
}
