//! What kind of project a folder holds.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::language::{Language, LanguageWord};
use crate::object_reader::{ObjectReader, UnknownKeys, text};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DetectProjectInput {
    /// The project's root folder (default: the folder that baton was started in).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Take this language instead of looking for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LanguageWord>")]
    pub language: Option<Language>,
}

impl DetectProjectInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let folder = reader.optional("folder", text);
        let language = reader.optional("language", Language::shape());
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self { folder, language })
    }
}
