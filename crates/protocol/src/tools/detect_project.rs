//! What kind of project a folder holds.

use crate::language::Language;
use crate::request::{optional, request, text};

request! {
    pub struct DetectProjectInput, unknown keys Refused {
        /// The project's root folder (default: the folder that baton was started in).
        folder: Option<String> = optional(text()),
        /// Take this language instead of looking for one.
        language: Option<Language> = optional(Language::shape()),
    }
}
