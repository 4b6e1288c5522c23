//! What an agent asked of the model so far.

use serde_json::Value;

use super::replies::Say;
use super::tools::Tool;

/// The ways to talk to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `chat/completions`
    Chat,
    /// `responses`
    Responses,
    /// `messages`
    Messages,
}

impl Dialect {
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/messages") {
            Some(Self::Messages)
        } else {
            None
        }
    }
}

/// What matters of a call.
pub(super) struct Conversation {
    /// What the user said last.
    pub(super) task: String,
    /// How many tools have answered since.
    pub(super) results: usize,
    pub(super) streams: bool,
    tools: Vec<Tool>,
    /// The folder that the agent says it works in.
    folder: Option<String>,
}

impl Conversation {
    pub(super) fn read(dialect: Dialect, body: &Value) -> Self {
        let items = match dialect {
            Dialect::Responses => &body["input"],
            Dialect::Chat | Dialect::Messages => &body["messages"],
        };
        let mut task = String::new();
        let mut results = 0;
        for item in items.as_array().into_iter().flatten() {
            let answers = answers_in(item);
            if answers > 0 {
                results += answers;
            } else if item["role"] == "user"
                && let Some(said) = said_by_the_user(&text_of(&item["content"]))
            {
                task = said;
                results = 0;
            }
        }
        let tools = body["tools"].as_array().into_iter().flatten();
        Self {
            task,
            results,
            streams: body["stream"] == true,
            tools: tools.filter_map(Tool::read).collect(),
            folder: folder_in(&body.to_string()),
        }
    }

    /// The next call on the way to these files. Agents ask a model for other
    /// things too, such as a title, without offering it tools.
    pub(super) fn write(&self, files: &[(String, String)]) -> Say {
        let calls = files.iter().flat_map(|(path, content)| {
            let path = match &self.folder {
                Some(folder) => format!("{folder}/{path}"),
                None => path.clone(),
            };
            let read = self.tools.iter().find_map(|tool| tool.call_to_read(&path));
            let writes = self
                .tools
                .iter()
                .filter_map(|tool| tool.call_to_write(&path, content));
            let write = writes.max_by_key(|(fitness, _)| *fitness);
            read.into_iter().chain(write.map(|(_, call)| call))
        });
        match calls.into_iter().nth(self.results) {
            Some(call) => Say::Call {
                id: format!("call_{}", self.results),
                call,
            },
            None => Say::Text("Done.".to_owned()),
        }
    }
}

/// How many tools answer in a message.
fn answers_in(item: &Value) -> usize {
    if item["role"] == "tool" {
        return 1;
    }
    if let Some(kind) = item["type"].as_str()
        && kind.ends_with("_call_output")
    {
        return 1;
    }
    let parts = item["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == "tool_result").count()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Agents put remarks of their own, in tags, where the user speaks.
fn said_by_the_user(text: &str) -> Option<String> {
    let mut said = text.to_owned();
    for tag in ["info-msg", "system-reminder", "environment_context"] {
        let (opening, closing) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = said.find(&opening)
            && let Some(length) = said[start..].find(&closing)
        {
            said.replace_range(start..start + length + closing.len(), "");
        }
    }
    let said = said.trim();
    (!said.is_empty()).then(|| said.to_owned())
}

/// Agents tell their models where they are, each in its own words.
fn folder_in(request: &str) -> Option<String> {
    let said = ["orking directory: ", "<cwd>"]
        .iter()
        .find_map(|words| request.split_once(words))?
        .1;
    let end = said.find(['\\', '"', '<', '\n']).unwrap_or(said.len());
    Some(said[..end].trim().trim_end_matches('/').to_owned())
}
