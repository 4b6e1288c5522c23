//! Bounded reading of a project's files. Every file is read and parsed at most
//! once; whatever cannot be read becomes a note, never an error.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use baton_protocol::detection::Note;
use serde_json::Value;

use super::parse::{self, Malformed};

/// Larger files are not read. Hand-written project files are a thousandth of this.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Over all files, so that a workspace of many large packages stays cheap.
const MAX_TOTAL_BYTES: u64 = 32 * 1024 * 1024;
/// Entries looked at in one folder.
const MAX_FOLDER_ENTRIES: usize = 10_000;
/// A project that is broken everywhere need not say so a thousand times.
const MAX_NOTES: usize = 100;

pub(crate) struct ProjectFiles {
    root: PathBuf,
    texts: RefCell<BTreeMap<String, Option<Rc<str>>>>,
    documents: RefCell<BTreeMap<String, Option<Rc<Value>>>>,
    bytes_left: Cell<u64>,
    notes: RefCell<Vec<Note>>,
}

impl ProjectFiles {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            texts: RefCell::default(),
            documents: RefCell::default(),
            bytes_left: Cell::new(MAX_TOTAL_BYTES),
            notes: RefCell::default(),
        }
    }

    /// Whether there is a regular file of this name (or a link to one).
    pub(crate) fn has(&self, path: &str) -> bool {
        self.metadata(path).is_some_and(|found| found.is_file())
    }

    /// The first of these files that is there.
    pub(crate) fn first<'a>(&self, paths: &[&'a str]) -> Option<&'a str> {
        paths.iter().copied().find(|path| self.has(path))
    }

    #[cfg(unix)]
    pub(crate) fn is_executable(&self, path: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;
        self.metadata(path)
            .is_some_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }

    #[cfg(not(unix))]
    pub(crate) fn is_executable(&self, path: &str) -> bool {
        self.has(path)
    }

    /// The text of a file, with bytes that are no UTF-8 replaced.
    pub(crate) fn text(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let text = self.has(path).then(|| self.read(path)).flatten();
        self.texts
            .borrow_mut()
            .insert(path.to_owned(), text.clone());
        text
    }

    pub(crate) fn json(&self, path: &str) -> Option<Rc<Value>> {
        self.document(path, parse::json)
    }

    pub(crate) fn toml(&self, path: &str) -> Option<Rc<Value>> {
        self.document(path, parse::toml)
    }

    pub(crate) fn yaml(&self, path: &str) -> Option<Rc<Value>> {
        self.document(path, parse::yaml)
    }

    /// The names in a folder, sorted; the empty path is the project itself.
    /// Names that are not UTF-8 are left out: no command could name them.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .take(MAX_FOLDER_ENTRIES + 1)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        if names.len() > MAX_FOLDER_ENTRIES {
            names.truncate(MAX_FOLDER_ENTRIES);
            let display_path = if folder.is_empty() { "." } else { folder };
            self.note(
                display_path,
                format!("looked at only {MAX_FOLDER_ENTRIES} entries of {display_path}"),
            );
        }
        names.sort();
        names
    }

    /// Whether this is a real folder, not a link to one: links are how a walk
    /// would leave the project or never end.
    pub(crate) fn is_real_folder(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok_and(|found| found.is_dir())
    }

    pub(crate) fn note(&self, file: &str, message: String) {
        let mut notes = self.notes.borrow_mut();
        if notes.len() < MAX_NOTES {
            notes.push(Note {
                file: file.to_owned(),
                message,
            });
        }
    }

    /// What there is to say about the reading, each thing once.
    pub(crate) fn into_notes(self) -> Vec<Note> {
        let mut seen = BTreeSet::new();
        let mut notes = self.notes.into_inner();
        notes.retain(|note| seen.insert(note.message.clone()));
        notes
    }

    fn metadata(&self, path: &str) -> Option<Metadata> {
        match fs::metadata(self.root.join(path)) {
            Ok(found) => Some(found),
            Err(error) => {
                let is_absent = matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                );
                if !is_absent {
                    self.note(path, format!("could not read {path}: {error}"));
                }
                None
            }
        }
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        match self.read_bytes(path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                // Some editors start a file with a byte order mark, which no parser expects.
                Some(Rc::from(text.strip_prefix('\u{feff}').unwrap_or(&text)))
            }
            Err(why) => {
                self.note(path, format!("could not read {path}: {why}"));
                None
            }
        }
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let limit = MAX_FILE_BYTES.min(self.bytes_left.get());
        let file = File::open(self.root.join(path)).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        let length = bytes.len() as u64;
        if length > MAX_FILE_BYTES {
            return Err(format!("it is larger than {MAX_FILE_BYTES} bytes"));
        }
        if length > limit {
            return Err(format!(
                "{MAX_TOTAL_BYTES} bytes of this project were read already"
            ));
        }
        self.bytes_left.set(self.bytes_left.get() - length);
        Ok(bytes)
    }

    fn document(
        &self,
        path: &str,
        parser: fn(&str) -> Result<Value, Malformed>,
    ) -> Option<Rc<Value>> {
        if let Some(known) = self.documents.borrow().get(path) {
            return known.clone();
        }
        let document = self.text(path).and_then(|text| match parser(&text) {
            Ok(value) => Some(Rc::new(value)),
            Err(malformed) => {
                self.note(path, format!("could not read {path}: {malformed}"));
                None
            }
        });
        self.documents
            .borrow_mut()
            .insert(path.to_owned(), document.clone());
        document
    }
}

/// `name` inside `folder`; the project itself is the empty folder.
pub(crate) fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
