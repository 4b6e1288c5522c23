//! The tools that agents offer the model, and calls to them.

use serde_json::{Map, Value, json};

/// A tool that the agent offers.
pub(super) struct Tool {
    name: String,
    /// The names of what it takes.
    properties: Vec<String>,
    required: Vec<String>,
    schema: Value,
}

/// One use of a tool.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Value,
}

impl Tool {
    pub(super) fn read(declared: &Value) -> Option<Self> {
        let function = declared.get("function").unwrap_or(declared);
        let name = function["name"].as_str()?.to_owned();
        let schema = ["parameters", "input_schema"]
            .iter()
            .find_map(|key| function.get(*key))?
            .clone();
        let properties = schema["properties"].as_object()?.keys().cloned().collect();
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        Some(Self {
            name,
            properties,
            required,
            schema,
        })
    }

    /// How this tool reads a file, if that is what it is for.
    pub(super) fn call_to_read(&self, path: &str) -> Option<Call> {
        (self.name == "Read").then(|| Call {
            name: self.name.clone(),
            arguments: json!({ "file_path": path }),
        })
    }

    /// How this tool writes a file, and how fit it is for that.
    pub(super) fn call_to_write(&self, path: &str, content: &str) -> Option<(u32, Call)> {
        let has = |names: &[&str]| {
            let names = names.iter();
            names
                .map(|name| (*name).to_owned())
                .find(|name| self.properties.contains(name))
        };
        let mut arguments = Map::new();
        let fitness = if let Some(file) = has(&["file_path", "path"])
            && let Some(text) = has(&["content", "file_text", "contents"])
        {
            arguments.insert(file, json!(path));
            arguments.insert(text, json!(content));
            if let Some(command) = has(&["command"]) {
                arguments.insert(command, json!("write"));
            }
            3
        } else {
            let script = has(&["command", "cmd", "script"])?;
            let line = shell(path, content);
            let takes_words = self.schema["properties"][&script]["type"] == "array";
            let value = if takes_words {
                json!(["/bin/sh", "-c", line])
            } else {
                json!(line)
            };
            arguments.insert(script, value);
            1
        };
        for name in &self.required {
            // Whatever else it wants to be told, such as a description.
            arguments
                .entry(name)
                .or_insert_with(|| json!("write a file"));
        }
        let call = Call {
            name: self.name.clone(),
            arguments: Value::Object(arguments),
        };
        Some((fitness, call))
    }
}

/// The words in between are a test's own, so they need no quoting but that.
fn shell(path: &str, content: &str) -> String {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    format!("mkdir -p '{folder}' && cat > '{path}' <<'END-OF-FILE'\n{content}END-OF-FILE\n")
}
